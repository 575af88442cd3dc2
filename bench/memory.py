"""The private memory that the library takes in a process that set up and knows 50 directories, while another such
process runs: pages of the library's file, which any number share, are nobody's private memory.
"""
import statistics
import subprocess

from measure import Row, output_of


def sample(context, env):
    for line in output_of([context.program("memory"), context.root + "/memory"], env).splitlines():
        words = line.split()
        if words[0] == "private":
            return int(words[1]), int(words[2])
    raise AssertionError("memory printed no figure")


def memory(context):
    directory = context.directory("memory")
    on = context.on(FASTPATH_TEST="eager")
    other = subprocess.Popen([context.program("memory"), directory, "hold"], env=on, stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        other.stdout.read(len("bell"))
        samples = [(sample(context, context.without()), sample(context, on)) for _ in range(10)]
    finally:
        other.communicate()
    clean = statistics.median(w[0] - b[0] for b, w in samples)
    dirty = [w[1] - b[1] for b, w in samples]
    both = [w[0] + w[1] - b[0] - b[1] for b, w in samples]
    return [Row("memory", "private memory of a process that knows 50 directories", statistics.median(both), 512, 128,
                unit="KiB", sd=statistics.stdev(both), ci=[min(both), max(both)], pairs=len(samples),
                base=statistics.median(sum(b) for b, _ in samples), with_=statistics.median(sum(w) for _, w in samples),
                note=f"dirty {statistics.median(dirty):.0f}, clean {clean:.0f}; 95 %: range")]


WORKLOADS = {"memory": memory}

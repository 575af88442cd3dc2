"""What a preloaded library costs every program that never uses it: time and page faults of an exec, and of a
command that bash forks and execs. The faults are counts, exact up to what address randomisation makes of them.
"""
import glob
import os
import shutil
import statistics
import subprocess

from measure import Cannot, Row, difference, fixed_layout, half_width, interval, output_of, run

EATMYDATA = ["/usr/lib/*/libeatmydata.so", "/usr/lib*/libeatmydata.so"]
BLOCK = 100  # rounds whose middle is one sample: CPU times are whole µs and vary by a quarter from exec to exec


def eatmydata():
    for pattern in EATMYDATA:
        for path in glob.glob(pattern):
            return path
    raise Cannot("libeatmydata is not installed: apt-get install eatmydata")


def side_by_side(context):
    """Copies of both libraries in one directory: one path length, one file system, pages read alike."""
    directory = context.directory("loader")
    paths = {}
    for name, source in (("fastpath", context.lib), ("eatmydata", eatmydata())):
        paths[name] = shutil.copyfile(source, f"{directory}/lib{name}.so")
    return paths


def execs(context, rounds, names):
    """{environment: [(wall ns, CPU µs, faults)]} of /bin/true in these environments, interleaved; two blocks at least."""
    rounds = max(rounds, 2 * BLOCK)
    libraries = side_by_side(context)
    kinds = {"none": [], "eatmydata": [f"LD_PRELOAD={libraries['eatmydata']}"],
             "inert": [f"LD_PRELOAD={libraries['fastpath']}"],
             "on": [f"LD_PRELOAD={libraries['fastpath']}", "FASTPATH=1"]}
    words = []
    for name in names:
        words += ["--", name, *kinds[name.split("_")[0]]]
    found = {name: [] for name in names}
    for line in output_of([context.program("loader"), str(rounds), "/bin/true", *words[1:]],
                          {"PATH": "/usr/bin:/bin"}).splitlines():
        _, name, *values = line.split()
        found[name].append(tuple(int(v) for v in values))
    return found


def middle(values):
    """The mean of the middle half: an exec that met an interrupt says nothing of the loader."""
    values = sorted(values)
    return statistics.fmean(values[len(values) // 4:-(len(values) // 4)])


def over(found, index, base, with_):
    """What `with_` costs more than `base`, round by round, in blocks of BLOCK rounds."""
    more = [w[index] - b[index] for b, w in zip(found[base], found[with_])]
    return [middle(more[i:i + BLOCK]) for i in range(0, len(more) - BLOCK + 1, BLOCK)]


def of_two(pairs):
    """The ratio of two costs; sums, because a difference of one block may be near nothing."""
    return statistics.fmean(a for a, _ in pairs) / statistics.fmean(b for _, b in pairs)


def loader_rows(context):
    found = execs(context, context.pairs(4000, 1000), ["none", "eatmydata", "inert", "none_again"])
    ours, theirs = over(found, 1, "none", "inert"), over(found, 1, "none", "eatmydata")
    wall_ours = statistics.median(over(found, 0, "none", "inert")) / 1e3
    wall_theirs = statistics.median(over(found, 0, "none", "eatmydata")) / 1e3
    pairs = list(zip(ours, theirs))
    floor = over(found, 1, "none", "none_again")
    note = (f"{statistics.fmean(ours):.1f} of {statistics.fmean(theirs):.1f} us CPU an exec, wall "
            f"{wall_ours:.1f} of {wall_theirs:.1f} us")
    return [Row("loader", "loader's charge per exec, inert, to libeatmydata's", of_two(pairs), 0.5, 0.4,
                sd=statistics.stdev(ours) / abs(statistics.fmean(theirs)), ci=list(interval(pairs, of_two)),
                pairs=len(pairs), base=statistics.fmean(theirs), with_=statistics.fmean(ours), note=note,
                noise=dict(us=statistics.fmean(floor), ci=list(interval(floor, statistics.fmean))))]


def loader_on(context):
    found = execs(context, context.pairs(20000, 3000), ["inert", "on", "inert_again"])
    more = over(found, 1, "inert", "on") + over(found, 1, "inert_again", "on")
    floor = over(found, 1, "inert", "inert_again")
    wall = statistics.median(over(found, 0, "inert", "on")) / 1e3
    return [Row("loader_on", "same with FASTPATH=1 that never pays off, over inert", statistics.fmean(more), 2, 0.5,
                unit="us", sd=statistics.stdev(more), ci=list(interval(more, statistics.fmean)), pairs=len(more),
                base=middle(s[1] for s in found["inert"]),
                with_=middle(s[1] for s in found["on"]), note=f"wall {wall:+.1f} us, "
                f"{difference(faults(found, 'inert'), faults(found, 'on')):+.2f} faults",
                noise=dict(us=statistics.fmean(floor), ci=list(interval(floor, statistics.fmean))))]


def faults(found, name):
    return [s[2] for s in found[name]]


def static_program(context):
    """A program that the library cannot enter: what it adds is the fork's, not the exec's."""
    path = os.path.join(context.directory("static"), "static_true")
    done = subprocess.run(["gcc", "-x", "c", "-static", "-O2", "-o", path, "-"], input="int main(void){return 0;}",
                          text=True, capture_output=True)
    if done.returncode != 0:
        raise Cannot("no static program: " + done.stderr.strip().splitlines()[-1])
    return path


def bash_faults(program, env, commands, layout):
    loop = f'i=0; while [ $i -lt {commands} ]; do "{program}"; i=$((i+1)); done'
    return run(layout(["bash", "--norc", "-c", loop]), env).faults


def faults_a_command(program, env, layout=list, few=5, many=45):
    """The slope: what bash itself takes at its start falls out."""
    few_faults, many_faults = (bash_faults(program, env, n, layout) for n in (few, many))
    return (many_faults - few_faults) / (many - few)


def exec_row(context):
    found = execs(context, context.pairs(600, 200), ["none", "eatmydata", "inert", "none_again"])
    base, with_ = faults(found, "none"), faults(found, "inert")
    theirs = difference(base, faults(found, "eatmydata"))
    floor = difference(base, faults(found, "none_again"))
    added = [w - b for b, w in zip(base, with_)]
    ci = interval(added, statistics.fmean)
    return Row("faults_exec", "page faults added to an exec of /bin/true, inert", statistics.fmean(added), 7, 4,
               blur=half_width(ci), sd=statistics.stdev(added), ci=list(ci), pairs=len(added),
               base=statistics.fmean(base), with_=statistics.fmean(with_), noise=dict(faults=floor),
               note=f"libeatmydata adds {theirs:.1f}")


def fork_row(context):
    """Bash's layout decides how its children fault, so many short runs of bash and not one long one."""
    program = static_program(context)
    kinds = [context.without(), context.inert(), context.on(), context.without()]
    samples = [[faults_a_command(program, env) for env in kinds]
               for _ in range(max(10, context.pairs(100, 24)))]
    none, inert, on, again = (statistics.fmean(s) for s in zip(*samples))
    added = [s[1] - s[0] for s in samples]
    ci = interval(added, statistics.fmean)
    exact = [faults_a_command(program, env, fixed_layout) for env in kinds[:3]]
    return Row("faults_fork", "... to one command that bash forks and execs, inert", inert - none, 3, 1,
               blur=half_width(ci), sd=statistics.stdev(added), ci=list(ci), pairs=len(samples), base=none, with_=inert,
               noise=dict(faults=again - none), note=f"with FASTPATH=1 {on - none:+.2f}; without address "
               f"randomisation exactly {exact[1] - exact[0]:+.2f}, {exact[2] - exact[0]:+.2f}")


WORKLOADS = {"loader": loader_rows, "loader_on": loader_on, "faults": lambda c: [exec_row(c), fork_row(c)]}

"""Sessions (fastpath run -- COMMAND) against the plain command: CPU time of the whole tree, its broker included, and
the failing lookups that still reach the kernel. The broker is nobody's child; a subreaper inherits it.
"""
import ctypes
import json
import os
import signal
import statistics
import struct
import subprocess
import tempfile
import time

from measure import Cannot, Row, Used, abba, core_for, noise, ratio, start

PR_SET_CHILD_SUBREAPER = 36
LINGER_S = 10  # how long a broker may outlive its command

# What failures.c counts, in its order.
FAMILIES = ["access", "stat", "open", "exec", "readlink", "realpath", "xattr"]


def subreaper(on):
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)


def children():
    with open(f"/proc/self/task/{os.getpid()}/children") as pids:
        return [int(pid) for pid in pids.read().split()]


class Lingered(Exception):
    pass


def give_up(*_):
    raise Lingered


class Reaped(Used):
    """What a command's tree cost: the wall time is the command's own, the CPU time that of all, and `rest` what
    those took that outlived the process which started them: a session's broker."""

    def __init__(self, usage, wall):
        super().__init__(usage, wall)
        self.rest = 0.0

    def inherit(self, usage):
        self.rest += usage.ru_utime + usage.ru_stime
        self.cpu += usage.ru_utime + usage.ru_stime


def reap_trees(processes, began, heir=None):
    """Waits until nothing of these trees is left. What nobody waited for is charged to processes[heir]."""
    used, orphans, codes = {}, [], {}
    before = signal.signal(signal.SIGALRM, give_up)
    try:
        while True:
            pid, status, usage = os.wait4(-1, 0)
            process = next((p for p in processes if p.pid == pid), None)
            if process is None:
                orphans.append(usage)
                continue
            used[pid] = Reaped(usage, time.monotonic() - began)
            codes[pid] = process.returncode = os.waitstatus_to_exitcode(status)
            if len(used) == len(processes):
                signal.alarm(LINGER_S)
    except ChildProcessError:
        pass
    except Lingered:
        for pid in children():
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        raise Cannot(f"{LINGER_S} s after {processes[heir or 0].args[0]} ended, a process of it was left") from None
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    for process in processes:
        if process.returncode != 0:
            raise Cannot(f"{process.args[0]} ended with {process.returncode}")
    for usage in orphans:
        used[processes[heir or 0].pid].inherit(usage)
    return [used[p.pid] for p in processes]


def run_tree(argv, env, cwd=None, core=None):
    subreaper(True)
    try:
        began = time.monotonic()
        return reap_trees([start(argv, env, cwd, core)], began)[0]
    finally:
        subreaper(False)


def run_twins(pairs, base, with_, prepare=lambda: None):
    """measure.twins() for trees: `base` leaves nobody behind, so that all orphans are of `with_`."""
    found = []
    subreaper(True)
    try:
        for i in range(pairs):
            prepare()
            sides, heir = ([with_, base], 0) if i % 2 else ([base, with_], 1)
            began = time.monotonic()
            processes = [side(core_for(i // 2)) for side in sides]
            used = reap_trees(processes, began, heir)
            found.append((used[1], used[0]) if i % 2 else (used[0], used[1]))
    finally:
        subreaper(False)
    return found


def tree_pairs(context, command, env, cwd, pairs):
    """A B B A of the plain command and of a session of it, on one core each pair."""
    def once(argv):
        return lambda i: run_tree(argv, env, cwd, core_for(i // 2))
    return abba(pairs, once(command), once(context.session(command)))


def cpu_facts(pairs, floor):
    """What a row of CPU times says beside its value."""
    found = ratio([(a.cpu, b.cpu) for a, b in pairs])
    wall = ratio([(a.wall, b.wall) for a, b in pairs])
    rest = sorted(b.rest for _, b in pairs)[len(pairs) // 2]
    return found, dict(sd=found["sd"], ci=found["ci"], pairs=found["pairs"],
                       noise=noise([(a.cpu, b.cpu) for a, b in floor]), base=found["base"] * 1e3,
                       with_=found["with_"] * 1e3, broker=rest * 1e3,
                       note=f"median {found['ratio']:.4f}, {found['base'] * 1e3:.1f} -> {found['with_'] * 1e3:.1f} ms, "
                       f"of which the broker {rest * 1e3:.1f}; wall {wall['ratio']:.3f}")


# Counting

# failures.so comes after libfastpath.so, and sees what that passes on.
PRELOAD_AFTER = ["/bin/sh", "-c", 'LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}$0; export LD_PRELOAD; exec "$@"']


def count_lookups(context, command, env, cwd=None, wrap=list):
    """{family: failing lookups by absolute path} of a command and its descendants, and what it said on stderr.
    `wrap` makes a session of it."""
    path = os.path.join(context.root, "failures")
    with open(path, "wb") as counters:
        counters.write(bytes(64))
    argv = wrap([*PRELOAD_AFTER, context.program("failures.so"), *command])
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        done = subprocess.run(argv, env={**env, "FAILURES": path}, cwd=cwd, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=said)
        said.seek(0)
        text = said.read()
    if done.returncode != 0:
        raise Cannot(f"{argv[0]} ended with {done.returncode}: {text.strip()[-200:]}")
    with open(path, "rb") as counters:
        return dict(zip(FAMILIES, struct.unpack("8Q", counters.read(64)))), text


def report_of(said):
    """The session's report: the last line of JSON with "run" in it."""
    found = None
    for line in said.splitlines():
        if line.startswith('{"fastpath"'):
            report = json.loads(line)
            found = report if "run" in report else found
    if not found:
        raise Cannot("fastpath run --stats=json wrote no report")
    return found


def count_in_session(context, command, env, cwd):
    """The same in a session, and its report."""
    counted, said = count_lookups(context, command, env, cwd, lambda argv: context.session(argv, "--stats=json"))
    return counted, report_of(said)["run"]


def calls_row(context, name, what, command, env, cwd, must, runs=5, only=None, prepare=lambda: None):
    """Failing lookups that reach the kernel, in % of those without; `only` one family's. What is learned when goes
    by measured times: the count differs from run to run."""
    def some(counted):
        return counted[only] if only else sum(counted.values())
    prepare()
    before = count_lookups(context, command, env, cwd)[0]
    found = []
    for _ in range(runs):
        prepare()
        found.append(count_in_session(context, command, env, cwd))
    found.sort(key=lambda run: some(run[0]))
    shares = [some(counted) / some(before) * 100 for counted, _ in found]
    middle, report = found[len(found) // 2]
    left = ", ".join(f"{family} {before[family]} -> {middle[family]}" for family in FAMILIES if before[family])
    return Row(f"{name}_calls", f"{what}: failing lookups that reach the kernel", statistics.median(shares), must, must,
               unit="%", sd=statistics.stdev(shares) if runs > 1 else None, ci=[min(shares), max(shares)], pairs=runs,
               base=some(before), with_=some(middle), before=before, after=middle,
               note=f"{left}; answered {sum(report['served'].values())} of {sum(report['calls'].values())} calls")

"""What the workloads of bench/run share: statistics of interleaved runs, and the ways to run a command.

A workload is bench/NAME.py with WORKLOADS = {row name: function(context) -> list of Row}. It measures, and
leaves it to Row to say whether that is enough. Every figure is a ratio or a difference within one run.
"""
import math
import os
import random
import shutil
import statistics
import subprocess
import time

PATH = "/usr/local/bin:/usr/bin:/bin"


class Cannot(Exception):
    """A workload that cannot run here, or whose calls were not served: the reason, for the table."""


class Row:
    """One line of the table. `better` says which way is good; must and aim are the issue's. `blur` is what the
    figure cannot resolve: a count that must grow by nothing, seen through address randomisation, never is 0."""

    def __init__(self, name, what, value, must, aim, better="less", unit="", blur=0, **more):
        self.name, self.what, self.value = name, what, value
        self.must, self.aim, self.better, self.unit, self.blur = must, aim, better, unit, blur
        self.more = more  # base, with, sd, ci, noise, pairs, note: what the workload can say

    def verdict(self):
        if self.value is None:
            return "not run"
        reached = (lambda goal: self.value - self.blur <= goal) if self.better == "less" else (
            lambda goal: self.value >= goal)
        return "aim" if reached(self.aim) else "must" if reached(self.must) else "SHORT"

    def as_json(self):
        return dict(name=self.name, what=self.what, value=self.value, must=self.must, aim=self.aim,
                    better=self.better, unit=self.unit, blur=self.blur, verdict=self.verdict(), **self.more)


class Context:
    """What a workload may use: where the library is, where to build and write, how often to measure."""

    def __init__(self, lib, programs, root, pairs=None, quick=False, fastpath=None):
        self.lib, self.programs, self.root = lib, programs, root
        self.fastpath = fastpath  # the command, for sessions
        self.pairs_asked, self.quick = pairs, quick

    def pairs(self, full, quick):
        """How many pairs to make: what the user said, or the workload's own wish; even, at least 4."""
        n = self.pairs_asked or (quick if self.quick else full)
        return max(4, n + n % 2)

    def program(self, name):
        path = os.path.join(self.programs, name)
        if not os.access(path, os.X_OK):
            raise Cannot(f"{path} is not built: make bench")
        return path

    def directory(self, name):
        """A fresh directory of its own."""
        path = os.path.join(self.root, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def env(self, preload="", fastpath="", **more):
        """A small environment of one size: what a variable costs on the stack is the same on both sides."""
        env = dict(PATH=PATH, HOME="/", LC_ALL="C", TMPDIR=self.root, **more)
        env["LD_PRELOAD" if preload else "XX_PRELOAD"] = preload or "x" * len(self.lib)
        if fastpath:
            env["FASTPATH"] = fastpath
        else:
            env["XXSTPATH"] = "1"
        return env

    def without(self, **more):
        return self.env(**more)

    def session(self, argv, *options):
        """argv in a session of its own. Its environment is that of a run without."""
        if not self.fastpath or not os.access(self.fastpath, os.X_OK):
            raise Cannot(f"{self.fastpath} is not there: make")
        return [self.fastpath, "run", *options, "--", *argv]

    def inert(self, **more):
        return self.env(preload=self.lib, **more)

    def on(self, **more):
        return self.env(preload=self.lib, fastpath="1", **more)


# Statistics

def interval(values, statistic=statistics.median, rounds=1000):
    """95 % confidence interval by bootstrap; the seed is fixed, so the same samples give the same answer."""
    chance = random.Random(1)
    found = sorted(statistic(chance.choices(values, k=len(values))) for _ in range(rounds))
    return found[int(0.025 * rounds)], found[int(0.975 * rounds) - 1]


def ratio(pairs):
    """(base, with) pairs -> the median of with / base, on the logarithms, and how sure it is."""
    logs = [math.log(w / b) for b, w in pairs]
    low, high = interval(logs)
    return dict(ratio=math.exp(statistics.median(logs)), sd=statistics.stdev(logs),
                ci=[math.exp(low), math.exp(high)], pairs=len(pairs),
                base=statistics.median(b for b, _ in pairs),
                with_=statistics.median(w for _, w in pairs))


def noise(pairs):
    """The same of baseline against baseline: how far from 1 a ratio may be and mean nothing."""
    if len(pairs) < 2:
        return None
    found = ratio(pairs)
    return dict(ratio=found["ratio"], ci=found["ci"], sd=found["sd"])


def half_width(ci, most=0.5):
    """The blur of a count with this interval; a wide one excuses no more than `most`."""
    return min((ci[1] - ci[0]) / 2, most)


def difference(base, with_, statistic=statistics.fmean):
    return statistic(with_) - statistic(base)


# Running commands

class Used:
    """What one run of a command and its waited-for descendants cost."""

    def __init__(self, usage, wall):
        self.cpu = usage.ru_utime + usage.ru_stime
        self.faults = usage.ru_minflt
        self.wall = wall


def start(argv, env, cwd=None, core=None):
    # The child inherits the core from us: a preexec_fn would make subprocess fork the whole of Python.
    before = os.sched_getaffinity(0)
    if core is not None:
        os.sched_setaffinity(0, {core})
    try:
        return subprocess.Popen(argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    finally:
        os.sched_setaffinity(0, before)


def reap(process, began):
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Cannot(f"{process.args[0]} ended with {process.returncode}")
    return Used(usage, time.monotonic() - began)


def run(argv, env, cwd=None, core=None):
    began = time.monotonic()
    return reap(start(argv, env, cwd, core), began)


def fixed_layout(argv):
    """Without address randomisation page faults are exact, and those of one layout only."""
    return ["setarch", "-R", *argv] if shutil.which("setarch") else argv


def core_for(i):
    cores = sorted(os.sched_getaffinity(0))
    return cores[i % len(cores)]


def abba(pairs, base, with_):
    """Two functions that return a Used, as A B B A A B B A ...: pairs, and baseline against baseline."""
    both, floor = [], []
    for i in range(0, pairs, 2):
        a, b, c, d = base(i), with_(i), with_(i), base(i)
        both += [(a, b), (d, c)]
        floor.append((a, d) if i % 4 else (d, a))
    return both, floor


def twins(pairs, base, with_):
    """Two functions that start a process on a given core, run at the same time on the *same* core: the
    scheduler interleaves them every few ms, so that a drift of the machine falls on both alike. This
    resolves half a percent where runs of seconds one after the other resolve five."""
    found = []
    for i in range(pairs):
        sides = [base, with_] if i % 2 else [with_, base]
        began = time.monotonic()
        processes = [side(core_for(i // 2)) for side in sides]
        used = reap_all(processes, began)
        found.append((used[0], used[1]) if i % 2 else (used[1], used[0]))
    return found


def reap_all(processes, began):
    used = {}
    while len(used) < len(processes):
        pid, status, usage = os.wait3(0)
        for p in processes:
            if p.pid == pid:
                p.returncode = os.waitstatus_to_exitcode(status)
                used[pid] = Used(usage, time.monotonic() - began)
    for p in processes:
        if p.returncode != 0:
            raise Cannot(f"{p.args[0]} ended with {p.returncode}")
    return [used[p.pid] for p in processes]


def output_of(argv, env, cwd=None):
    done = subprocess.run(argv, env=env, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        why = (done.stderr or done.stdout).strip().splitlines()
        raise Cannot(why[-1] if why else f"{argv[0]} ended with {done.returncode}")
    return done.stdout

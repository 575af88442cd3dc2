"""What a session costs those in it: attaching to it, a command whose preload was dropped, a hit that another process
taught, the shared segment; and what a hit saves where a lookup is dear: under a tracer, and on a FUSE mount.
"""
import os
import shutil
import statistics
import subprocess

import loader
from hit import numbers
from measure import Cannot, Row, fixed_layout, half_width, interval, noise, output_of, ratio
from session import report_of, run_tree

MISSING = "missing.h"


# Attaching

def words(found):
    return " ".join(f'"{word}"' for word in found)


def attach_script(context, path, asked, rounds):
    """In a session that knows the path's directory: the same program inert and attached, by turns. What starts them
    has no preload, so that nothing is dropped from theirs."""
    ask, run = context.program("tree_ask"), context.program("loader")

    def inert(name):
        return words([f"ASK={path}", f"ASK_TO={asked}", f"ASK_NAME={name}", "LD_PRELOAD=$P", "XASTPATH=1",
                      "XASTPATH_SESSION=$S", "XASTPATH_TEST=eager"])
    on = inert("attached").replace("XASTPATH", "FASTPATH")
    plain = "env -u LD_PRELOAD -u FASTPATH -u FASTPATH_SESSION"
    traced = [f"{plain} strace -qq -o {context.root}/{name}.strace env -i {env} {ask}"
              for name, env in (("inert", inert("traced")), ("attached", on.replace("=attached", "=traced")))]
    return "; ".join([
        f"{ask} {path} >&2", "P=$LD_PRELOAD S=$FASTPATH_SESSION", *traced,
        f"exec {plain} {run} {rounds} {ask} inert {inert('inert')} -- attached {on} -- again {inert('again')}"])


def traced_calls(context, name, path):
    """System calls of tree_ask, without the lookup itself: until that was answered, and afterwards."""
    with open(f"{context.root}/{name}.strace") as log:
        lines = [line for line in log if "(" in line]
    start = max(i for i, line in enumerate(lines) if line.startswith("execve(") and "tree_ask" in line)
    mark = next(i for i, line in enumerate(lines) if i > start and line.startswith("getppid("))
    asked = [line for line in lines[start + 1:mark] if path in line]
    if name == "attached" and asked:
        raise Cannot("the attached process was not answered: " + asked[0].strip())
    return mark - start - len(asked), len(lines) - mark


def asked_once(lines):
    """{name: [(CPU us, faults)]} of the single calls that tree_ask made."""
    found = {"inert": [], "attached": [], "again": [], "traced": []}
    for line in lines:
        name, ns, faults = line.split()
        found[name].append((int(ns) / 1e3, int(faults)))
    return found


def attach(context):
    path, asked = context.directory("tree_attach") + "/" + MISSING, f"{context.root}/asked"
    with open(asked, "w"):
        pass
    script = attach_script(context, path, asked, max(400, context.pairs(4000, 600)))
    said = output_of(context.session(["/bin/sh", "-c", script]), context.without(FASTPATH_TEST="eager"))
    whole = {name: [] for name in ("inert", "attached", "again")}
    for line in said.splitlines():
        _, name, *values = line.split()
        whole[name].append(tuple(int(v) for v in values))
    with open(asked) as lines:
        found = asked_once(lines)
    calls, after = zip(*(traced_calls(context, name, path) for name in ("inert", "attached")))
    us = [w[0] - b[0] for b, w in zip(found["inert"], found["attached"])]
    faults = [w[1] - b[1] for b, w in zip(found["inert"], found["attached"])]
    floor = [w[0] - b[0] for b, w in zip(found["inert"], found["again"])]
    lived = [loader.middle(w[i] - b[i] for b, w in zip(whole["inert"], whole["attached"])) for i in (1, 2)]
    return [Row("tree_attach_faults", "attaching to a session: page faults", statistics.fmean(faults), 12, 6,
                sd=statistics.stdev(faults), ci=list(interval(faults, statistics.fmean)), pairs=len(faults),
                note=f"by the end of the process {lived[1]:+.1f}"),
            Row("tree_attach_calls", "... system calls", calls[1] - calls[0], 14, 8, base=calls[0], with_=calls[1],
                note=f"and {after[1] - after[0]} afterwards, for the report"),
            Row("tree_attach_us", "... CPU time", statistics.median(us), 40, 20, unit="us", sd=statistics.stdev(us),
                ci=list(interval(us)), pairs=len(us), noise=dict(us=statistics.median(floor)),
                note=f"by the end of the process {lived[0]:+.0f}")]


# A command that bash forks and execs

FEW, MANY = 300, 500  # the first hundred or so still have the preload

# Its page faults since the fork, and whether it got the preload. What saves nothing loses it, but for a try now and
# then.
SAY_FAULTS = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
int main(void)
{
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	return printf("%ld %d\\n", used.ru_minflt, getenv("LD_PRELOAD") != NULL) < 0;
}
"""


def say_faults(context):
    path = os.path.join(context.root, "say_faults")
    done = subprocess.run(["gcc", "-x", "c", "-O2", "-o", path, "-"], input=SAY_FAULTS, text=True, capture_output=True)
    if done.returncode != 0:
        raise Cannot("no program: " + done.stderr.strip().splitlines()[-1])
    return path


class Loop:
    """The page faults of a bash that runs a command `commands` times, and of the commands: as if each of them had
    lost the preload, and of those that had it more."""

    def __init__(self, context, in_session, program, commands):
        said = os.path.join(context.root, "said")
        script = f"exec >{said}; i=0; while [ $i -lt {commands} ]; do {program}; i=$((i+1)); done"
        self.faults = run_tree(in_session(["/bin/bash", "--norc", "-c", script]), context.without()).faults
        with open(said) as lines:
            words = [line.split() for line in lines]
        without = [int(faults) for faults, loaded in words if loaded == "0"]
        loaded = [int(faults) for faults, loaded in words if loaded == "1"]
        if not without:
            raise Cannot(f"each of {commands} commands kept the preload")
        self.child = statistics.fmean(without)
        self.share = len(loaded) / len(words)
        self.more = statistics.fmean(loaded) - statistics.fmean(without) if loaded else 0
        self.faults -= len(loaded) * self.more


def dropped(context):
    program = say_faults(context)
    kinds = [lambda argv: argv, context.session, lambda argv: argv]
    fixed = [fixed_layout, lambda argv: context.session(fixed_layout(argv))]

    def slope(in_session):
        few, many = (Loop(context, in_session, program, n) for n in (FEW, MANY))
        return (many.faults - few.faults) / (MANY - FEW), many
    samples = [[slope(kind) for kind in kinds] for _ in range(max(4, context.pairs(30, 6)))]
    more = [session[0] - plain[0] for plain, session, _ in samples]
    ci = interval(more, statistics.fmean)
    exact = [slope(kind) for kind in fixed]
    child = exact[1][1].child - exact[0][1].child
    share = statistics.fmean(session[1].share for _, session, _ in samples) * 100
    kept = statistics.fmean(session[1].more for _, session, _ in samples)
    what = "a command that bash forks in a session, preload dropped: page faults added"
    return [Row("tree_dropped", what, statistics.fmean(more), 3, 1, blur=half_width(ci), sd=statistics.stdev(more),
                ci=list(ci), pairs=len(more), base=statistics.fmean(plain[0] for plain, _, _ in samples),
                with_=statistics.fmean(session[0] for _, session, _ in samples),
                noise=dict(faults=statistics.fmean(again[0] - plain[0] for plain, _, again in samples)),
                note=f"{share:.0f} % of {MANY} commands kept it, and took {kept:.1f} more each; "
                f"without address randomisation {exact[1][0] - exact[0][0]:+.2f}, {child:+.2f} of them in the child")]


# Hits

def hits(context, argv, env):
    lines = [line.split() for line in output_of(argv, env).splitlines()]
    rang = next((w[1] for w in lines if w[0] == "bell"), "none")
    return numbers(lines, "pair"), numbers(lines, "noise"), rang


def second_hit(context):
    argv = [context.program("tree_hit"), context.directory("tree_hit"), str(context.pairs(200, 60))]
    pairs, floor, rang = hits(context, context.session(argv), context.without(FASTPATH_TEST="eager"))
    found = ratio(pairs)
    what = "a hit in a session's second process, to one in the first"
    return [Row("tree_second_hit", what, found["ratio"], 1.05, 1.0, blur=0.005, sd=found["sd"], ci=found["ci"],
                pairs=found["pairs"], noise=noise(floor), base=found["base"], with_=found["with_"],
                note=f"{found['base']:.1f} ns, {found['with_']:.1f} ns, {rang} bell")]


def dear_row(name, what, goals, measured):
    pairs, floor, rang = measured
    found = ratio([(w, b) for b, w in pairs])
    return Row(name, what, found["ratio"], *goals, better="more", unit="x", sd=found["sd"], ci=found["ci"],
               pairs=found["pairs"], noise=noise(floor), base=found["with_"], with_=found["base"],
               note=f"{found['with_'] / 1e3:.1f} us -> {found['base']:.1f} ns, {rang} bell")


def asking(context, directory):
    return [context.program("hit_absent"), directory, str(context.pairs(20, 6)), "wall"]


def under_strace(context):
    if not shutil.which("strace"):
        raise Cannot("strace is not installed: apt-get install strace")
    session = context.session(asking(context, context.directory("tree_strace")))
    argv = ["strace", "-f", "-qq", "-o", "/dev/null", *session]
    return [dear_row("tree_strace", "access() of a missing file under strace -f: times cheaper", (500, 2000),
                     hits(context, argv, context.without(FASTPATH_TEST="eager")))]


def on_fuse(context):
    below, mount = context.directory("tree_bindfs_below"), context.directory("tree_bindfs")
    if not shutil.which("bindfs"):
        raise Cannot("bindfs is not installed: apt-get install bindfs")
    done = subprocess.run(["bindfs", below, mount], capture_output=True, text=True)
    if done.returncode != 0:
        raise Cannot("bindfs: " + done.stderr.strip())
    try:
        env = context.without(FASTPATH_TEST="eager", FASTPATH_TRUST=mount)
        return [dear_row("tree_bindfs", "... on a bindfs mount in FASTPATH_TRUST: times cheaper", (200, 1000),
                         hits(context, context.session(asking(context, mount)), env))]
    finally:
        subprocess.run(["fusermount", "-u", mount], capture_output=True)


# The segment

def value_of(report, key):
    """A key's value, wherever in the report it is."""
    if isinstance(report, dict):
        if key in report:
            return report[key]
        for value in report.values():
            found = value_of(value, key)
            if found is not None:
                return found
    return None


def segment_bytes(context, directories):
    argv = context.session([context.program("tree_ask"), *(f"{d}/{MISSING}" for d in directories)], "--stats=json")
    done = subprocess.run(argv, env=context.without(FASTPATH_TEST="eager"), capture_output=True, text=True)
    if done.returncode != 0 or not done.stdout.startswith("known"):
        raise Cannot(done.stderr.strip()[-200:] or f"fastpath ended with {done.returncode}")
    report = report_of(done.stderr)
    found = value_of(report, "segment_bytes")
    if found is None:
        raise Cannot("the report has no segment_bytes")
    return found / 1024


def segment(context):
    root = context.directory("tree_segment")
    directories = [f"{root}/directory-{d:02d}" for d in range(100)]
    for directory in directories:
        os.mkdir(directory)
        for n in range(50):
            with open(f"{directory}/file-{n:02d}.h", "w"):
                pass
    more = ["/usr/bin", "/usr/lib"]
    names = sum(len(os.listdir(d)) for d in more)
    few, all_ = segment_bytes(context, directories), segment_bytes(context, directories + more)
    return [Row("tree_segment", "segment that knows 100 directories of 50 names", few, 64, 32, unit="KiB"),
            Row("tree_segment_usr", "... and /usr/bin and /usr/lib", all_, 128, 96, unit="KiB",
                note=f"{names} names more")]


WORKLOADS = {"tree_attach": attach, "tree_dropped": dropped, "tree_second_hit": second_hit, "tree_segment": segment,
             "tree_strace": under_strace, "tree_bindfs": on_fuse}

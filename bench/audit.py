"""What an audit of a configure script costs in wall time, to what strace makes of the same calls: both stop the tree
at path lookups alone, by a seccomp filter, and add up. Lookups and the compiler's work are of the script itself.
"""
import shutil

from measure import Cannot, Row, abba, noise, ratio, run
from taxes import SMALL_CONFIGURE


def audit(context):
    strace = shutil.which("strace")
    if not strace:
        raise Cannot("strace is not installed")
    root = context.directory("audit")
    script = ["/bin/sh", "-c", SMALL_CONFIGURE]
    traced = [strace, "-f", "--seccomp-bpf", "-c", "-e", "trace=file", "-o", f"{root}/strace.out", *script]
    audited = [context.fastpath, "audit", "-o", f"{root}/audit.out", "--", *script]
    pairs, floor = abba(context.pairs(20, 6), lambda i: run(traced, context.without(), root),
                        lambda i: run(audited, context.without(), root))
    found = ratio([(a.wall, b.wall) for a, b in pairs])
    return [Row("audit", "fastpath audit of a small configure, to strace -f --seccomp-bpf -c -e trace=file: wall time",
                found["ratio"], 1.0, 0.7, sd=found["sd"], ci=found["ci"], pairs=found["pairs"],
                noise=noise([(a.wall, b.wall) for a, b in floor]), base=found["base"] * 1e3, with_=found["with_"] * 1e3,
                note=f"{found['base'] * 1e3:.0f} -> {found['with_'] * 1e3:.0f} ms")]


WORKLOADS = {"audit": audit}

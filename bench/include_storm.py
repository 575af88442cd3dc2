"""gcc on one file with 60 absolute -I directories and 150 headers spread over them: each header is looked for in
every directory before its own, and so is each of libc's (the O(n^2) of GCC PR 109485). Not eager: the set-up and
the cost rule are part of the price. Against gcc without the library.

Twice: with headers straight in the directories, #include <part-7.h>, and as packages are installed, #include
<library-07/part-7.h>: there the directory that a failing open names does not even exist, and is another each time.
"""
import os
import statistics

from counting import count_failing
from measure import Row, abba, core_for, noise, ratio, run

DIRECTORIES, HEADERS = 60, 150

HEADER = """#ifndef PART_{n}
#define PART_{n}
#define PART_{n}_FLAG {n}
struct part_{n} {{ struct part_{n} *next; unsigned long size; const char *name; int kind; }};
int part_{n}_open(struct part_{n} *part, const char *name);
long part_{n}_read(struct part_{n} *part, void *to, unsigned long size);
#endif
"""


def generate(root, packages):
    """Headers in DIRECTORIES folders, a source that includes them all, and the command that compiles it."""
    folders = [f"{root}/library-{d:02d}/include" for d in range(DIRECTORIES)]
    inner = [f"library-{d:02d}/" if packages else "" for d in range(DIRECTORIES)]
    source = ["#include <stdio.h>", "#include <stdlib.h>", "#include <string.h>"]
    for folder, package in zip(folders, inner):
        os.makedirs(f"{folder}/{package}")
    for n in range(HEADERS):
        d = n * 7 % DIRECTORIES  # in no order
        with open(f"{folders[d]}/{inner[d]}part-{n}.h", "w") as header:
            header.write(HEADER.format(n=n))
        source.append(f"#include <{inner[d]}part-{n}.h>")
    source.append('int main(void) { puts("hello"); return 0; }')
    with open(f"{root}/main.c", "w") as main:
        main.write("\n".join(source) + "\n")
    return ["gcc", "-c", f"{root}/main.c", "-o", f"{root}/main.o", *(f"-I{folder}" for folder in folders)]


def failing_row(name, what, command, context, root):
    before = sum(count_failing(command, context.without(), root).values())
    # The rule that decides when to learn goes by measured times: the count differs from run to run.
    runs = sorted((count_failing(command, context.on(), root) for _ in range(7)), key=lambda run: sum(run.values()))
    shares = [sum(run.values()) / before * 100 for run in runs]
    middle = runs[len(runs) // 2]
    left = ", ".join(f"{call} {n}" for call, n in sorted(middle.items(), key=lambda item: -item[1])[:3])
    return Row(f"{name}_calls", f"{what}: failing lookups that reach the kernel", statistics.median(shares), 25, 12,
               unit="%", sd=statistics.stdev(shares), pairs=len(runs), base=before, with_=sum(middle.values()),
               note=f"{before} -> {sum(middle.values())}, at most {sum(runs[-1].values())}; left: {left}")


def storm(context, name, what, packages):
    root = context.directory(name)
    command = generate(root, packages)
    run(command, context.without(), root)

    def once(env):
        return lambda i: run(command, env, root, core_for(i // 2))
    pairs, floor = abba(context.pairs(60, 16), once(context.without()), once(context.on()))
    found = ratio([(a.cpu, b.cpu) for a, b in pairs])
    wall = ratio([(a.wall, b.wall) for a, b in pairs])
    return [failing_row(name, what, command, context, root),
            Row(name, "... CPU time", found["ratio"], 0.90, 0.80, sd=found["sd"], ci=found["ci"],
                pairs=found["pairs"], noise=noise([(a.cpu, b.cpu) for a, b in floor]), base=found["base"] * 1e3,
                with_=found["with_"] * 1e3,
                note=f"{found['base'] * 1e3:.1f} -> {found['with_'] * 1e3:.1f} ms; wall {wall['ratio']:.3f}")]


WORKLOADS = {
    "include_storm": lambda c: storm(c, "include_storm", "gcc, 60 -I, 150 headers", False),
    "include_storm_packages": lambda c: storm(c, "include_storm_packages", "same, headers in packages", True),
}

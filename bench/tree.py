"""Whole trees of processes in a session (fastpath run), against the same command without the library: the CPU time of
all of it, the session's broker and set-up included, and the failing lookups that still reach the kernel. Not eager:
the cost rule is part of what is measured.
"""
import shutil
import statistics
import subprocess

import command_v
import include_storm
from measure import PATH, Cannot, Row, abba, interval, start
from session import calls_row, cpu_facts, run_tree, run_twins, tree_pairs
from taxes import HELLO, SMALL_CONFIGURE, source_tree

BASH = ["/bin/bash", "--norc", "-c"]


def cpu_row(name, what, pairs, floor, goals, upper=False):
    """`upper`: the aim is that nothing is lost, so the upper end of the interval counts."""
    found, more = cpu_facts(pairs, floor)
    return Row(f"{name}_cpu", f"{what}: CPU time" + (", upper 95 % bound" if upper else ""),
               found["ci"][1] if upper else found["ratio"], *goals, **more)


def short_rows(context, name, what, command, env, cwd, calls, cpu, only=None):
    """Rows of a command of less than a second: pairs one after the other."""
    run_tree(command, env, cwd)
    pairs, floor = tree_pairs(context, command, env, cwd, context.pairs(100, 8))
    return [calls_row(context, name, what, command, env, cwd, calls, only=only),
            cpu_row(name, "... same", pairs, floor, cpu)]


def storm(context):
    """One make, one gcc a file: each asks for all headers in all directories."""
    root = context.directory("tree_storm")
    flags = " ".join(word for word in include_storm.generate(root, False) if word.startswith("-I"))
    for n in range(8):
        shutil.copyfile(f"{root}/main.c", f"{root}/file-{n}.c")
    with open(f"{root}/Makefile", "w") as makefile:
        makefile.write(f"all: {' '.join(f'file-{n}.o' for n in range(8))}\n%.o: %.c\n\tgcc -c $< -o $@ {flags}\n")
    return short_rows(context, "tree_storm", "make, 8 files, 60 -I, 150 headers", ["make", "-s", "-B"],
                      context.without(), root, 3, (0.72, 0.65))


def four_shells(context):
    path = command_v.generate(context.directory("tree_command_v"))
    script = command_v.SCRIPT.format(missing=command_v.MISSING, present=command_v.PRESENT)
    command = [*BASH, 'for n in 1 2 3 4; do /bin/bash --norc -c "$0"; done; :', script]
    return short_rows(context, "tree_command_v", "bash command -v, 60-entry PATH, 4 processes", command,
                      {**context.without(), "PATH": path}, None, 5, (0.32, 0.24))


def recipes(context):
    """Each recipe's shell looks in 60 directories for a command that is in the 61st."""
    root = context.directory("tree_recipes")
    path = command_v.generate(root)
    with open(f"{root}/Makefile", "w") as makefile:
        makefile.write("SHELL = /bin/dash\nall: " + " ".join(f"r{n}" for n in range(100)) + "\n")
        makefile.writelines(f"r{n}:\n\t@expr {n} + 1 >/dev/null\n" for n in range(100))
    return short_rows(context, "tree_recipes", "make, 100 dash recipes, 60-entry PATH", ["/usr/bin/make"],
                      {**context.without(), "PATH": f"{path}:{PATH}"}, root, 15, (0.99, 0.97))


def gcc_hello(context):
    root = context.directory("tree_gcc")
    with open(f"{root}/main.c", "w") as main:
        main.write(HELLO)
    command = [*BASH, "for n in {1..20}; do gcc -c main.c -o main.o; done"]
    return short_rows(context, "tree_gcc", "gcc -c hello.c, 20 times", command, context.without(), root, 10,
                      (1.00, 0.985))


def ls_color(context):
    command = [*BASH, "for n in {1..20}; do ls -l --color /usr/bin; done"]
    return short_rows(context, "tree_ls", "ls -l --color /usr/bin, 20 times, xattr", command, context.without(), None,
                      10, (1.00, 0.92), only="xattr")


SHORT_COMMANDS = """
i=0
while [ $i -lt 667 ]; do
    /bin/true
    expr $i + 1
    sed -n 1p main.c
    i=$((i+1))
done >/dev/null
"""


def long_pairs(context, command, env, roots, full, prepare=None):
    """Pairs of a command of seconds, as twins, and baseline against baseline."""
    ready = (lambda: [prepare(root) for root in roots]) if prepare else lambda: None
    pairs = context.pairs(full, 4)

    def starter(argv, root):
        return lambda core: start(argv, env, root, core)
    both = run_twins(pairs, starter(command, roots[0]), starter(context.session(command), roots[1]), ready)
    floor = run_twins(max(2, pairs // 4), starter(command, roots[0]), starter(command, roots[1]), ready)
    return both, floor


def short_commands(context):
    roots = [context.directory(f"tree_short_{side}") for side in "ab"]
    for root in roots:
        with open(f"{root}/main.c", "w") as main:
            main.write(HELLO)
    pairs, floor = long_pairs(context, [*BASH, SHORT_COMMANDS], context.without(), roots, 40)
    return [cpu_row("tree_short_commands", "2,000 short commands from bash", pairs, floor, (1.01, 1.00))]


def copies(context, package):
    tree = source_tree(context, package)
    if not tree:
        raise Cannot(f"the source of {package} cannot be had")
    roots = []
    for side in "ab":
        roots.append(context.directory(f"tree_{package}_{side}"))
        shutil.copytree(tree, roots[-1], symlinks=True, dirs_exist_ok=True)
    return roots


def quietly(command, env, cwd):
    done = subprocess.run(command, env=env, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise Cannot(f"{command[0]}: {done.stderr.strip()[-200:]}")


def build_rows(context, name, what, command, roots, calls, aim=0.99, prepare=None):
    env = context.without()
    pairs, floor = long_pairs(context, command, env, roots, 10, prepare)
    counted = calls_row(context, name, what, command, env, roots[0], calls, runs=1,
                        prepare=(lambda: prepare(roots[0])) if prepare else lambda: None)
    return [counted, cpu_row(name, "... same", pairs, floor, (1.01, aim), upper=True)]


def configure(context, package, what, *goals):
    name = f"tree_{package}_configure"
    if context.quick:
        roots = [context.directory(f"{name}_{side}") for side in "ab"]
        return build_rows(context, name, "a small configure script", ["/bin/sh", "-c", SMALL_CONFIGURE], roots,
                          *goals)
    return build_rows(context, name, what, ["./configure", "-q"], copies(context, package), *goals)


def build(context, package, what):
    roots, env = copies(context, package), context.without()

    def clean(root):
        quietly(["make", "-s", "clean"], env, root)
    for root in roots:
        quietly(["./configure", "-q"], env, root)
        quietly(["make", "-s"], env, root)
    return build_rows(context, f"tree_{package}_make", what, ["make", "-s"], roots, 10, prepare=clean)


def start_up(context):
    """How much later `fastpath run true` ends than true."""
    env, pairs = context.without(), context.pairs(400, 40)
    both, floor = abba(pairs, lambda i: run_tree(["/bin/true"], env),
                       lambda i: run_tree(context.session(["/bin/true"]), env))
    more = [(b.wall - a.wall) * 1e3 for a, b in both]
    cpu = statistics.median((b.cpu - a.cpu) * 1e3 for a, b in both)
    return [Row("tree_true", "fastpath run true: wall time added", statistics.median(more), 1.5, 0.5, unit="ms",
                sd=statistics.stdev(more), ci=list(interval(more)), pairs=pairs,
                noise=dict(ms=statistics.median((b.wall - a.wall) * 1e3 for a, b in floor)),
                note=f"CPU time {cpu:+.2f} ms, broker included")]


WORKLOADS = {
    "tree_storm": storm, "tree_command_v": four_shells, "tree_recipes": recipes, "tree_gcc": gcc_hello,
    "tree_hello_configure": lambda c: configure(c, "hello", "./configure of GNU hello", 8, 0.98),
    "tree_hello_make": lambda c: build(c, "hello", "make of GNU hello"),
    "tree_dash_configure": lambda c: configure(c, "dash", "./configure of dash", 10),
    "tree_dash_make": lambda c: build(c, "dash", "make of dash"),
    "tree_short_commands": short_commands, "tree_ls": ls_color, "tree_true": start_up,
}

"""Work that has little to gain: what FASTPATH=1 in process scope costs it against the inert library. Page faults
and system calls added per process, and the CPU time with the upper end of its 95 % interval, which must stay
within one percent: long commands run as twins (measure.twins), and a noise floor is measured alike.
"""
import glob
import os
import shutil
import statistics
import subprocess

from counting import count_calls
from measure import Row, abba, core_for, half_width, interval, noise, ratio, run, start, twins

HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n'

SHORT_COMMANDS = """
i=0
while [ $i -lt ${ROUNDS:-500} ]; do
    /bin/true
    expr $i + 1
    sed -n 1p main.c
    cat main.c
    i=$((i+1))
done >/dev/null
"""

# What an autoconf script does, for where GNU hello's cannot be had: try to compile, look at the answer.
SMALL_CONFIGURE = """
n=0
for f in stdio stdlib string unistd errno fcntl limits locale math signal stdarg stddef time wchar \\
         nosuch-a nosuch-b nosuch-c nosuch-d sys/types sys/stat sys/time sys/wait sys/param dirent; do
    rm -f conftest.c conftest.o conftest.err
    { echo "/* confdefs.h */"; echo "#include <$f.h>"; echo "int main(void) { return 0; }"; } >conftest.c
    if gcc -c conftest.c 2>conftest.err; then have=yes; else have=no; fi
    name=`echo "HAVE_$f.h" | sed 's/[^A-Za-z0-9]/_/g' | tr a-z A-Z`
    test $have = yes && echo "#define $name 1" >>config.h
    grep -v '^ *+' conftest.err | sed 5q >>config.log
    n=`expr $n + 1`
    cat config.log >/dev/null
done
rm -f conftest* config.h config.log
:
"""


def faults_row(name, what, pairs, processes):
    added = [(b.faults - a.faults) / processes for a, b in pairs]
    ci = interval(added, statistics.fmean)
    return Row(f"{name}_faults", f"{what}: page faults added per process", statistics.fmean(added), 1, 0,
               blur=half_width(ci), sd=statistics.stdev(added), ci=list(ci), pairs=len(pairs),
               base=statistics.fmean(a.faults for a, _ in pairs) / processes,
               with_=statistics.fmean(b.faults for _, b in pairs) / processes, note=f"{processes} processes")


def tax_rows(name, what, pairs, floor, calls, processes):
    """Three rows of pairs of runs, inert against on; `calls` is (inert, on) system calls of one run."""
    found = ratio([(a.cpu, b.cpu) for a, b in pairs])
    wall = ratio([(a.wall, b.wall) for a, b in pairs])
    return [
        faults_row(name, what, pairs, processes),
        Row(f"{name}_calls", "... system calls added per process", (calls[1] - calls[0]) / processes, 1, 0, blur=0.05,
            base=calls[0] / processes, with_=calls[1] / processes, note=f"{calls[0]} -> {calls[1]}"),
        Row(f"{name}_cpu", "... CPU time's upper 95 % bound", found["ci"][1], 1.01, 1.005, sd=found["sd"],
            ci=found["ci"], pairs=len(pairs), noise=noise([(a.cpu, b.cpu) for a, b in floor]), base=found["base"] * 1e3,
            with_=found["with_"] * 1e3,
            note=f"median {found['ratio']:.4f}, {found['base'] * 1e3:.1f} ms; wall {wall['ratio']:.3f}"),
    ]


def counted(command, context, root, runs=3):
    """System calls of one run with the inert library and with it on; the processes of a run."""
    inert = [count_calls(command, context.inert(), root) for _ in range(runs)]
    on = [count_calls(command, context.on(), root)[0] for _ in range(runs)]
    return (statistics.median(calls for calls, _ in inert), statistics.median(on)), inert[0][1]


def gcc_hello(context):
    root = context.directory("gcc_hello")
    with open(f"{root}/main.c", "w") as main:
        main.write(HELLO)
    command = ["gcc", "-c", "main.c", "-o", "main.o"]

    def once(env):
        return lambda i: run(command, env, root, core_for(i // 2))
    pairs, floor = abba(context.pairs(400, 60), once(context.inert()), once(context.on()))
    calls, processes = counted(command, context, root)
    return tax_rows("gcc_hello", "gcc -c hello.c", pairs, floor, calls, processes)


def twin_rows(context, name, what, command, roots, pairs):
    """Rows of a command of seconds, run as twins in two directories that are the same."""
    def starter(env, root):
        return lambda core: start(command, env, root, core)
    inert, on = context.inert(), context.on()
    for root in roots:
        run(command, inert, root)
    both = twins(pairs, starter(inert, roots[0]), starter(on, roots[1]))
    floor = twins(max(2, pairs // 4), starter(inert, roots[0]), starter(inert, roots[1]))
    calls, processes = counted(command, context, roots[0], runs=1)
    return tax_rows(name, what, both, floor, calls, processes)


def short_commands(context):
    roots = [context.directory(f"short_{side}") for side in "ab"]
    for root in roots:
        with open(f"{root}/main.c", "w") as main:
            main.write(HELLO)
    command = ["/bin/bash", "--norc", "-c", SHORT_COMMANDS]
    rows = twin_rows(context, "short_commands", "2,000 short commands from bash", command, roots, context.pairs(20, 6))
    rows[0] = short_faults(context, command, roots[0])
    return rows


def short_faults(context, command, root, rounds=15):
    """One bash's address layout decides how all its children fault: many short runs, not a few long ones."""
    inert, on = context.inert(ROUNDS=str(rounds)), context.on(ROUNDS=str(rounds))
    pairs, _ = abba(context.pairs(100, 20), lambda i: run(command, inert, root), lambda i: run(command, on, root))
    return faults_row("short_commands", "2,000 short commands from bash", pairs, rounds * 4 + 1)


def apt_source(package, into):
    """A Debian package's source tree, by a private list of sources: the system's own is left alone."""
    key = "/usr/share/keyrings/debian-archive-keyring.gpg"
    with open("/etc/os-release") as release:
        words = dict(line.strip().split("=", 1) for line in release if "=" in line)
    suite = words.get("VERSION_CODENAME", "stable").strip('"')
    os.makedirs(f"{into}/lists/partial")
    os.makedirs(f"{into}/cache/archives/partial")
    with open(f"{into}/sources.list", "w") as sources:
        sources.write(f"deb-src [signed-by={key}] http://deb.debian.org/debian {suite} main\n")
    options = [f"Dir::Etc::sourcelist={into}/sources.list", "Dir::Etc::sourceparts=-",
               f"Dir::State::Lists={into}/lists", f"Dir::Cache={into}/cache", "APT::Sandbox::User="]
    apt = ["apt-get", "-qq", *(word for option in options for word in ("-o", option))]
    for step in (["update"], ["source", package]):
        try:
            subprocess.run([*apt, *step], cwd=into, check=True, capture_output=True, timeout=120)
        except (OSError, subprocess.SubprocessError):
            return None
    trees = [tree for tree in glob.glob(f"{into}/{package}-*/") if os.path.exists(f"{tree}/configure.ac")]
    if not trees or not is_configurable(trees[0]):
        return None
    return trees[0]


def is_configurable(tree):
    """A patch to what configure is made from would have make run autoconf, once: it runs now."""
    script = f"{tree}/configure"
    newer = [f for f in glob.glob(f"{tree}/configure.ac") + glob.glob(f"{tree}/**/Makefile.am", recursive=True)
             if not os.path.exists(script) or os.path.getmtime(f) > os.path.getmtime(script)]
    return not newer or subprocess.run(["autoreconf", "-fi"], cwd=tree, capture_output=True).returncode == 0


def source_tree(context, package):
    """A Debian package's tree, ready to configure, kept beside the programs: fetched once."""
    kept = os.path.join(context.programs, package)
    if not os.access(f"{kept}/configure", os.X_OK):
        tree = apt_source(package, context.directory("apt"))
        if not tree:
            return None
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(tree, kept, symlinks=True)
    return kept


def hello_tree(context):
    return source_tree(context, "hello")


def configure(context):
    tree = None if context.quick else hello_tree(context)
    if not tree:
        roots = [context.directory(f"configure_{side}") for side in "ab"]
        return twin_rows(context, "configure", "a small configure script", ["/bin/sh", "-c", SMALL_CONFIGURE], roots,
                         context.pairs(20, 6))
    roots = []
    for side in "ab":
        root = context.directory(f"configure_{side}")
        shutil.copytree(tree, root, symlinks=True, dirs_exist_ok=True)
        roots.append(root)
    return twin_rows(context, "configure", "./configure of GNU hello", ["./configure", "-q"], roots,
                     context.pairs(10, 4))


WORKLOADS = {"gcc_hello": gcc_hello, "configure": configure, "short_commands": short_commands}

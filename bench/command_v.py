"""bash looks 200 missing and 50 present names up in a PATH of 60 directories, twice, as configure scripts and
shell start-up files do. Not eager; against bash without the library.
"""
import os

from counting import count_failing
from measure import Row, abba, core_for, noise, ratio, run

DIRECTORIES, FILES, MISSING, PRESENT = 60, 20, 200, 50

SCRIPT = """
for pass in 1 2; do
    i=0; while [ $i -lt {missing} ]; do command -v absent-$i; i=$((i+1)); done
    i=0; while [ $i -lt {present} ]; do command -v present-$i; i=$((i+1)); done
done >/dev/null
:
"""


def executable(path):
    with open(path, "w"):
        pass
    os.chmod(path, 0o755)


def generate(root):
    folders = [f"{root}/opt/tool-{d:02d}/bin" for d in range(DIRECTORIES)]
    for d, folder in enumerate(folders):
        os.makedirs(folder)
        for f in range(FILES):
            executable(f"{folder}/tool-{d:02d}-{f}")
    for n in range(PRESENT):
        executable(f"{folders[n * 7 % DIRECTORIES]}/present-{n}")
    return ":".join(folders)


def command_v(context):
    path = generate(context.directory("command_v"))
    command = ["/bin/bash", "--norc", "-c", SCRIPT.format(missing=MISSING, present=PRESENT)]

    def env(kind):
        return {**kind(), "PATH": path}

    def once(kind):
        return lambda i: run(command, env(kind), None, core_for(i // 2))
    pairs, floor = abba(context.pairs(60, 16), once(context.without), once(context.on))
    found = ratio([(a.cpu, b.cpu) for a, b in pairs])
    wall = ratio([(a.wall, b.wall) for a, b in pairs])
    before = sum(count_failing(command, env(context.without)).values())
    after = sum(count_failing(command, env(context.on)).values())
    return [Row("command_v", "bash command -v, 250 names, 60-entry PATH, twice: CPU time", found["ratio"], 0.55, 0.38,
                sd=found["sd"], ci=found["ci"], pairs=found["pairs"],
                noise=noise([(a.cpu, b.cpu) for a, b in floor]), base=found["base"] * 1e3, with_=found["with_"] * 1e3,
                note=f"{found['base'] * 1e3:.1f} -> {found['with_'] * 1e3:.1f} ms; wall {wall['ratio']:.3f}; "
                f"failing lookups {before} -> {after}")]


WORKLOADS = {"command_v": command_v}

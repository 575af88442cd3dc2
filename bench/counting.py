"""System calls and processes of a command and all its descendants, counted exactly: by perf where it is allowed,
else by strace. Under a tracer every lookup costs 40 times more; the library's cost rule measures that and sets up at
once, and the count is of another program: bench/run says which it was.
"""
import functools
import os
import shutil
import subprocess
import tempfile

from measure import Cannot

EVENTS = "/sys/kernel/tracing/events/"
QUIET = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def perf_events(wanted):
    """[(event, filter or None)] that this kernel has, as perf's arguments."""
    arguments = []
    for event, only in wanted:
        arguments += ["-e", event] + (["--filter", only] if only else [])
    return arguments


@functools.cache
def can_perf():
    return bool(shutil.which("perf")) and subprocess.run(
        ["perf", "stat", "-x,", "-o", "/dev/null", "-e", "raw_syscalls:sys_enter", "true"],
        capture_output=True).returncode == 0


def count(argv, env, cwd, wanted):
    """{event: times} over argv and all its descendants. perf runs without the preload; env(1) sets it."""
    with tempfile.NamedTemporaryFile("r") as log:
        words = [f"{k}={v}" for k, v in env.items()]
        done = subprocess.run(
            ["perf", "stat", "-x,", "-o", log.name, *perf_events(wanted), "--", "env", "-i", *words, *argv],
            cwd=cwd, **QUIET)
        if done.returncode != 0:
            raise Cannot(f"perf stat {argv[0]} ended with {done.returncode}")
        found = {}
        for line in log:
            fields = line.strip().split(",")
            if len(fields) > 2 and fields[0].isdigit():
                found[fields[2]] = found.get(fields[2], 0) + int(fields[0])
        return found


def count_calls(argv, env, cwd=None):
    """(system calls, processes) of a command."""
    if can_perf():
        found = count(argv, env, cwd, [("raw_syscalls:sys_enter", None), ("sched:sched_process_fork", None)])
        return found["raw_syscalls:sys_enter"], found["sched:sched_process_fork"] + 1
    return strace_calls(argv, env, cwd)


def strace_log(argv, env, cwd, *options):
    """The lines of strace -f, each with its process first."""
    with tempfile.NamedTemporaryFile("r") as log:
        words = [word for k, v in env.items() for word in ("-E", f"{k}={v}")]
        subprocess.run(["strace", "-f", "-qq", "-o", log.name, *options, *words, *argv], cwd=cwd, **QUIET)
        return log.readlines()


def strace_calls(argv, env, cwd):
    lines = [line.split(None, 1) for line in strace_log(argv, env, cwd)]
    calls = sum(1 for _, text in lines if "(" in text and not text.startswith(("<", "+", "-")))
    return calls, len({pid for pid, _ in lines})


LOOKUPS = ["open", "openat", "openat2", "newstat", "newlstat", "newfstatat", "statx", "access", "faccessat",
           "faccessat2", "readlink", "readlinkat"]


def count_failing(argv, env, cwd=None):
    """How many opens, stats, accesses and readlinks of a command failed in the kernel: {call: times}."""
    if not can_perf():
        return strace_failing(argv, env, cwd)
    here = [call for call in LOOKUPS if os.path.isdir(f"{EVENTS}syscalls/sys_exit_{call}")]
    found = count(argv, env, cwd, [(f"syscalls:sys_exit_{call}", "ret<0") for call in here])
    return {call: found.get(f"syscalls:sys_exit_{call}", 0) for call in here}


def strace_failing(argv, env, cwd):
    # strace says stat where the tracepoint is called newstat; ? for those that an architecture has not.
    calls = ",".join("?" + call.replace("newstat", "stat").replace("newlstat", "lstat") for call in LOOKUPS)
    lines = strace_log(argv, env, cwd, "-e", f"trace={calls}")
    return {"all": sum(1 for line in lines if " = -1 E" in line)}

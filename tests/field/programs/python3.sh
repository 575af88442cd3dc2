# served: python3.*
# imports, shutil.which, every os call on what is not there and what appears, subprocess in all its ways, all start methods of
# multiprocessing, threads, pools.
prepare()
{
	mkdir bin-1 bin-2 modules-1 modules-2
	echo 'value = 7' >modules-2/present.py
	cat >work.py <<'P'
import os, sys
def work(n):
    here = os.path.dirname(os.path.abspath(__file__))
    seen = [os.path.exists(f"{here}/none-{i}") for i in range(n)]
    path = f"{here}/made-{os.getpid()}-{n}"
    before = os.path.exists(path)
    open(path, "w").close()
    after = os.path.exists(path)
    os.unlink(path)
    return any(seen), before, after, os.path.exists(path)
P
	cat >main.py <<'P'
import asyncio, concurrent.futures, glob, importlib, multiprocessing, os, shutil, subprocess, sys, tempfile, threading
from work import work
def say(*words):
    print(*words, flush=True)
def attempt(f, *a, **k):
    try:
        return f(*a, **k)
    except BaseException as e:
        return f"{type(e).__name__}: {e}"
if __name__ == "__main__":
    here = os.getcwd()
    none = here + "/none"
    sys.path[0:0] = [here + "/modules-1", here + "/modules-2"]
    os.environ["PATH"] = here + "/bin-1:" + here + "/bin-2:" + os.environ["PATH"]
    for i in range(3):
        say(attempt(importlib.import_module, "no_such_module"), importlib.import_module("present").value)
        say(shutil.which("no-such-command"), shutil.which("sh"))
    open(here + "/modules-1/no_such_module.py", "w").write("value = 8")
    importlib.invalidate_caches()
    say(importlib.import_module("no_such_module").value)
    for f in (os.stat, os.lstat, os.open, os.listdir, os.readlink, os.chmod, os.unlink, os.rmdir, os.chdir, os.access):
        more = {os.open: (os.O_RDONLY,), os.chmod: (0o600,), os.access: (os.R_OK,)}.get(f, ())
        for p in (none, none + "/x", here + "/main.py/x", here + "/main.py/", none + "/../main.py", b"/\xff\xfe", "", "/a" * 3000):
            say(f.__name__, attempt(f, p, *more) if f is not os.stat else str(attempt(f, p))[:40])
    for p in (none, none + "/..", here + "/bin-1/../none", "/usr/./bin//../bin/sh"):
        say(os.path.realpath(p) == p, attempt(os.path.realpath, p, strict=True))
    say(glob.glob(here + "/n*"), glob.glob(here + "/modules-2/pres*.py"))
    for how in ({}, {"close_fds": False}, {"start_new_session": True}, {"preexec_fn": os.getpid}, {"cwd": "/"}, {"env": {}},
                {"executable": "/bin/sh"}, {"shell": True}):
        say(how.keys(), attempt(subprocess.run, [none, "x"], **how) if not how.get("shell") else subprocess.run(none, **how).returncode)
        say(subprocess.run(["/bin/sh", "-c", "[ -e /none ] || echo out"], capture_output=True, **{k: v for k, v in how.items() if k != "shell"}))
    say(attempt(subprocess.run, ["no-such-command"]))
    open(here + "/bin-2/no-such-command", "w").write("#!/bin/sh\necho late\n")
    os.chmod(here + "/bin-2/no-such-command", 0o755)
    say(subprocess.run(["no-such-command"], capture_output=True).stdout)
    say(attempt(os.posix_spawn, none, ["x"], os.environ), attempt(os.posix_spawnp, "none-such", ["x"], os.environ))
    pid = os.posix_spawnp("no-such-command", ["x"], os.environ)
    say(os.waitpid(pid, 0)[1])
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        with context.Pool(3) as pool:
            say(method, set(pool.map(work, range(20, 40))))
        q = context.Queue()
        p = context.Process(target=q.put, args=(method,))
        p.start()
        say(q.get())
        p.join()
        say(p.exitcode)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        say(set(pool.map(work, range(40, 80))))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        say(set(pool.map(work, range(40, 60))))
    async def shell():
        p = await asyncio.create_subprocess_exec("no-such-command", stdout=-1)
        return await p.communicate(), attempt(os.stat, none).split(":")[0]
    say(asyncio.run(shell()))
    pid = os.fork()
    if pid == 0:
        os._exit(any(map(os.path.exists, [none] * 9)) + 5)
    say(os.waitpid(pid, 0)[1])
    with tempfile.TemporaryDirectory() as d:
        say(os.path.exists(d), os.path.exists(d + "/x"))
    say(os.path.exists(d))
    import venv, json, sqlite3, ssl
    say(attempt(sqlite3.connect, none + "/x.db"))
    say(attempt(os.execv, none, ["x"]))
    sys.exit(9)
P
}
run() { python3 -B main.py; }
"$1"

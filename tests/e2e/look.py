"""look.py FASTPATH CASE FORMS - what can be seen of a command that fastpath runs, from outside and from
inside; FORMS is a JSON list of subcommands with options. Each case prints why not, or nothing."""
import ctypes, fcntl, json, os, pty, select, signal, subprocess, sys, time, termios
FP, CASE = sys.argv[1:3]
FORMS = json.loads(sys.argv[3]) if FP != "-" else [] # the subcommand and its options
libc = ctypes.CDLL(None)
SET_SUBREAPER, GET_SUBREAPER = 36, 37

def why(*words): print(*words, end="; ", flush=True)
def form_name(form): return " ".join(form)
def in_place(form): return form == ["run"] # else the command is a child
def probe(name, *args): return [sys.executable, "-IS", sys.argv[0], "-", name, *args]
def ended(status):
    return "signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "exit %d" % os.WEXITSTATUS(status)

def start(command, before=lambda: None, out=None, err=None):
    """A child that becomes command, after before() in it."""
    pid = os.fork()
    if pid: return pid
    try:
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(out if out is not None else null, 1)
        os.dup2(err if err is not None else null, 2)
        for s in (signal.SIGPIPE, signal.SIGXFSZ): signal.signal(s, signal.SIG_DFL)
        before()
        os.execvp(command[0], command)
    finally:
        os._exit(99)

def read_all(fd):
    text = b""
    while part := os.read(fd, 65536): text += part
    os.close(fd)
    return text.decode()

def output(command, before=lambda: None):
    """What it prints, its end, its pid."""
    r, w = os.pipe()
    pid = start(command, before, out=w)
    os.close(w)
    text = read_all(r)
    return text, ended(os.waitpid(pid, 0)[1]), pid

def children(pid):
    return [int(p) for p in open("/proc/%d/task/%d/children" % (pid, pid)).read().split()]
def name(pid):
    try: return open("/proc/%d/comm" % pid).read().strip()
    except OSError: return "" # it has ended
def command_of(pid, form):
    if in_place(form): return pid
    return [p for p in children(pid) if name(p) != "fastpath-audit"][0]
def state(pid): return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0].replace("t", "T") # t: of one who is traced
def until(true, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if true(): return True
        time.sleep(0.005)
    return False

# -- probes: what the command sees of itself

def probe_descriptors(file):
    seen = []
    for fd in range(1024):
        try: seen.append("%d %s %d" % (fd, os.readlink("/proc/self/fd/%d" % fd), fcntl.fcntl(fd, fcntl.F_GETFL)))
        except OSError: pass
    with open(file, "w") as f: f.write("\n".join(seen))

def probe_ids():
    print(os.getpid(), os.getpgrp(), os.getsid(0), oct(os.umask(0)), os.getcwd(), os.nice(0), os.getppid(), sep="\n")

def probe_children():
    try: print("a child:", os.wait())
    except ChildProcessError: print("no child", libc.prctl(GET_SUBREAPER, ctypes.byref(n := ctypes.c_int())), n.value)

def probe_signals():
    """Counts what it gets until SIGTERM, and says so."""
    got = []
    for s in (signal.SIGINT, signal.SIGUSR1, signal.SIGHUP, signal.SIGCONT, signal.SIGWINCH, signal.SIGTERM):
        signal.signal(s, lambda n, f: got.append(n))
    print("ready", flush=True)
    while signal.SIGTERM not in got: time.sleep(0.01)
    print("got", *got, flush=True)
    sys.exit(7)

# -- cases

def deaths():
    for form in FORMS:
        for s in ("TERM", "KILL", "SEGV", "ABRT", "INT", "QUIT", "HUP", "PIPE", "USR1", "ALRM"):
            got = ended(os.waitpid(start([FP, *form, "sh", "-c", "ulimit -c 0; kill -%s $$" % s]), 0)[1])
            want = "signal %d" % getattr(signal, "SIG" + s)
            if got != want: why("%s, SIG%s: %s" % (form_name(form), s, got))

def statuses():
    for form in FORMS[:2]:
        for n in range(256):
            got = ended(os.waitpid(start([FP, *form, "sh", "-c", "exit %d" % n]), 0)[1])
            if got != "exit %d" % n: why("%s, exit %d: %s" % (form_name(form), n, got))

def descriptors():
    file = os.getcwd() + "/seen"
    for closed in ((), (0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)):
        def before():
            os.dup2(os.open("/etc/passwd", os.O_RDONLY), 5)
            os.dup2(os.open("/dev/null", os.O_WRONLY | os.O_APPEND), 17)
            os.closerange(6, 17), os.closerange(18, 1024), os.closerange(3, 5)
            for fd in closed: os.close(fd)
        os.waitpid(start(probe("descriptors", file), before), 0)
        want = open(file).read()
        if "5 /etc/passwd" not in want: why("the case is broken:", want)
        for form in FORMS:
            os.unlink(file)
            got = ended(os.waitpid(start([FP, *form, *probe("descriptors", file)], before), 0)[1])
            seen = open(file).read() if os.path.exists(file) else "nothing"
            if got != "exit 0" or seen != want: why("%s, closed %s: %s, %s, without fastpath %s" % (form_name(form), closed, got, seen, want))

def ids():
    for form in FORMS:
        for before in (os.setsid, lambda: os.setpgid(0, 0), lambda: os.umask(0o27), lambda: os.nice(3)):
            want, _, _ = output(probe("ids"), before)
            text, end, pid = output([FP, *form, *probe("ids")], before)
            got, want = text.split(), want.split()
            if end != "exit 0": why(form_name(form), end); continue
            if got[3:6] != want[3:6]: why("%s: umask, cwd, nice are %s, must be %s" % (form_name(form), got[3:6], want[3:6]))
            group = str(pid) if want[1] == want[0] else want[1]
            session = str(pid) if want[2] == want[0] else want[2]
            if got[1:3] != [group, session]: why("%s: group, session are %s, must be %s" % (form_name(form), got[1:3], [group, session]))
            if in_place(form) and [got[0], got[6]] != [str(pid), want[6]]: why("pid, ppid are %s, must be %d %s" % ([got[0], got[6]], pid, want[6]))

def signal_state():
    def none(): pass
    def blocked(): signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGCHLD, signal.SIGTERM, signal.SIGRTMIN + 3])
    def ignored():
        for s in (signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE, signal.SIGTERM, signal.SIGINT, signal.SIGTSTP): signal.signal(s, signal.SIG_IGN)
    def both(): blocked(), ignored()
    command = ["grep", "-E", "^(SigPnd|ShdPnd|SigBlk|SigIgn|SigCgt)", "/proc/self/status"]
    for before in (none, blocked, ignored, both):
        want = output(command, before)[:2]
        if want[1] != "exit 0": why("the case is broken:", want)
        for form in FORMS:
            got = output([FP, *form, *command], before)[:2]
            if got != want: why("%s, %s: %s, must be %s" % (form_name(form), before.__name__, got, want))

def foreign_children():
    def none(): pass
    def reaper(): libc.prctl(SET_SUBREAPER, 1)
    for form in FORMS:
        for outer in (0, 1):
            libc.prctl(SET_SUBREAPER, outer)
            for before in (none, reaper):
                text, end, _ = output([FP, *form, *probe("children")], before)
                want = "no child 0 %d" % (before == reaper)
                if text.strip() != want: why("%s, started by %s, %s: %s %s" % (form_name(form), "a subreaper" if outer else "none", before.__name__, text.strip(), end))
    libc.prctl(SET_SUBREAPER, 0)

def started(form, before=os.setsid):
    """run with probe_signals: its pid, the command's pid, its output"""
    r, w = os.pipe()
    pid = start([FP, *form, *probe("signals")], before, out=w)
    os.close(w)
    text = os.read(r, 6)
    if text != b"ready\n": why("%s: not ready: %s" % (form_name(form), text))
    return pid, command_of(pid, form), r

def signals_alone():
    """What is sent to run alone reaches the command, once."""
    for form in FORMS:
        pid, _, r = started(form)
        for s in (signal.SIGUSR1, signal.SIGHUP, signal.SIGINT, signal.SIGWINCH, signal.SIGCONT, signal.SIGTERM):
            os.kill(pid, s)
            time.sleep(0.1)
        text, end = read_all(r), ended(os.waitpid(pid, 0)[1])
        if (text.strip(), end) != ("got 10 1 2 28 18 15", "exit 7"): why(form_name(form), text, end)

def dies_of_forwarded():
    for form in FORMS:
        for s in (signal.SIGTERM, signal.SIGUSR2, signal.SIGQUIT):
            pid = start([FP, *form, "sh", "-c", "ulimit -c 0; exec sleep 50"])
            until(lambda: "sleep" in [name(p) for p in ([pid] if in_place(form) else children(pid))])
            os.kill(pid, s)
            got = ended(os.waitpid(pid, 0)[1])
            if got != "signal %d" % s: why(form_name(form), got, "must be", s)

def stops_alone():
    """kill -TSTP, -STOP and -CONT of run or of the command, without a terminal."""
    for form in FORMS:
        for whom in (0, 1):
            for s in (signal.SIGTSTP, signal.SIGSTOP):
                if not in_place(form) and not whom and s == signal.SIGSTOP: continue # that stops run and nothing else
                pid, command, r = started(form, lambda: os.setpgid(0, 0))
                os.kill((pid, command)[whom], s)
                _, status = os.waitpid(pid, os.WUNTRACED)
                if not os.WIFSTOPPED(status) or os.WSTOPSIG(status) != s: why("%s: not stopped by %d: %s" % (form_name(form), s, status))
                if not until(lambda: state(command) == "T"): why("%s: the command is not stopped" % form_name(form))
                os.kill(pid, signal.SIGCONT)
                if not until(lambda: state(command) != "T"): why("%s: the command is not continued" % form_name(form))
                time.sleep(0.1)
                os.kill(pid, signal.SIGTERM)
                text, end = read_all(r), ended(os.waitpid(pid, 0)[1])
                if (text.strip(), end) != ("got 18 15", "exit 7"): why(form_name(form), s, text, end)

def killed():
    """SIGKILL of run leaves the command alone."""
    for form in FORMS:
        if in_place(form): continue
        r, w = os.pipe()
        pid = start([FP, *form, "sh", "-c", "echo ready; sleep 0.3; echo done"], out=w)
        os.close(w)
        os.read(r, 6)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        text = read_all(r)
        if text != "done\n": why(form_name(form), text)

# -- a terminal, and a shell with job control on it

class Terminal:
    """Jobs are started by this process's child, the session's leader, which tells of their ends."""
    def __init__(self, command, foreground=True):
        r, w = os.pipe()
        self.shell, self.master = pty.fork()
        if not self.shell:
            os.close(r)
            self.lead(command, foreground, w)
        os.close(w)
        self.told, self.seen = r, ""

    def lead(self, command, foreground, w):
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        job = os.fork()
        if not job:
            os.setpgid(0, 0)
            if foreground: os.tcsetpgrp(0, os.getpid())
            for s in (signal.SIGTTOU, signal.SIGPIPE, signal.SIGXFSZ): signal.signal(s, signal.SIG_DFL)
            os.close(w)
            os.execvp(command[0], command)
        while True:
            _, status = os.waitpid(job, os.WUNTRACED)
            if os.WIFSTOPPED(status):
                os.write(w, b"stopped %d %d\n" % (os.WSTOPSIG(status), job))
                os.tcsetpgrp(0, os.getpid())
                sys.stdin.readline() # "fg"
                os.tcsetpgrp(0, job)
                os.kill(-job, signal.SIGCONT)
            else:
                os.write(w, ended(status).encode() + b"\n")
                os._exit(0)

    def type(self, text): os.write(self.master, text)

    def expect(self, text):
        def more():
            if select.select([self.master], [], [], 0.01)[0]:
                try: self.seen += os.read(self.master, 4096).decode()
                except OSError: pass # EIO: all have left
            return text in self.seen
        return until(more)

    def event(self):
        if not select.select([self.told], [], [], 10)[0]: return "nothing"
        return os.read(self.told, 100).decode().strip()

    def close(self):
        os.close(self.master), os.close(self.told)
        os.waitpid(self.shell, 0)

def interrupt():
    """^C ends an unprepared command by SIGINT; one that catches it gets it once."""
    for form in FORMS:
        t = Terminal([FP, *form, "sh", "-c", "echo ready; exec sleep 50"])
        t.expect("ready")
        t.type(b"\x03")
        if (e := t.event()) != "signal 2": why(form_name(form), "^C:", e)
        t.close()
        t = Terminal([FP, *form, *probe("signals")])
        t.expect("ready")
        t.type(b"\x03")
        time.sleep(0.1)
        t.type(b"\x03")
        time.sleep(0.1)
        os.kill(os.tcgetpgrp(t.master), signal.SIGTERM)
        if not t.expect("got 2 2 15") or (e := t.event()) != "exit 7": why(form_name(form), "caught:", t.seen)
        t.close()

def suspend():
    """^Z stops run and command, fg continues both, with one SIGCONT; three times over."""
    for form in FORMS:
        t = Terminal([FP, *form, *probe("signals")])
        t.expect("ready")
        for i in range(3):
            t.type(b"\x1a")
            e = t.event()
            if not e.startswith("stopped 20 "): why(form_name(form), "^Z:", e); break
            job = int(e.split()[2])
            command = command_of(job, form)
            if not until(lambda: state(job) == "T" and state(command) == "T"): why(form_name(form), "^Z:", state(job), state(command))
            t.type(b"fg\n")
            if not until(lambda: state(job) != "T" and state(command) != "T"): why(form_name(form), "fg:", state(job), state(command))
            time.sleep(0.1)
        os.kill(job, signal.SIGTERM)
        if not t.expect("got 18 18 18 15") or (e := t.event()) != "exit 7": why(form_name(form), "fg:", t.seen)
        t.close()

def background():
    """A background command that reads the terminal is stopped by SIGTTIN, and gets its line after fg."""
    for form in FORMS:
        t = Terminal([FP, *form, "sh", "-c", "read line; echo the line is $line"], foreground=False)
        e = t.event()
        if not e.startswith("stopped 21 "): why(form_name(form), e)
        t.type(b"fg\n")
        time.sleep(0.2)
        t.type(b"words\n")
        if not t.expect("the line is words") or (e := t.event()) != "exit 0": why(form_name(form), t.seen, e)
        t.close()

def hangup():
    """The end of a terminal is told to a command whose run leads the session."""
    for form in FORMS:
        file = os.getcwd() + "/hung"
        pid, master = pty.fork()
        if not pid: os.execvp(FP, [FP, *form, "sh", "-c", "trap 'echo hung >>%s; exit 4' HUP; echo ready; while :; do sleep 0.05; done" % file])
        text = b""
        while b"ready" not in text: text += os.read(master, 100)
        os.close(master)
        got = ended(os.waitpid(pid, 0)[1])
        if got != "exit 4" or open(file).read() != "hung\n": why(form_name(form), got)
        if os.path.exists(file): os.unlink(file)

if FP == "-": # what the command is: see probe()
    globals()["probe_" + CASE](*sys.argv[3:])
else:
    signal.alarm(120)
    globals()[CASE]()

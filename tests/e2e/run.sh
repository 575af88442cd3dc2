#!/bin/bash
# run.sh - fastpath run: whatever can be seen of a command is as without it; the statistics of its
# tree; what is said when something is wrong. E2E_FASTPATH replaces the command.
. "$(dirname "$0")/lib.sh"
fp=${E2E_FASTPATH:-$top/build/fastpath}
if [ ! -x "$fp" ]; then
	fail run "there is no $fp"
	finish
fi
forms=('' --verify --stats --stats=json) # exec'd in place; a child of run
ask_often='for i in $(seq 50); do [ -e $PWD/none$i ]; sleep 0.01; done'

# run [NAME=VALUE...] -- ARG...: fastpath run ARG... in $case; leaves out1, err1, status.
run()
{
	local vars=()
	while [ "$1" != -- ]; do
		vars+=("$1")
		shift
	done
	shift
	"$progs/launch" -t 60 -C "$case" "${vars[@]}" "$fp" run "$@" </dev/null >"$base/out1" 2>"$base/err1" 8>&- 9>&-
	status=$?
}
out() { cat "$base/out1"; }
err() { cat "$base/err1"; }
# is NAME GOT WANT: a reason if they differ
is() { [ "$2" = "$3" ] || echo "$1 is '$2', must be '$3'; "; }

# ---- what needs a process of its own to look at: each case prints why not ----

cat >"$base/look.py" <<'END'
import ctypes, fcntl, os, pty, select, signal, subprocess, sys, time, termios
FP = sys.argv[1]
FORMS = [[], ["--verify"], ["--stats"], ["--stats=json"]]
libc = ctypes.CDLL(None)
SET_SUBREAPER, GET_SUBREAPER = 36, 37

def why(*words): print(*words, end="; ", flush=True)
def form_name(form): return " ".join(form) or "plain"
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
def state(pid): return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0]
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
            got = ended(os.waitpid(start([FP, "run", *form, "sh", "-c", "ulimit -c 0; kill -%s $$" % s]), 0)[1])
            want = "signal %d" % getattr(signal, "SIG" + s)
            if got != want: why("%s, SIG%s: %s" % (form_name(form), s, got))

def statuses():
    for form in ([], ["--verify"]):
        for n in range(256):
            got = ended(os.waitpid(start([FP, "run", *form, "sh", "-c", "exit %d" % n]), 0)[1])
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
            got = ended(os.waitpid(start([FP, "run", *form, *probe("descriptors", file)], before), 0)[1])
            seen = open(file).read() if os.path.exists(file) else "nothing"
            if got != "exit 0" or seen != want: why("%s, closed %s: %s, %s, without fastpath %s" % (form_name(form), closed, got, seen, want))

def ids():
    for form in FORMS:
        for before in (os.setsid, lambda: os.setpgid(0, 0), lambda: os.umask(0o27), lambda: os.nice(3)):
            want, _, _ = output(probe("ids"), before)
            text, end, pid = output([FP, "run", *form, *probe("ids")], before)
            got, want = text.split(), want.split()
            if end != "exit 0": why(form_name(form), end); continue
            if got[3:6] != want[3:6]: why("%s: umask, cwd, nice are %s, must be %s" % (form_name(form), got[3:6], want[3:6]))
            group = str(pid) if want[1] == want[0] else want[1]
            session = str(pid) if want[2] == want[0] else want[2]
            if got[1:3] != [group, session]: why("%s: group, session are %s, must be %s" % (form_name(form), got[1:3], [group, session]))
            if form == [] and [got[0], got[6]] != [str(pid), want[6]]: why("pid, ppid are %s, must be %d %s" % ([got[0], got[6]], pid, want[6]))

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
            got = output([FP, "run", *form, *command], before)[:2]
            if got != want: why("%s, %s: %s, must be %s" % (form_name(form), before.__name__, got, want))

def foreign_children():
    def none(): pass
    def reaper(): libc.prctl(SET_SUBREAPER, 1)
    for form in FORMS:
        for outer in (0, 1):
            libc.prctl(SET_SUBREAPER, outer)
            for before in (none, reaper):
                text, end, _ = output([FP, "run", *form, *probe("children")], before)
                want = "no child 0 %d" % (before == reaper)
                if text.strip() != want: why("%s, started by %s, %s: %s %s" % (form_name(form), "a subreaper" if outer else "none", before.__name__, text.strip(), end))
    libc.prctl(SET_SUBREAPER, 0)

def started(form, before=os.setsid):
    """run with probe_signals: its pid, the command's pid, its output"""
    r, w = os.pipe()
    pid = start([FP, "run", *form, *probe("signals")], before, out=w)
    os.close(w)
    text = os.read(r, 6)
    if text != b"ready\n": why("%s: not ready: %s" % (form_name(form), text))
    return pid, (children(pid) if form else [pid])[0], r

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
            pid = start([FP, "run", *form, "sh", "-c", "ulimit -c 0; exec sleep 50"])
            until(lambda: "sleep" in [name(p) for p in (children(pid) if form else [pid])])
            os.kill(pid, s)
            got = ended(os.waitpid(pid, 0)[1])
            if got != "signal %d" % s: why(form_name(form), got, "must be", s)

def stops_alone():
    """kill -TSTP, -STOP and -CONT of run or of the command, without a terminal."""
    for form in FORMS:
        for whom in (0, 1):
            for s in (signal.SIGTSTP, signal.SIGSTOP):
                if form and not whom and s == signal.SIGSTOP: continue # that stops run and nothing else
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
    for form in FORMS[1:]:
        r, w = os.pipe()
        pid = start([FP, "run", *form, "sh", "-c", "echo ready; sleep 0.3; echo done"], out=w)
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
        t = Terminal([FP, "run", *form, "sh", "-c", "echo ready; exec sleep 50"])
        t.expect("ready")
        t.type(b"\x03")
        if (e := t.event()) != "signal 2": why(form_name(form), "^C:", e)
        t.close()
        t = Terminal([FP, "run", *form, *probe("signals")])
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
        t = Terminal([FP, "run", *form, *probe("signals")])
        t.expect("ready")
        for i in range(3):
            t.type(b"\x1a")
            e = t.event()
            if not e.startswith("stopped 20 "): why(form_name(form), "^Z:", e); break
            job = int(e.split()[2])
            command = children(job)[0] if form else job
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
        t = Terminal([FP, "run", *form, "sh", "-c", "read line; echo the line is $line"], foreground=False)
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
        if not pid: os.execvp(FP, [FP, "run", *form, "sh", "-c", "trap 'echo hung >>%s; exit 4' HUP; echo ready; while :; do sleep 0.05; done" % file])
        text = b""
        while b"ready" not in text: text += os.read(master, 100)
        os.close(master)
        got = ended(os.waitpid(pid, 0)[1])
        if got != "exit 4" or open(file).read() != "hung\n": why(form_name(form), got)
        if os.path.exists(file): os.unlink(file)

if FP == "-": # what the command is: see probe()
    globals()["probe_" + sys.argv[2]](*sys.argv[3:])
else:
    signal.alarm(120)
    globals()[sys.argv[2]]()
END

look() # NAME CASE
{
	local why
	wanted "$1" || return 0
	fresh
	why=$("$python" -IS "$base/look.py" "$fp" "$2" 2>&1 8>&- 9>&- </dev/null) || why+=" the case ended with $?"
	verdict "$1" "$why"
}
look every_exit_status_is_the_commands statuses
look a_command_that_dies_of_a_signal_is_seen_to_die_of_it deaths
look descriptors_are_as_without descriptors
look group_session_umask_and_directory_are_as_without_and_so_is_the_pid_of_a_command_in_place ids
look mask_dispositions_and_pending_signals_are_as_without signal_state
look no_foreign_child_is_ever_waited_for foreign_children
look a_signal_to_run_alone_reaches_the_command_once signals_alone
look a_signal_to_run_alone_that_ends_the_command_ends_run_the_same_way dies_of_forwarded
look stopping_and_continuing_either_stops_and_continues_both stops_alone
look SIGKILL_of_run_leaves_the_command_alone killed
look interrupting_from_a_terminal_reaches_the_command_once interrupt
look suspending_and_fg_work_as_without suspend
look a_background_command_that_reads_the_terminal_stops background
look the_end_of_the_terminal_reaches_the_command hangup

# ---- bytes ----

if wanted stdin_stdout_and_stderr_pass_byte_for_byte; then
	why=
	for form in "${forms[@]}"; do
		fresh
		head -c 3000000 /dev/urandom >data
		"$fp" run $form cat <data >copy 2>/dev/null 8>&- 9>&-
		cmp -s data copy || why+="${form:-plain}: stdout; "
		"$fp" run $form sh -c 'cat >&2' <data 2>copy 8>&- 9>&-
		cmp -s data <(head -c 3000000 copy) || why+="${form:-plain}: stderr; "
		[ -n "$form" ] || cmp -s data copy || why+="more on stderr; "
		cat data | "$fp" run $form cat 2>/dev/null 8>&- 9>&- | cmp -s data - || why+="${form:-plain}: a pipe; "
	done
	verdict stdin_stdout_and_stderr_pass_byte_for_byte "$why"
fi
if wanted what_the_command_lets_go_of_is_not_held_by_run; then
	why=
	for form in "${forms[@]}"; do
		fresh
		"$fp" run $form sh -c 'exec >&-; sleep 0.5; : >late' 2>/dev/null 8>&- 9>&- |
			{ cat; [ ! -e late ]; } || why+="${form:-plain}: stdout stays open; "
		(
			exec 5>lock
			flock 5
			"$fp" run $form sh -c 'exec 5>&-; sleep 0.5; : >later' 2>/dev/null 8>&- 9>&- &
			exec 5>&-
			flock -w 10 lock [ ! -e later ]
		) || why+="${form:-plain}: a lock stays held; "
		is_root || continue
		mkdir mount
		mount -t tmpfs none mount
		(cd mount && exec "$fp" run $form sh -c "cd / && umount $case/mount" >"$base/err1" 2>&1 8>&- 9>&-) ||
			why+="${form:-plain}: a directory stays in use: $(err)"
	done
	verdict what_the_command_lets_go_of_is_not_held_by_run "$why"
fi
if wanted nothing_is_said_without_being_asked; then
	run FASTPATH_TEST=eager -- sh -c '[ -e /none ]; ls /none/of/this 2>/dev/null; exit 3'
	verdict nothing_is_said_without_being_asked "$(is status $status 3; is stdout "$(out)" ''; is stderr "$(err)" '')"
fi
if wanted statistics_never_go_into_a_file_that_took_descriptor_2; then
	why=
	for form in --verify --stats --stats=json; do
		fresh
		sh -c 'exec "$@" 2>&- <in >out' sh "$fp" run $form sh -c 'cat; exit 3' 8>&- 9>&- 2>/dev/null
		status=$? # there was no "in"
		echo data >in
		sh -c 'exec "$@" 2>&- <in >out' sh "$fp" run $form sh -c 'cat; exit 3' 8>&- 9>&-
		status=$?
		why+=$(is "$form: status" $status 3; is "$form: stdout" "$(cat out)" data; is "$form: stdin" "$(cat in)" data)
	done
	verdict statistics_never_go_into_a_file_that_took_descriptor_2 "$why"
fi

# ---- own failures ----

says() # NAME STATUS PATTERN ARG...: this status, one line that says so
{
	local name=$1 want=$2 pattern=$3 why=
	shift 3
	wanted "$name" || return 0
	fresh
	: >plain_file
	mkdir directory
	printf '#!/none/interpreter\n' >script
	chmod 755 script
	"$progs/launch" -t 20 -C "$case" "$fp" "$@" </dev/null >"$base/out1" 2>"$base/err1" 8>&- 9>&-
	status=$?
	why=$(is status $status "$want"; is "lines of stderr" "$(wc -l <"$base/err1")" 1)
	grep -q -E -e "^fastpath: .*$pattern" "$base/err1" || why+="stderr: $(err)"
	[ ! -s "$base/out1" ] || why+="stdout: $(out)"
	verdict "$name" "$why"
}
for form in "${forms[@]}"; do
	mode=${form#--}
	mode=${mode//=/_}
	mode=${mode:-plain}
	says "a_missing_command_gives_127[$mode]" 127 'none-such: No such file' run $form none-such
	says "a_missing_path_gives_127[$mode]" 127 '/none/such: No such file' run $form /none/such x y
	says "an_empty_command_gives_127[$mode]" 127 ': No such file' run $form ''
	says "a_missing_interpreter_gives_127[$mode]" 127 './script: No such file' run $form ./script
	says "a_file_that_is_no_program_gives_126[$mode]" 126 './plain_file: Permission denied' run $form ./plain_file
	says "a_directory_gives_126[$mode]" 126 './directory: Permission denied' run $form -- ./directory
done
says no_command_is_an_error 125 'command is missing' run
says no_command_after_options_is_an_error 125 'command is missing' run --stats --
says no_subcommand_is_an_error 125 'subcommand is missing'
says an_unknown_option_is_named_with_the_nearest 125 "'--stast'.*'--stats'" run --stast true
says an_unknown_option_is_named_with_the_nearest_2 125 "'--verfy'.*'--verify'" run --stats --verfy true
says an_unknown_option_without_a_near_one_is_named 125 "'--xylophone'" run --xylophone true
says an_unknown_letter_is_named 125 "'-z'" run -z true
says an_unknown_letter_in_a_word_is_named 125 "'-q'" run -qz true
says an_unknown_subcommand_is_named_with_the_nearest 125 "'rnu'.*'run'" rnu true
says an_unknown_subcommand_without_a_near_one_is_named 125 "'banana'" banana
says an_unknown_option_of_fastpath_is_named_with_the_nearest 125 "'--versoin'.*'--version'" --versoin
says help_of_an_unknown_subcommand_is_an_error 125 "'rum'.*'run'" help rum
says an_unknown_format_of_statistics_is_named 125 'stats=xml' run --stats=xml true
says a_profile_needs_a_file 125 '--profile' run --profile
says a_profile_needs_a_name 125 '--profile' run --profile '' true
says verify_takes_no_argument 125 '--verify=3' run --verify=3 true
if wanted a_full_standard_output_is_an_error; then
	why=
	for how in --help --version 'run --help' help; do
		"$fp" $how >/dev/full 2>"$base/err1" 8>&- 9>&-
		why+=$(is "$how: status" $? 125; is "$how: lines of stderr" "$(wc -l <"$base/err1")" 1)
	done
	verdict a_full_standard_output_is_an_error "$why"
fi
if wanted help_and_version_are_there_and_fit_a_screen; then
	why=
	for how in --help -h help 'help run' 'help help' 'run --help' 'run -h' 'run --stats --help none-such' --version; do
		"$fp" $how >"$base/out1" 2>"$base/err1" 8>&- 9>&-
		why+=$(is "$how: status" $? 0; is "$how: stderr" "$(err)" '')
		[ -s "$base/out1" ] || why+="$how: nothing; "
		[ "$(wc -l <"$base/out1")" -le 24 ] && [ "$(wc -L <"$base/out1")" -le 90 ] || why+="$how: too large; "
	done
	"$fp" --version | grep -q -x -E 'fastpath [0-9]+\.[0-9]+\.[0-9]+' || why+="version: $("$fp" --version)"
	verdict help_and_version_are_there_and_fit_a_screen "$why"
fi
if wanted options_end_at_the_command; then
	why=
	for form in '' '--' '--stats=json' '--stats=json --'; do
		run -- $form echo --stats -x -- --help
		why+=$(is "'$form': status" $status 0; is "'$form': stdout" "$(out)" '--stats -x -- --help')
	done
	verdict options_end_at_the_command "$why"
fi

# ---- the environment ----

ours='^(FASTPATH|FASTPATH_SESSION|FASTPATH_STATS|FASTPATH_VERIFY|LD_PRELOAD)='
if wanted the_environment_is_as_without_but_for_our_variables; then
	why=
	for form in "${forms[@]}"; do
		fresh
		vars=(ODD=$'a\nb' EMPTY= FASTPATH_SKIP=/none 'WITH=equals=signs' FASTPATHS=x LD_PRELOADS=y)
		env "${vars[@]}" cat /proc/self/environ >want
		env "${vars[@]}" "$fp" run $form cat /proc/self/environ 2>/dev/null 8>&- 9>&- | grep -z -v -E "$ours" >got
		cmp -s want got || why+="${form:-plain}: $(diff -a <(tr '\0' '\n' <want) <(tr '\0' '\n' <got))"
	done
	verdict the_environment_is_as_without_but_for_our_variables "$why"
fi
# variable NAME: what env of the last run printed of it
variable() { sed -n "s/^$1=//p" "$base/out1"; }
loaded=$("$fp" run sh -c 'echo "$LD_PRELOAD"' 8>&- 9>&-)
if wanted the_library_is_loaded_and_switched_on; then
	run -- sh -c 'env; exec cat /proc/self/maps'
	why=$(is FASTPATH "$(variable FASTPATH)" 1; is LD_PRELOAD "$(variable LD_PRELOAD)" "$loaded")
	grep -q -F " $(realpath "$loaded")" "$base/out1" || why+="it is not loaded"
	verdict the_library_is_loaded_and_switched_on "$why"
fi
preloads() # NAME LIST WANT
{
	wanted "$1" || return 0
	run LD_PRELOAD="$2" -- env
	verdict "$1" "$(is LD_PRELOAD "$(variable LD_PRELOAD)" "$3"; is stderr "$(err)" '')"
}
preloads an_existing_preload_stays_first libm.so.6 "libm.so.6:$loaded"
preloads existing_preloads_stay_in_order 'libm.so.6 libdl.so.2:libpthread.so.0' "libm.so.6:libdl.so.2:libpthread.so.0:$loaded"
preloads the_library_is_there_once "libm.so.6:$loaded:libdl.so.2" "libm.so.6:$loaded:libdl.so.2"
preloads the_library_is_there_once_even_if_it_was_twice "$loaded:$loaded" "$loaded"
preloads an_empty_preload_is_none '' "$loaded"
if wanted another_copy_of_the_library_is_replaced; then
	fresh
	cp "$loaded" libfastpath.so
	run LD_PRELOAD="libm.so.6:$case/libfastpath.so" -- env
	verdict another_copy_of_the_library_is_replaced "$(is LD_PRELOAD "$(variable LD_PRELOAD)" "libm.so.6:$loaded")"
fi
if wanted a_nested_run_replaces_the_session; then
	why=
	fresh
	run -- sh -c 'echo "outer=$FASTPATH_SESSION"; "$0" run env' "$fp"
	why+=$(is status $status 0; is LD_PRELOAD "$(variable LD_PRELOAD)" "$loaded"; is FASTPATH "$(variable FASTPATH)" 1)
	[ -z "$(variable outer)" ] || [ "$(variable outer)" != "$(variable FASTPATH_SESSION)" ] || why+="the session is the same; "
	run FASTPATH_SESSION=1:2:3:4:5 FASTPATH=process -- env
	why+=$(is "process scope's session" "$(variable FASTPATH_SESSION)" '')
	run -- --stats=json "$fp" run --stats=json sh -c 'exit 9'
	why+=$(is 'status of two' $status 9; is 'lines of two' "$(wc -l <"$base/err1")" 2)
	verdict a_nested_run_replaces_the_session "$why"
fi
for value in 0 off; do
	name=FASTPATH_${value}_is_honoured
	wanted "$name" || continue
	why=
	for form in '' --stats=json; do
		run FASTPATH=$value FASTPATH_STATS=json:/none -- $form env
		why+=$(is status $status 0; is FASTPATH "$(variable FASTPATH)" "$value"; is LD_PRELOAD "$(variable LD_PRELOAD)" ''
			is FASTPATH_SESSION "$(variable FASTPATH_SESSION)" ''; is FASTPATH_STATS "$(variable FASTPATH_STATS)" json:/none)
		[ -n "$form" ] || why+=$(is stderr "$(err)" '')
	done
	grep -q '"scope":"off","why":' "$base/err1" || why+="statistics: $(err)"
	verdict "$name" "$why"
done
for value in '' 1 on process; do
	name=FASTPATH_${value:-empty}_is_honoured
	wanted "$name" || continue
	run FASTPATH="$value" -- env
	want=1
	[ "$value" = process ] && want=process
	why=$(is status $status 0; is FASTPATH "$(variable FASTPATH)" $want; is stderr "$(err)" '')
	[ $want = 1 ] || why+=$(is FASTPATH_SESSION "$(variable FASTPATH_SESSION)" '')
	verdict "$name" "$why"
done
malformed() # VARIABLE VALUE: one line that names it; the command runs, without fastpath
{
	local form why= name="a_malformed_$1_gives_one_line_and_the_command_runs_without"
	wanted "$name" || return 0
	for form in '' --stats=json; do
		[ "$form$1" != --stats=jsonFASTPATH_STATS ] || continue # it is replaced
		run "$1=$2" -- $form sh -c 'env; [ -e /none ]; exit 3'
		why+=$(is status $status 3; is FASTPATH "$(variable FASTPATH)" 0; is LD_PRELOAD "$(variable LD_PRELOAD)" ''
			is 'lines of stderr' "$(grep -c -v '^{' "$base/err1")" 1)
		head -n 1 "$base/err1" | grep -q -E "\\b$1\\b" || why+="stderr does not name it: $(err)"
	done
	verdict "$name" "$why"
}
malformed FASTPATH_TEST lazy
malformed FASTPATH_TEST tick=soon
malformed FASTPATH banana
malformed FASTPATH_STATS yes
malformed FASTPATH_VERIFY perhaps
malformed FASTPATH_SKIP here:there
malformed FASTPATH_TRUST here
malformed FASTPATH_PROFILE here
if wanted a_profile_is_given_as_an_absolute_path; then
	why=
	fresh
	run FASTPATH_PROFILE=/none -- --profile some/file env
	why+=$(is FASTPATH_PROFILE "$(variable FASTPATH_PROFILE)" "$case/some/file")
	run -- --profile=/some/file env
	why+=$(is FASTPATH_PROFILE "$(variable FASTPATH_PROFILE)" /some/file)
	verdict a_profile_is_given_as_an_absolute_path "$why"
fi

# ---- where the library is ----

placed() # NAME DIRECTORY-OF-THE-LIBRARY: found from bin/fastpath
{
	wanted "$1" || return 0
	fresh
	mkdir -p bin "$2"
	cp "$fp" bin/fastpath
	cp "$loaded" "$2/"
	bin/fastpath run env >"$base/out1" 2>"$base/err1" 8>&- 9>&-
	verdict "$1" "$(is LD_PRELOAD "$(variable LD_PRELOAD)" "$case/$2/libfastpath.so"; is stderr "$(err)" '')"
}
placed the_library_beside_the_command_is_found bin
placed the_library_in_lib_is_found lib
if [ -d "/usr/lib/$(uname -m)-linux-gnu" ]; then
	placed the_library_in_the_multiarch_directory_is_found "lib/$(uname -m)-linux-gnu"
fi
if wanted a_missing_library_gives_one_line_and_the_command_runs_without; then
	fresh
	cp "$fp" fastpath
	./fastpath run sh -c 'env; exit 3' >"$base/out1" 2>"$base/err1" 8>&- 9>&-
	status=$?
	if [ -n "$(variable LD_PRELOAD)" ]; then
		skip a_missing_library_gives_one_line_and_the_command_runs_without "one is installed: $(variable LD_PRELOAD)"
	else
		verdict a_missing_library_gives_one_line_and_the_command_runs_without "$(is status $status 3; is 'lines of stderr' "$(wc -l <"$base/err1")" 1
			grep -q libfastpath.so "$base/err1" || err)"
	fi
fi
for odd in 'sp ace' 'co:lon' 'dol$lar'; do
	name="a_library_in_'$odd'_gives_one_line_and_the_command_runs_without"
	wanted "$name" || continue
	fresh
	mkdir "$odd"
	cp "$fp" "$loaded" "$odd"
	"$odd/$(basename "$fp")" run sh -c 'env; exit 3' >"$base/out1" 2>"$base/err1" 8>&- 9>&-
	verdict "$name" "$(is status $? 3; is 'lines of stderr' "$(wc -l <"$base/err1")" 1; is LD_PRELOAD "$(variable LD_PRELOAD)" ''
		grep -q -F "$odd/libfastpath.so" "$base/err1" || err)"
done

# ---- statistics ----

json() # EXPRESSION: of J, the last line of stderr
{
	tail -n 1 "$base/err1" | "$python" -ISc '
import json, sys
J = json.loads(sys.stdin.read())
R, P = J["run"], {p["exe"]: p for p in J["programs"]}
print(eval(sys.argv[1]))' "$1" 2>&1
}
if wanted statistics_as_json_are_one_line_of_stable_keys; then
	fresh
	run FASTPATH_TEST=eager -- --stats=json bash -c "$ask_often; cat /dev/null; exit 3"
	why=$(is status $status 3; is 'lines of stderr' "$(wc -l <"$base/err1")" 1)
	why+=$(is keys "$(json '" ".join(J)')" 'fastpath run programs directories injection')
	why+=$(is "run's keys" "$(json '" ".join(k for k in R if k != "why")')" "status signal wall_ns processes scope calls served kernel verify saved_ns broker_cpu_ns learned invalidated segment_bytes watches dropped_posts broken")
	why+=$(is families "$(json '" ".join(R["calls"]) + " " + " ".join(R["served"])')" 'access stat open exec readlink realpath xattr access stat open exec readlink realpath xattr')
	why+=$(is reasons "$(json '" ".join(R["kernel"])')" 'pending unknown perhaps refused relative argument detached')
	why+=$(is sums "$(json '[R["fastpath"] if "fastpath" in R else J["fastpath"], R["status"], R["signal"], R["wall_ns"] > 500000000, R["broken"], sum(R["calls"].values()) == sum(R["served"].values()) + sum(R["kernel"].values()), sum(R["served"].values()) > 0]')" '[1, 3, 0, True, 0, True, True]')
	why+=$(is programs "$(json 'sum(p["calls"] for p in J["programs"]) == sum(R["calls"].values()) and sum(p["served"] for p in J["programs"]) == sum(R["served"].values()) and sum(p["saved_ns"] for p in J["programs"]) == R["saved_ns"]')" True)
	why+=$(is 'the shell' "$(json "P['$(realpath "$(command -v bash)")']['calls'] >= 50")" True)
	why+=$(is 'why of process scope' "$(json '("why" in R) == (R["scope"] == "process")')" True)
	verdict statistics_as_json_are_one_line_of_stable_keys "$why"
fi
if wanted statistics_count_every_process_and_program; then
	fresh
	run FASTPATH=process -- --stats=json bash -c 'for i in 1 2 3 4 5; do ls / >/dev/null; done; for i in 1 2 3; do sed -n 1p /etc/passwd >/dev/null; done; exec cat /dev/null'
	got=$(tail -n 1 "$base/err1" | "$python" -ISc '
import json, sys, os
J = json.loads(sys.stdin.read())
n = {os.path.basename(p["exe"]): p["processes"] for p in J["programs"]}
print(n.get("ls"), n.get("sed"), n.get("cat"), n.get("bash", 0) >= 1, J["run"]["processes"] >= 9, J["run"]["scope"], J["run"]["why"])' 2>&1)
	verdict statistics_count_every_process_and_program "$(is counts "$got" '5 3 1 True True process FASTPATH=process')"
fi
if wanted statistics_tell_the_signal; then
	fresh
	run -- --stats=json sh -c 'kill -TERM $$'
	why=$(is signal "$(json '[R["signal"], R["status"]]')" '[15, 143]')
	run -- --stats sh -c 'kill -TERM $$'
	grep -q 'signal 15' "$base/err1" || why+="text: $(err)"
	verdict statistics_tell_the_signal "$why"
fi
if wanted statistics_as_text_are_readable; then
	for how in --stats --stats=text; do
		fresh
		run FASTPATH_TEST=eager -- $how bash -c "$ask_often; ls / >/dev/null; echo out; exit 3"
		why=$(is status $status 3; is stdout "$(out)" out)
		for part in '(tree|process) scope' '[0-9]+ processes' 'exit status 3' 'calls +served' '[0-9]+ +[0-9]+ stat$' 'to the kernel:.* [0-9]+' \
			'saved' '/bash$' '/ls$'; do
			grep -q -E "$part" "$base/err1" || why+="no '$part'; "
		done
		! grep -q -v '^fastpath: ' "$base/err1" || why+="a line of something else; "
		verdict "statistics_as_text_are_readable[$how]" "$why"
	done
fi
if wanted what_is_no_line_of_statistics_is_counted_and_skipped; then
	fresh
	run FASTPATH=process -- --stats=json bash -c 'f=${FASTPATH_STATS#json:}; printf "garbage\n{\"fastpath\":1\n{\"fastpath\":2,\"calls\":{}}\n[]\n\n\"x\"\n{\"fastpath\":1,\"calls\":{\"stat\":\"many\"},\"served\":{}}\n" >>$f; exit 3'
	why=$(is status $status 3; is broken "$(json '[R["broken"], R["processes"] >= 1, R["calls"]["stat"] >= 0]')" '[6, True, True]')
	run FASTPATH=process -- --stats bash -c 'echo garbage >>${FASTPATH_STATS#json:}'
	grep -q '1 lines of statistics could not be read' "$base/err1" || why+="text: $(err)"
	verdict what_is_no_line_of_statistics_is_counted_and_skipped "$why"
fi
if wanted the_users_own_statistics_give_way; then
	fresh
	run FASTPATH_STATS="json:$stats" -- --stats=json bash -c '[ -e /none ]'
	verdict the_users_own_statistics_give_way "$(is 'processes' "$(json 'R["processes"] > 0')" True; is 'lines of the file' "$(wc -l <"$stats")" 0)"
fi
if wanted verification_says_its_sum_and_keeps_the_status; then
	fresh
	run FASTPATH_TEST=eager -- --verify bash -c "$ask_often; echo \$FASTPATH_VERIFY; exit 3"
	why=$(is status $status 3; is stdout "$(out)" 1; is 'lines of stderr' "$(wc -l <"$base/err1")" 1)
	grep -q -x -E 'fastpath: verified [1-9][0-9]* answers: 0 wrong, 0 unresolved' "$base/err1" || why+="stderr: $(err)"
	run FASTPATH_TEST=eager -- --verify --stats bash -c "$ask_often; exit 3"
	[ "$(grep -c -E '^fastpath: verified [1-9][0-9]* answers: 0 wrong, 0 unresolved$' "$base/err1")" = 1 ] || why+="text: $(err)"
	run FASTPATH_TEST=eager -- --verify --stats=json bash -c "$ask_often; exit 3"
	why+=$(is json "$(json '[R["verify"]["checked"] > 0, R["verify"]["wrong"]]')" '[True, 0]'; is 'lines of json' "$(wc -l <"$base/err1")" 1)
	run FASTPATH_VERIFY=abort -- --verify sh -c 'echo $FASTPATH_VERIFY'
	why+=$(is 'the stricter wish' "$(out)" abort)
	verdict verification_says_its_sum_and_keeps_the_status "$why"
fi
finish

#!/bin/bash
# audit.sh - fastpath audit: its counts are strace's, whatever a tree of processes does; nothing of the
# command is changed; nothing is left stopped. E2E_FASTPATH replaces the command.
. "$(dirname "$0")/lib.sh"
tree=$progs/audit_tree
needs_command audit
calls=open,openat,openat2,stat,lstat,newfstatat,statx,access,faccessat,faccessat2,readlink,readlinkat,execve,execveat,getxattr,lgetxattr,listxattr,llistxattr

# audit [NAME=VALUE...] -- ARG...: fastpath audit ARG... in $case; leaves out1, err1, status.
audit() { command_in_case 60 audit "$@"; }

# json EXPRESSION: of J, the report in $case/report
json()
{
	"$python" -ISc '
import json, sys
J = json.load(open(sys.argv[1]))
R, A = J["run"], J["all"]
C = {c["call"]: c for c in J["calls"]}
P = {p["exe"].rsplit("/", 1)[1]: p for p in J["programs"]}
D = {d["path"]: d for d in J["directories"]}
print(eval(sys.argv[2]))' "$case/report" "$1" 2>&1
}

# differences DIRECTORY-OF-LOGS: of strace -ff to the report, by call: calls and errors. What fstat(2)
# asks in libc is no lookup.
cat >"$base/differences.py" <<'END'
import collections, glob, json, re, sys
want = collections.Counter()
for file in glob.glob(sys.argv[1] + "/log.*"):
    for line in open(file, errors="replace"):
        m = re.match(r"(\w+)\((.*)\) += (-?\w+|\?)(?: (E\w+))?", line)
        if not m or m[3] == "?": continue
        if m[1] in ("newfstatat", "statx") and "AT_EMPTY_PATH" in m[2] and not m[2].startswith("AT_FDCWD"): continue
        want[m[1], m[4] or "done"] += 1
got = collections.Counter()
for c in json.load(open(sys.argv[2]))["calls"]:
    got[c["call"], "done"] = c["lookups"] - c["failed"]
    for e, n in c["errors"].items(): got[c["call"], e] = n
    if sum(c["errors"].values()) != c["failed"]: print(c["call"], "has other failures than errors", end="; ")
for k in sorted({*want, *got}):
    if want[k] != got[k]: print(*k, "%d, strace says %d" % (got[k], want[k]), end="; ")
if sum(want.values()) < int(sys.argv[3]): print("the case is broken: only", sum(want.values()), "lookups", end="; ")
END

like_strace() # NAME LEAST CMD...: the same counts, status and output
{
	local name=$1 least=$2 why= s0
	shift 2
	wanted "$name" || return 0
	fresh
	mkdir logs
	strace -ff -qq --seccomp-bpf -e trace="$calls" -e signal=none -o logs/log "$@" >out0 2>err0 </dev/null 8>&- 9>&-
	s0=$?
	audit -- --json -o report "$@"
	why+=$(is status $status $s0; is stderr "$(err)" "$(cat err0)")
	cmp -s out0 "$base/out1" || why+="stdout differs; "
	why+=$("$python" -IS "$base/differences.py" logs report "$least" 2>&1)
	verdict "$name" "$why"
}
if strace -f true 2>/dev/null; then
	like_strace the_counts_are_those_of_strace 90 sh -c 'for i in 1 2 3 4 5; do ls /none$i /etc/passwd; done; command -v none; cat <none; readlink /bin; [ -e /none ]; cd /usr; ls bin/none; exit 3'
	printf '#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n' >"$base/hello.c"
	like_strace the_counts_of_a_compiler_are_those_of_strace 300 gcc -I/none -I/usr/share -c "$base/hello.c" -o /dev/null
	like_strace threads_are_counted 800 "$tree" threads /usr/share
	like_strace vforked_children_and_their_execs_are_counted 120 "$tree" vforks /usr/share
	like_strace crowds_of_short_children_are_counted 640 "$tree" forks /usr/share
	like_strace signals_come_as_without 500 "$tree" signals /usr/share
	printf '#!%s ask\n' "$tree" >"$base/script"
	chmod 755 "$base/script"
	like_strace scripts_are_executed 3 "$base/script"
else
	skip the_counts_are_those_of_strace strace
fi

works_audited() # NAME CASE EXPRESSION WANT: the case finds nothing wrong, and this is in the report
{
	local why=
	wanted "$1" || return 0
	fresh
	audit -- --json -o report "$tree" "$2" "$case"
	why+=$(is status $status 0; is stderr "$(err)" ''; is "$3" "$(json "$3")" "$4")
	verdict "$1" "$why"
}
works_audited an_exec_by_another_thread_is_followed exec_by_thread '[C["execve"]["lookups"], P["audit_tree"]["executed"], R["threads"], R["processes"]]' '[2, 2, 6, 1]'
works_audited threads_are_of_their_process threads 'A["repeats"], R["threads"], R["processes"]' "({'process': 700, 'tree': 700}, 9, 1)"
works_audited opens_that_wait_are_interrupted_and_made_again interrupted '[C["openat"]["errors"], P["audit_tree"]["executed"]]' '[{}, 1]'
works_audited stopped_children_stay_stopped_and_continue group_stop 'C["access"]["failed"] >= 20' True

# ---- 32-bit programs ----

cat >"$base/narrow.c" <<'END'
static long call(long n, long a, long b, long c)
{
	long r;
	__asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b), "d"(c) : "memory");
	return r;
}
void _start(void)
{
	static char buffer[256];
	for (int i = 0; i < 7; i++) /* access, open, stat64, openat */
		if (call(33, (long)"/none/32", 0, 0) != -2 || call(5, (long)"/none/32", 0, 0) != -2 ||
		    call(195, (long)"/none/32", (long)buffer, 0) != -2 || call(295, -100, (long)"/none/32", 0) != -2)
			call(1, 1, 0, 0);
	call(1, call(195, (long)"/", (long)buffer, 0) ? 2 : 0, 0, 0);
}
END
if wanted a_32_bit_child_is_counted; then
	fresh
	if ! gcc -m32 -O1 -static -nostdlib -ffreestanding -fno-stack-protector -fno-pic -no-pie -o narrow "$base/narrow.c" 2>/dev/null || { ./narrow; [ $? -ge 126 ]; }; then
		skip a_32_bit_child_is_counted "32-bit programs"
	else
		audit -- --json -o report sh -c './narrow && ./narrow'
		why=$(is status $status 0; is reach "$(json 'P["narrow"]["reach"]')" foreign)
		why+=$(is calls "$(json '[P["narrow"]["lookups"], P["narrow"]["failed"], C["open"]["errors"], C["stat64"]["lookups"], C["stat64"]["failed"]]')" "[58, 56, {'ENOENT': 14}, 16, 14]")
		why+=$(is answerable "$(json 'P["narrow"]["answerable"]')" "{'process': 0, 'tree': 0}")
		verdict a_32_bit_child_is_counted "$why"
	fi
fi

# ---- what can be seen of the command ----

look_forms='[["audit", "-o", "/dev/null"]]'
look every_exit_status_is_the_commands statuses
look a_command_that_dies_of_a_signal_is_seen_to_die_of_it deaths
look descriptors_are_as_without descriptors
look group_session_umask_and_directory_are_as_without ids
look mask_dispositions_and_pending_signals_are_as_without signal_state
look the_auditor_is_no_child_of_the_command foreign_children
look a_signal_to_audit_alone_reaches_the_command_once signals_alone
look a_signal_to_audit_alone_that_ends_the_command_ends_audit_the_same_way dies_of_forwarded
look stopping_and_continuing_either_stops_and_continues_both stops_alone
look SIGKILL_of_audit_leaves_the_command_alone killed
look interrupting_from_a_terminal_reaches_the_command_once interrupt
look suspending_and_fg_work_as_without suspend
look a_background_command_that_reads_the_terminal_stops background
look the_end_of_the_terminal_reaches_the_command hangup
if wanted stdin_stdout_and_stderr_pass_byte_for_byte; then
	fresh
	head -c 3000000 /dev/urandom >data
	"$fp" audit -o report sh -c 'tee /dev/stderr' <data >copy 2>other 8>&- 9>&-
	why=
	cmp -s data copy || why+="stdout; "
	cmp -s data other || why+="stderr; "
	verdict stdin_stdout_and_stderr_pass_byte_for_byte "$why"
fi
if wanted what_the_command_lets_go_of_is_not_held; then
	fresh
	why=
	"$fp" audit -o report sh -c 'exec >&-; sleep 0.5; : >late' 2>/dev/null 8>&- 9>&- | { cat; [ ! -e late ]; } || why+="stdout stays open; "
	verdict what_the_command_lets_go_of_is_not_held "$why"
fi
if wanted nothing_is_cached; then
	fresh
	audit FASTPATH=1 FASTPATH_TEST=eager LD_PRELOAD="$lib" FASTPATH_STATS="json:$stats" -- --json -o report bash -c 'echo $FASTPATH; for i in 1 2 3 4 5 6 7 8 9; do [ -e /none/$i ]; done'
	verdict nothing_is_cached "$(is stdout "$(cat "$base/out1")" 0; is lookups "$(json 'D["/none"]["failed"]')" 9; is statistics "$(cat "$stats")" '')"
fi

# ---- ends ----

none_left() # NAME: no process of audit_tree runs or is stopped, for three seconds
{
	for _ in $(seq 30); do
		pgrep -f "^$tree forever $case" >/dev/null || return 0
		sleep 0.1
	done
	echo "left: $(ps -o pid,stat,args -p "$(pgrep -d, -f "^$tree forever $case")" | tail -n +2); "
}
# started: audits processes that ask for ever; $pid is fastpath audit, $auditor the tracer
started()
{
	fresh
	"$fp" audit -o report sh -c "'$tree' forever '$case' & '$tree' forever '$case'; wait" 2>"$base/err1" 8>&- 9>&- &
	pid=$!
	for _ in $(seq 100); do
		[ "$(pgrep -c -f "^$tree forever $case")" = 2 ] && break
		sleep 0.05
	done
	auditor=$(pgrep -P $pid -x fastpath-audit)
}
if wanted SIGKILL_of_the_auditor_leaves_nothing_stopped; then
	why=
	for _ in 1 2 3; do
		started
		kill -KILL "$auditor"
		{ wait $pid; } 2>/dev/null
		why+=$(is status $? 137; none_left)
		grep -q 'no report' "$base/err1" || why+="stderr: $(err)"
	done
	verdict SIGKILL_of_the_auditor_leaves_nothing_stopped "$why"
fi
if wanted SIGKILL_of_both_leaves_nothing_stopped; then
	started
	kill -KILL $pid "$auditor"
	wait $pid 2>/dev/null
	verdict SIGKILL_of_both_leaves_nothing_stopped "$(none_left)"
fi
if wanted a_terminated_group_leaves_nothing_stopped; then
	started
	kill -TERM $(pgrep -f "^$tree forever $case") $(pgrep -P $pid -x sh)
	wait $pid
	why=$(is status $? 143; none_left)
	[ -s report ] || why+="no report"
	verdict a_terminated_group_leaves_nothing_stopped "$why"
fi
if wanted audit_ends_with_CMD_and_what_outlives_it_goes_on; then
	fresh
	audit -- --json -o report "$tree" survivor "$case"
	why=$(is status $status 0; is survived "$([ -e survived ] && echo early)" '')
	auditor=$(sed -n 's/^TracerPid:\t//p' "/proc/$(pgrep -f "^$tree survivor $case")/status")
	[ "${auditor:-0}" != 0 ] || why+="the survivor is not traced; "
	for _ in $(seq 50); do
		[ -e survived ] && break
		sleep 0.1
	done
	[ -e survived ] || why+="the survivor's lookups fail otherwise; "
	for _ in $(seq 30); do
		grep -q '^State:.[^Z]' "/proc/${auditor:-0}/status" 2>/dev/null || break
		sleep 0.1
	done
	! grep -q '^State:.[^Z]' "/proc/${auditor:-0}/status" 2>/dev/null || why+="the auditor is left"
	verdict audit_ends_with_CMD_and_what_outlives_it_goes_on "$why"
fi

# ---- the report ----

if wanted the_sums_of_the_json_report_agree; then
	fresh
	audit -- --json -o report bash -c 'for i in 1 2 3; do ls /none$i; gcc -E -x c - </dev/null; none; done; exit 3'
	why=$(is status $status 3; is end "$(json '[J["fastpath"], R["status"], R["signal"], R["wall_ns"] > 0, R["cpu_ns"] > 0, R["traced_cpu_ns"] >= R["cpu_ns"], R["dropped"]]')" '[1, 3, 0, True, True, True, 0]')
	why+=$(is keys "$(json '" ".join(J)')" 'fastpath run prices_ns all relative gain_at_most calls origins programs directories')
	for key in '["lookups"]' '["failed"]' '["repeats"]["process"]' '["repeats"]["tree"]' '["answerable"]["process"]' '["answerable"]["tree"]'; do
		why+=$(is "sum of calls' $key" "$(json "sum(c$key for c in J['calls']) == A$key")" True)
		why+=$(is "sum of origins' $key" "$(json "sum(c$key for c in J['origins'].values()) == A$key")" True)
		why+=$(is "sum of directories' $key" "$(json "sum(c$key for c in J['directories']) + (0 if 'answerable' in '''$key''' else J['relative']$key) == A$key")" True)
	done
	# The execve by which the first program starts is nobody's.
	why+=$(is "sum of programs" "$(json 'A["lookups"] - sum(p["lookups"] for p in J["programs"])')" 1)
	why+=$(is gain "$(json '[g["lookups"] == A["answerable"][s] and g["ns"] == A["answerable_ns"][s] for s, g in J["gain_at_most"].items()]')" '[True, True]')
	why+=$(is errors "$(json 'all(sum(c["errors"].values()) == c["failed"] for c in J["calls"])')" True)
	why+=$(is programs "$(json '[P["ls"]["executed"], P["cc1"]["executed"], P["bash"]["executed"], P["cc1"]["reach"]]')" "[3, 3, 1, 'dynamic']")
	verdict the_sums_of_the_json_report_agree "$why"
fi
if wanted repeats_and_origins_are_told; then
	fresh
	mkdir bin
	audit PATH="$case/bin:$case/none:/usr/bin:/bin" -- --json -o report bash -c 'for i in 1 2 3; do [ -e /etc/none ]; done; command -v no-such-name; gcc -E -x c - </dev/null >/dev/null; cat /dev/null; cat /dev/null'
	why=$(is '/etc/none' "$(json '[D["/etc"]["repeats"]["process"] >= 2, D["/etc"]["answerable"]["process"] >= 2]')" '[True, True]')
	why+=$(is 'the PATH search' "$(json '[D[d]["failed"] >= 1 for d in ("'"$case/bin"'", "'"$case/none"'")] + [J["origins"]["path"]["failed"] >= 4]')" '[True, True, True]')
	why+=$(is 'the include search' "$(json 'J["origins"]["include"]["failed"] > 2')" True)
	why+=$(is 'the loader' "$(json '[J["origins"]["loader"]["lookups"] >= 8, J["origins"]["loader"]["answerable"]["tree"]]')" '[True, 0]')
	verdict repeats_and_origins_are_told "$why"
fi
if wanted relative_paths_are_a_row_of_their_own; then
	fresh
	audit -- --json -o report bash -c 'for i in 1 2 3 4 5; do [ -e none ]; done'
	verdict relative_paths_are_a_row_of_their_own "$(is relative "$(json '[J["relative"]["failed"], J["relative"]["answerable"]["process"], J["relative"]["answerable"]["tree"], J["relative"]["lookups"] >= 5]')" '[5, 4, 0, True]')"
fi
if wanted the_text_report_is_readable; then
	fresh
	audit -- sh -c 'ls /none; echo out; exit 3'
	why=$(is status $status 3; is stdout "$(cat "$base/out1")" out)
	for part in '[0-9]+ processes' 'exit status 3' 'path lookups reached the kernel' 'statx: ENOENT [0-9]+$' '/ls \(1\)$' 'dynamic loader$' \
		'ns \(done/failed\): .*open [0-9]+/[0-9]+' 'process scope could have answered [0-9]+' 'tree scope could have answered [0-9]+.* ms: [0-9.]+ % of the CPU time'; do
		grep -q -E "$part" "$base/err1" || why+="no '$part'; "
	done
	! grep -v -q -e '^fastpath: *' -e '^ls: ' "$base/err1" || why+="a line of something else: $(grep -v -e '^fastpath: ' -e '^ls: ' "$base/err1" | head -n 2)"
	verdict the_text_report_is_readable "$why"
fi
if wanted terminals_obey_no_path; then
	fresh
	audit -- -o report sh -c $'[ -e "/\033[31m/none" ]; [ -e "/\n/none" ]'
	why=$(is 'control characters' "$(tr -d '\n\040-\176' <report | wc -c)" 0)
	grep -q '/?\[31m' report || why+="the directory is missing"
	audit -- --json -o report sh -c $'[ -e "/\033[31m\377/none" ]'
	why+=$(is 'the json directory' "$(json '[d for d in D if "[31m" in d]')" "['/\\x1b[31m?']")
	verdict terminals_obey_no_path "$why"
fi
if wanted stacks_name_the_calling_function; then
	fresh
	audit -- -k --json -o report --folded stacks "$tree" named /usr/share
	why=$(is status $status 0; is caller "$(json '[c["failed"] for c in J["callers"] if c["function"] == "ask" and c["file"].endswith("/audit_tree")]')" '[20]')
	grep -q -E '(^|;)main;named_function_that_looks_up;ask;[^ ]*access [0-9]+$' stacks || why+="stacks: $(head -n 3 stacks); "
	why+=$(is 'malformed lines' "$(grep -c -v -E '^[^ ;]+(;[^ ;]+)* [0-9]+$' stacks)" 0)
	why+=$(is 'sum of stacks' "$(awk '{ n += $NF } END { print n }' stacks)" "$(json 'A["failed"]')")
	audit -- -k "$tree" threads /usr/share
	grep -q -E '^fastpath: +800 asker? \(' "$base/err1" || why+="of threads: $(grep -A 3 caller "$base/err1")"
	verdict stacks_name_the_calling_function "$why"
fi
if wanted a_page_is_written; then
	fresh
	audit -- -k --html page.html -o report sh -c 'ls /none; exit 3'
	why=$(is status $status 3)
	for part in '<html' 'Programs' 'ls</td>' 'openat' '</html>'; do grep -q -F "$part" page.html || why+="no $part; "; done
	verdict a_page_is_written "$why"
fi

# ---- own failures ----

says() # NAME STATUS PATTERN ARG...: this status, one line that says so, and CMD is not run
{
	local name=$1 want=$2 pattern=$3 why=
	shift 3
	wanted "$name" || return 0
	fresh
	: >plain_file
	audit -- "$@"
	why=$(is status $status "$want"; is "lines of stderr" "$(wc -l <"$base/err1")" 1; is stdout "$(cat "$base/out1")" '')
	grep -q -E -e "^fastpath: .*$pattern" "$base/err1" || why+="stderr: $(err)"
	verdict "$name" "$why"
}
says a_missing_command_gives_127 127 'none-such: No such file' none-such
says a_file_that_is_no_program_gives_126 126 './plain_file: Permission denied' ./plain_file
says no_command_is_an_error 125 'command is missing'
says an_unknown_option_is_named_with_the_nearest 125 "'--jsno'.*'--json'" --jsno echo x
says a_page_that_cannot_be_written_is_named_before 125 '/none/page: ' --html /none/page echo x
says a_file_that_cannot_be_written_is_named_before 125 '/none/report: ' -o /none/report echo x
says stacks_that_cannot_be_written_are_named_before 125 '/none/stacks: ' --folded /none/stacks echo x
if wanted without_ptrace_one_line_says_so; then
	fresh
	cat >refuse.py <<'END'
import ctypes, os, struct, sys
# A filter that answers ptrace(2) with EPERM, as containers do.
PTRACE = {"x86_64": 101, "aarch64": 117, "riscv64": 117}[os.uname().machine]
code = [(0x20, 0, 0, 0), (0x15, 0, 1, PTRACE), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7fff0000)]
filter = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(filter))
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, program): sys.exit("no filter")
os.execv(sys.argv[1], sys.argv[1:])
END
	"$python" -IS refuse.py "$fp" audit echo x >"$base/out1" 2>"$base/err1" 8>&- 9>&-
	why=$(is status $? 125; is stdout "$(cat "$base/out1")" ''; is 'lines of stderr' "$(wc -l <"$base/err1")" 1)
	grep -q '^fastpath: .*ptrace' "$base/err1" || why+="stderr: $(err)"
	verdict without_ptrace_one_line_says_so "$why"
fi
if wanted an_ordinary_user_can_audit; then
	fresh
	chmod 777 .
	is_root && as=(-u "$user")
	audit -- --json -o report sh -c 'ls /none; grep NoNewPrivs /proc/self/status; exit 3'
	as=()
	verdict an_ordinary_user_can_audit "$(is status $status 3; is lookups "$(json 'A["failed"] > 0')" True; is stdout "$(tr -d '[:space:]' <"$base/out1")" NoNewPrivs:1)"
fi
if wanted set_user_ID_programs_work_as_ever_for_root; then
	fresh
	if ! is_root; then
		skip set_user_ID_programs_work_as_ever_for_root "needs root"
	else
		cp /usr/bin/id id
		chown "$user" id
		chmod 4755 id
		audit -- -o report ./id -u
		verdict set_user_ID_programs_work_as_ever_for_root "$(is status $status 0; is 'the effective id' "$(cat "$base/out1")" "$user")"
	fi
fi
finish

#!/bin/bash
# honesty.sh - what fastpath takes: a program sees itself as without the library; descriptors, memory, watches,
# processes and files are as before when it has ended; under small limits the answers stay the kernel's, in a
# session too. (Limits of single resources in process scope: faults.sh; of `fastpath run`: tree.sh too.)
trees=1
. "$(dirname "$0")/lib.sh"
fp=${lib%/*}/fastpath
mechanics=$progs/mechanics
know='d=$PWD; for i in 1 2 3 4 5; do [ -e $d/none ]; [ -e $d/none$i ]; [ -x $d ]; done'

# only BELL...: modes of these bells alone
all_modes=$(declare -f modes)
eval "all_${all_modes}"
only()
{
	local kept="$*"
	eval "modes() { local m; for m in \$(all_modes \"\$1\"); do [[ ' $kept ' != *\" \${m##*,} \"* ]] || echo \$m; done; }"
}

# ---- what a program sees of itself ----

# (No command is executed and no child forked before all is read.)
only page epoll tree
same -s its_status_limits_and_children_are_as_without bash -c "$know"'
	mapfile -t status </proc/$$/status; mapfile -t limits </proc/$$/limits; mapfile -t children </proc/$$/task/$$/children
	for line in "${status[@]}"; do case $line in
	Umask:* | Uid:* | Gid:* | Groups:* | Threads:* | SigPnd:* | ShdPnd:* | SigBlk:* | SigIgn:* | SigCgt:* | Cap*:* | NoNewPrivs:* | Seccomp*:* | CoreDumping:* | VmLck:*) echo "$line" ;;
	esac; done
	printf "%s\n" "${limits[@]}" "children: ${children[*]}"
	for f in oom_score_adj timerslack_ns personality coredump_filter loginuid timers; do mapfile -t value </proc/$$/$f; echo "$f: ${value[*]}"; done 2>/dev/null
	echo "$(readlink /proc/$$/cwd /proc/$$/root | wc -l)"'
only page tree
same -s its_descriptors_are_as_without "$python" -ISc '
import os
p = os.getcwd()
def descriptors():
    at = os.open("/proc/self/fd", os.O_RDONLY)
    for f in sorted(os.listdir(at), key=int): print(f, "" if f in "12" or int(f) == at else os.readlink("/proc/self/fd/" + f))
    print([l for l in open("/proc/self/status") if l.startswith("FDSize")], len(os.listdir("/proc/self/fdinfo")))
    os.close(at)
descriptors()
for i in range(40): os.path.exists(p + "/none"); os.path.exists(p + "/none%d" % i); os.access(p, os.X_OK)
descriptors()
os.mkdir(p + "/d"); os.path.exists(p + "/d/none"); os.path.exists(p + "/d/none"); descriptors()'
# (From 800 on they may be its own pending-check's.)
only page epoll tree
same -s a_program_that_it_executes_inherits_no_descriptor bash -c "$know"'
	"$0" -c "import os; print(sorted(int(f) for f in os.listdir(\"/proc/self/fd\") if int(f) < 800))"
	exec "$0" -c "import os; print(sorted(int(f) for f in os.listdir(\"/proc/self/fd\") if int(f) < 800))"' "$python"
same -s the_next_descriptor_has_the_number_that_it_would_have bash -c "$know"'
	for i in 1 2 3; do exec {a}</dev/null {b}<$d; echo $a $b; [ -e $d/none ]; done'

# ---- small stacks, in a session too ----

only tree
works -s lookups_in_a_signal_handler_that_interrupts_lookups "$mechanics" signals
works -s a_known_path_needs_little_stack_in_a_handler "$mechanics" altstack
works -s asking_fits_the_smallest_thread_stack "$mechanics" smallstack
works -s answering_fits_the_smallest_thread_stack "$mechanics" smallstack known
works -s new_descriptors_have_the_numbers_they_would_have "$mechanics" numbers
for how in close_range closefrom raw-close_range close pipe; do
	works -s "descriptors_closed_or_replaced_by_${how}_mislead_nobody" "$mechanics" spoil $how
done
only page epoll tree
via=(prlimit --stack=131072)
works -s a_stack_of_128_KiB_is_enough bash -c "$know"'; >$d/x; [ -e $d/x ] && [ ! -e $d/none ]'
via=()

# ---- what it takes ----

# many DIRECTORIES: each is made, asked about until it is known, and goes.
many='
import os, sys
def kib(field):
    for line in open("/proc/self/status"):
        if line.startswith(field + ":"): return int(line.split()[1])
    return 0
d = os.getcwd()
def churn(n):
    for i in range(n):
        p = "%s/%d" % (d, i)
        os.mkdir(p)
        for k in range(4): os.path.exists(p + "/none"); os.access(p, os.R_OK)
        if os.path.exists(p + "/none") or not os.access(p, os.R_OK): sys.exit("wrong: " + p)
        os.rmdir(p)
        if os.access(p, os.R_OK): sys.exit("gone: " + p)
'
works -s thousands_of_directories_cost_no_more_memory_than_hundreds "$python" -ISc "$many"'
churn(300)
first = kib("RssAnon")
churn(3000)
last = kib("RssAnon")
if last > first + 1024 or last > 24000: # (tables of a fixed size fill)
    sys.exit("%d KiB after 300 directories, %d after 3300" % (first, last))
if kib("VmLck"): sys.exit("locked memory: %d KiB" % kib("VmLck"))
if kib("VmPin") > 64: sys.exit("pinned memory: %d KiB" % kib("VmPin"))'

# In a user namespace with watches of its own: few are kept, and all are free at the end.
# (The kernel takes a ring down, and what it holds, some time after the process.)
watching='
import ctypes, time
libc = ctypes.CDLL(None)
def take(path, n):
    for attempt in range(100):
        fd = libc.inotify_init1(0)
        got = 0
        for i in range(n):
            p = "%s/w%d" % (path, i)
            if not os.path.isdir(p): os.mkdir(p)
            got += libc.inotify_add_watch(fd, p.encode(), 0x100) > 0
        if got == n: break
        os.close(fd)
        time.sleep(0.05)
    return got
'
if unshare -Ur true 2>/dev/null; then
	only page epoll
	via=(unshare -Ur sh -c 'echo 200 >/proc/sys/user/max_inotify_watches && exec "$@"' sh)
	works -s watches_of_what_is_gone_are_given_back "$python" -ISc "$many$watching"'
churn(1000)
got = take(d, 150)
if got < 150: sys.exit("only %d of 150 watches are to be had" % got)'
	works all_watches_are_free_when_it_has_ended sh -c '"$0" -ISc "$1
churn(50)" && FASTPATH=0 "$0" -ISc "$1
got = take(d, 198)
if got < 198: sys.exit(\"only %d of 198 watches are to be had\" % got)"' "$python" "$many$watching"
	via=()
	only page epoll tree
else
	skip watches_of_what_is_gone_are_given_back "user namespaces"
fi

# left: processes, and files where one could be left
left()
{
	local mode why before i
	for mode in $(modes both); do
		wanted "nothing_is_left_behind[$mode]" || continue
		fresh
		chmod 777 .
		before=$(ls -A /tmp /dev/shm /run "$case" | sort)
		with "$mode" bash -c "$know"'; for i in 1 2 3; do (for k in 1 2 3; do [ -e $d/none ]; done; exec sleep 0.1) & done; wait' >/dev/null 2>"$base/err1"
		wait "$pid"
		why=$(cat "$base/err1"; hit "$mode")
		# a broker is given two seconds
		for i in $(seq 40); do
			grep -s -q -z "$stats" /proc/[0-9]*/environ || break
			sleep 0.05
		done
		why+=$(grep -s -l -z "$stats" /proc/[0-9]*/environ)
		why+=$(ls -A /tmp /dev/shm /run "$case" | sort | diff <(echo "$before") - | grep -i '^>.*fastpath')
		verdict "nothing_is_left_behind[$mode]" "$why"
	done
}
left

# ---- what it says ends nobody ----

# ends NAME VARIABLE... -- COMMAND: status 3, whatever becomes of what is said
only page epoll
ends()
{
	local name=$1 mode vars=() status
	shift
	while [ "$1" != -- ]; do
		vars+=("$1")
		shift
	done
	shift
	wanted "$name" || return 0
	for mode in $(modes both); do
		fresh
		chmod 777 .
		extra=("${vars[@]}")
		with "$mode" "$python" -c '
import os, signal, subprocess, sys
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
r, w = os.pipe()
os.close(r)
sys.exit(subprocess.run(sys.argv[1:], stderr=w).returncode & 255)' "$@" >/dev/null 2>&1
		wait "$pid"
		status=$?
		extra=()
		verdict "$name[$mode]" "$([ $status = 3 ] || echo "exit status $status")"
	done
}
ask_and_3='for i in 1 2 3; do [ -e $PWD/none ]; done; exit 3'
ends statistics_into_a_pipe_that_nobody_reads_end_nobody FASTPATH_STATS=1 -- bash -c "$ask_and_3"
ends json_into_a_pipe_that_nobody_reads_ends_nobody FASTPATH_STATS=json -- bash -c "$ask_and_3"
ends a_warning_into_a_pipe_that_nobody_reads_ends_nobody -- env FASTPATH=garbage bash -c "$ask_and_3"
ends its_own_sigpipe_still_ends_a_program FASTPATH_STATS=1 -- bash -c 'for i in 1 2 3; do [ -e $PWD/none ]; done; (echo x >&2; exit 4); [ $? = 141 ] && exit 3'
ends a_profile_beyond_the_limit_of_files_ends_nobody -- bash -c 'head -c 5000 /dev/zero >p; ulimit -f 4; FASTPATH_PROFILE=$PWD/p bash -c "$0"' "$ask_and_3"
ends statistics_beyond_the_limit_of_files_end_nobody -- bash -c 'head -c 5000 /dev/zero >p; ulimit -f 4; FASTPATH_STATS=json:$PWD/p bash -c "$0"' "$ask_and_3"
only page epoll tree

# ---- small limits ----

setup='mkdir -p d a/b q/b v1 v2; >q/b/x; >v2/x; ln -s v1 c; >f; chmod 755 f'
paths='d/x a/b/x c/x f d/y/z'
steps=('>d/x' 'mv a o; mv q a' 'ln -sfn v2 c' 'chmod 000 f' 'rm d/x; mkdir -p d/y; >d/y/z')
orders=(main child main) # no thread where there is no memory for its stack
for limit in fsize=4096 stack=65536 data=1000000 data=8000000 sigpending=0; do
	via=(prlimit "--$limit")
	hazard -n "a_limit_of_${limit/=/_}_changes_no_answer" "$setup" "$paths" "${steps[@]}"
done
# Limits that stand in each other's way.
via=(prlimit --nofile=16 --as=60000000 --stack=262144 --memlock=0 --fsize=4096)
hazard -n many_limits_at_once_change_no_answer "$setup" "$paths" "${steps[@]}"
via=()
# Nobody can be forked.
only page epoll
via=(prlimit --nproc=1)
works -s a_limit_of_one_process_changes_no_answer bash -c "$know"'; >$d/x; [ -e $d/x ] && [ ! -e $d/none ] && [ -d $d ]'
via=()
only page epoll tree

# ended OUT ERR COMMAND...: its exit status; a shell says nothing of its signal
ended()
{
	{ "$progs/launch" -t 20 -C "$case" "${as[@]}" "${@:3}" >"$1" 2>"$2" </dev/null 8>&- 9>&-; } 2>/dev/null
}
# limited NAME LIMIT...: `fastpath run` under them gives what the command alone gives.
limited()
{
	local name=$1 mode form why s0 s1 work='for i in 1 2 3 4 5 6 7 8; do [ -e $PWD/none$i ]; done; >here && [ -e $PWD/here ] && echo here; [ -e $PWD/none ]; exit 3'
	shift
	wanted "$name" || return 0
	for mode in root user; do
		[ $mode = user ] || is_root || continue
		as=()
		[ $mode = root ] || ! is_root || as=(-u "$user")
		for form in '' --stats=json; do
			[[ -z $form || $name != *one_process ]] || continue # which take a process
			fresh
			chmod 777 .
			ended "$base/out0" "$base/err0" prlimit "$@" bash -c "$work"
			s0=$? why=
			fresh
			chmod 777 .
			ended "$base/out1" "$base/err1" FASTPATH_TEST=eager,tick=20 prlimit "$@" "$fp" run $form -- bash -c "$work"
			s1=$?
			[ $s1 = $s0 ] || why+="status $s1, alone $s0; "
			cmp -s "$base/out0" "$base/out1" || why+="stdout is '$(out)', alone '$(cat "$base/out0")'; "
			grep -v '^{"fastpath":1' "$base/err1" | cmp -s "$base/err0" - || why+="stderr: $(err)"
			verdict "$name[$mode${form:+,$form}]" "$why"
		done
	done
	as=()
}
limited the_result_with_one_process --nproc=1
limited the_result_with_files_of_no_bytes --fsize=0
limited the_result_with_a_stack_of_128_KiB --stack=131072
limited the_result_with_little_data --data=4000000
limited the_result_with_many_limits_at_once --nofile=12 --as=50000000 --stack=262144 --memlock=0
finish

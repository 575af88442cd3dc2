#!/bin/bash
# interface.sh - the variables, the statistics, the profile and the public header: design section 11,
# and the cost rule's promise to processes that never pay off (section 8).
. "$(dirname "$0")/lib.sh"
ask_often='for i in 1 2 3 4 5; do [ -e $PWD/none ]; [ -e $PWD/other ]; done'

# plain NAME=VALUE... -- CMD...: in a fresh $case, under the library with these variables only;
# leaves out1, err1, status.
plain()
{
	local vars=()
	while [ "$1" != -- ]; do
		vars+=("$1")
		shift
	done
	shift
	fresh
	"$progs/launch" -t 60 -C "$case" LD_PRELOAD="$lib" "${vars[@]}" "$@" </dev/null >"$base/out1" 2>"$base/err1" 8>&- 9>&- &
	pid=$!
	wait "$pid"
	status=$?
}
lines() { wc -l <"$stats"; }

# ---- FASTPATH ----

for value in unset '' 0 off; do
	name="inert_with_FASTPATH_${value:-empty}"
	wanted "$name" || continue
	vars=(FASTPATH_TEST=eager FASTPATH_STATS="json:$stats")
	[ "$value" = unset ] || vars+=("FASTPATH=$value")
	plain "${vars[@]}" -- bash -c "$ask_often; exit 3"
	why=
	[ $status -eq 3 ] || why+="exit status $status; "
	[ "$(lines)" = 0 ] || why+="statistics: $(cat "$stats")"
	[ ! -s "$base/err1" ] || why+="stderr: $(cat "$base/err1")"
	verdict "$name" "$why"
done
for value in 1 on process; do
	name="caching_with_FASTPATH_$value"
	wanted "$name" || continue
	plain FASTPATH=$value FASTPATH_TEST=eager FASTPATH_STATS="json:$stats" -- bash -c "$ask_often; exit 3"
	why=
	[ $status -eq 3 ] || why+="exit status $status; "
	[ "$(query '[M[0]["scope"], len(M), served(M) > 0]' 2>&1)" = "['process', 1, True]" ] || why+="statistics: $(cat "$stats")"
	[ ! -s "$base/err1" ] || why+="stderr: $(cat "$base/err1")"
	verdict "$name" "$why"
done

# ---- malformed values: one line that names the variable, inert, the program unharmed ----

malformed()
{
	local name=$1 variable=$2 value=$3 why=
	wanted "$name" || return 0
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS="json:$stats" "$variable=$value" -- bash -c "$ask_often; exit 3"
	[ $status -eq 3 ] || why+="exit status $status; "
	[ "$(wc -l <"$base/err1")" = 1 ] || why+="$(wc -l <"$base/err1") lines on stderr; "
	grep -q -E "\\b$variable\\b" "$base/err1" || why+="stderr does not name $variable: $(cat "$base/err1"); "
	[ "$(lines)" = 0 ] || why+="not inert: $(cat "$stats")"
	verdict "$name" "$why"
	# the same value when nobody asked for fastpath: silence
	plain "$variable=$value" -- bash -c "$ask_often; exit 3"
	why=
	[ $status -eq 3 ] || why+="exit status $status; "
	[ ! -s "$base/err1" ] || [ "$variable" = FASTPATH ] || why+="stderr: $(cat "$base/err1")"
	[ "$variable" = FASTPATH ] || verdict "${name}_and_silent_without_FASTPATH" "$why"
}
for value in banana 2 ' 1' 1x yes true ON; do malformed "FASTPATH_is_malformed_as_${value// /_}" FASTPATH "$value"; done
malformed FASTPATH_STATS_is_a_word FASTPATH_STATS yes
malformed FASTPATH_STATS_is_a_relative_path FASTPATH_STATS some/where
malformed FASTPATH_STATS_is_json_and_a_relative_path FASTPATH_STATS json:where
malformed FASTPATH_STATS_is_a_number FASTPATH_STATS 2
malformed FASTPATH_VERIFY_is_a_word FASTPATH_VERIFY perhaps
malformed FASTPATH_TEST_is_a_word FASTPATH_TEST lazy
malformed FASTPATH_TEST_has_an_unknown_bell FASTPATH_TEST eager,bell=church
malformed FASTPATH_TEST_has_no_number FASTPATH_TEST tick=soon
malformed FASTPATH_SKIP_is_relative FASTPATH_SKIP some/where
malformed FASTPATH_SKIP_is_partly_relative FASTPATH_SKIP /usr:where
malformed FASTPATH_TRUST_is_relative FASTPATH_TRUST where
malformed FASTPATH_PROFILE_is_relative FASTPATH_PROFILE where
if wanted a_warning_harms_no_program_without_stderr; then
	plain FASTPATH=banana -- bash -c "exec 2>&-; exec bash -c '$ask_often; exec 3>$case/data; echo ok >&3; exit 4'"
	[ $status -eq 4 ] && [ "$(cat data)" = ok ]
	verdict a_warning_harms_no_program_without_stderr "$([ $status -eq 4 ] || echo "exit status $status"; [ "$(cat data)" = ok ] || echo "data: $(cat data)")"
fi

# ---- statistics ----

keys='["fastpath","pid","ppid","exe","scope","bell","wall_ns","calls","served","learned","kernel","invalidated","verify","saved_ns"]'
well_formed="
import json, sys
families = ['access', 'stat', 'open', 'exec', 'readlink', 'realpath', 'xattr']
for line in open(sys.argv[1]):
    l = json.loads(line)
    assert list(l) == $keys, list(l)
    assert list(l['calls']) == families and list(l['served']) == families, l
    assert list(l['kernel']) == ['pending', 'unknown', 'perhaps', 'refused', 'relative', 'argument', 'detached'], l
    assert list(l['verify']) == ['checked', 'wrong', 'unresolved'], l
    assert l['fastpath'] == 1 and l['scope'] in ('process', 'tree', 'off') and l['bell'] in ('page', 'epoll', 'none'), l
    numbers = [l[k] for k in ('pid', 'ppid', 'wall_ns', 'learned', 'invalidated')]
    for d in ('calls', 'served', 'kernel', 'verify'): numbers += l[d].values()
    assert all(type(n) is int and n >= 0 for n in numbers) and type(l['saved_ns']) is int, l
    assert all(l['served'][f] <= l['calls'][f] for f in families), l
    assert sum(l['served'].values()) + sum(l['kernel'].values()) == sum(l['calls'].values()), l
"
for how in '' json:; do
	name="FASTPATH_STATS_${how:-plain_}path_appends_one_json_line"
	name=${name/:/_}
	wanted "$name" || continue
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS="$how$stats" -- bash -c "$ask_often"
	cp "$stats" "$base/kept"
	why=$("$python" -ISc "$well_formed" "$stats" 2>&1 | tail -n 1)
	[ "$(lines)" = 1 ] || why+="$(lines) lines; "
	[ "$(query '[M[0]["exe"], M[0]["ppid"], M[0]["wall_ns"] > 0]')" = "['$(realpath "$(command -v bash)")', $$, True]" ] || why+="exe, ppid or wall_ns: $(cat "$stats")"
	[ ! -s "$base/err1" ] || why+="stderr: $(cat "$base/err1")"
	"$progs/launch" -C "$case" LD_PRELOAD="$lib" FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS="$how$stats" bash -c "$ask_often"
	[ "$(lines)" = 2 ] && [ "$(head -n 1 "$stats")" = "$(cat "$base/kept")" ] || why+="the second process did not append"
	verdict "$name" "$why"
done
if wanted FASTPATH_STATS_json_writes_one_line_on_stderr; then
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS=json -- bash -c "$ask_often; echo out"
	why=$("$python" -ISc "$well_formed" "$base/err1" 2>&1 | tail -n 1)
	[ "$(wc -l <"$base/err1")" = 1 ] || why+="lines: $(wc -l <"$base/err1")"
	[ "$(cat "$base/out1")" = out ] || why+="stdout: $(cat "$base/out1")"
	verdict FASTPATH_STATS_json_writes_one_line_on_stderr "$why"
fi
if wanted FASTPATH_STATS_1_writes_a_block_on_stderr; then
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS=1 -- bash -c "$ask_often; echo out"
	why=
	grep -q fastpath "$base/err1" && grep -q stat "$base/err1" && grep -q -E '\b[0-9]+\b' "$base/err1" || why+="stderr: $(cat "$base/err1")"
	"$python" -ISc "$well_formed" "$base/err1" >/dev/null 2>&1 && why+="the block is JSON"
	[ "$(cat "$base/out1")" = out ] || why+="stdout: $(cat "$base/out1")"
	verdict FASTPATH_STATS_1_writes_a_block_on_stderr "$why"
fi
for value in 1 json; do
	name="FASTPATH_STATS_${value}_never_writes_into_a_file_that_took_descriptor_2"
	wanted "$name" || continue
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS=$value -- bash -c "$ask_often; exec 2>\$PWD/data; echo data >&2"
	why=
	[ "$(cat data)" = data ] || why+="the data: $(cat data)"
	[ ! -s "$base/err1" ] || why+="stderr: $(cat "$base/err1")"
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS=$value -- "$python" -c 'import os
for i in range(5): os.path.exists(os.getcwd() + "/none")
os.close(2); fd = os.open("data", os.O_CREAT | os.O_WRONLY); assert fd == 2; os.write(2, b"data"); os._exit(0)'
	[ "$(cat data)" = data ] || why+="the data after _exit: $(cat data)"
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS=$value -- "$python" -c 'import os
os.close(2)
for i in range(5): os.path.exists(os.getcwd() + "/none")
fd = os.open("data", os.O_CREAT | os.O_WRONLY); os.write(fd, b"data"); os.execv("/bin/true", ["true"])'
	[ "$(cat data)" = data ] || why+="the data after exec: $(cat data)"
	fresh
	"$progs/launch" -t 20 -C "$case" LD_PRELOAD="$lib" FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS=$value "$python" -S -c 'import os
for i in range(5): os.path.exists(os.getcwd() + "/none")
fd = os.open("data", os.O_CREAT | os.O_WRONLY); assert fd == 2, fd; os.write(fd, b"data")' 2>&- 8>&- 9>&-
	[ "$(cat data)" = data ] || why+="the data when started without descriptor 2: $(cat data)"
	verdict "$name" "$why"
done
sums() { query "$1" 2>&1; }
if wanted a_failed_exec_reports_and_the_rest_follows; then
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS="json:$stats" -- "$progs/header" count 10 exec 7
	why=
	[ $status -eq 0 ] || why+="exit status $status, $(cat "$base/err1"); "
	got=$(sums '[len(M), sum(l["calls"]["access"] for l in M), M[0]["calls"]["access"], M[1]["calls"]["access"], sum(l["calls"]["exec"] for l in M)]')
	[ "$got" = "[2, 17, 10, 7, 1]" ] || why+="lines, calls: $got"
	verdict a_failed_exec_reports_and_the_rest_follows "$why"
fi
if wanted a_forked_child_counts_from_zero; then
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS="json:$stats" -- "$progs/header" count 10 fork 7
	why=
	got=$(sums '[len(L), [l["calls"]["access"] for l in M], [l["calls"]["access"] for l in L if l["ppid"] == PID]]')
	[ "$got" = "[2, [10], [7]]" ] || why+="lines, calls: $got $(cat "$base/err1")"
	verdict a_forked_child_counts_from_zero "$why"
fi
if wanted every_way_of_ending_reports_once; then
	why=
	for how in exit _exit _Exit pthread_exit return exec; do
		plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS="json:$stats" -- "$progs/mechanics" exits $how
		got=$(sums '[len(L), [l["calls"]["access"] for l in L], len(M)]')
		case $how in
		exec) [ "$got" = "[2, [4, 0], 2]" ] ;;
		*) [ "$got" = "[1, [4], 1]" ] ;;
		esac || why+="$how: $got; "
	done
	verdict every_way_of_ending_reports_once "$why"
fi
if wanted fifty_processes_lose_no_line; then
	fresh
	for i in $(seq 50); do
		"$progs/launch" -C "$case" LD_PRELOAD="$lib" FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS="json:$stats" \
			"$progs/header" count $i exit 0 8>&- 9>&- &
	done
	wait
	why=$("$python" -ISc "$well_formed" "$stats" 2>&1 | tail -n 1)
	pid=0
	got=$(sums '[len(L), len({l["pid"] for l in L}), sum(l["calls"]["access"] for l in L)]')
	[ "$got" = "[50, 50, 1275]" ] || why+="$got"
	verdict fifty_processes_lose_no_line "$why"
fi
if wanted a_file_that_cannot_be_written_harms_nobody; then
	why=
	for target in /none/of/this "$case" "$case/fifo" /dev/full "$case/readonly/x"; do
		fresh
		mkfifo fifo
		"$progs/launch" -t 5 -C "$case" LD_PRELOAD="$lib" FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS="json:$target" \
			bash -c "$ask_often; exit 3" 2>"$base/err1" 8>&- 9>&- &
		wait $!
		status=$?
		[ $status -eq 3 ] || why+="$target: exit status $status; "
		[ ! -s "$base/err1" ] || why+="$target: $(cat "$base/err1"); "
	done
	verdict a_file_that_cannot_be_written_harms_nobody "$why"
fi
if wanted a_program_of_any_name_gives_valid_json; then
	why=
	for odd in 'a"b' 'back\slash' $'new\nline' $'\xff\xfe' $'tab\t' 'sp ace' "$(printf %0200d 1)" $'caf\xc3\xa9'; do
		fresh
		cp "$progs/header" "$odd"
		"$progs/launch" -C "$case" LD_PRELOAD="$lib" FASTPATH=1 FASTPATH_TEST=eager FASTPATH_STATS="json:$stats" "$case/$odd" count 3 exit 0
		[ "$(lines)" = 1 ] || why+="$(lines) lines for $odd; "
		why+=$("$python" -ISc "$well_formed" "$stats" 2>&1 | tail -n 1)
	done
	verdict a_program_of_any_name_gives_valid_json "$why"
fi

# ---- verification ----

for value in 1 abort; do
	name="FASTPATH_VERIFY_${value}_is_quiet_when_all_is_right"
	wanted "$name" || continue
	why=
	for bell in eager eager,bell=epoll; do
		plain FASTPATH=1 FASTPATH_TEST=$bell FASTPATH_VERIFY=$value FASTPATH_STATS="json:$stats" -- bash -c '
			d=$PWD; for i in $(seq 50); do [ -e $d/none ]; [ -r /etc/passwd ]; [ -x /bin/sh ]; [ -e $d/x$i ]; [ $((i % 10)) = 0 ] && >$d/x$i; done; exit 3'
		[ $status -eq 3 ] || why+="exit status $status; "
		[ ! -s "$base/err1" ] || why+="stderr: $(cat "$base/err1"); "
		got=$(sums '[sum(l["verify"]["checked"] for l in M) >= 50, sum(l["verify"]["wrong"] for l in M), sum(l["verify"]["unresolved"] for l in M)]')
		[ "$got" = "[True, 0, 0]" ] || why+="$bell: $got $(cat "$stats")"
	done
	verdict "$name" "$why"
done

# What a trusted file system changes by itself is not seen: here the verification has its catch.
caught() # VERIFY STATUS
{
	local name="FASTPATH_VERIFY_$1_catches_a_wrong_answer" why= bell
	wanted "$name" || return 0
	[ -e /dev/fuse ] && is_root && command -v bindfs >/dev/null || { skip "$name" "a FUSE mount (bindfs)"; return 0; }
	for bell in eager eager,bell=epoll; do
		fresh
		mkdir s m
		bindfs s m
		"$progs/launch" -C "$case" LD_PRELOAD="$lib" FASTPATH=1 FASTPATH_TEST=$bell FASTPATH_TRUST="$case/m" FASTPATH_VERIFY=$1 FASTPATH_STATS="json:$stats" \
			bash -c "for i in 1 2 3 4 5; do [ -e $case/m/x ]; done; >$case/s/x; [ -e $case/m/x ]; exit 3" 2>"$base/err1" 8>&- 9>&- &
		pid=$!
		wait $pid 2>/dev/null
		status=$?
		[ $status -eq $2 ] || why+="$bell: exit status $status, must be $2; "
		grep -q -F "$case/m/x" "$base/err1" || why+="$bell: stderr does not name the path: $(cat "$base/err1"); "
		[ "$1" = abort ] || [ "$(query 'M[0]["verify"]["wrong"] > 0')" = True ] || why+="$bell: not counted: $(cat "$stats")"
	done
	verdict "$name" "$why"
}
caught 1 3
caught abort 134

# ---- prefixes ----

prefixes() # NAME VARIABLE=VALUE EXPECTED: whether a, a/sub, ab and b are served
{
	local name=$1 setting=$2 want=$3 got= p
	wanted "$name" || return 0
	fresh
	for p in a a/sub ab b; do
		mkdir -p $p
		: >"$stats"
		"$progs/launch" -C "$case" LD_PRELOAD="$lib" FASTPATH=1 FASTPATH_TEST=eager "${setting//CASE/$case}" FASTPATH_STATS="json:$stats" \
			bash -c "for i in 1 2 3 4 5; do [ -e $case/$p/none ]; done" 8>&- 9>&- &
		pid=$!
		wait $pid
		got+=$(query 'int(served(M) > 0)' 2>&1)
	done
	verdict "$name" "$([ "$got" = "$want" ] || echo "served: $got, must be $want")"
}
prefixes without_FASTPATH_SKIP_everything_is_served X=x 1111
prefixes FASTPATH_SKIP_matches_whole_components FASTPATH_SKIP=CASE/a 0011
prefixes FASTPATH_SKIP_takes_several FASTPATH_SKIP=/none:CASE/a/sub:CASE/b 1010
prefixes FASTPATH_SKIP_of_a_trailing_slash FASTPATH_SKIP=CASE/a/ 0011
prefixes FASTPATH_SKIP_of_everything FASTPATH_SKIP=/ 0000
trust()
{
	local name=$1 want=$2 got bell
	wanted "$name" || return 0
	[ -e /dev/fuse ] && is_root && command -v bindfs >/dev/null || { skip "$name" "a FUSE mount (bindfs)"; return 0; }
	for bell in eager eager,bell=epoll; do
		fresh
		mkdir s m ma
		bindfs s m
		bindfs s ma
		"$progs/launch" -C "$case" LD_PRELOAD="$lib" FASTPATH=1 FASTPATH_TEST=$bell "${3//CASE/$case}" FASTPATH_STATS="json:$stats" \
			bash -c "for i in 1 2 3 4 5; do [ -e $case/m/none ]; done" 8>&- 9>&- &
		pid=$!
		wait $pid
		got=$(query 'int(served(M) > 0)' 2>&1)
		verdict "$name[$bell]" "$([ "$got" = "$want" ] || echo "served: $got, must be $want")"
	done
}
trust a_fuse_mount_is_not_served 0 X=x
trust a_trusted_fuse_mount_is_served 1 FASTPATH_TRUST=CASE/m
trust trust_matches_whole_components 0 FASTPATH_TRUST=CASE/ma
trust trust_takes_several 1 FASTPATH_TRUST=/none:CASE/m
trust a_skipped_mount_is_not_served_even_if_trusted 0 FASTPATH_SKIP=CASE/m
if is_root && command -v bindfs >/dev/null && [ -e /dev/fuse ]; then
	extra=(FASTPATH_TRUST="$case/m")
	hazard a_change_through_a_trusted_mount_is_seen 'mkdir s m; chmod 777 s; bindfs s m -o allow_other 2>/dev/null || bindfs s m' 'm/x' '>m/x' 'rm m/x' 'mkdir m/x'
	extra=()
fi
if wanted proc_sys_and_dev_stay_refused_even_if_trusted; then
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_TRUST=/proc:/sys:/dev:/ FASTPATH_STATS="json:$stats" -- bash -c '
		for i in 1 2 3 4 5; do [ -e /proc/none ]; [ -e /sys/none ]; [ -e /dev/none ]; [ -e /proc/self/fd/77 ]; done; exec 77</dev/null; [ -e /proc/self/fd/77 ] && [ -e /dev/fd/77 ] && echo ok'
	why=
	[ "$(cat "$base/out1")" = ok ] || why+="stdout: $(cat "$base/out1")"
	[ "$(sums 'served(M)')" = 0 ] || why+="served: $(cat "$stats")"
	verdict proc_sys_and_dev_stay_refused_even_if_trusted "$why"
fi
same -w ok numbers_in_proc_are_the_kernels bash -c 'for i in 1 2 3; do [ -e /proc/self/fd/77 ]; [ -e /dev/fd/77 ]; [ -e /proc/$$/fd/77 ]; done; exec 77<&0; [ -e /proc/self/fd/77 ] && [ -e /dev/fd/77 ] && [ -e /proc/$$/fd/77 ] && echo ok'

# ---- profile ----

if wanted FASTPATH_PROFILE_writes_folded_stacks; then
	why=
	plain FASTPATH=1 FASTPATH_TEST=eager FASTPATH_PROFILE="$case/profile" -- "$progs/profiled" 50
	[ $status -eq 0 ] && [ "$(cat "$base/out1")" = 0 ] || why+="status $status, $(cat "$base/out1"); "
	[ ! -s "$base/err1" ] || why+="stderr: $(cat "$base/err1"); "
	[ -s profile ] || why+="no profile; "
	bad=$(grep -v -E '^[^ ;][^;]*(;[^;]+)* [0-9]+$' profile 2>&1 | head -n 2)
	[ -z "$bad" ] || why+="not a folded stack: $bad; "
	grep -q -E '(^|;)main;outer_function_that_calls_it;inner_function_that_looks_up(;[^;]*)* [0-9]+$' profile || why+="no stack of the callers: $(head -n 3 profile)"
	grep -q -E 'another_function_that_stats(;[^;]*)* [0-9]+$' profile || why+="one caller is missing"
	n=$(sed -n 's/.*outer_function.* \([0-9]*\)$/\1/p' profile | "$python" -c 'import sys; print(sum(map(int, sys.stdin)))')
	[ "${n:-0}" -ge 25 ] && [ "${n:-0}" -le 60 ] || why+="$n of 50 calls counted"
	verdict FASTPATH_PROFILE_writes_folded_stacks "$why"
fi
same -s -e FASTPATH_PROFILE=/none/of/this a_profile_that_cannot_be_written_harms_nobody bash -c "$ask_often; exit 3"
same -s -e FASTPATH_PROFILE="$base/trash/profile" profiling_changes_no_answer "$progs/answers" creation

# ---- the public header ----

if wanted the_header_needs_no_library; then
	fresh
	why=$("$progs/launch" -C "$case" "$progs/header" absent 2>&1) || why+=" exit status"
	verdict the_header_needs_no_library "$why"
	plain -- "$progs/header" inert
	verdict the_header_in_an_inert_process "$(cat "$base/err1"; [ $status -eq 0 ] || echo "exit status $status")"
fi
works -s the_header_counts_flushes_and_pauses "$progs/header" use

# ---- the cost rule ----

# (Under strace a lookup costs so much that a set-up pays off soon, so only the smallest programs are
# compared that way.) calls FILE: how often each system call was made, by a log of strace
calls() { sed -E 's/^[0-9]+ +//' "$1" | grep -o -E '^[a-z_0-9]+\(' | sort | uniq -c; }
cheap() # NAME CMD...: with FASTPATH=1 no other system calls than inert
{
	local name=$1
	shift
	wanted "$name" || return 0
	command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null || { skip "$name" "strace"; return 0; }
	fresh
	LD_PRELOAD= strace -f -o "$base/inert" -E LD_PRELOAD="$lib" "$@" >/dev/null 2>&1
	LD_PRELOAD= strace -f -o "$base/active" -E LD_PRELOAD="$lib" -E FASTPATH=1 "$@" >/dev/null 2>&1
	verdict "$name" "$(diff <(calls "$base/inert") <(calls "$base/active"))"
}
cheap a_process_of_no_failing_calls_makes_no_system_call_more /bin/true
cheap a_shell_of_three_lookups_makes_no_system_call_more bash -c '[ -e /usr/none ]; [ -e /usr/none ]; [ -x /none ]'
quiet() # NAME CMD...: without eager, nothing is set up in CMD
{
	local name=$1 got
	shift
	wanted "$name" || return 0
	plain FASTPATH=1 FASTPATH_STATS="json:$stats" -- "$@"
	got=$(sums '[(l["exe"], l["scope"], l["bell"], l["learned"]) for l in L if l["scope"] != "off" or l["learned"] or served([l])]')
	verdict "$name" "$([ "$got" = '[]' ] && [ "$(lines)" -gt 0 ] || echo "set up: $got, lines $(lines)")"
}
quiet a_shell_of_twenty_missing_lookups_sets_nothing_up bash -c 'for i in $(seq 20); do [ -e /usr/none$i ]; done'
quiet short_commands_set_nothing_up bash -c 'for i in 1 2 3; do ls / >/dev/null; sed -n 1p /etc/passwd >/dev/null; expr 1 + 1 >/dev/null; rm -f /none; done'
if wanted a_long_path_searched_thousands_of_times_ends_up_served; then
	why=
	for bell in tick=2000 bell=epoll; do
		plain FASTPATH=1 FASTPATH_TEST=$bell FASTPATH_STATS="json:$stats" -- bash -c '
			d=$PWD; for i in $(seq 60); do mkdir $d/p$i; PATH=$PATH:$d/p$i; done
			for r in 1 2 3 4; do for i in $(seq 100); do command -v none$i; done; done; exit 3'
		[ $status -eq 3 ] || why+="exit status $status; "
		got=$(sums '[sum(l["calls"]["stat"] for l in M) > 20000, sum(l["served"]["stat"] for l in M) / sum(l["calls"]["stat"] for l in M) > 0.8]')
		[ "$got" = "[True, True]" ] || why+="$bell: more than 20000 calls, of which 80 % served: $got $(cat "$stats")"
	done
	verdict a_long_path_searched_thousands_of_times_ends_up_served "$why"
fi
churn='
import os, time
p = os.getcwd()
for i in range(4000): os.access("/usr/lib/none%d" % i, 0)
t = time.process_time()
for i in range(20000):
    os.access(p + "/none%d" % (i % 50), 0)
    if i % 2: os.close(os.open(p + "/x", os.O_CREAT | os.O_WRONLY))
    else: os.access(p + "/x", 0) and os.unlink(p + "/x")
print(time.process_time() - t)'
if wanted what_changes_all_the_time_is_given_up; then
	why=
	plain FASTPATH=1 FASTPATH_STATS="json:$stats" -- "$python" -c "$churn"
	got=$(sums '[sum(l["learned"] for l in M), sum(l["invalidated"] for l in M)]')
	# Of 10,000 changes; never more than twice the best choice, design section 8.
	[[ $got =~ ^\[([0-9]+),\ ([0-9]+)\]$ ]] && [ "${BASH_REMATCH[1]}" -gt 0 ] && [ "${BASH_REMATCH[1]}" -lt 1000 ] || why+="learned, invalidated: $got; "
	verdict what_changes_all_the_time_is_given_up "$why"
fi
finish

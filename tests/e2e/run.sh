#!/bin/bash
# run.sh - fastpath run: whatever can be seen of a command is as without it; the statistics of its
# tree; what is said when something is wrong. E2E_FASTPATH replaces the command.
. "$(dirname "$0")/lib.sh"
needs_command run
forms=('' --verify --stats --stats=json) # exec'd in place; a child of run
ask_often='for i in $(seq 50); do [ -e $PWD/none$i ]; sleep 0.01; done'

# run [NAME=VALUE...] -- ARG...: fastpath run ARG... in $case; leaves out1, err1, status.
run() { command_in_case 60 run "$@"; }

# ---- what needs a process of its own to look at: each case of look.py prints why not ----

look_forms='[["run"], ["run", "--verify"], ["run", "--stats"], ["run", "--stats=json"]]'
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

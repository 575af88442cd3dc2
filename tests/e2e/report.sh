#!/bin/bash
# report.sh - fastpath report: statistics of many processes, added up; what is no statistics is named.
# E2E_FASTPATH replaces the command.
. "$(dirname "$0")/lib.sh"
needs_command report

# report ARG...: fastpath report ARG... in $case, stdin as given; leaves out1, err1, status.
report()
{
	"$fp" report "$@" >"$base/out1" 2>"$base/err1" 8>&- 9>&-
	status=$?
}
# told EXPRESSION: of the JSON in out1, as J
told() { "$python" -ISc 'import json,sys
J=json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$base/out1" "$1" 2>&1; }
# line PID EXE CALLS SERVED: as the library writes it
line()
{
	echo '{"fastpath":1,"pid":'"$1"',"ppid":1,"exe":"'"$2"'","scope":"process","bell":"page","wall_ns":5,"calls":{"access":'"$3"',"stat":0,"open":0,"exec":0,"readlink":0,"realpath":0,"xattr":0},"served":{"access":'"$4"',"stat":0,"open":0,"exec":0,"readlink":0,"realpath":0,"xattr":0},"learned":1,"kernel":{"pending":0,"unknown":2,"perhaps":0,"refused":0,"relative":0,"argument":0,"detached":0},"invalidated":0,"verify":{"checked":0,"wrong":0,"unresolved":0},"saved_ns":1500000}'
}

if wanted lines_of_several_files_and_stdin_are_added_up_by_program; then
	fresh
	{ line 10 /usr/bin/a 100 50; line 11 /usr/bin/b 7 7; } >one
	line 10 /usr/bin/a 200 100 >two
	report one two - < <(line 12 /usr/bin/a 1 1)
	why=$(is status $status 0; is stderr "$(err)" ''; has '^4 processes of 2 programs; lines read: 4'
		has '^ +308 +158 +51\.3 access'; has '^ +3 +301 +151 +50\.2 +4\.5 /usr/bin/a$'; has '^ +1 +7 +7 +100\.0 +1\.5 /usr/bin/b$'
		has '^scope: process 4$'; has '^bell: page 4$'; has '^to the kernel: unknown 8$'; has 'learned 4, invalidated 0, saved 6\.0 ms')
	verdict lines_of_several_files_and_stdin_are_added_up_by_program "$why"
fi
if wanted what_the_library_and_run_write_is_read; then
	fresh
	for i in 1 2 3; do
		FASTPATH=process FASTPATH_TEST=eager FASTPATH_STATS=json:$case/stats LD_PRELOAD=$lib \
			bash -c "for i in 1 2 3 4 5 6 7 8; do [ -e $case/none ]; done" 8>&- 9>&-
	done
	FASTPATH_TEST=eager "$fp" run --stats=json -- bash -c "for i in \$(seq 40); do [ -e $case/none/\$i ]; sleep 0.01; done" 2>run 8>&- 9>&-
	report --json stats run
	why=$(is status $status 0; is stderr "$(err)" ''; is lines "$(told 'J["report"]["lines"], J["report"]["runs"]')" '(3, 1)'
		is "bash is there, was served" "$(told '[p["served"] > 20 for p in J["programs"] if p["exe"].endswith("/bash")]')" '[True]'
		is "the directory" "$(told '"'"$case"'" in [d["path"] for d in J["directories"]]')" True
		is keys "$(told 'list(J), list(J["report"])')" "(['fastpath', 'report', 'programs', 'directories'], ['files', 'lines', 'runs', 'skipped', 'processes', 'scopes', 'bells', 'calls', 'served', 'kernel', 'verify', 'saved_ns', 'learned', 'invalidated'])")
	verdict what_the_library_and_run_write_is_read "$why"
fi
if wanted a_report_of_reports_is_the_same; then
	fresh
	{ line 10 /usr/bin/a 100 50; line 11 /usr/bin/b 7 7; } >one
	echo '{"fastpath":1,"run":{"processes":2,"calls":{"stat":5},"served":{}},"programs":[],"directories":[{"path":"/d","lost":1,"names":2,"rang":3}]}' >>one
	report --json one
	cp "$base/out1" again
	report --json again
	verdict a_report_of_reports_is_the_same "$(is status $status 0; is "the second" "$(out)" "$(cat again)")"
fi
if wanted a_broken_line_is_named_and_skipped; then
	fresh
	{ echo words; line 10 /a 1 1; echo; echo '{"fastpath":1,"pid":3'; printf 'a\0b\n'; line 11 /a 2 2; printf '\377\n{}\n"x"'; } >log
	report log
	why=$(is status $status 1; has '^2 processes of 1 programs; lines read: 2, runs: 0, skipped: 6$'
		is stderr "$(err)" "$(for i in 1 4 5 7 8 9; do echo "fastpath: log:$i: not a line of statistics, skipped"; done)")
	verdict a_broken_line_is_named_and_skipped "$why"
fi
if wanted many_broken_lines_are_not_all_named; then
	fresh
	{ seq 500; line 10 /a 1 1; } >log
	report log
	why=$(is status $status 1; is "lines of stderr" "$(wc -l <"$base/err1")" 21; is "the last" "$(tail -n 1 "$base/err1")" "fastpath: log: and 480 more lines, skipped")
	verdict many_broken_lines_are_not_all_named "$why"
fi
if wanted top_says_how_many_rows; then
	fresh
	for i in $(seq 30); do line "$i" "/usr/bin/p$i" "$i" 0; done >log
	report log
	why=$(is "rows by default" "$(grep -c /usr/bin/p "$base/out1")" 10; has '^and 20 more programs$')
	report --top 3 log
	why+=$(is "rows of 3" "$(grep -o '/usr/bin/p.*' "$base/out1" | tr '\n' ' ')" '/usr/bin/p30 /usr/bin/p29 /usr/bin/p28 ')
	report --json log
	why+=$(is "rows of JSON" "$(told 'len(J["programs"])')" 30)
	report --json --top 3 log
	why+=$(is "rows of JSON of 3" "$(told 'len(J["programs"])')" 3)
	report --html page --top 4 log
	why+=$(is "rows of a page" "$(grep -c '<wbr>p[0-9]' page)" 4)
	verdict top_says_how_many_rows "$why"
fi
if wanted a_page_is_written_and_nothing_else; then
	fresh
	{ line 10 '/usr/bin/<script>alert(1)</script>' 100 50; line 11 /usr/bin/b 7 7; } >log
	report --html page.html log
	why=$(is status $status 0; is stdout "$(out)" ''; is stderr "$(err)" ''; is files "$(echo *)" 'log page.html'
		is mode "$(stat -c %a page.html)" "$(printf %o $((0666 & ~$(umask))))")
	grep -q '&#60;script&#62;alert(1)' page.html || why+="the name is not there; "
	[ "$(grep -c '<script' page.html)" = 1 ] || why+="more than one script; "
	report --html - log
	why+=$(is "status of -" $status 0; is "page on stdout" "$(tail -n 1 "$base/out1")" '</html>')
	report --json --html page.html log
	why+=$(is "status with --json" $status 0; is "JSON beside a page" "$(told 'J["report"]["processes"]')" 2)
	verdict a_page_is_written_and_nothing_else "$why"
fi
if wanted control_characters_of_a_path_do_not_reach_the_terminal; then
	fresh
	line 10 '/usr/bin/\u001b[31mred\u0007' 1 1 >$'lo\033g'
	echo x >>$'lo\033g'
	report $'lo\033g'
	why=$(is status $status 1; has '/usr/bin/\?\[31mred\?$')
	grep -q $'[\001-\010\013-\037]' "$base/out1" "$base/err1" && why+="there are some"
	verdict control_characters_of_a_path_do_not_reach_the_terminal "$why"
fi
if wanted an_empty_file_is_no_statistics_and_no_fault; then
	fresh
	report /dev/null
	verdict an_empty_file_is_no_statistics_and_no_fault "$(is status $status 0; is stderr "$(err)" ''; has '^0 processes of 0 programs')"
fi

says() # NAME PATTERN ARG...: 125, one line that says so, and nothing on stdout
{
	local name=$1 pattern=$2 why
	shift 2
	wanted "$name" || return 0
	fresh
	line 1 /a 1 1 >log
	report "$@" </dev/null
	why=$(is status $status 125; is "lines of stderr" "$(wc -l <"$base/err1")" 1; is stdout "$(out)" '')
	grep -q -E -e "^fastpath: .*$pattern" "$base/err1" || why+="stderr: $(err)"
	verdict "$name" "$why"
}
says no_file_is_misuse 'a file is missing'
says a_missing_file_is_named 'none: No such file' log none
says a_directory_is_no_file '/: Is a directory' log /
says an_unknown_option_is_named "unknown option '--jsn': is '--json' meant" --jsn log
says a_top_of_none_is_refused '--top 0: how many rows' --top 0 log
says a_top_that_is_no_number_is_refused '--top x: how many rows' --top x log
says an_option_without_its_argument_is_named "option '--html' needs an argument: see fastpath report --help" log --html
says an_empty_name_of_a_page_is_refused '--html needs the name of a file' --html '' log
says a_page_that_cannot_be_written_is_named '/none/page: No such file' --html /none/page log
says a_page_in_the_place_of_a_directory_is_named '/: Is a directory' --html / log
says two_outputs_for_stdout_are_refused 'both go to standard output' --json --html - log
if wanted a_full_standard_output_is_told; then
	fresh
	line 1 /a 1 1 >log
	why=
	for o in '' --json '--html -'; do
		"$fp" report $o log >/dev/full 2>"$base/err1" 8>&- 9>&-
		status=$?
		why+=$(is "status $o" $status 125; is "lines of stderr" "$(wc -l <"$base/err1")" 1)
	done
	verdict a_full_standard_output_is_told "$why"
fi
if wanted report_--help_tells_of_every_option; then
	report --help
	why=$(is status $status 0; for o in --json --html --top; do has "$o"; done)
	verdict report_--help_tells_of_every_option "$why"
fi
finish

#!/bin/bash
# bench.sh - fastpath bench: what can be measured and how it is chosen, what its two sides are, what
# the table and the JSON say, and that nothing of it is left.
. "$(dirname "$0")/lib.sh"
needs_command bench
export TMPDIR=$base/tmp
mkdir -p "$TMPDIR"

# bench [NAME=VALUE...] -- ARG...: fastpath bench ARG... in $case; leaves out1, err1, status.
bench() { command_in_case 120 bench TMPDIR="$TMPDIR" "$@"; }
# left: a reason if there is anything in the directory for directories
left() { [ -z "$(ls -A "$TMPDIR")" ] || echo "left behind: $(ls "$TMPDIR"); "; }
# rows: the names in the table
rows() { awk '/^ +before/ { on = 1; next } on && NF >= 12 { print $(NF - (/ ms$/ ? 2 : 1)) }' "$base/out1" | sort -u | xargs; }
# said: a reason if anything was said on stderr
said() { [ ! -s "$base/err1" ] || echo "stderr: $(head -c 300 "$base/err1"); "; }

# workload NAME DESCRIBE PREPARE RUN: a workload in $case/suite
workload()
{
	mkdir -p suite
	printf '#!/bin/sh\ncase $1 in\ndescribe) %s ;;\nprepare) %s ;;\nrun) %s ;;\nesac\n' "$2" "$3" "$4" >"suite/$1"
	chmod +x "suite/$1"
}

# ---- what can be measured ----

if wanted the_list_has_every_workload; then
	fresh
	bench -- --list
	why=$(is status $status 0)$(said)
	for file in "$top"/bench/suite/*.c "$top"/bench/suite/*.sh; do
		name=$(basename "${file%.*}")
		grep -q -E "^$name(\.[a-zA-Z0-9-]+)? +[^ ]" "$base/out1" || why+="$name is not listed; "
	done
	! grep broken "$base/out1" >/dev/null || why+="$(grep broken "$base/out1")"
	verdict the_list_has_every_workload "$why"
fi

if wanted names_and_globs_select; then
	fresh
	why=
	while read -r want; do
		read -r -a patterns
		bench -- --list "${patterns[@]}"
		why+=$(is "${patterns[*]}" "$(awk '{ print $1 }' "$base/out1" | xargs)" "$want")
	done <<-'LIST'
		access1.1 access1.N
		access1
		access1.1 access2.1
		access?.1
		realpath xattr
		xattr realpath
		doexec.static-pinned doexec.dynamic-pinned
		*pinned
	LIST
	verdict names_and_globs_select "$why"
fi

# misused NAME WORD ARG...: one line that has WORD in it, status 125, nothing on stdout
misused()
{
	local name=$1 word=$2 why
	shift 2
	wanted "$name" || return 0
	fresh
	bench -- "$@"
	why=$(is status $status 125)$(is lines "$(wc -l <"$base/err1")" 1)$(is stdout "$(cat "$base/out1")" '')$(left)
	grep -q -F -- "$word" "$base/err1" || why+="stderr: $(cat "$base/err1")"
	verdict "$name" "$why"
}
misused an_unknown_workload_proposes_the_nearest "is 'access1' meant" acess1
misused an_unknown_row_proposes_the_nearest "is 'doexec.static' meant" access1 doexec.statik
misused a_glob_of_nothing_is_named "'zz*'" 'zz*'
misused an_unknown_option_proposes_the_nearest "is '--quick' meant" --quik
misused a_number_of_pairs_that_is_none_is_named '--pairs 3x' --pairs 3x realpath
misused no_pairs_at_all_are_refused '--pairs 0' --pairs 0 realpath
misused an_unknown_scope_is_named '--scope all' --scope all realpath
misused a_missing_command_is_said 'command is missing' --pairs 2 --
misused workloads_and_a_command_exclude_each_other 'realpath' realpath -- true
misused output_needs_a_command '--output' --output realpath
misused a_file_that_cannot_be_written_is_known_before /nowhere/file.json --json /nowhere/file.json realpath
misused a_page_that_cannot_be_written_is_known_before /nowhere/page.html --html /nowhere/page.html realpath
misused a_suite_that_is_not_there_is_named /nowhere --suite /nowhere realpath

# ---- the report ----

if wanted the_table_has_the_machine_and_a_row; then
	fresh
	bench -- --quick --pairs 6 realpath
	why=$(is status $status 0)$(said)$(left)$(is rows "$(rows)" realpath)
	for fact in date machine kernel libc mitigations load 'file system' directory scope bell; do
		grep -q -E "^$fact +[^ ]" "$base/out1" || why+="$fact is not in it; "
	done
	grep -q -E '^ *[0-9,.]+ +±[0-9.]+% +[+-][0-9.]+% +[0-9,.]+ +±[0-9.]+% +[+-][0-9.]+% \.\. +[+-][0-9.]+% +±[0-9.]+%  (faster|slower|same) +realpath ops/cpu-s$' \
		"$base/out1" || why+="the row: $(tail -n 4 "$base/out1")"
	verdict the_table_has_the_machine_and_a_row "$why"
fi

cat >"$base/agrees.py" <<'END_OF_SCRIPT'
import json, math, statistics, sys
table, report = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
def why(*words): print(*words, end="; ")
def near(a, b): return abs(a - b) <= 1e-6 * abs(b)
for row in report["rows"]:
    before, after = row["before"]["samples"], row["after"]["samples"]
    if not len(before) == len(after) == row["pairs"] == int(sys.argv[3]): why(row["name"], "pairs", row["pairs"], len(before), len(after))
    for side, samples in (("before", before), ("after", after)):
        if not near(row[side]["median"], statistics.median(samples)): why(row["name"], side, row[side]["median"])
    ratio = math.exp(statistics.median(math.log(a / b) for b, a in zip(before, after)))
    change = row["change"]
    if not near(change["ratio"], ratio): why(row["name"], "ratio", change["ratio"], ratio)
    if not change["low"] <= ratio <= change["high"]: why(row["name"], "interval", change)
    better = (lambda r: r > 1) if row["better"] == "more" else (lambda r: r < 1)
    excluded = change["low"] > 1 or change["high"] < 1
    want = "unsure" if not change["sure"] else "same" if not excluded else "faster" if better(ratio) else "slower"
    if row["verdict"] != want: why(row["name"], row["verdict"], "must be", want)
    line = next((l for l in table.splitlines() if l.endswith(" %s %s" % (row["name"], row["unit"]))), None)
    if not line: why(row["name"], row["unit"], "is not in the table"); continue
    if "%s " % row["verdict"] not in line: why("the table says", line)
    shown = float(line.split()[0].replace(",", ""))
    if abs(shown - row["before"]["median"]) > 0.006 * shown + 0.001: why("the table says", shown, "before, not", row["before"]["median"])
    if row["pairs"] < 6 and row["verdict"] != "unsure": why("a verdict from", row["pairs"], "pairs")
print(len(report["rows"]), "rows", end="")
END_OF_SCRIPT

if wanted the_json_agrees_with_itself_and_the_table; then
	fresh
	why=
	for n in 8 2; do
		bench -- --quick --pairs $n --json "$case/report" realpath storm.1
		why+=$(is status $status 0)$(said)
		why+=$(is "$n pairs" "$("$python" "$base/agrees.py" "$base/out1" "$case/report" $n 2>&1)" '3 rows')
	done
	verdict the_json_agrees_with_itself_and_the_table "$why"
fi

if wanted json_on_standard_output_is_nothing_else; then
	fresh
	bench -- --quick --pairs 2 --json - xattr
	why=$(is status $status 0)$(said)
	got=$("$python" -c 'import json, sys; print(*[r["name"] for r in json.load(sys.stdin)["rows"]])' <"$base/out1" 2>&1)
	verdict json_on_standard_output_is_nothing_else "$why$(is rows "$got" xattr)"
fi

if wanted the_page_has_what_the_table_has; then
	fresh
	workload mine 'echo "- command <b>bold</b> & others"' : :
	workload other 'echo "- command what"' 'echo "<i>tool</i> is not there"; exit 77' :
	bench -- --quick --pairs 2 --suite suite --html page.html --json report realpath mine other
	why=$(is status $status 0)$(said)
	why+=$("$python" - page.html report <<-'SCRIPT' 2>&1
		import html.parser, json, sys
		class Page(html.parser.HTMLParser):
		    rows, text = [], ""
		    def handle_starttag(self, tag, attributes):
		        if tag == "tr": self.rows.append([])
		        if tag == "td": self.rows[-1].append("")
		    def handle_data(self, data):
		        self.text += data
		        if self.rows and self.rows[-1]: self.rows[-1][-1] += data
		page, report = Page(), json.load(open(sys.argv[2]))
		page.feed(open(sys.argv[1]).read())
		cells = {row[0]: row for row in page.rows if row}
		for r in report["rows"]:
		    row = cells.get("%s, %s" % (r["name"], r["unit"]))
		    if not row or row[1] != r["verdict"]: print(r["name"], "is", row, end="; ")
		    if r["what"] not in cells.get(r["name"], ["", "", ""])[2]: print("what", r["name"], "is", cells.get(r["name"]), end="; ")
		for value in [v for k, v in report["about"].items() if k not in ("version", "quick")] + ["<i>tool</i> is not there"]:
		    if value and value not in page.text: print(value, "is missing", end="; ")
	SCRIPT
	)
	verdict the_page_has_what_the_table_has "$why"
fi

if wanted every_workload_runs_or_is_skipped_by_name; then
	fresh
	"$fp" bench --list >"$case/list"
	for scope in tree process; do
		bench -- --quick --pairs 2 --scope $scope --json "$case/report"
		why=$(is status $status 0)$(said)$(left)
		got=$("$python" -c 'import json, sys
report = json.load(open(sys.argv[1]))
names = {r["name"] for r in report["rows"]} | {s["name"] for s in report["skipped"]}
print(*[s["name"] for s in report["skipped"] if not s["why"]], *sorted({l.split()[0] for l in open(sys.argv[2])} ^ names))' \
			"$case/report" "$case/list" 2>&1)
		verdict "every_workload_runs_or_is_skipped_by_name[$scope]" "$why$(is 'missing or without a reason' "$got" '')"
	done
fi

if wanted progress_is_for_terminals_only; then
	fresh
	bench -- --quick --pairs 4 realpath
	why=$(is status $status 0)$(said)
	"$python" -c 'import os, pty, sys
pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 4096))' "$fp" bench --quick --pairs 4 realpath </dev/null >"$base/out1" 2>&1
	grep -q -a '\[1/1\] realpath: 2 of 4 pairs, 0:[0-9]* left' "$base/out1" || why+="on a terminal: $(cat -v "$base/out1")"
	verdict progress_is_for_terminals_only "$why"
fi

if wanted a_report_that_cannot_be_written_is_an_error; then
	fresh
	why=
	for how in '>/dev/full' '>&-' '--json /dev/full >/dev/null' '--json - >&-'; do
		eval "$progs/launch -t 60 $fp bench --quick --pairs 2 realpath $how" 2>"$base/err1" </dev/null
		why+=$(is "$how: status" $? 125)$(is "$how: lines" "$(wc -l <"$base/err1")" 1)$(left)
	done
	"$progs/launch" -t 60 "$fp" bench --quick --pairs 2 --json report xattr >"$base/out1" <&- 2>&-
	why+=$(is 'without input and errors: status' $? 0)$(is rows "$(rows)" xattr)$(is JSON "$("$python" -c 'import json; print(*[r["name"] for r in json.load(open("report"))["rows"]])')" xattr)
	verdict a_report_that_cannot_be_written_is_an_error "$why"
fi

# ---- its two sides ----

# Each run appends a line with what it sees.
see='echo "${FASTPATH_STATS:--}${FASTPATH_VERIFY:--} ${FASTPATH:--} ${FASTPATH_SESSION:+session}${FASTPATH_SESSION:--} ${LD_PRELOAD:--}" | sed "s/session[^ ]*/session/" >>"$LOG"; :'

if wanted without_and_with_by_turns; then
	fresh
	bench LOG="$case/log" -- --pairs 4 -- sh -c "$see"
	why=$(is status $status 0)$(said)
	got=$(awk '{ printf "%s", $2 == "-" ? "A" : "B" }' log)
	verdict without_and_with_by_turns "$why$(is order "$got" ABABBAABBA)"
fi

if wanted the_sides_differ_by_fastpath_alone; then
	fresh
	why=
	for scope in tree process; do
		rm -f log
		# What the user's environment has of fastpath is on neither side.
		bench LOG="$case/log" FASTPATH=1 FASTPATH_STATS=1 FASTPATH_VERIFY=1 LD_PRELOAD="$lib" -- --scope $scope --pairs 2 -- sh -c "$see"
		why+=$(is "$scope: status" $status 0)$(said)
		[ $scope = tree ] && want="1 session $lib" || want="process - $lib"
		why+=$(is $scope "$(sort -u log)" "-- - - -"$'\n'"-- $want")
	done
	verdict the_sides_differ_by_fastpath_alone "$why"
fi

if wanted another_preload_stays_on_both_sides; then
	other=$(find /usr/lib -name libeatmydata.so 2>/dev/null | head -n 1)
	if [ -z "$other" ]; then
		skip another_preload_stays_on_both_sides libeatmydata
	else
		fresh
		bench LOG="$case/log" LD_PRELOAD="$other" -- --scope process --pairs 2 -- sh -c "$see"
		verdict another_preload_stays_on_both_sides \
			"$(is status $status 0)$(is sides "$(sort -u log)" "-- - - $other"$'\n'"-- process - $other:$lib")"
	fi
fi

if wanted before_is_without_and_after_is_with; then
	fresh
	workload mine 'echo "loop loop what"; echo "sides sides what"' : \
		'case ${FASTPATH-off},$2,$FASTPATH_BENCH_SIDE in off,*,before | off,loop,after) echo 1000 1000000 ;; 1,loop,after | off,sides,after) echo 2000 1000000 ;; esac'
	bench -- --suite suite --pairs 6 mine
	why=$(is status $status 0)$(said)
	for row in loop sides; do
		grep -q -E "^ *1,000,000 +±0.0% +\+100.0% +2,000,000 +±0.0% .* ±0.0%  faster  mine.$row ops/cpu-s" "$base/out1" ||
			why+="$row: $(grep "mine.$row" "$base/out1"); "
	done
	verdict before_is_without_and_after_is_with "$why"
fi

# ---- a command of the user's ----

if wanted a_commands_output_is_let_through_on_demand_only; then
	fresh
	bench -- --pairs 2 -- echo mark
	why=$(is status $status 0)$(is 'without --output' "$(grep -c '^mark$' "$base/out1")" 0)$(is row "$(grep -c 'echo mark cpu ms' "$base/out1")" 1)
	bench -- --pairs 2 --output -- echo mark
	why+=$(is 'with --output' "$(grep -c '^mark$' "$base/out1")" 6)
	verdict a_commands_output_is_let_through_on_demand_only "$why"
fi

# fails NAME STATUS WORDS -- CMD...: that status, one line on stderr with WORDS
fails()
{
	local name=$1 want=$2 words=$3 why
	shift 4
	wanted "$name" || return 0
	fresh
	bench -- --pairs 2 -- "$@"
	why=$(is status $status "$want")$(is lines "$(wc -l <"$base/err1")" 1)$(left)
	grep -q -F -- "$words" "$base/err1" || why+="stderr: $(cat "$base/err1")"
	verdict "$name" "$why"
}
fails a_failing_command_is_named_with_its_status 1 'exit 3: exit status 3 without fastpath' -- sh -c 'exit 3'
fails a_command_that_fails_with_fastpath_only_is_told_apart 1 'exit status 1 with fastpath' -- sh -c '[ -z "$FASTPATH" ]'
fails a_command_that_dies_is_named_with_its_signal 1 'signal 9' -- sh -c 'kill -9 $$'
fails a_command_that_is_not_found_is_127 127 no-such-command -- no-such-command
fails a_command_that_cannot_be_executed_is_126 126 /etc/passwd -- /etc/passwd
fails a_process_that_stays_behind_is_named_and_ended 1 'left processes' -- sh -c 'sleep 987.654 >/dev/null & :'
if wanted a_process_that_stays_behind_is_named_and_ended && pgrep -f 'sleep 987.654' >/dev/null; then
	fail a_process_that_stays_behind_is_named_and_ended "it is still there"
fi

# ---- workloads of the user's ----

if wanted a_workload_is_added_by_a_file; then
	fresh
	workload mine 'echo "one command the first"; echo "two loop the second"' 'ls -A >files; echo "$2" >variant' \
		'[ -z "$(cat files | grep -v files)" ] && [ "$(cat variant)" = "$2" ] && echo 1000 1000000'
	bench -- --suite suite --list 'mine*'
	why=$(is list "$(xargs <"$base/out1")" 'mine.one the first mine.two the second')
	bench -- --suite suite --pairs 2 'mine.*'
	why+=$(is status $status 0)$(said)$(left)$(is rows "$(rows)" 'mine.one mine.two')
	grep -q '1,000,000 .* mine.two ops/cpu-s' "$base/out1" || why+="$(grep mine.two "$base/out1")"
	verdict a_workload_is_added_by_a_file "$why"
fi

if wanted a_workload_that_cannot_run_is_skipped_with_its_reason; then
	fresh
	workload mine 'echo "- command what"' 'echo "foo is not installed"; exit 77' :
	bench -- --suite suite --pairs 2 mine
	why=$(is status $status 0)$(said)$(left)
	grep -q 'skipped mine: foo is not installed' "$base/out1" || why+="stdout: $(tail -n 3 "$base/out1")"
	verdict a_workload_that_cannot_run_is_skipped_with_its_reason "$why"
fi

if wanted a_workload_that_fails_is_named_and_the_others_are_measured; then
	fresh
	workload a-broken 'exit 3' : :
	workload b-prepares 'echo "- command what"' 'echo cannot prepare >&2; exit 1' :
	workload c-fails 'echo "- command what"' : 'echo some reason >&2; exit 4'
	workload d-prints 'echo "- loop what"' : 'echo nonsense'
	workload e-runs 'echo "- command what"' : :
	bench -- --suite suite --pairs 2 '[a-e]-*'
	why=$(is status $status 1)$(left)$(is rows "$(rows)" e-runs)
	for line in 'a-broken: exit status 3' 'b-prepares: cannot prepare' 'c-fails: exit status 4 without fastpath: some reason' \
		'd-prints: did not print OPS NS without fastpath: nonsense'; do
		grep -q -F -- "fastpath: $line" "$base/err1" || why+="'$line' is not said; "
	done
	verdict a_workload_that_fails_is_named_and_the_others_are_measured "$why"
fi

# ---- its end, and its place ----

# stopped SIGNAL: a workload is measured and the next one begun, which starts processes of all kinds
stopped()
{
	local name="a_signal_leaves_the_report_and_nothing_else[$1]" why= status
	wanted "$name" || return 0
	fresh
	workload a-quick 'echo "- command what"' : :
	workload b-slow 'echo "- command what"' : 'setsid sleep 987.321 & (sleep 987.322 & sleep 987.323) & echo >begun; sleep 987.324'
	# A shell's background process ignores SIGINT: python makes one that does not.
	"$python" -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$fp" bench --suite suite --pairs 2 --json report '[ab]-*' >"$base/out1" 2>"$base/err1" </dev/null &
	for _ in $(seq 200); do
		[ -e "$(echo "$TMPDIR"/fastpath-bench.*/b-slow/begun)" ] && break
		sleep 0.05
	done
	sleep 0.1
	kill -"$1" $!
	wait $! 2>/dev/null
	status=$?
	why=$(is status $status $((128 + $(kill -l "$1"))))$(said)$(left)$(is rows "$(rows)" a-quick)
	grep -q interrupted "$base/out1" || why+="the report does not say so; "
	! pgrep -f 'sleep 987[.]32' >/dev/null || why+="processes: $(pgrep -a -f 'sleep 987[.]32' | xargs); "
	why+=$(is 'in the JSON' "$("$python" -c 'import json; r = json.load(open("report")); print(r["interrupted"], *{x["name"] for x in r["rows"]})')" 'True a-quick')
	verdict "$name" "$why"
}
stopped INT
stopped TERM

if wanted directories_are_made_in_TMPDIR_but_not_on_a_tmpfs; then
	fresh
	bench -- --pairs 2 -- true
	why=$(is directory "$(awk '$1 == "directory" { sub("/[^/]*$", "", $2); print $2 }' "$base/out1")" "$(readlink -f "$TMPDIR")")
	if is_root && mkdir memory && mount -t tmpfs none memory 2>/dev/null; then
		bench TMPDIR="$case/memory" -- --pairs 2 -- true
		grep -q -F "$case/memory" "$base/out1" && why+="on a tmpfs: $(grep directory "$base/out1")"
	fi
	verdict directories_are_made_in_TMPDIR_but_not_on_a_tmpfs "$why"
fi

if wanted an_installed_command_finds_its_workloads; then
	fresh
	why=
	make -s -C "$top" install DESTDIR="$case/root" PREFIX=/usr >"$base/setup" 2>&1 || why="make install: $(tail -n 3 "$base/setup")"
	"$case/root/usr/bin/fastpath" bench --list >"$base/out1" 2>"$base/err1"
	why+=$(is status $? 0)$(said)$(is list "$(cat "$base/out1")" "$("$fp" bench --list)")
	"$case/root/usr/bin/fastpath" bench --quick --pairs 2 doexec.static >"$base/out1" 2>"$base/err1"
	why+=$(is status $? 0)$(said)$(is rows "$(rows)" doexec.static)
	verdict an_installed_command_finds_its_workloads "$why"
fi
finish

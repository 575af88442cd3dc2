#!/bin/bash
# Real programs behave the same with and without the library. Each script in tests/field/programs is run bare,
# twice, and then in each mode below; its output, errors and status must be the same, and the library must have
# answered for the program itself. Prints the matrix that README shows, and leaves it in build/field/matrix.md.
# An argument selects the programs whose names contain it. FIELD_LIB replaces the library (process scope
# only), FIELD_MODES the modes.
#
# A script is called as "SCRIPT prepare", in an empty directory, without the library; it may print what is missing
# and exit with 77. Then as "SCRIPT run", each time in a copy of that directory, at the same path. Its
# head has lines for this script:
#
#	# served: ERE		the base names of programs, one of which must have been answered in every mode
#	# unreached: ERE: WHY	and these have not been answered in any: static programs and the like
#	# unserved MODE...: WHY	in these modes it need not have been answered
#	# needs: root		what is done needs it; else skipped
#	# normalise: SED	is done to both outputs, besides what normalise() does
#	# differs MODE...: ERE: WHY	in these modes, all lines that diff finds match ERE, and there is one: what
#				any preload does to such a program. Without a difference the row fails too.
#
# What is compared is one file: each line of output after "out: ", of errors after "err: ", and the status.
set -u
if [ -z "${E2E_INSIDE:-}" ]; then
	"$(dirname "$0")/field/setup.sh" "$(dirname "$0")/../build/field"
fi
. "$(dirname "$0")/e2e/lib.sh"
field=$top/tests/field
kept=$top/build/field # what later runs use again, and the matrix
lib=${FIELD_LIB:-$lib}
fp=$top/build/fastpath
mkdir -p "$kept/said"
matrix=$kept/matrix.md
limit=300 # seconds, for what hangs
tries=3   # of a run in which nothing was served: a session's broker may come late

# page, epoll: process scope with either bell; tree: fastpath run; all three eager. verify-*: the same, each
# answer compared with the kernel's. used-*: without FASTPATH_TEST, as people run it.
modes=(${FIELD_MODES:-page epoll tree verify-page verify-epoll verify-tree used-process used-tree})

# run_in MODE SCRIPT: leaves $base/MODE.said (what is compared) and $stats.
run_in()
{
	local mode=$1 script=$2 how=(FASTPATH=1 "FASTPATH_STATS=json:$stats") run=() status
	case $mode in
	bare*) how=() ;;
	used-*) ;;
	*epoll) how+=(FASTPATH_TEST=eager,bell=epoll) ;;
	*) how+=(FASTPATH_TEST=eager,tick=20) ;;
	esac
	case $mode in
	bare*) ;;
	*tree) run=("$fp" run) ;;
	*) how+=("LD_PRELOAD=$lib") ;;
	esac
	[[ $mode == verify-* ]] && how+=(FASTPATH_VERIFY=1)
	fresh
	rm -rf "$case"
	cp -a "$base/prepared" "$case"
	cd "$case" || exit 1
	timeout -k 10 "$limit" env HOME="$case" TZ=UTC TERM=dumb USER=root LOGNAME=root SHELL=/bin/sh FIELD_KEPT="$kept" \
		FIELD_LIB="$lib" "${how[@]}" "${run[@]}" bash "$script" run </dev/null >"$base/out" 2>"$base/err" 8>&- 9>&-
	status=$?
	{
		sed 's/^/out: /' "$base/out"
		sed 's/^/err: /' "$base/err"
		echo "status: $status"
	} | normalise "$script" >"$base/$mode.said"
}

# What differs from run to run of the same program: process ids where they stand by themselves or in valgrind's
# marks, addresses, the names of temporary files, and durations in seconds.
normalise()
{
	local own
	own=$(head_of normalise "$1")
	sed -E -e 's/==[0-9]+==/==PID==/g; s/\b(pid|PID|process|Process|thread|LWP)([ =:]+)[0-9]+/\1\2PID/g
		s/0x[0-9a-f]{5,}/0xADDRESS/g; s@/tmp/(cc|tmp[._]?)[A-Za-z0-9_]{6,8}@/tmp/TEMPORARY@g
		s/\b[0-9]+\.[0-9]+ ?(s|sec|seconds)\b/SECONDS/g' -e "$own" -
}

# head_of KEY SCRIPT: what its head says of KEY, a line each
head_of() { sed -n "s/^# $1: *//p" "$2"; }

# sums MODE ERE UNREACHED: "SERVED STRAY CHECKED WRONG": answers to programs of these names, in the mode's scope
# and by its bell, and to those of the names UNREACHED; and the comparisons in all programs.
sums()
{
	"$python" -ISc '
import json, re, sys
mode, wanted, unreached = sys.argv[2], re.compile(sys.argv[3]), re.compile(sys.argv[4])
scope = "tree" if mode.endswith("tree") else "process"
bell = "epoll" if mode.endswith("epoll") else "page"
served = stray = checked = wrong = 0
for line in open(sys.argv[1], errors="replace"):
    l = json.loads(line)
    checked += l["verify"]["checked"]
    wrong += l["verify"]["wrong"]
    name = l["exe"].rsplit("/", 1)[-1]
    if wanted.fullmatch(name) and l["scope"] == scope and l["bell"] == bell:
        served += sum(l["served"].values())
    if unreached.fullmatch(name):
        stray += sum(l["served"].values())
print(served, stray, checked, wrong)' "$stats" "$1" "$2" "$3"
}

# differs_as_told MODE SCRIPT: what the head says of this mode is the only difference; prints WHY
differs_as_told()
{
	local line listed ere
	while read -r line; do
		listed=${line%%:*} line=${line#*: }
		[[ " $listed " == *" $1 "* ]] || continue
		ere=${line%: *}
		diff -a "$base/bare.said" "$base/$1.said" | grep -a '^[<>]' >"$base/differences"
		[ -s "$base/differences" ] && ! grep -a -v -q -E -e "^[<>] ($ere)" "$base/differences" || return 1
		echo "${line##*: }"
		return 0
	done < <(sed -n 's/^# differs //p' "$2")
	return 1
}

# is_told KEY MODE SCRIPT: its head has a line of KEY for the mode
is_told() { sed -n "s/^# $1 \([^:]*\):.*/ \1 /p" "$3" | grep -q " $2 "; }

declare -A cell
verified=0 wrongs=0
# mode_of NAME SCRIPT MODE: one verdict and one cell
mode_of()
{
	local name=$1 script=$2 mode=$3 ere unreached why told= try served=0 stray checked wrong
	ere=$(head_of served "$script") unreached=$(head_of unreached "$script")
	for try in $(seq $tries); do
		run_in "$mode" "$script"
		why=
		read -r served stray checked wrong < <(sums "$mode" "$ere" "${unreached%%: *}" 2>&1)
		if is_told differs "$mode" "$script"; then
			told=$(differs_as_told "$mode" "$script") || why+="not the difference that its head tells of: $(difference "$mode"); "
		elif ! cmp -s "$base/bare.said" "$base/$mode.said"; then
			why+=$(difference "$mode")
		fi
		[ "$wrong" = 0 ] || why+="$wrong wrong answers of $checked; "
		[ "$stray" = 0 ] || why+="$stray answers to ${unreached%%: *}; "
		[[ -z $why && $served == 0 && $mode != used-* ]] || break
	done
	[[ $mode == used-* || $served != 0 ]] || is_told unserved "$mode" "$script" || why+="nothing was served to $ere; "
	[[ $mode != verify-* || -n $why || $checked != 0 ]] || is_told unserved "$mode" "$script" || why+="no answer was verified; "
	verdict "$name[$mode]" "$why"
	if [ -n "$why" ]; then
		cp "$base/$mode.said" "$kept/said/$name.$mode"
		cell[$mode]="**differs**"
	elif [ -n "$told" ]; then
		cell[$mode]="differs: $told"
	else
		cell[$mode]="same, $served"
	fi
	if [[ $mode == verify-* ]]; then
		verified=$((verified + checked)) wrongs=$((wrongs + wrong))
	fi
}

difference() { echo "differs: $(diff -a "$base/bare.said" "$base/$1.said" | grep -a '^[<>]' | head -n 6 | cut -c 1-300)"; }

# first_missing NAME: the first of its packages that is not installed
first_missing()
{
	local p
	for p in $(sed -n "s/^$1: //p" "$field/packages"); do
		dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null | grep -q '^ii' || { echo "$p"; return; }
	done
}

# row NAME CELL...
row() { local IFS='|'; echo "|$*|" | sed 's/|/ | /g; s/^ //; s/ $//' >>"$base/matrix"; }

program()
{
	local script=$1 name mode why= used tree unserved
	name=$(basename "$script" .sh)
	wanted "$name" || return 0
	why=$(first_missing "$name")
	[ -z "$why" ] || why="no package $why"
	[[ -n $why || $(head_of needs "$script") != root ]] || is_root || why="needs root"
	rm -rf "$base/prepared"
	mkdir "$base/prepared"
	if [ -z "$why" ]; then
		cd "$base/prepared"
		FIELD_KEPT=$kept HOME=$base/prepared timeout -k 10 "$limit" bash "$script" prepare >"$base/prepare" 2>&1 </dev/null 8>&- 9>&-
		case $? in
		0) ;;
		77) why=$(tail -n 1 "$base/prepare") ;;
		*) fail "$name" "prepare: $(tail -n 5 "$base/prepare")"; return ;;
		esac
	fi
	if [ -n "$why" ]; then
		skip "$name" "$why"
		row "$name" "skipped: $why" '' '' '' ''
		return
	fi
	run_in bare "$script"
	run_in bare-again "$script"
	if ! cmp -s "$base/bare.said" "$base/bare-again.said"; then
		fail "$name" "the case is broken, bare it $(difference bare-again)"
		return
	fi
	cp "$base/bare.said" "$kept/said/$name" # to read what was compared
	cell=() verified=0 wrongs=0
	for mode in "${modes[@]}"; do
		mode_of "$name" "$script" "$mode"
	done
	why=$(head_of unreached "$script")
	why=${why:+not reached: ${why#*: }}
	unserved=$(sed -n 's/^# unserved [^:]*: *//p' "$script")
	used=${cell[used-process]-}
	used=${used%%,*} tree=${cell[used-tree]-}
	[ "$used" = "${tree%%,*}" ] || used="$used; tree ${tree%%,*}"
	row "$name" "${cell[page]-}" "${cell[epoll]-}" "${cell[tree]-}" "$verified, $wrongs wrong" "$used${why:+; $why}${unserved:+; not answered in process scope: $unserved}"
}

# The comparison itself: a script that tells that it is under the library must be found to differ, in each of
# the three ways, and one that is not answered must be found out.
control()
{
	local name=$1 pattern=$2 found before=$failed mode
	wanted "$name" || return 0
	printf '%s\n' "$3" >"$base/$name.sh"
	rm -rf "$base/prepared"
	mkdir "$base/prepared"
	run_in bare "$base/$name.sh"
	for mode in "${modes[@]}"; do
		[[ $mode == used-* ]] && continue
		found=$(failed=0 passed=0 tries=1; mode_of "$name" "$base/$name.sh" "$mode")
		if [[ $found == FAIL*$pattern* ]]; then
			pass "$name[$mode]"
		else
			fail "$name[$mode]" "was not found: $found"
		fi
	done
}

control control_other_output_is_found 'out: told' '# served: bash
[ -z "${FASTPATH:-}" ] || echo told
for i in 1 2 3 4; do [ -e $PWD/none/$i ]; done; exit 0'
control control_other_errors_are_found 'err: told' '# served: bash
[ -z "${FASTPATH:-}" ] || echo told >&2
for i in 1 2 3 4; do [ -e $PWD/none/$i ]; done; exit 0'
control control_another_status_is_found 'status: 3' '# served: bash
for i in 1 2 3 4; do [ -e $PWD/none/$i ]; done
[ -z "${FASTPATH:-}" ] || exit 3'
control control_what_was_not_served_is_found 'nothing was served' '# served: bash-of-another-name
for i in 1 2 3 4; do [ -e $PWD/none/$i ]; done; exit 0'

: >"$base/matrix"
row program 'process, page bell' 'process, pending-check' tree 'verified answers' 'as used'
row --- --- --- --- --- ---
for script in "$field"/programs/*.sh; do
	program "$script"
done
[ -n "$pick" ] || cp "$base/matrix" "$matrix" # a part is not the matrix
cat "$base/matrix"
finish

#!/bin/bash
# Foreign test suites, run without the library and with it in either scope, give the same list of results. Each script in
# tests/field/suites is one: its sources are fetched from Debian into build/field/sources and built there, both as
# an ordinary user, which the suites demand. An argument selects the suites whose names contain it. The lists
# stay in build/field/results.
#
# A script's head names its source packages and the programs that must have been answered; "build" and "run" are
# functions, called in the sources' directory (their parent, where there are several); run prints the list, "NAME:
# RESULT" a line. Tests that are not alike in two runs without the library are told, and not compared.
set -u
if [ -z "${E2E_INSIDE:-}" ]; then
	"$(dirname "$0")/field/setup.sh" "$(dirname "$0")/../build/field"
fi
. "$(dirname "$0")/e2e/lib.sh"
suites=$top/tests/field/suites
sources=$top/build/field/sources
results=$top/build/field/results
fp=$top/build/fastpath
limit=3000
mkdir -p "$sources" "$results"

# head_of KEY SCRIPT
head_of() { sed -n "s/^# $1: *//p" "$2"; }

# fetch PACKAGE...: with a sources list of our own; the system's is left alone.
fetch()
{
	local lists=$sources/lists options
	mkdir -p "$lists/partial"
	sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)*\(http[^ ]*\) .*/\2/p' \
		/etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		grep -E '/(debian|ubuntu)/?$' | head -n 1 >"$sources/mirror"
	. /etc/os-release
	echo "deb-src $(cat "$sources/mirror") $VERSION_CODENAME main" >"$sources/sources.list"
	options=(-q -o "Dir::Etc::sourcelist=$sources/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o "Dir::State::lists=$lists" -o APT::Sandbox::User=root)
	[ -n "$(ls "$lists"/*Sources* 2>/dev/null)" ] || apt-get "${options[@]}" update || return
	(cd "$sources/$name" && apt-get "${options[@]}" source "$@")
}

# What a suite's script finds: result NAME COMMAND... prints the list's line of a test: its status, the lines it
# printed, and a checksum of them, without process ids, times and the names of temporary files.
prelude='result()
{
	local name=$1 said status
	shift
	said=$("$@" 2>&1 </dev/null | sed -E "s/\b[0-9]{3,}\b/N/g; s@/tmp/[A-Za-z0-9._-]+@/tmp/NAME@g" | tr -d "\0"; exit "${PIPESTATUS[0]}")
	status=$?
	echo "$name: status $status, $(printf "%s" "$said" | grep -a -c "") lines, $(printf "%s" "$said" | cksum | cut -d " " -f 1)"
}
. "$1"
cd "$2" && "$3"'

ordinary=(); is_root && ordinary=(-u "$user")
# run_suite MODE SCRIPT: leaves the list in $results/NAME.MODE and $stats; at the same place each time.
run_suite()
{
	local mode=$1 script=$2 how=() run=()
	case $mode in
	process*) how=(FASTPATH=1 FASTPATH_TEST=eager "LD_PRELOAD=$lib" "FASTPATH_STATS=json:$stats") ;;
	tree*) how=(FASTPATH=1 FASTPATH_TEST=eager,tick=20 "FASTPATH_STATS=json:$stats") run=("$fp" run) ;;
	esac
	fresh
	cp -a "$sources/$name" "$case/work"
	"$progs/launch" -C "$case/work" "${ordinary[@]}" HOME="$case/work" TZ=UTC TERM=dumb LOGNAME=nobody USER=nobody \
		"${how[@]}" timeout -k 10 "$limit" "${run[@]}" bash -c "$prelude" run "$script" "$where" run \
		</dev/null >"$results/$name.$mode" 2>"$base/err" 8>&- 9>&-
}

# served MODE ERE: a reason, unless such a program was answered in the mode's scope
served()
{
	"$python" -ISc '
import json, re, sys
scope, wanted, served = sys.argv[2], re.compile(sys.argv[3]), 0
for line in open(sys.argv[1], errors="replace"):
    l = json.loads(line)
    if l["scope"] == scope and wanted.fullmatch(l["exe"].rsplit("/", 1)[-1]):
        served += sum(l["served"].values())
print(served)' "$stats" "$1" "$2" 2>&1
}

# unlike A B: the names of the results in which two lists differ
unlike() { diff "$results/$name.$1" "$results/$name.$2" | sed -n 's/^[<>] \(.*\): .*/\1/p' | sort -u; }

suite()
{
	local script=$1 name where why p mode hits packages
	name=$(basename "$script" .sh)
	wanted "$name" || return 0
	for p in $(sed -n "s/^suite-$name: //p" "$top/tests/field/packages"); do
		dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2>/dev/null | grep -q '^ii' || { skip "$name" "no package $p"; return; }
	done
	read -r -a packages < <(head_of source "$script")
	if [ ! -e "$sources/$name/built" ]; then
		rm -rf "${sources:?}/$name"
		mkdir -p "$sources/$name"
		fetch "${packages[@]}" >"$sources/$name.log" 2>&1 ||
			{ skip "$name" "no sources: $(grep '^[EW]:' "$sources/$name.log" | tail -n 1)"; return; }
		rm -f "$sources/$name"/*.*z "$sources/$name"/*.dsc
		is_root && chown -R "$user:$user" "$sources/$name"
	fi
	where=.
	[ ${#packages[@]} -gt 1 ] || where=$(cd "$sources/$name" && echo "${packages[0]}"-[0-9]*/)
	if [ ! -e "$sources/$name/built" ]; then
		"$progs/launch" -C "$sources/$name" "${ordinary[@]}" HOME="$sources/$name" timeout "$limit" bash -c "$prelude" build "$script" \
			"$where" build >>"$sources/$name.log" 2>&1 </dev/null || { fail "$name" "build: $(tail -n 3 "$sources/$name.log")"; return; }
		: >"$sources/$name/built"
	fi
	run_suite bare "$script"
	[ "$(wc -l <"$results/$name.bare")" -gt 5 ] || { fail "$name" "few results: $(cat "$results/$name.bare" "$base/err")"; return; }
	for mode in process tree; do
		run_suite $mode "$script"
		hits=$(served $mode "$(head_of served "$script")") why=
		[[ $hits =~ ^[1-9] ]] || why+="nothing was served: $hits; "
		unlike bare $mode >"$base/unlike"
		if [ -s "$base/unlike" ]; then
			# Is it so without the library too, from run to run, or only now and then with it?
			[ -e "$base/$name.unsteady" ] || { run_suite bare-again "$script"; unlike bare bare-again >"$base/$name.unsteady"; }
			run_suite $mode-again "$script"
			unlike bare $mode-again >"$base/unlike-again"
			p=$(comm -12 "$base/unlike" "$base/unlike-again" | comm -23 - "$base/$name.unsteady")
			[ -z "$p" ] || why+="not as without: ${p//$'\n'/ }; "
			echo "$name, $mode: not alike from run to run: $(sort -u "$base/$name.unsteady" "$base/unlike" "$base/unlike-again" | tr '\n' ' ')"
		fi
		verdict "the_results_of_$name[$mode]" "$why"
		echo "$name, $mode: $(grep -c . "$results/$name.bare") results, $hits answers"
	done
}

for script in "$suites"/*.sh; do
	suite "$script"
done
finish

#!/bin/bash
# The examples build and run, with the library and without.
set -u
export LC_ALL=C
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$top" || exit 1
status=0

# succeeds NAME COMMAND...: and prints what a reader would look for.
succeeds() {
	local name=$1 wanted=$2 out
	shift 2
	if out=$(timeout 120 "$@" 2>&1) && grep -qE "$wanted" <<<"$out"; then
		echo "PASS the_example_$name"
	else
		echo "FAIL the_example_$name: $(tail -n 3 <<<"$out" | tr '\n' ' ')"
		status=1
	fi
}

on="env FASTPATH=1 LD_PRELOAD=$top/build/libfastpath.so"
# shellcheck disable=SC2086 # the words of a command
succeeds own_stats_prints_its_statistics '[0-9]' $on build/examples/own-stats
succeeds own_stats_runs_without_the_library . build/examples/own-stats
# shellcheck disable=SC2086
succeeds pause_runs_under_the_library . $on build/examples/pause
succeeds pause_runs_without_the_library . build/examples/pause
succeeds quickstart_answers_most_of_the_include_search 'scope process, bell' sh examples/quickstart.sh build
succeeds compare_gcc_prints_both '"fastpath":1|served' bash examples/compare-gcc.sh
exit $status

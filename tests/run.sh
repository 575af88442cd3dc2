#!/bin/bash
# Runs the tests named on the command line (executables and scripts), each of which prints lines
# "PASS name", "FAIL name: why" and "SKIP name: why", and adds them up. A test that dies, hangs or
# exits badly without a FAIL line is a failure of its own. The last line is the sum, alone.
set -u
export LC_ALL=C
limit=${TEST_TIMEOUT:-600}
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for t in "$@"; do
	start=$(date +%s)
	echo "== $t"
	timeout -k 10 "$limit" "$t" >"$log" 2>&1 </dev/null
	status=$?
	p=$(grep -ac '^PASS ' "$log") f=$(grep -ac '^FAIL ' "$log") s=$(grep -ac '^SKIP ' "$log")
	if [ "$f" -eq 0 ] && [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then
		f=1
		echo "FAIL $t: exit status $status (124: out of time, 139: crashed)" >>"$log"
	fi
	if [ "$f" -gt 0 ] || [ -n "${V:-}" ]; then
		cat "$log"
	else
		grep -a '^SKIP ' "$log"
	fi
	echo "   $p passed, $f failed, $s skipped, $(($(date +%s) - start)) s"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

#!/bin/bash
# Runs the tests named on the command line (executables and scripts), each of which prints lines
# "PASS name", "FAIL name: why" and "SKIP name: why", and adds them up. A test that dies, hangs or
# exits badly without a FAIL line is a failure of its own. As many run at a time as there are
# processors (JOBS), but the end-to-end scripts, which use up what a user may have and change limits,
# run by themselves. The last line is the sum, alone.
set -u
export LC_ALL=C
limit=${TEST_TIMEOUT:-600}
jobs=${JOBS:-$(nproc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# one TEST NUMBER: runs it, shows what is worth it, and leaves its sums in $work/NUMBER.
one()
{
	local t=$1 log=$work/$2.log start status p f s
	start=$(date +%s)
	timeout -k 10 "$limit" "$t" >"$log" 2>&1 </dev/null
	status=$?
	p=$(grep -ac '^PASS ' "$log") f=$(grep -ac '^FAIL ' "$log") s=$(grep -ac '^SKIP ' "$log")
	if [ "$f" -eq 0 ] && [ "$status" -ne 0 ] && [ "$status" -ne 77 ]; then
		f=1
		echo "FAIL $t: exit status $status (124: out of time, 139: crashed)" >>"$log"
	fi
	{
		echo "== $t"
		if [ "$f" -gt 0 ] || [ -n "${V:-}" ]; then
			cat "$log"
		else
			grep -a '^SKIP ' "$log"
		fi
		echo "   $p passed, $f failed, $s skipped, $(($(date +%s) - start)) s"
	} >"$work/$2.said"
	cat "$work/$2.said"
	echo "$p $f $s" >"$work/$2"
}

n=0
for t in "$@"; do
	n=$((n + 1))
	if [[ $t == tests/e2e/* ]]; then
		wait
		one "$t" $n
		continue
	fi
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n
	done
	one "$t" $n &
done
wait
passed=0 failed=0 skipped=0
for i in $(seq $n); do
	read -r p f s <"$work/$i" || p=0 f=1 s=0
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]

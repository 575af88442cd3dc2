#!/bin/bash
# fuzz.sh - the targets of tests/fuzz/, each over its corpus and then over inputs made from it by libFuzzer:
# as many as its first line says, and always the same ones.
#	fuzz.sh TARGET... these alone
#	fuzz.sh can       nothing is run: is libFuzzer there? Status 0, or 77 and what is missing
# FUZZ_SECONDS=N: so many seconds each instead, with another seed every time, on with what earlier such runs
# found (build/fuzz/found/TARGET). FUZZ_BUILD replaces build/. An input that breaks something is left in
# build/fuzz/broken/TARGET-*: run build/fuzz/TARGET on it, and put it into the corpus with the change that mends it.
set -u
export LC_ALL=C
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${FUZZ_BUILD:-$top/build}
clang=${FUZZ_CC:-clang}
work=$(mktemp -d "${TMPDIR:-/var/tmp}/fastpath-fuzz.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD FASTPATH
# One input takes milliseconds; but the machine may be busy.
limits=(-timeout=60 -rss_limit_mb=2048 -max_len=4096 -reload=0)
# What libFuzzer makes depends on the addresses that it sees compared: they are to be the same ones, where that is permitted.
still=(env -i "PATH=$PATH")
setarch -R true 2>/dev/null && still+=(setarch -R)

why_not()
{
	command -v "$clang" >/dev/null || { echo "$clang"; return; }
	echo 'int LLVMFuzzerTestOneInput(const char *, unsigned long); int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { (void)d; return n == 77; }' >"$work/can.c"
	if ! "$clang" -fsanitize=fuzzer,address,undefined -o "$work/can" "$work/can.c" 2>/dev/null; then
		echo "libFuzzer of $("$clang" --version | head -n 1) (package libclang-rt-dev)"
	elif ! "$work/can" -runs=1 >"$work/out" 2>&1; then
		echo "programs of -fsanitize=fuzzer,address do not run here: $(head -n 1 "$work/out")"
	fi
}

# finds TARGET: what libFuzzer says against it, in a line; nothing: all is well.
finds()
{
	local target=$1 program=$build/fuzz/$1 corpus=$top/tests/fuzz/corpus/$1 found runs how
	[ -x "$program" ] || { echo "there is no $program: make fuzzers"; return; }
	[ -n "$(ls -A "$corpus" 2>/dev/null)" ] || { echo "there is no corpus $corpus"; return; }
	runs=$(sed -n '1s,^/\* runs: \([0-9]*\) \*/$,\1,p' "$top/tests/fuzz/$target.c")
	mkdir -p "$build/fuzz/broken" "$work/$target"
	if [ -n "${FUZZ_SECONDS:-}" ]; then
		found=$build/fuzz/found/$target how=(-max_total_time="$FUZZ_SECONDS")
		mkdir -p "$found"
	else
		found=$work/$target how=(-runs="${runs:-1000}" -seed=1)
	fi
	"${still[@]}" "$program" "${limits[@]}" "${how[@]}" -artifact_prefix="$build/fuzz/broken/$target-" "$found" "$corpus" \
		>"$work/$target.log" 2>&1 </dev/null && grep -q '^Done [0-9]* runs' "$work/$target.log" && return
	grep -m 3 -E '^[^ #]*\.[ch]:[0-9]+:|^==[0-9]+== ?ERROR|ALARM|Test unit written' "$work/$target.log" ||
		echo "it ended badly: $(tail -n 1 "$work/$target.log")"
}

why=$(why_not)
if [ "${1:-}" = can ]; then
	[ -z "$why" ] && exit 0
	echo "$why"
	exit 77
fi
if [ -n "$why" ]; then
	echo "SKIP no_input_breaks: $why"
	exit 77
fi
failed=0 asked=0
for source in "$top"/tests/fuzz/*.c; do
	target=$(basename "$source" .c)
	[ $# = 0 ] || [[ " $* " == *" $target "* ]] || continue
	asked=1
	why=$(finds "$target")
	if [ -n "$why" ]; then
		failed=1
		echo "FAIL no_input_breaks[$target]: ${why//$'\n'/ | }"
	else
		echo "PASS no_input_breaks[$target]"
	fi
done
[ "$asked" = 1 ] || { echo "FAIL no_input_breaks: there is no target $*"; failed=1; }
exit "$failed"

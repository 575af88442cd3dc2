#!/bin/sh
# compare-gcc.sh [RUNS]: gcc with and without libfastpath.so on a file that includes 150 headers from
# 60 -I directories. Prints both times and what the library says of the last run.
#
#	examples/compare-gcc.sh		(after make; or LIB=/usr/local/lib/x86_64-linux-gnu/libfastpath.so ...)
set -eu
export LC_ALL=C

runs=${1:-20}
here=$(cd "$(dirname "$0")" && pwd)
lib=${LIB:-$here/../build/libfastpath.so}
# Not in /tmp: there, every compiler of this machine creates files, and the library would have to look.
work=$(mktemp -d "${TMPDIR:-/var/tmp}/compare-gcc.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

[ -e "$lib" ] || { echo "$0: no $lib: run make first, or set LIB" >&2; exit 1; }
lib=$(cd "$(dirname "$lib")" && pwd)/$(basename "$lib")

# Header K lies in one of 60 directories; gcc asks all those before it.
generate() {
	d=0
	while [ $d -lt 60 ]; do
		mkdir -p "$work/library-$d/include/library-$d"
		set -- "$@" "-I$work/library-$d/include"
		d=$((d + 1))
	done
	printf '%s\n' "$@" >"$work/flags"
	n=0
	while [ $n -lt 150 ]; do
		d=$((n * 7 % 60))
		echo "struct part_$n { int size; };" >"$work/library-$d/include/library-$d/part-$n.h"
		echo "#include <library-$d/part-$n.h>"
		n=$((n + 1))
	done >"$work/main.c"
	printf '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n' >>"$work/main.c"
}

compile() {
	env gcc "@$work/flags" -c "$work/main.c" -o "$work/main.o"
}

# Only gcc and what it starts, not this shell. Arguments: more variables.
compile_with_library() {
	env FASTPATH=1 LD_PRELOAD="$lib" "$@" gcc "@$work/flags" -c "$work/main.c" -o "$work/main.o"
}

# Nanoseconds by date(1); without and with in turn, so that what else runs here falls on both alike.
now() { date +%s%N; }

generate
compile
without=0 with=0 i=0
while [ "$i" -lt "$runs" ]; do
	start=$(now); compile; middle=$(now)
	compile_with_library; end=$(now)
	without=$((without + middle - start)) with=$((with + end - middle)) i=$((i + 1))
done

awk -v a="$without" -v b="$with" -v n="$runs" 'BEGIN {
	printf "gcc, 60 -I directories, 150 headers, mean of %d runs\n", n
	printf "without  %6.1f ms\nwith     %6.1f ms   %+.1f %%\n", a / n / 1e6, b / n / 1e6, (b - a) * 100 / a }'
echo "The library's statistics of one run, a line a process:"
compile_with_library FASTPATH_STATS="json:$work/stats"
cat "$work/stats" 2>/dev/null || echo "none: the library was not loaded, or wrote no statistics"

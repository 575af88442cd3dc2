#!/bin/bash
# One session for an hour (SOAK_SECONDS): builds with -j4, shells and directories that come and go, in
# random order, every answer verified. The broker's memory must be flat after the first tenth, and no
# answer wrong.
#
#	tests/soak.sh [BUILD]
set -eu
build=$(realpath "${1:-build}")
seconds=${SOAK_SECONDS:-3600}

# Inside the session: the work itself.
if [ -n "${SOAK_WORK:-}" ]; then
	cd "$SOAK_WORK"
	broker=$((16#${FASTPATH_SESSION%%:*}))
	RANDOM=${SOAK_SEED:-1}
	until=$((SECONDS + seconds))
	while [ $SECONDS -lt $until ]; do
		case $((RANDOM % 4)) in
		0) make -s -B -j4 ;;
		1) bash -c 'for n in $(seq 300); do command -v missing-$n; done; :' ;;
		2) for n in $(seq 20); do
			d=$SOAK_WORK/gone-$RANDOM-$n
			mkdir "$d" && ls "$d/a" "$d/b" "$d/c" "$d/d" 2>/dev/null || rmdir "$d"
		   done ;;
		3) for n in $(seq 10); do gcc -c 1.c -o gone.o && rm gone.o; done ;;
		esac >/dev/null
		echo "$SECONDS $(awk '/^VmRSS/ { print $2 }' "/proc/$broker/status")" >>memory
	done
	exit 0
fi

work=$(mktemp -d "${TMPDIR:-/var/tmp}/fastpath-soak.XXXXXX")
trap 'rm -rf "$work"' EXIT
flags=
for i in $(seq 40); do
	mkdir -p "$work/package-$i"
	echo "int f$i(void);" >"$work/package-$i/header-$i.h"
	flags+=" -I$work/package-$i"
done
for i in $(seq 8); do
	for h in $(seq 40); do echo "#include <header-$h.h>"; done >"$work/$i.c"
done
printf 'all: 1.o 2.o 3.o 4.o 5.o 6.o 7.o 8.o\n%%.o: %%.c\n\tgcc%s -c $< -o $@\n' "$flags" >"$work/Makefile"
SOAK_WORK=$work SOAK_SECONDS=$seconds "$build/fastpath" run --verify -- "$0" "$build" 2>"$work/said" || {
	tail -n 3 "$work/said"
	exit 1
}
tail -n 1 "$work/said"
grep -q ' 0 wrong' "$work/said"
awk '{ kib[NR] = $2 }
	END {
		first = kib[int(NR / 10) + 1]
		printf "broker: %d KiB after a tenth, %d at the end of %d rounds\n", first, kib[NR], NR
		exit kib[NR] > first * 1.25 + 256
	}' "$work/memory"

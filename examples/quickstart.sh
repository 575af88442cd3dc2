#!/bin/sh
# gcc on a real C file under the library: `make quickstart` runs it. The file is one of fastpath's
# own; 60 include directories stand before those it needs, as build systems put them there, so that
# each #include is looked for 60 times in vain. Prints the statistics of each process.
set -eu
build=${1:-build}
work=$(mktemp -d /var/tmp/fastpath-quickstart.XXXXXX)
trap 'rm -rf "$work"' EXIT

set --
i=0
while [ $i -lt 60 ]; do
	mkdir -p "$work/package-$i/include"
	set -- "$@" -I "$work/package-$i/include"
	i=$((i + 1))
done

FASTPATH=1 FASTPATH_STATS=1 LD_PRELOAD="$PWD/$build/libfastpath.so" \
	gcc -std=gnu11 -D_GNU_SOURCE "$@" -I include -I shim -O2 -c shim/preload/client.c \
	-o "$work/client.o"
echo "compiled shim/preload/client.c: $(wc -c <"$work/client.o") bytes"
FASTPATH=1 FASTPATH_STATS="$work/all.json" LD_PRELOAD="$PWD/$build/libfastpath.so" \
	gcc -std=gnu11 -D_GNU_SOURCE "$@" -I include -I shim -O2 -c shim/preload/client.c \
	-o "$work/again.o"
cmp "$work/client.o" "$work/again.o"
echo "the same once more, as JSON:"
cat "$work/all.json"

#!/bin/sh
# include-storm.sh - what `fastpath audit` finds, `fastpath run` saves, and --verify proves, for one compiler
# that searches 60 -I directories for each of 150 headers.
#
#	PATH=$PWD/build:$PATH examples/include-storm.sh
set -eu

# Not in /tmp: whatever changes there, of whomever, fastpath would have to look at.
work=$(mktemp -d "${TMPDIR:-/var/tmp}/include-storm.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Header N lies in one of the directories; gcc asks all those before it.
for d in $(seq 60); do
	mkdir -p "$work/$d/include"
	echo "-I$work/$d/include"
done >"$work/flags"
for n in $(seq 150); do
	echo "struct part_$n { int size; };" >"$work/$((n * 7 % 60 + 1))/include/part-$n.h"
	echo "#include <part-$n.h>"
done >"$work/main.c"
set -- gcc "@$work/flags" -c "$work/main.c" -o "$work/main.o"

echo "== fastpath audit: the lookups that fail, and how many of them could be answered"
fastpath audit -- "$@"
echo "== fastpath run --stats: those that were"
fastpath run --stats -- "$@"
echo "== fastpath run --verify: each of those answers, compared with the kernel's"
fastpath run --verify -- "$@"

#!/bin/sh
# storm.sh - gcc looks for 150 headers in 60 directories: every header, those of libc too, is looked
# for in each directory before its own (GCC PR 109485). One file; or eight, by make.
case $1 in
describe)
	echo "1 command gcc, one file, 60 -I directories, 150 headers"
	echo "8 command make -j, 8 files, 60 -I directories, 150 headers each"
	exit
	;;
run)
	case $2 in
	1) exec gcc -c main.c -o main.o @flags ;;
	8) exec make -s -B -j "$(nproc)" ;;
	esac
	;;
esac

for tool in gcc make; do
	command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
here=$(pwd)
d=0
while [ $d -lt 60 ]; do
	mkdir -p "library-$d/include"
	echo "-I$here/library-$d/include"
	d=$((d + 1))
done >flags
{
	echo "#include <stdio.h>"
	echo "#include <stdlib.h>"
	echo "#include <string.h>"
	n=0
	while [ $n -lt 150 ]; do
		echo "#include <part-$n.h>"
		cat >"library-$((n * 7 % 60))/include/part-$n.h" <<-HEADER
			#ifndef PART_$n
			#define PART_$n
			struct part_$n { struct part_$n *next; unsigned long size; const char *name; };
			int part_${n}_open(struct part_$n *part, const char *name);
			#endif
		HEADER
		n=$((n + 1))
	done
	echo 'int main(void) { puts("hello"); return 0; }'
} >main.c
objects=
for n in 0 1 2 3 4 5 6 7; do
	cp main.c file-$n.c
	objects="$objects file-$n.o"
done
printf 'all:%s\n%%.o: %%.c\n\tgcc -c $< -o $@ @flags\n' "$objects" >Makefile

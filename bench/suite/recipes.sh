#!/bin/sh
# recipes.sh - make runs 100 recipes by dash, each of which looks for its command in 60 directories of
# PATH before it finds it.
case $1 in
describe)
	echo "- command make, 100 dash recipes, 60-entry PATH"
	exit
	;;
run)
	make=$(command -v make)
	read -r more <path
	PATH=$more:$PATH exec "$make" -s
	;;
esac

for tool in make dash expr; do
	command -v $tool >/dev/null || { echo "$tool is not installed"; exit 77; }
done
here=$(pwd)
path=
d=0
while [ $d -lt 60 ]; do
	mkdir -p "tool-$d/bin"
	for n in 0 1 2 3 4 5 6 7 8 9; do
		: >"tool-$d/bin/tool-$d-$n"
	done
	path=$path${path:+:}$here/tool-$d/bin
	d=$((d + 1))
done
echo "$path" >path
{
	echo "SHELL = $(command -v dash)"
	n=0 all=
	while [ $n -lt 100 ]; do
		all="$all r$n"
		n=$((n + 1))
	done
	echo "all:$all"
	n=0
	while [ $n -lt 100 ]; do
		printf 'r%d:\n\t@expr %d + 1 >/dev/null\n' $n $n
		n=$((n + 1))
	done
} >Makefile

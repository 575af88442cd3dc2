#!/bin/sh
# command-v.sh - bash looks for 200 commands that are nowhere and 50 that are somewhere in a PATH of 60
# directories, twice, as configure scripts and shell start-up files do. One process; or four.
case $1 in
describe)
	echo "1 command bash, command -v of 250 names, 60-entry PATH, twice"
	echo "4 command bash, command -v of 250 names, 60-entry PATH, twice, 4 processes"
	exit
	;;
run)
	bash=$(command -v bash)
	read -r PATH <path
	export PATH
	n=1
	while [ $n -lt "$2" ]; do
		"$bash" --norc ./lookups
		n=$((n + 1))
	done
	exec "$bash" --norc ./lookups
	;;
esac

command -v bash >/dev/null || { echo "bash is not installed"; exit 77; }
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
n=0
while [ $n -lt 50 ]; do
	: >"tool-$((n * 7 % 60))/bin/present-$n"
	n=$((n + 1))
done
chmod +x tool-*/bin/*
echo "$path" >path
cat >lookups <<'SCRIPT'
for pass in 1 2; do
	for ((i = 0; i < 200; i++)); do command -v absent-$i; done
	for ((i = 0; i < 50; i++)); do command -v present-$i; done
done >/dev/null
:
SCRIPT

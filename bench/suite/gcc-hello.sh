#!/bin/sh
# gcc-hello.sh - the smallest compilation there is: little to gain, and a session's set-up to pay.
case $1 in
describe)
	echo "1 command gcc -c hello.c"
	echo "10 command gcc -c hello.c, ten times"
	exit
	;;
run)
	n=0
	while [ $n -lt "$2" ]; do
		gcc -c hello.c -o hello.o || exit
		n=$((n + 1))
	done
	exit
	;;
esac

command -v gcc >/dev/null || { echo "gcc is not installed"; exit 77; }
printf '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n' >hello.c

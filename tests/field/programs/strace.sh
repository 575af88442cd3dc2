# served: bash|strace
# strace of a tree: what the traced programs say and change is the same, call by call; what they ask is what fastpath is for, so
# only changing calls are compared. -f, -c's status, attaching is as without.
prepare() { mkdir bin; printf '#!/bin/sh\necho script; [ -e /none ] || exit 4\n' >bin/script; chmod +x bin/script; }
# Calls that strace has no name for are shown whatever is asked for; the library makes such.
changes() { sed 's/^[0-9]* *//' trace | grep -E '^(mkdir|rmdir|rename|exit_group|[+])'; }
run()
{
	work='for i in 1 2 3; do [ -e $PWD/none ] || mkdir $PWD/none; [ -e $PWD/none ] && rmdir $PWD/none; done; $PWD/bin/script; exit 5'
	strace -o trace -f -e trace=mkdir,rmdir,rename,exit_group -e signal=none bash -c "$work"; echo "status $?"
	changes
	strace -f -o /dev/null bash -c "$work"; echo "status $?"
	strace -o trace -e trace=exit_group -e signal=none "$PWD/bin/script"; echo "status $?"; changes
	strace "$PWD/none"; echo "status $?"; strace -o "$PWD/none/x" true; echo "status $?"
	strace -o trace -e trace=execve -f sh -c 'ls /none; exec bash -c "exit 6"'; echo "status $?"
	grep ' = 0$' trace | grep -o 'execve([^,]*,'
	strace -D -o trace -e trace=rmdir bash -c "$work"; echo "status $?"
	strace -f --seccomp-bpf -o trace -e trace=mkdir,rmdir -e signal=none bash -c "$work"; echo "status $?"
	# Its filter is one that was there at start: a child tries first what it allows, and ends.
	changes | grep dir
}
"$1"

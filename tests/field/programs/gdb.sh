# served: gdb
# normalise: s/process [0-9]+/process PID/g
# gdb of a program: breakpoints, a backtrace, a call into it, source and debug files that are not there, and a run to its end.
prepare()
{
	cat >main.c <<'C'
#include <stdio.h>
#include <unistd.h>
static int depth(int n, const char *p) { return n ? depth(n - 1, p) + access(p, F_OK) : 0; }
int main(void) { int n = depth(5, "/none"); printf("%d\n", n); return 3; }
C
	gcc -g -O0 main.c -o main
	sed 's/5/6/' main.c >moved.c && gcc -g -O0 moved.c -o moved && rm moved.c
}
run()
{
	g="gdb -nx -batch -iex 'set auto-load safe-path /' -ex 'set confirm off' -ex 'set debuginfod enabled off'"
	eval "$g" -ex "'break depth if n == 2'" -ex run -ex bt -ex "'print depth(3, \"/none\")'" -ex "'info locals'" -ex finish -ex continue ./main; echo "status $?"
	eval "$g" -ex "'break main'" -ex run -ex list -ex kill ./moved; echo "status $?"
	eval "$g" -ex "'info line main'" -ex "'disassemble /r main'" ./main | sha256sum
	eval "$g" -ex run ./none; echo "status $?"; eval "$g" -x "$PWD/none"; echo "status $?"
	eval "$g" -ex "'directory $PWD/none'" -ex "'list main'" ./moved; eval "$g" -ex "'python import os; print([os.path.exists(\"/none\") for i in range(4)])'"
}
"$1"

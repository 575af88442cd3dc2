# served: bash
# valgrind's tools on a program with a fault of its own and on one without: findings, status, what it asks.
# normalise: s/--[0-9]+-- /--PID-- /
# differs page epoll verify-page verify-epoll: (out|err): --PID-- (WARNING: unhandled amd64-linux syscall: 45[78]|You may be able to write your own handler.|Read the file README_MISSING_SYSCALL_OR_IOCTL.|Nevertheless we consider this a bug.  Please report|it at http://valgrind.org/support/bug_reports.html.): valgrind says that it does not know listmount(2) and statmount(2)
prepare()
{
	cat >main.c <<'C'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct stat s;
	(void)argc;
	for (int i = 0; i < 4; i++)
		printf("%d %d", access(argv[1], F_OK), stat(argv[1], &s)), printf(" %d\n", errno);
	char *p = malloc(10);
	if (argc > 2)
		printf("%d\n", p[3] == 'x' ? 1 : 2);
	free(p);
	return 6;
}
C
	gcc -g -O0 main.c -o main
}
run()
{
	for i in 1 2 3; do [ -e "$PWD/none" ]; done
	for tool in none memcheck cachegrind massif helgrind; do
		case $tool in cachegrind | massif) out=--$tool-out-file=/dev/null ;; *) out= ;; esac
		valgrind -q --tool=$tool $out --log-file="$PWD/log" ./main "$PWD/none"; echo "$tool: status $?"
		cat log
	done 2>/dev/null
	valgrind -q --error-exitcode=9 ./main "$PWD/none" fault; echo "status $?"
	valgrind -q "$PWD/none"; echo "status $?"
}
"$1"

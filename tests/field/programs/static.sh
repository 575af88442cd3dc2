# served: bash
# unreached: main|busybox: static programs have no loader
# A statically linked C program and busybox: what they ask and run is as ever, also in between programs that are served.
prepare()
{
	cat >main.c <<'C'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argc;
	for (int i = 0; i < 5; i++)
		printf("%d", access(argv[1], F_OK)), printf(" %d\n", errno);
	FILE *f = fopen(argv[1], "w");
	printf("%d\n", access(argv[1], F_OK));
	remove(argv[1]);
	fflush(stdout);
	(void)!system("exec ls /none");
	execlp("no-such-command", "x", NULL);
	printf("%d\n", errno);
	fclose(f);
	return 5;
}
C
	gcc -static main.c -o main
}
run()
{
	./main "$PWD/none"; echo "status $?"
	busybox sh -c 'for i in 1 2 3; do [ -e $PWD/none ]; echo $?; touch $PWD/none; [ -e $PWD/none ]; echo $?; rm $PWD/none; done; no-such-command'; echo "status $?"
	busybox sh -c 'bash -c "for i in 1 2 3; do [ -e \$PWD/none ]; echo \$?; done"; bash -c "command -v no-such-command"'; echo "status $?"
	busybox env | grep -c '^PATH='; busybox ls "$PWD/none"; busybox find "$PWD" | busybox sort
}
"$1"

# unreached.sh - a program that the library does not reach, and which executes others that it does. The script that reads
# this says what makes it: $compiler.
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
	for (int i = 0; i < 5; i++)
		printf("%d %d", access(argv[1], F_OK), stat(argv[1], &s)), printf(" %d\n", errno);
	FILE *f = fopen(argv[1], "w");
	printf("%d\n", access(argv[1], F_OK));
	fclose(f);
	remove(argv[1]);
	fflush(stdout);
	if (system("bash -c 'for i in 1 2 3; do [ -e /none ]; echo $?; done'"))
		return 1;
	execlp("no-such-command", "x", NULL);
	printf("%d\n", errno);
	return 5;
}
C
	$compiler main.c -o main || { echo "$compiler does not work"; exit 77; }
}
run()
{
	for i in 1 2 3; do [ -e "$PWD/none" ]; done
	./main "$PWD/none"; echo "status $?"
	bash -c './main $PWD/none'; echo "status $?"
	python3 -c 'import os, subprocess; print([os.path.exists("/none") for i in range(4)], flush=True); print(subprocess.run(["./main", os.getcwd() + "/none"]).returncode)'
}

# served: bash
# differs page epoll verify-page verify-epoll used-process: err: ERROR: ld\.so: object '.*' from LD_PRELOAD cannot be preloaded \(wrong ELF class: ELFCLASS64\): ignored\.: the loader's message of a preload that is not for it
# unreached: main: a 64-bit library cannot be loaded into a 32-bit program
# A program made by gcc -m32, which executes others: output, errors and status as ever, also of what it executes.
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
	gcc -m32 main.c -o main || { echo "gcc -m32 does not work"; exit 77; }
}
run()
{
	for i in 1 2 3; do [ -e "$PWD/none" ]; done
	./main "$PWD/none"; echo "status $?"
	bash -c './main $PWD/none'; echo "status $?"
	python3 -c 'import os, subprocess; print([os.path.exists("/none") for i in range(4)], flush=True); print(subprocess.run(["./main", os.getcwd() + "/none"]).returncode)'
}
"$1"

# sanitizer.sh - what the programs of both sanitizers do. The script that reads this says which: $sanitizer, $static (what links
# its runtime in), and $wrong, which has the program do what the sanitizer reports.
prepare()
{
	cat >main.c <<'C'
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
static int counter;
static void *look(void *path)
{
	struct stat s;
	for (int i = 0; i < 50; i++)
		if (access(path, F_OK) == 0 || stat(path, &s) == 0 || open(path, O_RDONLY) >= 0)
			abort();
	if (getenv("RACE"))
		counter++;
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[4];
	(void)argc;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, look, argv[1]);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%d ", access(argv[1], F_OK));
	printf("%s\n", strerror(errno));
	fflush(stdout);
	if (fork() == 0)
		_exit(access(argv[1], F_OK) ? 5 : 1);
	int status;
	wait(&status);
	printf("%d\n", WEXITSTATUS(status));
	if (getenv("FAULT")) {
		char *p = malloc(4);
		free(p);
		printf("%d\n", p[2]);
	}
	return 6;
}
C
	for how in shared static; do
		gcc -g -O1 -w -fsanitize=$sanitizer $([ $how = shared ] || echo $static) main.c -o $how -pthread || exit
	done
	./shared "$PWD/none" >/dev/null 2>why; [ $? = 6 ] || { echo "bare it does not run: $(head -n 1 why)"; exit 77; }
}
run()
{
	for i in 1 2 3; do [ -e "$PWD/none" ]; done
	for how in static shared; do
		./$how "$PWD/none" >log 2>&1; echo "$how: status $?"; sed "s/^/$how: /" log
		env $wrong=1 ./$how "$PWD/none" >log 2>&1; echo "$how: status $?"; grep -E 'SUMMARY|ERROR: [A-Z]|WARNING: ' log | sed -e 's/ (.*//; s/ on address.*//' -e "s/^/$how: /"
	done
}

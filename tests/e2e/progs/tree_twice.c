/*
 * tree_twice.c - starts a program, by posix_spawn() and by execve() in a forked child, with an environment that
 * names LD_PRELOAD twice, the second time at great length. Exit status: the program's, or 99.
 *
 * usage: tree_twice PROGRAM
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 59000 };

int main(int argc, char **argv)
{
	static char first[4096], second[LENGTH + 1], session[256];
	char *envp[] = {first, second, "FASTPATH=1", session, NULL};
	const char *preload = getenv("LD_PRELOAD"), *now = getenv("FASTPATH_SESSION");
	int status = 0, status2 = 0;
	pid_t pid;

	if (argc != 2 || !preload || !now)
		return 98;
	snprintf(first, sizeof first, "LD_PRELOAD=%s", preload);
	snprintf(session, sizeof session, "FASTPATH_SESSION=%s", now);
	memset(second, 'x', LENGTH);
	memcpy(second, "LD_PRELOAD=/", 12);
	if (posix_spawn(&pid, argv[1], NULL, NULL, argv + 1, envp) || waitpid(pid, &status, 0) != pid)
		return 99;
	pid = fork();
	if (pid == 0) {
		execve(argv[1], argv + 1, envp);
		_exit(99);
	}
	if (pid < 0 || waitpid(pid, &status2, 0) != pid || !WIFEXITED(status) || !WIFEXITED(status2))
		return 99;
	return WEXITSTATUS(status) ? WEXITSTATUS(status) : WEXITSTATUS(status2);
}

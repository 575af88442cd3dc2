/*
 * learn.c - asks for the first time in a directory while a child is creating names in it, so that
 * listing and creating overlap; when the child has ended, every name must be seen.
 * usage: learn DIR ROUNDS
 */
#define _GNU_SOURCE
#include "fastpath.h"
#include "raw.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES = 40 };

static char dir[PATH_MAX];

static void name(char *p, int i)
{
	sprintf(p, "%s/name%d", dir, i);
}

static void create(void)
{
	char p[PATH_MAX + 32];

	for (int i = 0; i < NAMES; i++) {
		name(p, i);
		if (i % 8 == 7)
			raw3(SYS_mkdirat, AT_FDCWD, p, 0755);
		else
			raw_close((int)raw_openat(AT_FDCWD, p, O_CREAT | O_WRONLY, 0644));
	}
	raw_exit(0);
}

int main(int argc, char **argv)
{
	/* A path that goes on in the next page is the kernel's. */
	static char p[2 * PATH_MAX] __attribute__((aligned(PATH_MAX)));
	struct fastpath_stats s;
	unsigned long served = 0, stale = 0;
	int rounds = argc == 3 ? atoi(argv[2]) : 0;

	for (int round = 0; round < rounds; round++) {
		pid_t pid;

		snprintf(dir, sizeof dir, "%s/round%d", argv[1], round);
		if (mkdir(dir, 0755))
			return 2;
		name(p, round % NAMES);
		pid = fork();
		if (pid == 0)
			create();
		for (int i = 0; i < 20 + round % 50; i++)
			if (access(p, F_OK) == 0)
				break;
		waitpid(pid, NULL, 0);
		for (int i = 0; i < NAMES; i++) {
			name(p, i);
			stale += access(p, F_OK) != 0;
			strcat(p, ".absent");
			if (access(p, F_OK) == 0 || errno != ENOENT)
				fprintf(stderr, "%s exists\n", p);
		}
	}
	memset(&s, 0, sizeof s);
	if (fastpath_stats && fastpath_stats(&s, sizeof s) == 0)
		served = s.served[FASTPATH_ACCESS];
	if (stale)
		fprintf(stderr, "%lu names not seen\n", stale);
	if (!served) {
		int fd = inotify_init1(IN_CLOEXEC);

		fprintf(stderr, "nothing was served; inotify_init1: %s\n",
			fd < 0 ? strerror(errno) : "works");
	}
	return stale || !served;
}

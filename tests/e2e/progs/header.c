/*
 * header.c - a program that uses the public header, for interface.sh, in an empty directory.
 *
 * usage: header absent: without the library every function is null, and the program works.
 *        header inert: loaded but inert: fastpath_stats() says -1, the others do nothing.
 *        header use: statistics, flush, pause and resume, under FASTPATH_TEST=eager.
 *        header count N [fork|exec|exit] M: N access() calls on an absent path, then a fork, a
 *        failed exec or nothing, then M more (by the child after fork).
 */
#define _GNU_SOURCE
#include "fastpath.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int wrong;
static char here[PATH_MAX], absent[PATH_MAX + 16];

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                    \
			wrong = 1;                                                                 \
		}                                                                                  \
	} while (0)

static struct fastpath_stats now(void)
{
	struct fastpath_stats s;

	memset(&s, 0xff, sizeof s);
	MUST(fastpath_stats(&s, sizeof s) == 0);
	return s;
}

static void ask(int n)
{
	for (int i = 0; i < n; i++)
		MUST(access(absent, F_OK) != 0 && errno == ENOENT);
}

static int use(void)
{
	struct fastpath_stats a, b;
	struct {
		uint32_t scope, bell, guard;
	} small = {7, 7, 7};
	char big[sizeof a + 64];

	MUST(fastpath_version && fastpath_stats && fastpath_flush && fastpath_pause &&
	     fastpath_resume);
	if (wrong)
		return 1;
	MUST(!strcmp(fastpath_version(), FASTPATH_VERSION));
	ask(5);
	a = now();
	MUST(a.scope == FASTPATH_SCOPE_PROCESS);
	MUST(a.bell == FASTPATH_BELL_PAGE || a.bell == FASTPATH_BELL_EPOLL);
	MUST(a.calls[FASTPATH_ACCESS] == 5 && a.served[FASTPATH_ACCESS] >= 3 &&
	     a.served[FASTPATH_ACCESS] <= 5);
	MUST(a.learned > 0 && a.verify_wrong == 0);
	ask(10);
	b = now();
	MUST(b.calls[FASTPATH_ACCESS] == 15 &&
	     b.served[FASTPATH_ACCESS] == a.served[FASTPATH_ACCESS] + 10);

	/* a program built with an older, shorter structure; and one with a longer */
	MUST(fastpath_stats((struct fastpath_stats *)(void *)&small, 8) == 0);
	MUST(small.scope == FASTPATH_SCOPE_PROCESS && small.guard == 7);
	memset(big, 0x55, sizeof big);
	MUST(fastpath_stats((struct fastpath_stats *)(void *)big, sizeof big) == 0);
	MUST(((struct fastpath_stats *)(void *)big)->calls[FASTPATH_ACCESS] == 15);

	/* pauses nest, and what is paused is the kernel's */
	fastpath_pause();
	fastpath_pause();
	a = now();
	ask(3);
	fastpath_resume();
	ask(3);
	b = now();
	MUST(b.served[FASTPATH_ACCESS] == a.served[FASTPATH_ACCESS]);
	MUST(b.kernel[FASTPATH_DETACHED] == a.kernel[FASTPATH_DETACHED] + 6);
	fastpath_resume();
	ask(5);
	a = now();
	MUST(a.served[FASTPATH_ACCESS] > b.served[FASTPATH_ACCESS]);

	/* a change made in a pause is seen afterwards */
	fastpath_pause();
	MUST(mkdir(absent, 0755) == 0);
	MUST(access(absent, F_OK) == 0);
	fastpath_resume();
	MUST(access(absent, F_OK) == 0);
	MUST(rmdir(absent) == 0);
	ask(1);

	/* flush: known anew afterwards */
	snprintf(absent, sizeof absent, "%s/other", here);
	ask(3);
	fastpath_flush();
	a = now();
	ask(5);
	b = now();
	MUST(b.learned > a.learned && b.served[FASTPATH_ACCESS] >= a.served[FASTPATH_ACCESS] + 3);
	MUST(mkdir(absent, 0755) == 0 && access(absent, F_OK) == 0);
	fastpath_flush();
	MUST(access(absent, F_OK) == 0 && rmdir(absent) == 0);
	ask(2);

	/* errno is nobody's business */
	errno = 77;
	fastpath_version(), fastpath_pause(), fastpath_resume(), fastpath_flush(), now();
	MUST(errno == 77);
	return wrong;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	struct fastpath_stats s;

	if (!getcwd(here, sizeof here))
		return 2;
	snprintf(absent, sizeof absent, "%s/absent", here);
	if (!strcmp(what, "absent")) {
		MUST(!fastpath_version && !fastpath_stats && !fastpath_flush && !fastpath_pause &&
		     !fastpath_resume);
		ask(3);
	} else if (!strcmp(what, "inert")) {
		ask(3);
		MUST(fastpath_stats && fastpath_stats(&s, sizeof s) == -1);
		if (!wrong) {
			fastpath_pause(), fastpath_flush(), fastpath_resume();
			MUST(!strcmp(fastpath_version(), FASTPATH_VERSION));
		}
		ask(3);
	} else if (!strcmp(what, "use")) {
		return use();
	} else if (!strcmp(what, "count") && argc == 5) {
		int n = atoi(argv[2]), m = atoi(argv[4]);

		ask(n);
		if (!strcmp(argv[3], "exec")) {
			char *av[] = {"/etc/passwd", NULL};

			MUST(execv("/etc/passwd", av) != 0 && errno == EACCES);
		} else if (!strcmp(argv[3], "fork")) {
			int status;
			pid_t pid = fork();

			if (pid == 0) {
				ask(m);
				_exit(wrong);
			}
			MUST(waitpid(pid, &status, 0) == pid && status == 0);
			return wrong;
		}
		ask(m);
	}
	return wrong;
}

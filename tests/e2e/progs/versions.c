/*
 * versions.c - both symbol versions of realpath and posix_spawn keep their own manners. In an empty
 * directory; prints what they did. On x86-64 only, where old versions exist; 77 elsewhere.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__GLIBC__)
extern char **environ;
extern char *old_realpath(const char *, char *);
extern int old_spawn(pid_t *, const char *, const void *, const void *, char *const *,
		     char *const *);
extern int old_spawnp(pid_t *, const char *, const void *, const void *, char *const *,
		      char *const *);
__asm__(".symver old_realpath, realpath@GLIBC_2.2.5");
__asm__(".symver old_spawn, posix_spawn@GLIBC_2.2.5");
__asm__(".symver old_spawnp, posix_spawnp@GLIBC_2.2.5");

static pid_t pid;

static void told(const char *what, int error)
{
	int status = 0;

	if (!error)
		waitpid(pid, &status, 0);
	printf("%s: %d status %x\n", what, error, status);
	fflush(stdout);
}

int main(void)
{
	char here[PATH_MAX] __attribute__((aligned(4096))), buffer[PATH_MAX];
	char script[PATH_MAX + 32] __attribute__((aligned(4096)));
	char absent[PATH_MAX + 32] __attribute__((aligned(4096)));
	char *argv[] = {"script", NULL};
	FILE *f;

	if (!getcwd(here, sizeof here))
		return 2;
	snprintf(script, sizeof script, "%s/script", here);
	snprintf(absent, sizeof absent, "%s/absent", here);
	f = fopen(script, "w");
	fputs("echo ran; exit 3\n", f);
	fchmod(fileno(f), 0755);
	fclose(f);
	setenv("PATH", here, 1);
	setenv("PATH", strcat(strcpy(buffer, here), ":/bin"), 1);
	for (int i = 0; i < 3; i++) {
		errno = 0;
		printf("old realpath(null): %d", old_realpath(absent, NULL) != NULL);
		printf(" %d\n", errno);
		printf("old realpath of a file(null): %d\n", old_realpath(script, NULL) != NULL);
		printf("old realpath: %d", old_realpath(absent, buffer) != NULL);
		printf(" %d\n", errno);
		printf("new realpath(null): %d", realpath(absent, NULL) != NULL);
		printf(" %d\n", errno);
		printf("new realpath of a file(null): %d\n", realpath(script, NULL) != NULL);
		fflush(stdout);
		told("old spawn", old_spawn(&pid, script, NULL, NULL, argv, environ));
		told("old spawnp", old_spawnp(&pid, "script", NULL, NULL, argv, environ));
		told("old spawn absent", old_spawn(&pid, absent, NULL, NULL, argv, environ));
		told("new spawn", posix_spawn(&pid, script, NULL, NULL, argv, environ));
		told("new spawnp", posix_spawnp(&pid, "script", NULL, NULL, argv, environ));
		told("new spawn absent", posix_spawn(&pid, absent, NULL, NULL, argv, environ));
	}
	return 0;
}
#else
int main(void)
{
	fprintf(stderr, "old symbol versions of realpath and posix_spawn\n");
	return 77;
}
#endif

/* link: -shared -fPIC */
/*
 * other_preload.c - another preload library, whose constructor, destructor and own interposer of
 * access() ask for paths. It counts the calls that reach it, so that the order of LD_PRELOAD shows.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int calls;

int access(const char *path, int mode)
{
	static int (*next)(const char *, int);

	if (!next)
		next = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");
	calls++;
	return next(path, mode);
}

__attribute__((constructor)) static void start(void)
{
	struct stat st;

	for (int i = 0; i < 5; i++)
		if (access("/usr/lib/absent", F_OK) == 0 || stat("/usr/lib/absent", &st) == 0 ||
		    access("/usr/lib", F_OK) != 0 || stat("/usr/lib", &st) != 0)
			fprintf(stderr, "other_preload: a wrong answer in the constructor\n");
}

__attribute__((destructor)) static void end(void)
{
	struct stat st;

	if (access("/usr/lib/absent", F_OK) == 0 || stat("/usr/lib", &st) != 0)
		fprintf(stderr, "other_preload: a wrong answer in the destructor\n");
	if (getenv("OTHER_PRELOAD_TELL"))
		fprintf(stderr, "other_preload: %d\n", calls);
}

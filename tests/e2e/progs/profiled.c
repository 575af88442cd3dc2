/* link: -rdynamic */
/*
 * profiled.c - asks for absent paths in functions whose names a profile must show.
 * usage: profiled N, in an empty directory
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int inner_function_that_looks_up(void);
int outer_function_that_calls_it(void);
int another_function_that_stats(void);

static char path[PATH_MAX + 16];

__attribute__((noinline)) int inner_function_that_looks_up(void)
{
	int r = access(path, F_OK);

	__asm__ volatile("" ::: "memory"); /* no tail call */
	return r;
}

__attribute__((noinline)) int outer_function_that_calls_it(void)
{
	int r = inner_function_that_looks_up();

	__asm__ volatile("" ::: "memory");
	return r;
}

__attribute__((noinline)) int another_function_that_stats(void)
{
	struct stat st;
	int r = stat(path, &st);

	__asm__ volatile("" ::: "memory");
	return r;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, found = 0;
	char here[PATH_MAX];

	if (!getcwd(here, sizeof here))
		return 2;
	snprintf(path, sizeof path, "%s/absent", here);
	for (int i = 0; i < n; i++) {
		found += outer_function_that_calls_it() == 0;
		found += another_function_that_stats() == 0;
	}
	printf("%d\n", found);
	return found != 0;
}

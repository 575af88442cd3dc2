/*
 * access1.c - access() of a file that is there; each process has its own (will-it-scale access1).
 */
#include "suite.h"

const struct suite_variant suite_variants[] = {
    {"1", "loop", "access() of a present file", 1, 0},
    {"N", "loop", "access() of a present file, one process a CPU, each its own file", SUITE_ALL, 0},
    {NULL, NULL, NULL, 0, 0}};

static char file[PATH_MAX];

static void start(int task)
{
	size_t used = strlen(file);

	bench_path(file + used, sizeof file - used, "/file-%d", task);
	bench_touch(file);
}

static void ask(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		if (access(file, R_OK))
			bench_die("%s is not there", file);
}

void suite_prepare(const struct suite_variant *v)
{
	(void)v;
}

void suite_run(const struct suite_variant *v, const char *directory)
{
	bench_path(file, sizeof file, "%s", directory);
	suite_measure(&(struct suite_loop){suite_tasks(v), false, 256, start, ask});
}

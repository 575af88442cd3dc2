/*
 * access2.c - access() of one file that is there, by all processes (will-it-scale access2).
 */
#include "suite.h"

const struct suite_variant suite_variants[] = {
    {"1", "loop", "access() of a present file", 1, 0},
    {"N", "loop", "access() of a present file, one process a CPU, the same file", SUITE_ALL, 0},
    {NULL, NULL, NULL, 0, 0}};

static char file[PATH_MAX];

static void ask(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		if (access(file, R_OK))
			bench_die("%s is not there", file);
}

void suite_prepare(const struct suite_variant *v)
{
	(void)v;
	bench_touch("file");
}

void suite_run(const struct suite_variant *v, const char *directory)
{
	bench_path(file, sizeof file, "%s/file", directory);
	suite_measure(&(struct suite_loop){suite_tasks(v), false, 256, NULL, ask});
}

/*
 * realpath.c - realpath() of missing files that are the sixth component of their path, or a later
 * one where $TMPDIR is deeper.
 */
#define NAMES_SLOT 1024
#include "../names.h"
#include "suite.h"

const struct suite_variant suite_variants[] = {
    {"-", "loop", "realpath() of missing files, 6 components deep", 1, 0},
    {NULL, NULL, NULL, 0, 0}};

static void ask(unsigned calls)
{
	char answer[PATH_MAX];

	for (unsigned i = 0; i < calls; i++)
		if (realpath(hit_names[i % HIT_NAMES], answer))
			bench_die("%s is there", answer);
}

void suite_prepare(const struct suite_variant *v)
{
	(void)v;
}

void suite_run(const struct suite_variant *v, const char *directory)
{
	(void)v;
	names_deep(directory);
	suite_measure(&(struct suite_loop){1, false, HIT_NAMES, NULL, ask});
}

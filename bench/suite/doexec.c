/*
 * doexec.c - fork, exec and end of a program that does nothing: nothing is gained, and what the
 * library costs an exec is lost.
 */
#define _GNU_SOURCE
#include "../spawn.h"
#include "suite.h"

enum { PINNED = 1, DYNAMIC = 2 };

const struct suite_variant suite_variants[] = {
    {"static", "loop", "fork, exec and end of a tiny static program", 1, 0},
    {"static-pinned", "loop", "fork, exec and end of a tiny static program, on one CPU", 1, PINNED},
    {"dynamic", "loop", "fork, exec and end of a tiny dynamic program", 1, DYNAMIC},
    {"dynamic-pinned", "loop", "fork, exec and end of a tiny dynamic program, on one CPU", 1,
     DYNAMIC | PINNED},
    {NULL, NULL, NULL, 0, 0}};

static char program[PATH_MAX];

static void ask(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		spawn_once(program, environ, NULL);
}

void suite_prepare(const struct suite_variant *v)
{
	(void)v;
}

void suite_run(const struct suite_variant *v, const char *directory)
{
	(void)directory;
	suite_beside(program, sizeof program,
		     v->choice & DYNAMIC ? "programs/dynamic" : "programs/static");
	if (v->choice & PINNED)
		bench_pin(sched_getcpu());
	suite_measure(&(struct suite_loop){1, false, 1, NULL, ask});
}

/*
 * tax.c - what a preloaded library charges every exec of a program that has no use for it:
 * fastpath's, inert, without FASTPATH in the environment, and libeatmydata's beside it.
 */
#define _GNU_SOURCE
#include "../spawn.h"
#include "suite.h"
#include <glob.h>

enum { INERT, EATMYDATA };

const struct suite_variant suite_variants[] = {
    {"inert", "sides", "/bin/true, without and with libfastpath.so, inert", 1, INERT},
    {"eatmydata", "sides", "/bin/true, without and with libeatmydata.so, for comparison", 1,
     EATMYDATA},
    {NULL, NULL, NULL, 0, 0}};

static char preload[PATH_MAX + 16];
static char *environment[] = {"PATH=/usr/bin:/bin", preload, NULL};

static void ask(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		spawn_once("/bin/true", environment, NULL);
}

static const char *eatmydata(void)
{
	static glob_t found;

	(void)glob("/usr/lib*/libeatmydata.so", 0, NULL, &found);
	(void)glob("/usr/lib/*/libeatmydata.so", GLOB_APPEND, NULL, &found);
	return found.gl_pathc ? found.gl_pathv[0] : NULL;
}

void suite_prepare(const struct suite_variant *v)
{
	if (v->choice == EATMYDATA && !eatmydata())
		suite_skip("libeatmydata is not installed");
}

void suite_run(const struct suite_variant *v, const char *directory)
{
	const char *side = getenv("FASTPATH_BENCH_SIDE");
	const char *library =
	    v->choice == EATMYDATA ? eatmydata() : getenv("FASTPATH_BENCH_LIBRARY");
	bool with = side && !strcmp(side, "after");

	(void)directory;
	if (!library)
		bench_die("FASTPATH_BENCH_LIBRARY is not set");
	/* Of one length on both sides: the stack is part of what an exec costs. */
	bench_path(preload, sizeof preload, "%s=%s", with ? "LD_PRELOAD" : "XX_PRELOAD", library);
	suite_measure(&(struct suite_loop){1, false, 1, NULL, ask});
}

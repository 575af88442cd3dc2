/*
 * hit_realpath.c - realpath() of missing files that are the sixth component of their path, against
 * libc's realpath() in the same process: its readlinks are made inside libc and never reach the
 * library. Arguments: a directory of its own, the number of pairs.
 */
#include "hit.h"

static char *(*libc_realpath)(const char *, char *);
static char answer[PATH_MAX];

static void ask_library(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		if (realpath(hit_names[i % HIT_NAMES], answer))
			bench_die("%s is there", answer);
}

static void ask_libc(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		if (libc_realpath(hit_names[i % HIT_NAMES], answer))
			bench_die("%s is there", answer);
}

int main(int argc, char **argv)
{
	char libc_says[PATH_MAX];

	if (argc < 2)
		bench_die("usage: hit_realpath DIRECTORY [PAIRS]");
	names_deep(argv[1]);
	if (names_components(hit_names[0]) != NAMES_DEEP)
		bench_die("%s has too many components for %d", argv[1], NAMES_DEEP);
	libc_realpath = hit_libc("realpath");
	hit_warm(FASTPATH_REALPATH, ask_library);
	libc_realpath(hit_names[0], libc_says);
	errno = 0;
	if (realpath(hit_names[0], answer) || errno != ENOENT || strcmp(answer, libc_says))
		bench_die("realpath left %s, libc's leaves %s", answer, libc_says);
	hit_measure(FASTPATH_REALPATH, bench_argument(argc, argv, 2, 60),
		    (struct hit_side){ask_libc, 256}, (struct hit_side){ask_library, 8192});
	return 0;
}

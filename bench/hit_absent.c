/*
 * hit_absent.c - access() of missing files in a listed directory, against the kernel's own time in
 * the same process. Arguments: a directory of its own, the number of pairs, and "wall" when the
 * time that other processes take is part of it.
 */
#include "hit.h"

static int (*kernel_access)(const char *, int);

static void ask_library(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		if (access(hit_names[i % HIT_NAMES], F_OK) == 0)
			bench_die("%s is there", hit_names[i % HIT_NAMES]);
}

static void ask_kernel(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		if (kernel_access(hit_names[i % HIT_NAMES], F_OK) == 0)
			bench_die("%s is there", hit_names[i % HIT_NAMES]);
}

int main(int argc, char **argv)
{
	char present[PATH_MAX];

	if (argc < 2)
		bench_die("usage: hit_absent DIRECTORY [PAIRS [wall]]");
	for (int i = 0; i < HIT_NAMES; i++) {
		bench_path(hit_names[i], HIT_NAME_BYTES / 2, "%s/missing-%02d.h", argv[1], i);
		bench_path(present, sizeof present, "%s/present-%02d.h", argv[1], i);
		bench_touch(present);
	}
	if (argc > 3 && !strcmp(argv[3], "wall"))
		hit_clock = CLOCK_MONOTONIC;
	kernel_access = hit_libc("access");
	hit_measure(FASTPATH_ACCESS, bench_argument(argc, argv, 2, 60),
		    (struct hit_side){ask_kernel, 1024}, (struct hit_side){ask_library, 16384});
	return 0;
}

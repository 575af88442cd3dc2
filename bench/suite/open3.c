/*
 * open3.c - open() read-only and close() of one file by all threads (will-it-scale open3). A file
 * that is there is opened by the kernel: nothing is gained, and nothing must be lost.
 */
#include "suite.h"

const struct suite_variant suite_variants[] = {
    {"1", "loop", "open() and close() of a present file", 1, 0},
    {"N", "loop", "open() and close() of a present file, one thread a CPU, the same file",
     SUITE_ALL, 0},
    {NULL, NULL, NULL, 0, 0}};

static char file[PATH_MAX];

static void ask(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++) {
		int fd = open(file, O_RDONLY);

		if (fd < 0)
			bench_die("open %s: %s", file, strerror(errno));
		close(fd);
	}
}

void suite_prepare(const struct suite_variant *v)
{
	(void)v;
	bench_touch("file");
}

void suite_run(const struct suite_variant *v, const char *directory)
{
	bench_path(file, sizeof file, "%s/file", directory);
	suite_measure(&(struct suite_loop){suite_tasks(v), true, 64, NULL, ask});
}

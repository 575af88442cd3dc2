/*
 * memory.c - the private memory of a process that has asked for missing files in 50 directories.
 * Run with and without the library: the difference is the library's. Prints "private CLEAN DIRTY"
 * in kB; a clean private page is one of a file that nobody else has mapped. Arguments: a directory
 * of its own, and "hold" to stay until stdin ends: the pages of files are then shared by a second
 * one.
 */
#include "bench.h"

enum { DIRECTORIES = 50, FILES = 40, ROUNDS = 20 };

static void make_directories(const char *root)
{
	char path[PATH_MAX];

	for (int d = 0; d < DIRECTORIES; d++) {
		bench_path(path, sizeof path, "%s/directory-%02d", root, d);
		bench_mkdir(path);
		for (int f = 0; f < FILES; f++) {
			bench_path(path, sizeof path, "%s/directory-%02d/file-%02d.h", root, d, f);
			bench_touch(path);
		}
	}
}

static void ask(const char *root)
{
	/* Where a path ends in its page is the library's concern, but not this program's subject.
	 */
	static _Alignas(4096) char path[PATH_MAX];

	for (int d = 0; d < DIRECTORIES; d++) {
		bench_path(path, sizeof path, "%s/directory-%02d/missing.h", root, d);
		if (access(path, F_OK) == 0)
			bench_die("%s is there", path);
	}
}

static void must_know_all(const char *root)
{
	struct fastpath_stats before = bench_stats(), after;

	ask(root);
	after = bench_stats();
	uint64_t served = after.served[FASTPATH_ACCESS] - before.served[FASTPATH_ACCESS];
	if (served == DIRECTORIES)
		return;
	bench_why_not_served(&before, &after);
	bench_die("knows %llu of %d directories", (unsigned long long)served, DIRECTORIES);
}

static long field_kb(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? atol(at + strlen(name)) : -1;
}

static void print_private(void)
{
	static char text[8192];
	int fd = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (length < 0)
		bench_die("/proc/self/smaps_rollup: %s", strerror(errno));
	close(fd);
	printf("private %ld %ld\n", field_kb(text, "Private_Clean:"),
	       field_kb(text, "Private_Dirty:"));
}

int main(int argc, char **argv)
{
	struct fastpath_stats stats;

	if (argc < 2)
		bench_die("usage: memory DIRECTORY [hold]");
	make_directories(argv[1]);
	for (int round = 0; round < ROUNDS; round++)
		ask(argv[1]);
	/* stdio's own pages now, in both processes */
	printf("bell %s\n", fastpath_stats ? bench_bell_name(bench_stats().bell) : "none");
	fflush(stdout);
	print_private();
	if (fastpath_stats && fastpath_stats(&stats, sizeof stats) == 0)
		must_know_all(argv[1]);
	fflush(stdout);
	if (argc > 2)
		getchar();
	return 0;
}

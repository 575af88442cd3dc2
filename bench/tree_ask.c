/*
 * tree_ask.c - asks for missing files until the library knows them all, and says so: "known N".
 * With a path in ASK instead of arguments it asks once, calls getppid() as a mark for tracers, and
 * appends "NAME CPU_NS MINFLT" of that one call to the file ASK_TO: what it costs to attach.
 */
#include "bench.h"

#include <sys/resource.h>

enum { ROUNDS = 3000 };

static void ask(const char *path)
{
	/* Where a path ends in its page is the library's concern, but not this program's subject.
	 */
	static _Alignas(4096) char aligned[PATH_MAX];

	bench_path(aligned, sizeof aligned, "%s", path);
	if (access(aligned, F_OK) == 0)
		bench_die("%s is there", path);
}

static long faults(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return used.ru_minflt;
}

static int ask_once(const char *path)
{
	char line[128];
	long was = faults(), took;
	double start = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID), cpu_ns;

	ask(path);
	cpu_ns = bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	took = faults() - was;
	getppid();
	int fd = open(getenv("ASK_TO"), O_WRONLY | O_APPEND | O_CLOEXEC);
	int n = snprintf(line, sizeof line, "%s %.0f %ld\n", getenv("ASK_NAME"), cpu_ns, took);

	return write(fd, line, (size_t)n) != n;
}

int main(int argc, char **argv)
{
	struct fastpath_stats before = {0}, after = {0};
	const char *once = getenv("ASK");

	if (once)
		return ask_once(once);
	for (int round = 0; round < ROUNDS; round++) {
		before = bench_stats();
		for (int i = 1; i < argc; i++)
			ask(argv[i]);
		after = bench_stats();
		if (after.served[FASTPATH_ACCESS] - before.served[FASTPATH_ACCESS] ==
		    (uint64_t)argc - 1) {
			printf("known %d\n", argc - 1);
			return 0;
		}
		bench_nap(); /* the broker learns on its own tick */
	}
	bench_why_not_served(&before, &after);
	bench_die(
	    "knows %llu of %d",
	    (unsigned long long)(after.served[FASTPATH_ACCESS] - before.served[FASTPATH_ACCESS]),
	    argc - 1);
}

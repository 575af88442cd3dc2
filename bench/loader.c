/*
 * loader.c - what one exec of a program costs in several environments, interleaved. Each
 * round runs all of them in another order: a drift falls on all alike, and so does what the run
 * before left in the caches, which is worth 2 us. A line a round and environment: "exec NAME
 *WALL_NS CPU_US MINFLT".
 *
 *	loader ROUNDS PROGRAM NAME [VARIABLE=VALUE ...] -- NAME [VARIABLE=VALUE ...] -- ...
 *
 * Not to be preloaded itself. It pins itself, and so its children, to one core.
 */
#include "spawn.h"

enum { ENVIRONMENTS_MAX = 16, VARIABLES_MAX = 16 };

struct environment {
	const char *name;
	char *variables[VARIABLES_MAX]; /* ends with NULL */
	int count;
};

static struct environment environments[ENVIRONMENTS_MAX];

static int parse(char **words)
{
	int n = 0;

	for (; *words; n++) {
		if (n == ENVIRONMENTS_MAX)
			bench_die("more than %d environments", ENVIRONMENTS_MAX);
		struct environment *e = &environments[n];

		e->name = *words++;
		e->variables[e->count++] = "PATH=/usr/bin:/bin";
		for (; *words && strcmp(*words, "--"); words++) {
			if (e->count == VARIABLES_MAX - 1)
				bench_die("more than %d variables", VARIABLES_MAX - 2);
			e->variables[e->count++] = *words;
		}
		words += *words != NULL;
	}
	return n;
}

static void run_once(char *program, struct environment *e)
{
	struct rusage used;
	double start = bench_clock_ns(CLOCK_MONOTONIC);

	spawn_once(program, e->variables, &used);
	printf("exec %s %.0f %lld %ld\n", e->name, bench_clock_ns(CLOCK_MONOTONIC) - start,
	       (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000LL + used.ru_utime.tv_usec +
		   used.ru_stime.tv_usec,
	       used.ru_minflt);
}

/* Fisher-Yates; random() starts from the same seed in every run. */
static void shuffle(int *order, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int other = (int)(random() % (i + 1)), was = order[i];

		order[i] = order[other];
		order[other] = was;
	}
}

int main(int argc, char **argv)
{
	if (argc < 4)
		bench_die("usage: loader ROUNDS PROGRAM NAME [VARIABLE=VALUE ...] -- ...");
	int rounds = atoi(argv[1]), n = parse(argv + 3);
	int order[ENVIRONMENTS_MAX];

	bench_pin(sched_getcpu());
	for (int i = 0; i < n; i++)
		order[i] = i;
	for (int round = 0; round < rounds; round++) {
		shuffle(order, n);
		for (int i = 0; i < n; i++)
			run_once(argv[2], &environments[order[i]]);
	}
	return 0;
}

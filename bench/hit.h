/*
 * hit.h - what the hit workloads share: 64 names to ask for, libc past the library, proof that the
 * timed calls were served, A B B A pairs. Prints "bell NAME", and "pair BASE WITH" and "noise BASE
 * BASE" in ns a call.
 */
#ifndef HIT_H
#define HIT_H

#include "bench.h"
#include "names.h"
#include <dlfcn.h>

enum { HIT_WARM_ROUNDS = 200 };

/* CPU time: what another process does on this core is not ours. */
static inline double hit_cpu_ns(void)
{
	return bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* CLOCK_MONOTONIC where another process is what is waited for: a tracer, a file system's server. */
static clockid_t hit_clock = CLOCK_THREAD_CPUTIME_ID;

/* libc's own definition, whatever is preloaded: the kernel's price, or the next realpath's. */
static inline void *hit_libc(const char *symbol)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *found = libc ? dlsym(libc, symbol) : NULL;

	if (!found)
		bench_die("libc.so.6 has no %s", symbol);
	return found;
}

/* Asks until one whole round is served: what is timed afterwards are hits, or nothing is. */
static inline void hit_warm(enum fastpath_call call, void (*ask)(unsigned))
{
	struct fastpath_stats before, after;

	for (int round = 0; round < HIT_WARM_ROUNDS; round++) {
		before = bench_stats();
		ask(HIT_NAMES);
		after = bench_stats();
		if (after.served[call] - before.served[call] == HIT_NAMES) {
			printf("bell %s\n", bench_bell_name(after.bell));
			return;
		}
		bench_nap(); /* a session's broker learns on its own tick */
	}
	bench_why_not_served(&before, &after);
	bench_die("served %llu of %d, bell %s",
		  (unsigned long long)(after.served[call] - before.served[call]), HIT_NAMES,
		  bench_bell_name(after.bell));
}

struct hit_side {
	void (*ask)(unsigned calls);
	unsigned calls; /* a batch: about a millisecond, shorter than a time slice */
};

static inline double hit_ns_a_call(struct hit_side side)
{
	double start = bench_clock_ns(hit_clock);

	side.ask(side.calls);
	return (bench_clock_ns(hit_clock) - start) / side.calls;
}

/* A B B A: a drift that lasts longer than four batches falls on both sides alike. */
static inline void hit_pairs(int pairs, struct hit_side base, struct hit_side with)
{
	for (int i = 0; i < pairs; i += 2) {
		double a = hit_ns_a_call(base), b = hit_ns_a_call(with);
		double c = hit_ns_a_call(with), d = hit_ns_a_call(base);

		printf("pair %.2f %.2f\npair %.2f %.2f\nnoise %.2f %.2f\n", a, b, d, c, a, d);
	}
}

/* The timed hits must have been hits: a change elsewhere may ring a few into the kernel. */
static inline void hit_must_have_served(enum fastpath_call call,
					const struct fastpath_stats *before, uint64_t asked)
{
	struct fastpath_stats after = bench_stats();
	uint64_t served = after.served[call] - before->served[call];

	if (served >= asked - asked / 1000)
		return;
	bench_why_not_served(before, &after);
	bench_die("served %llu of %llu timed calls", (unsigned long long)served,
		  (unsigned long long)asked);
}

static inline void hit_measure(enum fastpath_call call, int pairs, struct hit_side base,
			       struct hit_side with)
{
	hit_warm(call, with.ask);
	struct fastpath_stats before = bench_stats();
	hit_pairs(pairs, base, with);
	hit_must_have_served(call, &before, (uint64_t)(pairs + pairs % 2) * with.calls);
}

#endif

/*
 * pairs.h - a command without and with the library, interleaved: A B B A A B B A ...
 *
 * A drift of the machine that lasts longer than four runs falls on both sides alike, and the two A
 * of four runs say how far two measurements of the same thing lie apart.
 */
#ifndef BENCH_PAIRS_H
#define BENCH_PAIRS_H

#include "bench/statistic.h"

#include <stdint.h>

struct side {
	char *const *prefix; /* words before the command's, ended by NULL */
	char *const *environment;
};

struct subject {
	char *const *argv;
	const char *directory; /* NULL: this one */
	bool loop;             /* prints what it measured; else it is measured from outside */
	int output;            /* where a command's output goes; -1: nowhere */
	struct side before, after;
};

struct plan {
	size_t pairs; /* 0: as many as fit into the time, and within these */
	size_t fewest, most;
	uint64_t budget_ns; /* for a subject */
	uint64_t until_ns;  /* on CLOCK_MONOTONIC; 0: no end. No pair begins after it */
	/* How far it is, with the time of a pair; of 0 pairs: it is warming up. */
	void (*progress)(void *context, size_t done, size_t pairs, uint64_t pair_ns);
	void *context;
};

enum { METRICS = 2, PAIRS_WHY = 512 };

/* One figure of a subject: pair i is before[i] and after[i]; in the order of measuring. */
struct metric {
	const char *unit; /* "ops/cpu-s", "cpu ms", "wall ms" */
	bool more_is_better;
	double *before, *after;
};

struct series {
	struct metric metrics[METRICS];
	size_t metrics_used;
	size_t pairs, room;
	int exec_error; /* not 0: the command could not be run */
	char why[PAIRS_WHY];
};

/*
 * *s is zeroed before. Returns 0, -EINTR (a signal asked to stop: what was measured stays), 1 with
 * s->why (the subject failed), or -errno. Pairs are even in number.
 */
int pairs_measure(const struct subject *subject, const struct plan *plan, struct series *s);

void pairs_free(struct series *s);

/* Metric m: before against after, and, as far as there are runs for it, before against before.
 * Needs two pairs. Returns 0 or -ENOMEM. */
int pairs_compare(const struct series *s, size_t m, struct comparison *c, struct comparison *noise);

#endif

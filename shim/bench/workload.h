/*
 * workload.h - what can be measured: the executable files of a directory, each of which says itself
 * what it does.
 *
 *	FILE describe		prints a line for each variant: VARIANT KIND WHAT...; a VARIANT -
 *has no name
 *	FILE prepare VARIANT	in an empty directory of its own; may say why it cannot run and exit
 *with 77 FILE run VARIANT	in the same, as often as is asked
 *
 * A command is measured from outside: CPU and wall time. A loop measures itself, and prints "OPS
 *NS": how many operations in how many nanoseconds. `sides` is a loop that makes the difference
 *between before and after itself: it is told by FASTPATH_BENCH_SIDE.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum workload_kind { WORKLOAD_BROKEN = 0, WORKLOAD_COMMAND, WORKLOAD_LOOP, WORKLOAD_SIDES };

struct workload {
	char *path;
	char *file;    /* its last component */
	char *variant; /* "-": there is one only */
	char *name;    /* FILE or FILE.VARIANT: the row's; without control characters */
	char *what;    /* of a broken one: why */
	enum workload_kind kind;
	bool wanted;
};

struct suite {
	struct workload *workloads; /* a directory's by name */
	size_t used, room;
};

enum { WORKLOAD_CANNOT = 77 };

/* Takes in all of a directory. Returns 0 or -errno; -EINTR when a signal asked to stop. */
int suite_add(struct suite *s, const char *directory, char *const *environment);

/* Marks what a name, a file's name, or a glob of either selects. False: nothing. */
bool suite_select(struct suite *s, const char *pattern);

/* Returns 0, -EINTR, or 1 with `why`: it cannot run here (*missing), or failed. */
int workload_prepare(const struct workload *w, const char *directory, char *const *environment,
		     char *why, size_t why_size, bool *missing);

#endif

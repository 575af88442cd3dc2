/*
 * tracer.h - ptrace(2) on a tree of processes that stop, by the filter, at path lookups alone.
 *
 * The caller's thread is the tracer until the last of them has ended: the filter cannot be taken
 * off, and without a tracer every lookup would fail. If it dies, so do they.
 */
#ifndef AUDIT_TRACER_H
#define AUDIT_TRACER_H

#include "audit/model.h"

#include <stdbool.h>
#include <sys/types.h>

struct stacks;

struct tracer_options {
	struct model *model;
	struct stacks *stacks; /* NULL: not wanted */
	/* Called once, when the first process has ended: what comes later is let pass, uncounted.
	 */
	void (*ended)(void *context);
	void *context;
};

/* Makes a running process the first of the tree. Returns 0 or -errno. */
int tracer_seize(pid_t pid);

/* Serves the tree from its first exec that succeeds until nobody of it is left. */
void tracer_run(const struct tracer_options *o, pid_t first);

#endif

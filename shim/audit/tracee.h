/*
 * tracee.h - the threads that are traced, and the processes that they make up.
 */
#ifndef AUDIT_TRACEE_H
#define AUDIT_TRACEE_H

#include "audit/model.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { TRACEE_PATH_BYTES = 4096, TRACEE_BUCKETS = 1024 };

/* One process since its last exec or fork; lives as long as a thread of it. */
struct process {
	struct model_process model;
	uint64_t loader, loader_end;
	pid_t pid;
	uint32_t threads;
	void *unwinder; /* of stack.h */
};

struct tracee {
	struct tracee *next; /* in its bucket */
	pid_t tid;
	struct process *process;
	/* The lookup it is in; call == NULL: none. */
	const struct call *call;
	uint64_t at; /* address of the system call's instruction */
	uint64_t path_at;
	uint32_t mode, length;
	bool foreign, by_loader;
	bool announced; /* whoever started it has told */
	char path[TRACEE_PATH_BYTES];
};

struct tracees {
	struct tracee *buckets[TRACEE_BUCKETS];
	size_t n;
};

struct tracee *tracee_find(const struct tracees *all, pid_t tid);

/* Adds a thread of `p`, or of a new process `pid` that is like `like` (NULL: like nothing known) if
 * p is NULL. Returns NULL without memory. */
struct tracee *tracee_add(struct tracees *all, pid_t tid, struct process *p, pid_t pid,
			  const struct process *like);

/* With its process, if it was the last of it. */
void tracee_remove(struct tracees *all, struct tracee *t);

/* As exec does: ends every thread of t's process but `t`, and whatever was known of the program. */
void tracee_executes(struct tracees *all, struct tracee *t);

#endif

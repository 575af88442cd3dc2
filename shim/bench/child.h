/*
 * child.h - running a command, and what it and all it started cost.
 *
 * This process waits for all of them, also for those that outlived who started them (a session's
 * broker), and looks for signals that ask it to stop meanwhile: then nothing of them is left.
 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stdint.h>

struct child_command {
	char *const *argv;
	char *const *environment;
	const char *directory; /* NULL: this one */
	/* Descriptors; -1: /dev/null. Standard input is /dev/null. */
	int output, error;
};

struct child_used {
	int exec_error;   /* not 0: it was not run, with this errno */
	int status;       /* as of wait(2) */
	uint64_t wall_ns; /* until it ended itself */
	uint64_t cpu_ns;  /* of all */
	uint64_t rest_ns; /* of cpu_ns: what outlived who started it */
};

/* Before the first command: signals that stop are blocked from now on, and children inherited. */
void child_prepare(void);

/*
 * 0; -EINTR: a signal asked to stop; -ETIME: processes that it left behind did not end for ten
 * seconds, and were killed; or -errno: no process was to be had.
 */
int child_run(const struct child_command *c, struct child_used *used);

/* The signal that asked to stop, or 0. Once asked, every child_run() is -EINTR at once. */
int child_stop_signal(void);

#endif

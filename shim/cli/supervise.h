/*
 * supervise.h - a command as a child that looks, to whoever started us, as if it were this process.
 *
 * For what has to be done when the command has ended; without that, exec in place is better.
 */
#ifndef CLI_SUPERVISE_H
#define CLI_SUPERVISE_H

#include <stdint.h>

enum { SUPERVISE_KEPT = 2 };

struct outcome {
	int exec_error; /* not 0: the command was not run, with this errno */
	int status;     /* exit status, as of a shell's $? */
	int signal;     /* that it died of; 0: it exited */
	uint64_t wall_ns;
};

/* What the new process does just before it executes the command. Returns 0, or -errno when the command
 * must not be executed. Signals are blocked. */
struct supervise_before {
	int (*run)(void *context);
	void *context;
};

/*
 * Runs the command and waits for its end. It starts with the signal mask, the dispositions and the
 * process group of this process. Meanwhile signals sent to this process are passed on, and it stops
 * and continues with the command. It closes its own copies of all descriptors but 2 and `keep` (-1:
 * none), and leaves its directory. Returns 0, or -errno when there was no process to be had, or when
 * `before` (NULL: nothing) returned it.
 */
int supervise(char *const *argv, char *const *environment, const int keep[SUPERVISE_KEPT],
	      const struct supervise_before *before, struct outcome *out);

/* Ends this process as the command ended: of the same signal, without a core, or with its status.
 */
_Noreturn void supervise_end_as(const struct outcome *o);

#endif

/*
 * auditor.h - the process that traces a command's tree, beside the command: neither its parent nor
 * its child, and nothing that the command can wait for.
 */
#ifndef CLI_AUDITOR_H
#define CLI_AUDITOR_H

#include "cli/audit.h"
#include "cli/supervise.h"

#include <sys/types.h>

struct auditor {
	pid_t pid;
	int control; /* to it; closed on exec */
	void *filter;
};

/* Starts it. Returns 0 or -errno. Its descriptors are standard error, `o->out` and `control`. */
int auditor_start(struct auditor *a, const struct audit_options *o);

/*
 * In the new process, before the exec (supervise_before): lets the auditor seize it and puts the
 * filter on. Returns 0 or -errno, after a line on standard error.
 */
int auditor_enter(void *auditor);

/* After the command's end: hands over how it ended and waits until the report is written. Returns
 * 0, or -errno when there is none. Children of the command that are left stay traced. */
int auditor_finish(const struct auditor *a, const struct outcome *o);

#endif

/*
 * broker.h - a session's authority process: starting one, and ending it.
 *
 * The broker is nobody's child, in a session (setsid) of its own, holds no descriptor of the caller's, and
 * ends by itself when the process `until` has ended.
 */
#ifndef BROKER_BROKER_H
#define BROKER_BROKER_H

#include <stdbool.h>
#include <sys/types.h>

enum { BROKER_VARIABLE = 128 };

struct broker_options {
	bool eager;	     /* FASTPATH_TEST */
	unsigned tick_us;    /* FASTPATH_TEST; 0: the default */
	const char *skip;    /* FASTPATH_SKIP, FASTPATH_TRUST; NULL: none */
	const char *trust;
	bool controlled;     /* `control` is wanted */
};

struct broker {
	pid_t pid;
	char variable[BROKER_VARIABLE]; /* value of FASTPATH_SESSION */
	/* A close-on-exec stream socket, or -1. Shutting down our side of it ends the broker, which then
	 * writes its report, one JSON object on one line, and closes it. */
	int control;
};

/*
 * Starts a broker that serves until process `until` has ended, and does not wait until it is ready: clients
 * find that out. Returns 0, or -errno with nothing left running. Where there is no tree scope, the broker
 * ends at once, clients use process scope, and its report is {"why": a phrase for the user}.
 */
int broker_start(const struct broker_options *o, pid_t until, struct broker *out);

#endif

/*
 * session.h - the scope and the environment that a command is run with.
 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "broker/broker.h"
#include "cli/environment.h"

#include <stdbool.h>

struct session_options {
	bool observed;       /* the tree's statistics are wanted */
	const char *command; /* what will be executed */
	bool reported;       /* and the broker's */
	bool verify;         /* FASTPATH_VERIFY */
	const char *profile; /* FASTPATH_PROFILE, as given; NULL: the user's own */
};

struct session {
	struct environment environment;
	const char *scope; /* "tree", "process" or "off" */
	const char *why;   /* not tree scope; NULL in tree scope */
	int lines;         /* the tree's statistics: a descriptor, or -1 */
	struct broker broker;
};

/*
 * Decides on scope and environment, and starts the broker, which serves until this process ends.
 * Returns 0 or -errno, and then the command cannot be run.
 */
int session_prepare(struct session *s, const struct session_options *o);

#endif

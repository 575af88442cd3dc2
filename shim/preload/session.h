/*
 * session.h - this process in a tree: attaching to a session's segment, telling its broker what was
 * lost, and what to do about the preload of programs that are about to be executed.
 *
 * After attaching no descriptor is held and nothing is owned: hits read shared memory alone.
 */
#ifndef PRELOAD_SESSION_H
#define PRELOAD_SESSION_H

#include "base/path.h"
#include "preload/scope.h"

/* Is there a session that may still be attached to? */
FP_INLINE bool session_offered(void)
{
	return scope.settings.session && !load_relaxed(&scope.session_decided);
}

/* Is it too early for that? A process that loses once costs less than attaching it. */
FP_INLINE bool session_waits(void)
{
	return !scope.ledger.lost && !scope.settings.eager;
}

/* False: there is none for this process, or not yet; process scope may serve. */
bool session_attach(void);

/* The same before an exec, where a vfork child must not. */
bool session_attach_to_exec(void);

/* Attaches anew, as it were: is this process still whom the session is for? Else caching ends. */
void session_flush(void);

/* The kernel answered what a fact would have. */
void session_teach(const struct path *p, unsigned question, unsigned detail, uint32_t weight,
		   bool refused);

/* The bell rang: the broker is told, if it sleeps. True: ask again (in tests, which wait for it). */
bool session_rang(void);

/* This process ends. */
void session_report_end(void);

/* It, or a child that shares its memory, executes another program; for_good: in its own place. */
void session_report_exec(bool for_good);

/* At start, when there is a FASTPATH_SESSION: a program that it is marked for attaches at once. */
void session_start(void);

/* What becomes of the preload when a program is executed. */
enum injection {
	INJECT_NOT, /* it cannot take it, or it has not paid in this session */
	INJECT_NONE, /* there is no such program: an absolute path that the kernel does not find */
	INJECT,
	INJECT_MARKED, /* it executes others: each of its forked children would have to attach for that */
	INJECT_ASKED, /* too little is known of its runs */
};

/* Of the program that `path` names, relative to dir. flags: AT_EMPTY_PATH for a descriptor's own. Writes nothing. */
enum injection session_injects(int dir, const char *path, int flags);

#endif

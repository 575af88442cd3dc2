/*
 * programs.h - selective injection: which programs are worth a preload, from what their runs report.
 */
#ifndef BROKER_PROGRAMS_H
#define BROKER_PROGRAMS_H

#include "cache/session.h"

/* What the broker knows of one program. */
struct record_of_runs {
	uint32_t runs; /* reported: a sample */
	uint64_t lost, served;
	uint32_t price_ns;
	uint64_t looked_ns;  /* when it was last looked at */
	uint64_t dropped_ns; /* when */
	uint32_t drops;
	char exe[256];
};

struct programs {
	struct session *session;
	uint64_t preload_ns, attach_ns, lookup_ns; /* what they cost here, as far as can be told */
	uint64_t next_ns;		/* when one that was dropped may be tried again */
	struct record_of_runs of[SESSION_PROGRAMS]; /* as in session->programs */
};

void programs_start(struct programs *p, struct session *s);

/* A POST_RUN or POST_EXEC, as anybody may have written it. */
void programs_note(struct programs *p, const struct note *n, const char *exe, uint64_t now_ns);

/* Lets dropped programs be tried again, at doubled distances. */
void programs_retry(struct programs *p, uint64_t now_ns);

#endif

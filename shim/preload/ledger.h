/*
 * ledger.h - the cost rule's buy side: spend on caching only what was already lost without it.
 *
 * Counts calls that a fact would have answered, in a few words; sets up, lists a directory or finds
 * a positive fact when what those calls cost exceeds the price of that step.
 */
#ifndef PRELOAD_LEDGER_H
#define PRELOAD_LEDGER_H

#include "authority/bill.h"
#include "base/attributes.h"
#include "base/path.h"

#include <fastpath.h>

#include <stdbool.h>
#include <stdint.h>

struct ledger {
	struct loss *losses; /* in static memory, or in the region */
	uint32_t lost;	/* calls, all together, since the last attempt to set up */
	uint32_t deferred; /* what it was when setting up failed */
	uint32_t pid;	/* who lost them: a forked child starts anew */
	uint32_t price; /* of one call, in nanoseconds; 0: not measured yet */
	uint32_t samples; /* how often it was measured */
	uint32_t setup; /* price of setting up, in nanoseconds; 0: not known yet */
};

/* Should this call be timed? */
bool ledger_samples(void);

/* A call in lookups: realpath() makes one for each component. */
FP_INLINE uint32_t ledger_weight(enum fastpath_call family)
{
	return family == FASTPATH_REALPATH ? 5 : 1;
}

/* One call took so long. */
void ledger_price(uint64_t ns);

/* The kernel gave an answer that could have been known: to an enum question of authority.h, or
 * ENOENT (QUESTION_NONE). */
void ledger_loss(const struct path *p, unsigned question, unsigned detail);

/* What one avoided call saves, in nanoseconds. */
uint64_t ledger_saving(void);

#endif

/*
 * worth.h - the cost rule's give-up side: what is not worth watching any more.
 */
#ifndef AUTHORITY_WORTH_H
#define AUTHORITY_WORTH_H

#include "authority/authority.h"

enum {
	WORTH_FIRST_LEARN_NS = 15000, /* until the first was measured */
	WORTH_DEBT_LEARNINGS = 4,     /* a watch whose ringing cost this many learnings is given up */
};

/* A catching-up cost cost_ns and gain_ns was saved since the last: settle with those that rang. */
void worth_reckon(struct authority *a, uint64_t gain_ns, uint64_t cost_ns);

/* A learning took cost_ns. */
void worth_learned(struct authority *a, enum learned learned, uint64_t cost_ns);

/* The directory has outgrown its filter: forget the listing, so that it is learned again if asked. */
void worth_relist(struct authority *a, struct watch *w);

#endif

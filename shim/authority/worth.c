/*
 * worth.c - giving up: a directory that rings more than it serves.
 *
 * One ringing watch turns every answer away until the owner has caught up, so its price is set
 * against all that was saved since the last time.
 */
#include "authority/worth.h"

#include "authority/place.h"
#include "authority/watch.h"
#include "base/atomic.h"

static void give_up(struct authority *a, struct watch *w)
{
	int wd = w->wd;

	for (uint32_t i = 1; i <= a->places_used; i++)
		if (a->places[i].kind != PLACE_NONE && a->places[i].wd == wd)
			place_strike(a, i);
	place_end_watched(a, wd);
	w->debt_ns = 0;
}

void worth_reckon(struct authority *a, uint64_t gain_ns, uint64_t cost_ns)
{
	int64_t limit = (int64_t)(WORTH_DEBT_LEARNINGS * a->learn_ns), each;
	int rang = 0;

	a->spent_ns += cost_ns;
	for (uint32_t i = 0; i < a->watches_used; i++)
		rang += a->watches[i].wd && a->watches[i].rang;
	if (!rang)
		return;
	each = ((int64_t)cost_ns - (int64_t)gain_ns) / rang;
	for (uint32_t i = 0; i < a->watches_used; i++) {
		struct watch *w = &a->watches[i];

		if (!w->wd || !w->rang)
			continue;
		w->rang = false;
		w->debt_ns += each;
		if (w->debt_ns < 0)
			w->debt_ns = 0;
		if (w->debt_ns > limit && !a->eager)
			give_up(a, w);
	}
}

void worth_learned(struct authority *a, enum learned learned, uint64_t cost_ns)
{
	a->spent_ns += cost_ns;
	if (learned == LEARNED_FACT)
		/* One during which the process was set aside does not make the price. */
		a->learn_ns = (3 * a->learn_ns + (cost_ns < 4 * a->learn_ns ? cost_ns : 4 * a->learn_ns)) / 4;
}

void worth_relist(struct authority *a, struct watch *w)
{
	for (uint32_t i = 1; i <= a->places_used; i++) {
		struct record *r = place_record(a, i);

		if (r->filter == w->filter)
			store_relaxed(&r->filter, 0);
	}
	watch_unlist(a, w);
}

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

	a->spent_ns += cost_ns;
	if (!a->rang_count)
		return;
	each = ((int64_t)cost_ns - (int64_t)gain_ns) / (int64_t)a->rang_count;
	for (uint32_t i = 0; i < a->rang_count; i++) {
		struct watch *w = watch_find(a, a->rang[i]);

		if (!w)
			continue;
		w->rang = false;
		w->debt_ns += each;
		if (w->debt_ns < 0)
			w->debt_ns = 0;
		if (w->debt_ns > limit && !a->eager)
			give_up(a, w);
	}
	a->rang_count = 0;
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

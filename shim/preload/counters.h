/*
 * counters.h - what the statistics count.
 *
 * A thread counts in a slot of its own, so that hits on many threads share no line; threads beyond
 * the slots share the last one, by atomic additions. A signal handler that comes between a load and
 * its store can lose one count.
 */
#ifndef PRELOAD_COUNTERS_H
#define PRELOAD_COUNTERS_H

#include "base/atomic.h"
#include "base/attributes.h"
#include "base/thread.h"

#include <fastpath.h>
#include <stdbool.h>

struct counters {
	uint64_t thread; /* thread pointer of the owner; 0: free */
	uint64_t calls[FASTPATH_CALLS];
	uint64_t served[FASTPATH_CALLS];
	uint64_t kernel[FASTPATH_REASONS];
	uint64_t unused[2];
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct counters) == 192, "whole cache lines");

/*
 * Where the slots are, and how many: 2 to the power of the address's low bits, in one word, so that
 * who reads it sees both as they belong together. 0: nothing is counted yet.
 */
typedef uintptr_t counters_set;

enum { COUNTERS_POWER = 7 };

FP_INLINE struct counters *counters_slots(counters_set set)
{
	return (struct counters *)(set & ~(uintptr_t)COUNTERS_POWER);
}

/* Index of the shared slot: the last. */
FP_INLINE uint32_t counters_last(counters_set set)
{
	return (1U << (set & COUNTERS_POWER)) - 1;
}

/* The calling thread's slot; NULL when nothing is counted. */
FP_INLINE struct counters *counters_mine(const counters_set *where, bool *shared)
{
	counters_set set = load_relaxed(where);
	struct counters *slots = counters_slots(set);
	uint32_t last = counters_last(set);
	uint64_t thread = thread_pointer(), at = (thread >> 12 ^ thread >> 20) & last;
	struct counters *c = &slots[at == last ? 0 : at];
	uint64_t owner;

	if (unlikely(!set))
		return NULL;
	owner = load_relaxed(&c->thread);
	*shared = false;
	if (likely(owner == thread))
		return c;
	if (!owner && try_claim(&c->thread, thread))
		return c;
	*shared = true;
	return &slots[last];
}

FP_INLINE void counters_add(uint64_t *counter, bool shared)
{
	if (unlikely(shared))
		add_relaxed(counter, 1);
	else
		count_owned(counter, 1);
}

#endif

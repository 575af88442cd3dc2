/*
 * facts.c - a set of 64-bit keys, open and at most half full.
 */
#include "audit/facts.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FIRST = 64, LARGEST = 1 << 30 };

static uint32_t place(const struct facts *f, uint64_t stored)
{
	uint32_t at = (uint32_t)(stored * UINT64_C(0x9e3779b97f4a7c15) >> 32) & f->mask;

	while (f->keys[at] && f->keys[at] != stored)
		at = (at + 1) & f->mask;
	return at;
}

static bool grow(struct facts *f)
{
	struct facts more = {.used = f->used, .mask = f->keys ? 2 * f->mask + 1 : FIRST - 1};

	if (more.mask >= LARGEST)
		return false;
	more.keys = calloc((size_t)more.mask + 1, sizeof *more.keys);
	if (!more.keys)
		return false;
	for (uint32_t i = 0; f->keys && i <= f->mask; i++)
		if (f->keys[i])
			more.keys[place(&more, f->keys[i])] = f->keys[i];
	free(f->keys);
	*f = more;
	return true;
}

enum facts_answer facts_add(struct facts *f, uint64_t key)
{
	uint32_t at;

	if ((!f->keys || 2 * f->used > f->mask) && !grow(f))
		return FACTS_NO_MEMORY;
	at = place(f, key + 1);
	if (f->keys[at])
		return FACTS_KNOWN;
	f->keys[at] = key + 1;
	f->used++;
	return FACTS_NEW;
}

void facts_free(struct facts *f)
{
	free(f->keys);
	*f = (struct facts){0};
}

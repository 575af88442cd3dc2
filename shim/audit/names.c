/*
 * names.c - strings by number: an open hash table over an array. Nothing is ever taken out.
 */
#include "audit/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 1024, BLOCK_BYTES = 256 << 10, LARGEST = 1 << 30 };

/* Eight bytes a step. */
static uint32_t hash(const char *text, size_t length)
{
	uint64_t h = length * UINT64_C(0x9e3779b97f4a7c15), w;

	for (; length >= sizeof w; text += sizeof w, length -= sizeof w) {
		memcpy(&w, text, sizeof w);
		h = (h ^ w) * UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	w = 0;
	memcpy(&w, text, length);
	h = (h ^ w) * UINT64_C(0xff51afd7ed558ccd);
	return (uint32_t)(h ^ h >> 32);
}

static bool grow(struct names *n)
{
	uint32_t room = n->room ? 2 * n->room : FIRST;
	struct name *all;
	uint32_t *slots;

	if (room > LARGEST)
		return false;
	all = reallocarray(n->all, room, sizeof *all);
	if (!all)
		return false;
	n->all = all;
	slots = calloc(2 * (size_t)room, sizeof *slots);
	if (!slots)
		return false;
	free(n->slots);
	n->slots = slots;
	n->mask = 2 * room - 1;
	n->room = room;
	for (uint32_t i = 0; i < n->used; i++) {
		uint32_t at = all[i].hash & n->mask;

		while (slots[at])
			at = (at + 1) & n->mask;
		slots[at] = i + 1;
	}
	return true;
}

static const char *copy(struct names *n, const char *text, size_t length)
{
	char *to;

	if (n->block_left <= length) {
		size_t bytes = length < BLOCK_BYTES ? BLOCK_BYTES : length + 1;

		n->block_left = 0;
		n->block = malloc(bytes);
		if (!n->block)
			return NULL;
		n->block_left = bytes;
	}
	to = n->block;
	memcpy(to, text, length);
	to[length] = 0;
	n->block += length + 1;
	n->block_left -= length + 1;
	return to;
}

uint32_t names_add(struct names *n, const char *text, size_t length)
{
	uint32_t h = hash(text, length), at;
	const char *own;

	if (n->used == n->room && !grow(n))
		return NAMES_NONE;
	for (at = h & n->mask; n->slots[at]; at = (at + 1) & n->mask) {
		const struct name *o = &n->all[n->slots[at] - 1];

		if (o->hash == h && o->length == length && !memcmp(o->text, text, length))
			return n->slots[at] - 1;
	}
	own = copy(n, text, length);
	if (!own)
		return NAMES_NONE;
	n->all[n->used] = (struct name){own, (uint32_t)length, h};
	n->slots[at] = ++n->used;
	return n->used - 1;
}

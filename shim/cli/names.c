/*
 * names.c - numbers for strings: a table with open addressing.
 */
#include "cli/names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool names_make_room(void **elements, size_t used, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *larger;

	if (used < *room)
		return true;
	larger = reallocarray(*elements, more, size);
	if (!larger)
		return false;
	*elements = larger;
	*room = more;
	return true;
}

static uint64_t hash(const char *s, size_t length)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		h = (h ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
	return h ^ h >> 32;
}

/* The slot that holds it, or the free one where it belongs. */
static uint32_t *slot_of(const struct names *n, const struct name *wanted)
{
	for (size_t i = wanted->hash;; i++) {
		uint32_t *slot = &n->slots[i & (n->slots_room - 1)];
		const struct name *there = *slot ? &n->of[*slot - 1] : NULL;

		if (!there || (there->hash == wanted->hash && there->length == wanted->length &&
			       !memcmp(there->text, wanted->text, wanted->length)))
			return slot;
	}
}

static bool make_slots(struct names *n)
{
	size_t room = n->slots_room ? 2 * n->slots_room : 256;

	if (2 * n->used < n->slots_room)
		return true;
	free(n->slots);
	n->slots = calloc(room, sizeof *n->slots);
	n->slots_room = n->slots ? room : 0;
	for (size_t i = 0; n->slots && i < n->used; i++)
		*slot_of(n, &n->of[i]) = (uint32_t)i + 1;
	return n->slots;
}

int64_t names_number(struct names *n, const char *text, size_t length)
{
	struct name new = {(char *)text, length, hash(text, length)};
	uint32_t *slot;

	if (!make_slots(n))
		return -ENOMEM;
	slot = slot_of(n, &new);
	if (*slot)
		return (int64_t)*slot - 1;
	if (!names_make_room((void **)&n->of, n->used, &n->room, sizeof *n->of))
		return -ENOMEM;
	new.text = malloc(length + 1);
	if (!new.text)
		return -ENOMEM;
	*(char *)mempcpy(new.text, text, length) = 0; /* whatever the bytes have become meanwhile */
	n->of[n->used++] = new;
	*slot = (uint32_t)n->used;
	return (int64_t)n->used - 1;
}

void names_free(struct names *n)
{
	for (size_t i = 0; i < n->used; i++)
		free(n->of[i].text);
	free(n->of);
	free(n->slots);
	*n = (struct names){0};
}

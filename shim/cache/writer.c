/*
 * writer.c - the authority's side of a segment.
 *
 * Hands out space upwards and takes none back before a reset: see guarantee 2 of layout.h.
 */
#include "cache/writer.h"

#include "base/bytes.h"
#include "cache/reader.h"

enum { FIRST_SLOTS = 256 };

void segment_begin(struct segment *s)
{
	store_relaxed(&s->seq, load_relaxed(&s->seq) | 1);
	/* No store, and no system call that clears a bell, may pass the odd seq: a reader that sees
	 * their effect must see it too. A system call is no barrier on arm64. */
	fence_full();
}

void segment_end(struct segment *s)
{
	/* Pairs with segment_seq(): who reads this even value reads what was written before. */
	store_release(&s->seq, (load_relaxed(&s->seq) | 1) + 1);
}

static void *object(struct segment *s, uint32_t offset)
{
	return (char *)s + offset;
}

/* `bytes` zeroed bytes; their offset, or 0. */
static uint32_t take(struct segment *s, uint32_t bytes)
{
	uint32_t at = load_relaxed(&s->used);

	uint32_t dirty = load_relaxed(&s->dirty);

	bytes = (bytes + 7) & ~7U;
	if (bytes > load_relaxed(&s->limit) - at)
		return 0;
	for (uint32_t i = at; i < at + bytes && i < dirty; i += 8)
		store_relaxed((uint64_t *)object(s, i), 0);
	if (dirty < at + bytes)
		store_relaxed(&s->dirty, at + bytes);
	store_relaxed(&s->used, at + bytes);
	return at;
}

static bool index_make(struct segment *s, uint32_t slots)
{
	uint32_t at = take(s, 8 * slots);

	if (!at)
		return false;
	store_relaxed(&s->index, at);
	store_relaxed(&s->index_mask, slots - 1);
	return true;
}

static void index_insert(struct segment *s, uint64_t hash, uint32_t record)
{
	uint64_t *slots = object(s, load_relaxed(&s->index));
	uint32_t mask = load_relaxed(&s->index_mask), i = (uint32_t)hash & mask;

	while (load_relaxed(&slots[i]))
		i = (i + 1) & mask;
	store_relaxed(&slots[i], (hash >> 32 << 32) | record);
}

/* Twice the slots: the old ones are left behind. */
static bool index_grow(struct segment *s)
{
	uint32_t old = load_relaxed(&s->index), slots = load_relaxed(&s->index_mask) + 1;

	if (!index_make(s, 2 * slots))
		return false;
	for (uint32_t i = 0; i < slots; i++) {
		uint64_t slot = load_relaxed(&((uint64_t *)object(s, old))[i]);
		struct record *r = object(s, (uint32_t)slot);

		if (slot)
			index_insert(s, hash_string((const char *)r->path, r->length), (uint32_t)slot);
	}
	return true;
}

void segment_reset(struct segment *s, uint32_t reserved, uint32_t limit)
{
	store_relaxed(&s->limit, limit);
	store_relaxed(&s->used, (reserved + 7) & ~7U);
	store_relaxed(&s->records, 0);
	store_relaxed(&s->positives, 0);
	store_relaxed(&s->index, 0);
	store_relaxed(&s->index_mask, 0);
	index_make(s, FIRST_SLOTS);
}

struct record *segment_record(struct segment *s, const char *text, uint32_t length)
{
	struct record *r = (struct record *)reader_find(s, text, length);
	uint32_t at;

	if (r)
		return r;
	if (!load_relaxed(&s->index))
		return NULL; /* not even room for that */
	if (load_relaxed(&s->records) >= load_relaxed(&s->index_mask) / 2 && !index_grow(s))
		return NULL;
	at = take(s, (uint32_t)sizeof *r + length + 8);
	if (!at)
		return NULL;
	r = object(s, at);
	store_relaxed(&r->length, length);
	for (uint32_t i = 0; i < length; i += 8)
		store_relaxed(&r->path[i / 8],
			      length - i >= 8 ? word_load(text + i)
					      : word_tail(text + i, length - i));
	index_insert(s, hash_string(text, length), at);
	store_relaxed(&s->records, load_relaxed(&s->records) + 1);
	return r;
}

uint32_t segment_text(struct segment *s, uint32_t old, const char *bytes, uint32_t length)
{
	bool fits = old && ((struct text *)object(s, old))->capacity >= length;
	uint32_t at = fits ? old : take(s, (uint32_t)sizeof(struct text) + length);
	struct text *t = object(s, at);

	if (!at)
		return 0;
	if (!fits)
		store_relaxed(&t->capacity, length);
	store_relaxed(&t->length, length);
	for (uint32_t i = 0; i < length; i++)
		store_relaxed(&t->bytes[i], bytes[i]);
	return at;
}

uint32_t segment_filter(struct segment *s, uint32_t words)
{
	uint32_t at = take(s, (uint32_t)sizeof(struct filter) + 8 * words);
	struct filter *f = object(s, at);

	if (!at)
		return 0;
	store_relaxed(&f->capacity, words);
	store_relaxed(&f->words, words);
	return at;
}

void filter_clear(struct segment *s, uint32_t filter, uint32_t words)
{
	struct filter *f = object(s, filter);

	store_relaxed(&f->words, words);
	for (uint32_t i = 0; i < words; i++)
		store_relaxed(&f->bits[i], 0);
}

void filter_saturate(struct segment *s, uint32_t filter)
{
	struct filter *f = object(s, filter);

	store_relaxed(&f->words, 0);
}

void filter_add(struct segment *s, uint32_t filter, uint64_t hash)
{
	struct filter *f = object(s, filter);
	uint32_t words = load_relaxed(&f->words);
	uint64_t *word;

	if (!words)
		return;
	if (!hash) {
		filter_saturate(s, filter);
		return;
	}
	word = &f->bits[filter_word(hash, words)];
	store_relaxed(word, load_relaxed(word) | filter_bits(hash));
}

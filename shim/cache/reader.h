/*
 * reader.h - what a segment says of a path. Inline: this is the hit path.
 *
 * Any thread or process may read at any time; nothing here writes. An answer counts only when
 * segment_seq() was even before it was read and segment_settled() is true after:
 *
 *	seq = segment_seq(s);
 *	if (!(seq & 1) && seq && reader_absent(s, &path, &found) == FOUND_ABSENT &&
 *	    segment_quiet(s) && segment_settled(s, seq))
 *		... ENOENT, as of the moment of segment_quiet()
 */
#ifndef CACHE_READER_H
#define CACHE_READER_H

#include "base/atomic.h"
#include "base/hash.h"
#include "base/path.h"
#include "cache/layout.h"

#include <stdbool.h>

enum { SQ_TASKRUN = 1 << 2 }; /* IORING_SQ_TASKRUN */
enum { OWNER_DIED = 0x40000000 }; /* FUTEX_OWNER_DIED */

enum found {
	FOUND_UNKNOWN = 0, /* nothing is known that decides */
	FOUND_PERHAPS,	   /* its directory is listed, and the name may be in it */
	FOUND_REFUSED,
	FOUND_ABSENT,
};

/* Pairs with the release store of segment_end(): facts read afterwards are at least that new. */
FP_INLINE uint64_t segment_seq(const struct segment *s)
{
	return load_acquire(&s->seq);
}

/*
 * No change was announced that the authority has not taken note of. The loads are acquire so that
 * the check of seq that follows cannot move before them.
 */
FP_INLINE bool segment_quiet(const struct segment *s)
{
	const char *base = (const char *)s;

	if (load_acquire(&s->owner) & OWNER_DIED)
		return false;
	for (int i = 0; i < BELLS; i++) {
		const struct bell_words *w = &s->bells[i];
		const uint32_t *flags = (const void *)(base + load_relaxed(&w->flags));
		const uint32_t *head = (const void *)(base + load_relaxed(&w->head));
		const uint32_t *tail = (const void *)(base + load_relaxed(&w->tail));

		if ((load_acquire(flags) & SQ_TASKRUN) || load_acquire(head) != load_acquire(tail))
			return false;
	}
	return true;
}

/* The facts read since segment_seq() returned seq were not being changed meanwhile. */
FP_INLINE bool segment_settled(const struct segment *s, uint64_t seq)
{
	fence_acquire(); /* the loads of the facts come before the load of seq */
	return load_relaxed(&s->seq) == seq;
}

/* What begins at `offset`, or NULL when that is not in the segment. */
FP_INLINE const void *segment_object(const struct segment *s, uint32_t offset)
{
	return likely(offset < load_relaxed(&s->limit)) ? (const char *)s + (offset & ~7U) : NULL;
}

/* length is below PATH_MAX: a path's that the caller spelled. */
FP_INLINE bool record_is(const struct record *r, const char *text, uint32_t length)
{
	const uint64_t *word = r->path;

	if (load_relaxed(&r->length) != length)
		return false;
	for (; length >= 8; length -= 8, text += 8)
		if (load_relaxed(word++) != word_load(text))
			return false;
	return !length || load_relaxed(word) == word_tail(text, length);
}

/* The record of a path of `length` bytes. */
FP_INLINE const struct record *reader_find(const struct segment *s, const char *text,
							 uint32_t length)
{
	uint64_t hash = hash_string(text, length);
	uint32_t index = load_relaxed(&s->index), mask = load_relaxed(&s->index_mask);

	/* No index has more slots; a mask that is none must not keep us here. */
	for (uint32_t i = 0; i <= mask && i < SEGMENT_SLOTS_MAX; i++) {
		const uint64_t *at = segment_object(s, index + 8 * (((uint32_t)hash + i) & mask));
		uint64_t slot = at ? load_relaxed(at) : 0;
		const struct record *r;

		if (!slot)
			return NULL;
		if ((slot ^ hash) >> 32)
			continue;
		r = segment_object(s, (uint32_t)slot);
		if (r && record_is(r, text, length))
			return r;
	}
	return NULL;
}

FP_INLINE uint64_t filter_bits(uint64_t hash)
{
	return UINT64_C(1) << (hash & 63) | UINT64_C(1) << (hash >> 6 & 63) |
	       UINT64_C(1) << (hash >> 12 & 63) | UINT64_C(1) << (hash >> 18 & 63);
}

FP_INLINE uint32_t filter_word(uint64_t hash, uint32_t words)
{
	return (uint32_t)(((hash >> 32) * words) >> 32);
}

/* False: the name is surely absent. `hash` is hash_name()'s; 0 is always perhaps. */
FP_INLINE bool filter_perhaps(const struct segment *s, uint32_t offset, uint64_t hash)
{
	const struct filter *f = segment_object(s, offset);
	uint32_t words = f ? load_relaxed(&f->words) : 0;
	uint64_t bits = filter_bits(hash);
	const uint64_t *word;

	if (!hash || !words)
		return true;
	/* A word beyond 4 GiB, of a filter that is none, wraps around into the segment. */
	word = segment_object(s, offset + (uint32_t)sizeof *f + 8 * filter_word(hash, words));
	return !word || (load_relaxed(word) & bits) == bits;
}

/*
 * Decides by the longest known prefix whether the path is surely absent; *by is that prefix's
 * record, and *at the offset of the component that it is about.
 */
FP_INLINE enum found reader_absent(const struct segment *s, const struct path *p,
						 const struct record **by, uint32_t *at)
{
	const char *text = p->text;
	uint32_t prefix = p->directory, end = p->length, n;
	const struct record *r;
	uint32_t filter = 0;

	if (!end)
		return FOUND_PERHAPS; /* "/" itself */
	for (;;) {
		r = reader_find(s, text, prefix);
		if (r && (load_relaxed(&r->flags) & RECORD_REFUSED))
			return FOUND_REFUSED;
		if (r && (filter = load_relaxed(&r->filter)))
			break;
		if (!prefix)
			return FOUND_UNKNOWN;
		for (end = prefix; text[--prefix] != '/';)
			;
	}
	*by = r;
	*at = prefix;
	n = end - prefix - 1;
	if (n > load_relaxed(&r->name_max) || (n == 2 && text[prefix + 1] == '.' && text[end - 1] == '.'))
		return FOUND_PERHAPS;
	if (!filter_perhaps(s, filter, hash_name(text + prefix + 1, n)))
		return FOUND_ABSENT;
	return prefix == p->directory ? FOUND_PERHAPS : FOUND_UNKNOWN;
}

#endif

/*
 * hash.h - hashes of directory strings and of names.
 *
 * A directory's hash only picks a bucket: strings are compared whole. A name's hash picks bits in a
 * filter; names are folded first so that names that a case-insensitive file system takes for one
 * have one hash (folding more than ASCII letters merely makes a few more names collide).
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/bytes.h"

#define HASH_FOLD     UINT64_C(0x2020202020202020)
#define HASH_HIGH     UINT64_C(0x8080808080808080)
#define HASH_MULTIPLY UINT64_C(0x9e3779b97f4a7c15)

FP_INLINE uint64_t hash_mix(uint64_t h, uint64_t w)
{
#if defined(__SIZEOF_INT128__)
	unsigned __int128 m = (unsigned __int128)(h ^ w ^ UINT64_C(0xa0761d6478bd642f)) *
			      HASH_MULTIPLY;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
#else
	h = (h ^ w) * HASH_MULTIPLY;
	return h ^ (h >> 29);
#endif
}

/* Reads up to 7 bytes past the end. */
FP_WORD_READS FP_INLINE uint64_t hash_string(const char *s, size_t n)
{
	uint64_t h = n;

	for (; n >= 8; s += 8, n -= 8)
		h = hash_mix(h, word_load(s));
	return n ? hash_mix(h, word_first(word_load(s), (unsigned)n)) : h;
}

/* 0 for a name with a byte >= 0x80, whose case fastpath cannot fold. Reads up to 7 bytes past. */
FP_WORD_READS FP_INLINE uint64_t hash_name(const char *s, size_t n)
{
	uint64_t h = n, high = 0;

	for (; n >= 8; s += 8, n -= 8) {
		uint64_t w = word_load(s);

		high |= w;
		h = hash_mix(h, w | HASH_FOLD);
	}
	if (n) {
		uint64_t w = word_first(word_load(s), (unsigned)n);

		high |= w;
		h = hash_mix(h, w | word_first(HASH_FOLD, (unsigned)n));
	}
	return high & HASH_HIGH ? 0 : h | 1;
}

#endif

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
#define HASH_STEP     UINT64_C(0xd6e8feb86659fd93)

/* A bijection-like scramble of one word; both halves of the product count. */
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

/*
 * The words of a string are scrambled each by its position and added up, so that the multiplications
 * need not wait for one another. Reads up to 7 bytes past the end.
 */
FP_WORD_READS FP_INLINE uint64_t hash_words(const char *s, size_t n, uint64_t fold, uint64_t *seen)
{
	uint64_t sum = n * HASH_MULTIPLY, position = 0;

	for (; n >= 8; s += 8, n -= 8) {
		uint64_t w = word_load(s);

		*seen |= w;
		sum += hash_mix(position += HASH_STEP, w | fold);
	}
	if (n) {
		uint64_t w = word_first(word_load(s), (unsigned)n);

		*seen |= w;
		sum += hash_mix(position + HASH_STEP, w | word_first(fold, (unsigned)n));
	}
	return sum ^ sum >> 32;
}

FP_WORD_READS FP_INLINE uint64_t hash_string(const char *s, size_t n)
{
	uint64_t seen = 0;

	return hash_words(s, n, 0, &seen);
}

/* 0 for a name with a byte >= 0x80, whose case fastpath cannot fold. */
FP_WORD_READS FP_INLINE uint64_t hash_name(const char *s, size_t n)
{
	uint64_t seen = 0, h = hash_words(s, n, HASH_FOLD, &seen);

	return seen & HASH_HIGH ? 0 : h | 1;
}

#endif

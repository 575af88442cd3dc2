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

/* Both words count in every bit of the result. */
FP_INLINE uint64_t hash_pair(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
	unsigned __int128 m = (unsigned __int128)(a ^ UINT64_C(0xa0761d6478bd642f)) *
			      (b ^ UINT64_C(0xe7037ed1a0b428db));

	return (uint64_t)m ^ (uint64_t)(m >> 64);
#else
	return hash_mix(hash_mix(0, a), b);
#endif
}

/*
 * Sixteen bytes a multiplication, added up, so that none waits for another. The last pair overlaps
 * what was taken before rather than being masked.
 */
FP_INLINE uint64_t hash_words(const char *s, size_t n, uint64_t fold, uint64_t *seen)
{
	uint64_t sum = n * HASH_MULTIPLY, position = 0, a, b = 0;

	for (; n > 16; s += 16, n -= 16) {
		a = word_load(s);
		b = word_load(s + 8);
		*seen |= a | b;
		position += HASH_STEP;
		sum += hash_pair((a | fold) ^ position, b | fold);
	}
	if (n >= 8) {
		a = word_load(s);
		b = word_load(s + n - 8);
		*seen |= a | b;
		b |= fold;
	} else {
		a = n ? word_tail(s, (unsigned)n) : 0;
		b = 0;
		*seen |= a;
		fold = word_first(fold, (unsigned)n);
	}
	sum += hash_pair(a | fold, b ^ position);
	return sum ^ sum >> 32;
}

FP_INLINE uint64_t hash_string(const char *s, size_t n)
{
	uint64_t seen = 0;

	return hash_words(s, n, 0, &seen);
}

/* 0 for a name with a byte >= 0x80, whose case fastpath cannot fold. */
FP_INLINE uint64_t hash_name(const char *s, size_t n)
{
	uint64_t seen = 0, h = hash_words(s, n, HASH_FOLD, &seen);

	return (seen & HASH_HIGH) ? 0 : h | 1;
}

#endif

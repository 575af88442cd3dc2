/*
 * bytes.h - the few string operations that fastpath needs, inlined: no call through a PLT that a
 * forked child would have to bind again.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include "base/attributes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

FP_INLINE size_t bytes_length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

FP_INLINE void bytes_copy(void *to, const void *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
}

FP_INLINE bool bytes_equal(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return false;
	return true;
}

FP_INLINE bool string_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* The rest of `s` after `prefix`, or NULL. */
FP_INLINE const char *string_after(const char *s, const char *prefix)
{
	while (*prefix)
		if (*s++ != *prefix++)
			return NULL;
	return s;
}

/* Eight bytes from any address, little-endian on every architecture fastpath is built for. */
FP_INLINE uint64_t word_load(const void *p)
{
	uint64_t w;

	__builtin_memcpy(&w, p, sizeof w);
	return w;
}

/* The first n (1 to 7) bytes of a word. */
FP_INLINE uint64_t word_first(uint64_t w, unsigned n)
{
	return w & ((UINT64_C(1) << (8 * n)) - 1);
}

/* The n (1 to 7) bytes at p as a word, no other byte being read: two loads that overlap. */
FP_INLINE uint64_t word_tail(const void *p, unsigned n)
{
	const unsigned char *b = p;
	uint32_t low, high;

	if (n < 4)
		return b[0] | (uint64_t)b[n / 2] << (8 * (n / 2)) | (uint64_t)b[n - 1] << (8 * (n - 1));
	__builtin_memcpy(&low, b, sizeof low);
	__builtin_memcpy(&high, b + n - 4, sizeof high);
	return low | (uint64_t)high << (8 * (n - 4));
}

#endif

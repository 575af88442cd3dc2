/*
 * path.c - lexical paths: the scan that every lookup begins with.
 *
 * Never follows anything, never changes the caller's string.
 */
#include "base/path.h"

#include "base/bytes.h"

#define ONES  UINT64_C(0x0101010101010101)
#define LOWER UINT64_C(0x7f7f7f7f7f7f7f7f)

/* The high bit of each byte of w that is c, exactly. */
FP_INLINE uint64_t bytes_that_are(uint64_t w, unsigned char c)
{
	uint64_t x = w ^ (ONES * c);

	return ~(((x & LOWER) + LOWER) | x | LOWER);
}

/* Writes the normal form of `spelled` into p->folded. */
static enum path_kind fold(struct path *p, const char *spelled, uint32_t length)
{
	uint32_t n = 0;

	if (length > PATH_FOLDED_MAX)
		return PATH_ARGUMENT;
	p->directory = 0;
	for (uint32_t i = 0; i < length;) {
		uint32_t part;

		while (i < length && spelled[i] == '/')
			i++;
		part = path_component(spelled, i, length);
		p->trailing = part == 0 || (part == 1 && spelled[i] == '.');
		if (!p->trailing) {
			p->directory = n;
			p->folded[n++] = '/';
			for (uint32_t k = 0; k < part; k++)
				p->folded[n++] = spelled[i + k];
		}
		i += part;
	}
	for (int k = 0; k < 8; k++)
		p->folded[n + k] = 0;
	p->text = p->folded;
	p->length = n;
	return PATH_ABSOLUTE;
}

FP_WORD_READS enum path_kind path_parse(struct path *p, const char *spelled)
{
	uintptr_t at = (uintptr_t)spelled;
	uint32_t room = PATH_PAGE - (uint32_t)(at % PATH_PAGE);
	uint64_t after_slash = 0, after_dot = 0, odd = 0;
	uint32_t i, last = 0;

	/* The first page, kernel addresses and non-canonical ones get their EFAULT there. */
	if (at < PATH_PAGE || at >> PATH_ADDRESS_BITS)
		return PATH_ARGUMENT;
	if (*spelled != '/')
		return *spelled ? PATH_RELATIVE : PATH_ARGUMENT;
	for (i = 0;; i += 8) {
		uint64_t w, end, slash, dot;

		if (i + 16 > room)
			return PATH_ARGUMENT;
		w = word_load(spelled + i);
		end = bytes_that_are(w, 0);
		slash = bytes_that_are(w, '/');
		dot = bytes_that_are(w, '.');
		if (end) {
			uint64_t within = (end & -end) - 1; /* the bits below the first NUL */

			slash &= within;
			dot &= within;
			end &= -end;
		}
		/* "//", "/./", and "/" or "/." at the end. */
		after_slash |= slash << 8;
		odd |= after_slash & (slash | end);
		after_dot |= (after_slash & dot) << 8;
		odd |= after_dot & (slash | end);
		after_dot = (after_slash & dot) >> 56;
		after_slash = slash >> 56;
		if (slash)
			last = i + (63 - (uint32_t)__builtin_clzll(slash)) / 8;
		if (end) {
			i += (uint32_t)__builtin_ctzll(end) / 8;
			break;
		}
	}
	p->trailing = 0;
	if (unlikely(odd))
		return fold(p, spelled, i);
	p->text = spelled;
	p->length = i;
	p->directory = last;
	return PATH_ABSOLUTE;
}

/*
 * path.c - lexical paths: the scan that every lookup begins with.
 *
 * Never follows anything, never changes the caller's string.
 */
#include "base/path.h"

#include "base/bytes.h"

#include <limits.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Of 16 aligned bytes: a bit for each that is NUL, '/' or '.'. */
struct chunk {
	uint32_t end, slash, dot;
};

#if defined(__SSE2__)
FP_INLINE uint32_t bytes_that_are(__m128i bytes, char c)
{
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)));
}

FP_WORD_READS FP_INLINE struct chunk chunk_read(const char *p)
{
	__m128i bytes = _mm_load_si128((const __m128i *)p);

	return (struct chunk){bytes_that_are(bytes, 0), bytes_that_are(bytes, '/'),
			      bytes_that_are(bytes, '.')};
}
#else
/* The high bit of each byte of w that is c, exactly, gathered into eight bits. */
FP_INLINE uint32_t bytes_that_are(uint64_t w, unsigned char c)
{
	const uint64_t lower = UINT64_C(0x7f7f7f7f7f7f7f7f);
	uint64_t x = w ^ (UINT64_C(0x0101010101010101) * c);

	x = ~(((x & lower) + lower) | x | lower);
	return (uint32_t)((x >> 7) * UINT64_C(0x0102040810204080) >> 56);
}

FP_WORD_READS FP_INLINE struct chunk chunk_read(const char *p)
{
	uint64_t a = word_load(p), b = word_load(p + 8);

	return (struct chunk){
		bytes_that_are(a, 0) | bytes_that_are(b, 0) << 8,
		bytes_that_are(a, '/') | bytes_that_are(b, '/') << 8,
		bytes_that_are(a, '.') | bytes_that_are(b, '.') << 8,
	};
}
#endif

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

/*
 * Reads whole aligned chunks: each lies in one page, and where one holds the NUL, no later one is
 * touched. After so many `pages` the string is given up.
 */
FP_WORD_READS FP_INLINE enum path_kind parse(struct path *p, const char *spelled, uint32_t pages)
{
	uintptr_t at = (uintptr_t)spelled;
	uint32_t skip = (uint32_t)(at % 16);
	uint32_t room = pages * PATH_PAGE - (uint32_t)(at % PATH_PAGE) + skip;
	uint32_t after_slash = 0, after_dot = 0, odd = 0, i = 0, last = 0;
	uint32_t within = 0xffffU << skip;
	const char *chunks = spelled - skip;
	struct chunk c;

	/* The first page, kernel addresses and non-canonical ones get their EFAULT there. */
	if (at < PATH_PAGE || PATH_BEYOND(at))
		return PATH_ARGUMENT;
	if (*spelled != '/')
		return *spelled ? PATH_RELATIVE : PATH_ARGUMENT;
	for (;; i += 16, within = 0xffffU) {
		if (i == room)
			return PATH_GOES_ON;
		c = chunk_read(chunks + i);
		c.end &= within;
		if (c.end) {
			// cppcheck-suppress oppositeExpression ; the lowest bit
			c.end &= -c.end;
			within &= c.end - 1;
		}
		c.slash &= within;
		c.dot &= within;
		/* "//", "/./", and "/" or "/." at the end; bit 16 belongs to the next chunk. */
		after_slash |= c.slash << 1;
		odd |= after_slash & (c.slash | c.end);
		if (unlikely(after_dot | (after_slash & c.dot))) {
			after_dot |= (after_slash & c.dot) << 1;
			odd |= after_dot & (c.slash | c.end);
		}
		if (c.slash)
			last = i + 31 - (uint32_t)__builtin_clz(c.slash);
		if (c.end)
			break;
		after_slash >>= 16;
		after_dot >>= 16;
	}
	i += (uint32_t)__builtin_ctz(c.end) - skip;
	p->trailing = 0;
	if (unlikely(odd))
		return fold(p, spelled, i);
	p->text = spelled;
	p->length = i;
	p->directory = last - skip;
	return PATH_ABSOLUTE;
}

enum path_kind path_parse(struct path *p, const char *spelled)
{
	return parse(p, spelled, 1);
}

FP_COLD enum path_kind path_parse_on(struct path *p, const char *spelled)
{
	enum path_kind kind = parse(p, spelled, 2);

	return kind == PATH_ABSOLUTE && p->length >= PATH_MAX ? PATH_ARGUMENT : kind;
}

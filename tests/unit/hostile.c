/*
 * A segment of random bytes: the reader answers whatever it likes, soon, but reads nothing outside.
 * SEGMENT_SLACK bytes after the segment a page without access begins.
 *
 * What is corrupted is all that lies in the segment but two things that whoever maps it must have
 * checked once, since every access is relative to them: `limit`, and where the bells are.
 */
#include "test.h"

#include "cache/reader.h"
#include "cache/writer.h"

#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_THREAD__)
enum { ROUNDS = 300 };
#else
enum { ROUNDS = 2000 };
#endif
enum { BYTES = 64 * 1024 };

static struct segment *s;
static char image[BYTES] __attribute__((aligned(64)));

static const char *const asked[] = {
    "/usr/include/stdio.h",
    "/usr/include/boost/config.hpp",
    "/usr/lib/x",
    "/a/b/c/d/e/f",
    "/link/name",
    "/",
    "/usr",
    "/nothing/here",
    "/dir7/abcdefg",
};

static uint32_t spell(char *out, int i)
{
	int n = sprintf(out, "/dir%d", i);

	memset(out + n, 0, 8);
	return (uint32_t)n;
}

static void build(void)
{
	static const char *const listed[] = {"", "/usr/include", "/usr/lib", "/a/b", "/link"};
	char text[64];

	alarm(30); /* a search without end is no answer */
	s = mmap(NULL, BYTES + SEGMENT_SLACK + 4096, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(s != MAP_FAILED);
	CHECK(mprotect((char *)s + BYTES + SEGMENT_SLACK, 4096, PROT_NONE) == 0);
	segment_begin(s);
	segment_reset(s, sizeof *s, BYTES);
	for (int i = 0; i < 300; i++) {
		uint32_t n = spell(text, i);
		struct record *r = segment_record(s, text, n);

		CHECK(r);
		if (i % 3 == 0)
			r->filter = segment_filter(s, 1 + (uint32_t)i % 5);
		r->canonical = segment_text(s, 0, text, n);
		r->name_max = 255;
	}
	for (unsigned i = 0; i < sizeof listed / sizeof *listed; i++) {
		memset(text, 0, sizeof text);
		strcpy(text, listed[i]);
		struct record *r = segment_record(s, text, (uint32_t)strlen(listed[i]));

		r->filter = segment_filter(s, 8);
		r->name_max = 255;
	}
	/* Up to its last byte: what is found there must not be read on from. */
	while (segment_filter(s, 4))
		;
	segment_end(s);
	memcpy(image, s, BYTES);
}

/* As a client does: every answer, and the objects that it would look at next. */
static unsigned read_all(void)
{
	static char text[4096] __attribute__((aligned(4096)));
	static struct path p;
	unsigned sum = 0;

	for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
		const struct record *by = NULL;
		uint32_t at = 0;

		memset(text, 0, 128);
		strcpy(text, asked[i]);
		CHECK(path_parse(&p, text) == PATH_ABSOLUTE);
		uint64_t seq = segment_seq(s);
		const struct record *r = reader_find(s, p.text, p.length);

		if (r)
			sum += load_relaxed(&r->flags) + load_relaxed(&r->canonical);
		sum += reader_absent(s, &p, &by, &at);
		CHECK(!by || ((const char *)by >= (const char *)s &&
			      (const char *)by < (const char *)s + BYTES));
		sum += segment_settled(s, seq);
	}
	return sum;
}

static void repair(void)
{
	struct segment *good = (struct segment *)image;

	s->limit = good->limit;
	memcpy(s->bells, good->bells, sizeof s->bells);
}

static void word_set(uint32_t at, uint64_t value)
{
	memcpy((char *)s + at, &value, sizeof value);
}

static uint64_t random_word(void)
{
	uint64_t w = (uint64_t)rand() << 42 ^ (uint64_t)rand() << 21 ^ (uint64_t)rand();

	switch (rand() % 6) {
	case 0:
		return UINT64_MAX << (rand() % 64);
	case 1:
		return (uint64_t)BYTES - (uint64_t)(rand() % 64); /* offsets about the end */
	case 2:
		return (w << 32) | (BYTES - (uint32_t)(rand() % 8) * 8);
	case 3:
		return UINT64_C(1) << (rand() % 64);
	default:
		return w;
	}
}

TEST(a_valid_segment_is_read_without_harm)
{
	build();
	read_all();
}

TEST(random_words_anywhere_are_survived)
{
	build();
	srand(5);
	for (int i = 0; i < ROUNDS; i++) {
		memcpy(s, image, BYTES);
		for (int k = rand() % 400; k >= 0; k--)
			word_set((uint32_t)(rand() % (BYTES / 8)) * 8, random_word());
		repair();
		read_all();
	}
}

TEST(a_random_header_is_survived)
{
	build();
	srand(6);
	for (int i = 0; i < ROUNDS; i++) {
		memcpy(s, image, BYTES);
		for (uint32_t at = 0; at < sizeof *s; at += 8)
			if (rand() & 1)
				word_set(at, random_word());
		repair();
		read_all();
	}
}

TEST(any_index_size_is_survived)
{
	build();
	for (int bit = 0; bit <= 32; bit++) {
		for (int less = 0; less < 3; less++) {
			memcpy(s, image, BYTES);
			s->index_mask = (uint32_t)((UINT64_C(1) << bit) - (unsigned)less);
			/* Full of slots, so that no free one ends the search. */
			for (uint32_t i = 0; i < 256; i++)
				word_set(s->index + 8 * i, UINT64_MAX - i);
			read_all();
			s->index = BYTES - 8;
			word_set(BYTES - 8, UINT64_MAX);
			read_all();
		}
	}
}

TEST(any_slot_is_survived)
{
	build();
	srand(7);
	for (int i = 0; i < ROUNDS; i++) {
		memcpy(s, image, BYTES);
		/* The right hash, the wrong offset. */
		for (uint32_t k = 0; k <= s->index_mask; k++) {
			uint32_t at = s->index + 8 * k;
			uint64_t slot;

			memcpy(&slot, (char *)s + at, 8);
			if (slot && rand() % 2)
				word_set(at, (slot >> 32 << 32) | (uint32_t)random_word());
		}
		read_all();
	}
}

TEST(any_record_and_filter_is_survived)
{
	build();
	srand(8);
	for (int i = 0; i < ROUNDS; i++) {
		memcpy(s, image, BYTES);
		for (uint32_t k = 0; k <= s->index_mask; k++) {
			uint64_t slot;

			memcpy(&slot, (char *)s + s->index + 8 * k, 8);
			struct record *r = (struct record *)((char *)s + (uint32_t)slot);

			if (!slot)
				continue;
			if (r->filter && rand() % 2)
				((struct filter *)((char *)s + r->filter))->words =
				    (uint32_t)random_word();
			if (rand() % 2)
				r->filter = (uint32_t)random_word();
			if (rand() % 8 == 0)
				r->length = (uint32_t)random_word();
		}
		read_all();
	}
}

TEST(noise_is_survived)
{
	build();
	srand(9);
	for (int i = 0; i < ROUNDS / 20; i++) {
		for (uint32_t at = 0; at < BYTES; at += 8)
			word_set(at, random_word());
		repair();
		read_all();
	}
}

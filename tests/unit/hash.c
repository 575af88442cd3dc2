/*
 * Hashes of names and the filters made of them: a filter may err in one direction only.
 */
#include "test.h"

#include "base/hash.h"
#include "cache/reader.h"
#include "cache/writer.h"

#include <ctype.h>
#include <stdlib.h>
#include <sys/mman.h>

static union {
	struct segment segment;
	char bytes[1 << 20];
} memory;

static struct segment *fresh(void)
{
	memset(&memory, 0, sizeof memory);
	segment_reset(&memory.segment, sizeof(struct segment), sizeof memory);
	return &memory.segment;
}

/* With readable bytes of different kinds behind the name. */
static uint64_t hash_before(const char *name, size_t n, int behind)
{
	char text[320];

	memset(text, behind, sizeof text);
	memcpy(text, name, n);
	return hash_name(text, n);
}

TEST(names_that_differ_in_ascii_case_have_one_hash)
{
	char name[256], other[256];

	srand(2);
	for (int i = 0; i < 20000; i++) {
		size_t n = (size_t)(rand() % 255) + 1;

		for (size_t k = 0; k < n; k++) {
			name[k] = (char)(rand() % 126 + 1);
			if (name[k] == '/')
				name[k] = 'A';
			other[k] = (char)(rand() & 1 ? toupper(name[k]) : tolower(name[k]));
		}
		CHECK(hash_before(name, n, 0) == hash_before(other, n, 0));
	}
}

TEST(what_lies_behind_a_name_does_not_matter)
{
	for (size_t n = 1; n < 40; n++) {
		const char *name = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";

		CHECK(hash_before(name, n, 0) == hash_before(name, n, 0xff));
		CHECK(hash_string("12345678", 5) == hash_string("12345\377\377\377", 5));
	}
}

TEST(names_with_other_than_ascii_bytes_have_none)
{
	char name[40];

	for (size_t n = 1; n < sizeof name; n++) {
		for (size_t at = 0; at < n; at++) {
			memset(name, 'a', sizeof name);
			name[at] = (char)(0x80 + (at * 7 + n) % 128);
			CHECKF(!hash_before(name, n, 0), "length %zu, byte %zu", n, at);
		}
	}
}

TEST(ascii_names_always_have_a_hash)
{
	char name[16];

	CHECK(hash_name("a\0\0\0\0\0\0", 1) != 0);
	srand(3);
	for (int i = 0; i < 100000; i++) {
		for (size_t k = 0; k < sizeof name; k++)
			name[k] = (char)(rand() % 127 + 1);
		CHECK(hash_name(name, (size_t)(rand() % 8) + 1) != 0);
	}
}

TEST(different_names_seldom_have_one_hash)
{
	static uint64_t all[20000];

	for (int i = 0; i < 20000; i++) {
		char name[32] = {0};
		int n = snprintf(name, sizeof name, "file%d.h", i);

		all[i] = hash_name(name, (size_t)n);
	}
	for (int i = 0; i < 20000; i += 97)
		for (int k = 0; k < 20000; k++)
			CHECKF(k == i || all[k] != all[i], "%d and %d", i, k);
}

TEST(reading_past_a_name_stays_in_its_page)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED && !mprotect(page + 4096, 4096, PROT_NONE));
	memset(page, 'a', 4096);
	/* The contract: 7 bytes behind the name are readable. */
	for (size_t n = 1; n < 80; n++) {
		CHECK(hash_name(page + 4096 - 7 - n, n) != 0);
		hash_string(page + 4096 - 7 - n, n);
	}
	munmap(page, 8192);
}

static uint64_t numbered(const char *form, int i)
{
	char name[64] = {0};
	int n = snprintf(name, sizeof name, form, i);

	return hash_name(name, (size_t)n);
}

TEST(a_filter_never_denies_a_name_it_was_given)
{
	for (uint32_t words = 1; words < 200; words += 13) {
		struct segment *s = fresh();
		uint32_t f = segment_filter(s, words);
		int names = (int)words * 8;

		CHECK(f);
		for (int i = 0; i < names; i++) {
			filter_add(s, f, numbered("n%d", i));
			/* Growth: what was there stays. */
			for (int k = i % 7; k <= i; k += 7)
				CHECKF(filter_perhaps(s, f, numbered("n%d", k)),
				       "%u words: %d of %d", words, k, i);
		}
		for (int i = 0; i < names; i++)
			CHECK(filter_perhaps(s, f, numbered("N%d", i)));
	}
}

TEST(a_filter_at_listing_density_is_rarely_wrong)
{
	struct segment *s = fresh();
	const int names = 4000, asked = 100000;
	uint32_t f = segment_filter(s, (uint32_t)names / 4 + 2);
	int wrong = 0;

	for (int i = 0; i < names; i++)
		filter_add(s, f, numbered("libfoo-%d.so", i));
	for (int i = 0; i < asked; i++)
		wrong += filter_perhaps(s, f, numbered("boost/%d.hpp", i));
	CHECKF(wrong < asked / 100, "%d of %d absent names are perhaps present", wrong, asked);

	/* A third more, as a directory may grow before it is listed anew. */
	for (int i = names; i < names * 4 / 3; i++)
		filter_add(s, f, numbered("libfoo-%d.so", i));
	wrong = 0;
	for (int i = 0; i < asked; i++)
		wrong += filter_perhaps(s, f, numbered("boost/%d.hpp", i));
	CHECKF(wrong < asked / 40, "grown: %d of %d", wrong, asked);
}

TEST(small_filters_are_rarely_wrong_too)
{
	struct segment *s = fresh();
	int wrong = 0;

	for (int d = 0; d < 400; d++) {
		uint32_t f = segment_filter(s, 3);

		for (int i = 0; i < 5; i++)
			filter_add(s, f, numbered("x%d", d * 5 + i));
		for (int i = 0; i < 100; i++)
			wrong += filter_perhaps(s, f, numbered("y%d", d * 100 + i));
	}
	CHECKF(wrong < 400, "%d of 40000", wrong);
}

TEST(an_empty_filter_denies_every_name)
{
	struct segment *s = fresh();
	uint32_t f = segment_filter(s, 2);

	for (int i = 0; i < 1000; i++)
		CHECK(!filter_perhaps(s, f, numbered("n%d", i)));
}

TEST(a_name_without_a_hash_saturates_and_is_always_perhaps)
{
	struct segment *s = fresh();
	uint32_t f = segment_filter(s, 64);

	CHECK(filter_perhaps(s, f, 0));
	filter_add(s, f, numbered("a%d", 1));
	CHECK(!filter_perhaps(s, f, numbered("b%d", 1)));
	filter_add(s, f, 0);
	for (int i = 0; i < 1000; i++)
		CHECK(filter_perhaps(s, f, numbered("b%d", i)));
	filter_add(s, f, numbered("a%d", 2)); /* which must not bring it back */
	CHECK(filter_perhaps(s, f, numbered("b%d", 1)));
}

TEST(a_saturated_filter_denies_nothing_until_it_is_cleared)
{
	struct segment *s = fresh();
	uint32_t f = segment_filter(s, 16);

	filter_saturate(s, f);
	for (int i = 0; i < 1000; i++)
		CHECK(filter_perhaps(s, f, numbered("n%d", i)));
	filter_add(s, f, numbered("old%d", 0));
	filter_clear(s, f, 16);
	for (int i = 0; i < 1000; i++)
		CHECK(!filter_perhaps(s, f, numbered("n%d", i)));
}

TEST(a_cleared_filter_forgets_all_words_it_will_use)
{
	struct segment *s = fresh();
	uint32_t f = segment_filter(s, 32);

	for (int i = 0; i < 300; i++)
		filter_add(s, f, numbered("old%d", i));
	filter_clear(s, f, 8);
	for (int i = 0; i < 300; i++)
		CHECK(!filter_perhaps(s, f, numbered("old%d", i)));
	filter_clear(s, f, 32);
	for (int i = 0; i < 300; i++)
		CHECK(!filter_perhaps(s, f, numbered("old%d", i)));
}

TEST(no_filter_is_perhaps)
{
	static volatile uint32_t outside[] = {sizeof memory, UINT32_MAX & ~7U, 4};
	struct segment *s = fresh();

	for (int i = 0; i < 3; i++)
		CHECK(filter_perhaps(s, outside[i], numbered("a%d", 0)));
}

/*
 * The segment's writer and reader: what is written is found again, full means refused, and seq
 * turns readers away while something changes.
 */
#include "test.h"

#include "cache/reader.h"
#include "cache/writer.h"

#include <stdlib.h>

static union {
	struct segment segment;
	char bytes[256 * 1024];
} memory;
static struct segment *const s = &memory.segment;

static void fresh(uint32_t limit)
{
	memset(&memory, 0, sizeof memory);
	segment_begin(s);
	segment_reset(s, sizeof(struct segment), limit);
	segment_end(s);
}

/* "/dir<i>/<x...>", followed by readable bytes that do not belong to it. */
static uint32_t spell(char *out, int i)
{
	int n = sprintf(out, "/dir%d/", i);

	for (int k = 0; k < i % 23; k++)
		out[n++] = (char)('a' + k);
	memset(out + n, '#', 8);
	return (uint32_t)n;
}

TEST(zeroed_memory_is_never_believed)
{
	memset(&memory, 0, sizeof memory);
	CHECK_EQ(segment_seq(s), 0);
	CHECK(reader_find(s, "/usr\0\0\0\0\0\0\0", 4) == NULL);
}

TEST(seq_starts_at_two_and_is_odd_while_writing)
{
	memset(&memory, 0, sizeof memory);
	segment_begin(s);
	CHECK_EQ(segment_seq(s), 1);
	segment_end(s);
	CHECK_EQ(segment_seq(s), 2);
	segment_begin(s);
	CHECK(segment_seq(s) & 1);
	CHECK(!segment_settled(s, 2));
	segment_end(s);
	CHECK_EQ(segment_seq(s), 4);
	CHECK(!segment_settled(s, 2));
	CHECK(segment_settled(s, 4));
}

TEST(an_end_without_a_begin_still_moves_seq)
{
	fresh(sizeof memory);
	uint64_t seq = segment_seq(s);

	segment_end(s);
	CHECK(!segment_settled(s, seq));
	CHECK(!(segment_seq(s) & 1));
}

TEST(records_are_found_again_and_others_are_not)
{
	char text[64];

	fresh(sizeof memory);
	for (int i = 0; i < 300; i++) {
		uint32_t n = spell(text, i);
		struct record *r = segment_record(s, text, n);

		CHECK(r);
		r->place = (uint32_t)i + 1;
	}
	for (int i = 0; i < 300; i++) {
		uint32_t n = spell(text, i);
		const struct record *r = reader_find(s, text, n);

		CHECKF(r && r->place == (uint32_t)i + 1 && r->length == n, "record %d", i);
		CHECK(!memcmp(r->path, text, n));
		CHECK(((const char *)r->path)[n] == 0);
		CHECK(segment_record(s, text, n) == r);
	}
	for (int i = 300; i < 600; i++) {
		uint32_t n = spell(text, i);

		CHECKF(!reader_find(s, text, n), "record %d was never made", i);
	}
	CHECK_EQ(s->records, 300);
}

TEST(a_prefix_of_a_record_is_not_that_record)
{
	static const char text[] = "/usr/include/boost/config\0\0\0\0\0\0\0\0";

	fresh(sizeof memory);
	CHECK(segment_record(s, text, 18));
	for (uint32_t n = 0; n < 25; n++)
		CHECKF(!!reader_find(s, text, n) == (n == 18), "length %u", n);
}

TEST(the_root_has_a_record_of_no_bytes)
{
	fresh(sizeof memory);
	CHECK(!reader_find(s, "/\0\0\0\0\0\0\0", 0));
	struct record *r = segment_record(s, "/\0\0\0\0\0\0\0", 0);

	CHECK(r && r->length == 0);
	CHECK(reader_find(s, "/other\0\0\0", 0) == r);
}

TEST(the_index_grows_and_records_stay_where_they_are)
{
	static const struct record *at[2000];
	char text[64];

	fresh(sizeof memory);
	uint32_t mask = s->index_mask;

	for (int i = 0; i < 2000; i++) {
		uint32_t n = spell(text, i);

		CHECK(at[i] = segment_record(s, text, n));
		for (int k = i; k > 0; k = k * 2 / 3) {
			n = spell(text, k);
			CHECKF(reader_find(s, text, n) == at[k], "record %d after %d", k, i);
		}
	}
	CHECK(s->index_mask > mask);
	CHECK(s->index_mask >= 2 * s->records - 1); /* half empty: searches end soon */
}

TEST(a_full_segment_refuses_and_keeps_what_it_has)
{
	char text[64];
	int made = 0;
	uint32_t n;

	fresh(16 * 1024);
	while (n = spell(text, made), segment_record(s, text, n))
		CHECK(++made < 2000);
	CHECK(made > 100);
	CHECK(!segment_filter(s, 2000));
	CHECK(!segment_text(s, 0, text, 16 * 1024));
	for (int i = 0; i < made; i++) {
		n = spell(text, i);
		CHECKF(reader_find(s, text, n), "record %d of %d", i, made);
	}
	n = spell(text, made);
	CHECK(!reader_find(s, text, n));
	for (size_t i = 16 * 1024; i < sizeof memory; i++)
		CHECKF(!memory.bytes[i], "byte %zu beyond the limit was written", i);
}

TEST(no_limit_is_too_small)
{
	char text[64];

	/* Down to one that has no room for the index. */
	for (uint32_t limit = sizeof(struct segment); limit < 8192; limit += 8) {
		fresh(limit);
		for (int i = 0; i < 100; i++) {
			uint32_t n = spell(text, i);
			const struct record *r = segment_record(s, text, n);

			CHECK(!r || reader_find(s, text, n) == r);
		}
		segment_filter(s, 1);
		segment_text(s, 0, "abc", 3);
		CHECK(s->used <= limit);
		for (uint32_t i = limit; i < 8192 + 64; i++)
			CHECKF(!memory.bytes[i], "limit %u: byte %u was written", limit, i);
	}
}

static bool text_is(uint32_t at, const char *want)
{
	const struct text *t = (const void *)(memory.bytes + at);

	return t->length == strlen(want) && !memcmp(t->bytes, want, t->length);
}

TEST(texts_are_overwritten_where_they_fit)
{
	fresh(sizeof memory);
	uint32_t first = segment_text(s, 0, "/usr/lib", 8);
	uint32_t next = segment_text(s, 0, "/opt", 4);

	CHECK(first && next && first != next);
	CHECK(text_is(first, "/usr/lib") && text_is(next, "/opt"));
	CHECK_EQ(segment_text(s, first, "/bin", 4), first);
	CHECK(text_is(first, "/bin") && text_is(next, "/opt"));
	CHECK_EQ(segment_text(s, first, "/usr/bin", 8), first); /* its capacity is as it was */
	CHECK(text_is(first, "/usr/bin"));
	uint32_t moved = segment_text(s, first, "/usr/libx", 9);

	CHECK(moved && moved != first);
	CHECK(text_is(moved, "/usr/libx") && text_is(first, "/usr/bin") && text_is(next, "/opt"));
	uint32_t empty = segment_text(s, 0, "", 0);

	CHECK(empty && text_is(empty, ""));
}

TEST(objects_never_overlap)
{
	static unsigned char owner[sizeof memory];
	char text[64];

	srand(4);
	fresh(64 * 1024);
	memset(owner, 0, sizeof owner);
	for (int i = 0; i < 2000; i++) {
		uint32_t at = 0, size = 0, n = spell(text, i);
		const struct record *r;

		switch (rand() % 3) {
		case 0:
			r = segment_record(s, text, n);
			at = r ? (uint32_t)((const char *)r - memory.bytes) : 0;
			size = (uint32_t)sizeof *r + n + 1;
			break;
		case 1:
			at = segment_text(s, 0, text, n);
			size = (uint32_t)sizeof(struct text) + n;
			break;
		default:
			at = segment_filter(s, n);
			size = (uint32_t)sizeof(struct filter) + 8 * n;
		}
		CHECK(at % 8 == 0 && (!at || at >= sizeof *s) && at + size <= 64 * 1024);
		for (uint32_t k = at; at && k < at + size; k++)
			CHECKF(!owner[k]++, "byte %u has two owners", k);
	}
}

TEST(reset_forgets_everything_but_seq_and_bells)
{
	char text[64];

	fresh(sizeof memory);
	for (int i = 0; i < 500; i++) {
		uint32_t n = spell(text, i);

		segment_record(s, text, n)->access_ok = 15;
	}
	uint32_t f = segment_filter(s, 100);

	filter_add(s, f, 12345);
	s->positives = 7;
	s->bells[1].tail = 4242;
	segment_begin(s);
	uint64_t seq = segment_seq(s);

	segment_reset(s, sizeof *s + 100, 128 * 1024);
	CHECK_EQ(segment_seq(s), seq);
	segment_end(s);
	CHECK_EQ(s->bells[1].tail, 4242);
	CHECK_EQ(s->records, 0);
	CHECK_EQ(s->positives, 0);
	for (int i = 0; i < 500; i++) {
		uint32_t n = spell(text, i);

		CHECK(!reader_find(s, text, n));
	}
	/* What is handed out now is zeroed again. */
	for (int i = 0; i < 500; i++) {
		uint32_t n = spell(text, 1000 + i);
		const struct record *r = segment_record(s, text, n);

		CHECK(r && !r->access_ok && !r->filter && !r->canonical && !r->place && !r->flags);
		CHECK((uint32_t)((const char *)r - memory.bytes) >= sizeof *s + 100);
	}
	f = segment_filter(s, 100);
	CHECK(f && !filter_perhaps(s, f, 12345));
}

TEST(quiet_means_no_flag_and_no_completion)
{
	uint32_t *word = (uint32_t *)(memory.bytes + 4096);

	fresh(4096);
	for (uint32_t b = 0; b < BELLS; b++) {
		s->bells[b].flags = 4096 + 12 * b;
		s->bells[b].head = 4096 + 12 * b + 4;
		s->bells[b].tail = 4096 + 12 * b + 8;
	}
	CHECK(segment_quiet(s));
	for (uint32_t b = 0; b < BELLS; b++) {
		word[3 * b] = SQ_TASKRUN;
		CHECK(!segment_quiet(s));
		word[3 * b] = 1 | 2; /* other flags do not ring */
		CHECK(segment_quiet(s));
		word[3 * b + 2] = 1;
		CHECK(!segment_quiet(s));
		word[3 * b + 1] = 1;
		CHECK(segment_quiet(s));
		word[3 * b + 1] = 2; /* never seen, never believed */
		CHECK(!segment_quiet(s));
		word[3 * b + 1] = 1;
	}
}

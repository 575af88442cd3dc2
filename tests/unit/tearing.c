/*
 * Readers beside a writer. What they would be told must be what was true between two changes: pairs
 * of facts that the writer only ever changes together are never seen apart.
 */
#include "test.h"

#include "cache/reader.h"
#include "cache/writer.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { READERS = 2, PAIRS = 8, CHANGES = 200000, CHANGES_SANITIZED = 30000 };

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
static const int changes = CHANGES_SANITIZED;
#else
static const int changes = CHANGES;
#endif

static union {
	struct segment segment;
	char bytes[256 * 1024];
} memory;
static struct segment *const s = &memory.segment;

static bool finished;
static uint64_t settled, mixed, turned_away;

static const char *left_of(int pair, char *text)
{
	memset(text, 0, 64);
	sprintf(text, "/left/%d", pair);
	return text;
}

static const char *right_of(int pair, char *text)
{
	memset(text, 0, 64);
	sprintf(text, "/right/%d", pair);
	return text;
}

/* One look at a pair: true when it may be believed; *same: as the writer left it. */
static bool look(int pair, bool *same)
{
	char left[64], right[64];
	struct path p, q;
	const struct record *by;
	uint32_t at;
	uint64_t seq = segment_seq(s);

	if ((seq & 1) || !seq)
		return false;
	path_parse(&p, left_of(pair, left));
	path_parse(&q, right_of(pair, right));
	const struct record *l = reader_find(s, p.text, p.length);
	const struct record *r = reader_find(s, q.text, q.length);
	uint8_t first = l ? load_relaxed(&l->access_ok) : 0xff;
	enum found a = reader_absent(s, &p, &by, &at);
	enum found b = reader_absent(s, &q, &by, &at);
	uint8_t second = r ? load_relaxed(&r->access_ok) : 0xff;

	if (!segment_settled(s, seq))
		return false;
	*same = l && r && first == second && a == b;
	return true;
}

static void *reader(void *from)
{
	int pair = (int)(intptr_t)from;
	uint64_t good = 0, bad = 0, no = 0;

	/* Not less than some looks after the last change. */
	for (int more = 100; more; more -= __atomic_load_n(&finished, __ATOMIC_ACQUIRE)) {
		bool same;

		pair = (pair + 1) % PAIRS;
		if (!look(pair, &same))
			no++;
		else if (same)
			good++;
		else
			bad++;
	}
	add_relaxed(&settled, good);
	add_relaxed(&mixed, bad);
	add_relaxed(&turned_away, no);
	return NULL;
}

static struct record *pair_left[PAIRS], *pair_right[PAIRS], *left, *right;
static uint32_t filter_left, filter_right;

static void make(void)
{
	char text[64] = "/left";

	segment_reset(s, sizeof *s, sizeof memory);
	left = segment_record(s, text, 5);
	strcpy(text, "/right");
	right = segment_record(s, text, 6);
	store_relaxed(&left->name_max, 255);
	store_relaxed(&right->name_max, 255);
	filter_left = segment_filter(s, 4);
	filter_right = segment_filter(s, 4);
	store_relaxed(&left->filter, filter_left);
	store_relaxed(&right->filter, filter_right);
	for (int i = 0; i < PAIRS; i++) {
		pair_left[i] = segment_record(s, left_of(i, text), 7);
		pair_right[i] = segment_record(s, right_of(i, text), 8);
	}
}

/* One change of the writer's: the same on both sides, far apart in time and memory. */
static void change_facts(int i)
{
	uint8_t value = (uint8_t)(i % 16);
	char name[8] = {(char)('0' + i / 3 % PAIRS)};

	for (int k = 0; k < PAIRS; k++)
		store_relaxed(&pair_left[k]->access_ok, value);
	if (i % 3 == 0)
		filter_clear(s, filter_left, 4);
	filter_add(s, filter_left, hash_name(name, 1));
	if (i % 3 == 0)
		filter_clear(s, filter_right, 4);
	filter_add(s, filter_right, hash_name(name, 1));
	for (int k = PAIRS; k--;)
		store_relaxed(&pair_right[k]->access_ok, value);
}

/* The listings come and go. */
static void change_listing(int i)
{
	bool on = i & 1;

	store_relaxed(&left->filter, on ? filter_left : 0);
	store_relaxed(&left->flags, i % 5 ? 0 : RECORD_REFUSED);
	store_relaxed(&right->filter, on ? filter_right : 0);
	store_relaxed(&right->flags, i % 5 ? 0 : RECORD_REFUSED);
}

static void run(void (*change)(int), int times)
{
	pthread_t threads[READERS];

	memset(&memory, 0, sizeof memory);
	segment_begin(s);
	make();
	segment_end(s);
	settled = mixed = turned_away = 0;
	finished = false;
	for (int i = 0; i < READERS; i++)
		CHECK(!pthread_create(&threads[i], NULL, reader, (void *)(intptr_t)i));
	for (int i = 0; i < times; i++) {
		segment_begin(s);
		change(i);
		segment_end(s);
		/* Room for readers: they are told the truth only between two changes. */
		for (volatile int wait = 0; wait < i % 512; wait++)
			;
		if (i % 1024 == 0)
			sched_yield();
	}
	__atomic_store_n(&finished, true, __ATOMIC_RELEASE);
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	CHECKF(!mixed, "%llu of %llu settled answers were torn", (unsigned long long)mixed,
	       (unsigned long long)(mixed + settled));
	CHECKF(settled > 100, "readers were never answered (%llu times turned away)",
	       (unsigned long long)turned_away);
}

TEST(pairs_of_facts_are_never_seen_apart)
{
	run(change_facts, changes);
}

TEST(listings_that_come_and_go_together_are_never_seen_apart)
{
	run(change_listing, changes);
}

/* Everything forgotten and written anew at other places. */
static void start_anew(int i)
{
	char text[64];

	make();
	for (int k = 0; k < i % 40; k++) {
		memset(text, 0, sizeof text);
		sprintf(text, "/more/%d", k);
		segment_record(s, text, (uint32_t)strlen(text));
	}
	change_facts(i);
}

TEST(a_reset_is_never_seen_half_done)
{
	run(start_anew, changes / 20);
}

/* The index is replaced by a larger one while readers search it. */
static void grow(int i)
{
	char text[64] = {0};

	if (i % 400 == 0) {
		make();
		change_facts(i);
	}
	sprintf(text, "/grow/%d", i);
	segment_record(s, text, (uint32_t)strlen(text));
}

TEST(records_are_found_while_the_index_grows)
{
	run(grow, changes / 4);
}

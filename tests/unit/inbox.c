/*
 * A session's block, and its inbox: posts of many writers, one reader who trusts none of them.
 */
#include "test.h"

#include "authority/bell.h"
#include "cache/session.h"

#include <pthread.h>
#include <stdlib.h>

static struct inbox in;

static void fresh(void)
{
	memset(&in, 0, sizeof in);
}

static void post(uint64_t key, uint32_t count, const char *text)
{
	struct note n = {.key = key, .count = count, .kind = POST_LOST, .length = (uint16_t)strlen(text)};

	inbox_post(&in, &n, text);
}

/* Takes everything; how many posts, the sum of their counts in *sum. */
static unsigned take_all(uint64_t *sum, char last[POST_TEXT])
{
	uint32_t slot = 0;
	unsigned n = 0;
	struct note note;

	for (*sum = 0; inbox_take(&in, &slot, &note, last); n++)
		*sum += note.count;
	return n;
}

TEST(a_sessions_bells_are_whole_pages)
{
	CHECK_EQ(offsetof(struct session, bells) % PAGE_MOST, 0);
	CHECK_EQ(SESSION_BELL_BYTES, BELL_SHOWN_BYTES);
	CHECK(sizeof(struct session) < SESSION_BYTES / 2);
}

TEST(a_post_arrives_once_and_whole)
{
	char text[POST_TEXT];
	uint64_t sum;

	fresh();
	post(1 << 20, 3, "/usr/include/none.h");
	CHECK_EQ(take_all(&sum, text), 1);
	CHECK_EQ(sum, 3);
	CHECK(!strcmp(text, "/usr/include/none.h"));
	CHECK_EQ(take_all(&sum, text), 0);
}

TEST(posts_with_one_key_are_one_and_their_counts_add_up)
{
	char text[POST_TEXT];
	uint64_t sum;

	fresh();
	for (int i = 0; i < 10; i++)
		post(7 << 8, 2, "/a");
	CHECK_EQ(take_all(&sum, text), 1);
	CHECK_EQ(sum, 20);
}

TEST(a_post_that_was_never_announced_is_by_the_next_with_its_key)
{
	char text[POST_TEXT];
	uint64_t sum;

	fresh();
	post(7 << 8, 1, "/a");
	memset(in.news, 0, sizeof in.news); /* as if its writer had been killed just before */
	CHECK_EQ(take_all(&sum, text), 0);
	post(7 << 8, 1, "/a");
	CHECK_EQ(take_all(&sum, text), 1);
	CHECK_EQ(sum, 2);
}

TEST(a_full_inbox_says_what_it_lost_and_takes_again_when_it_was_read)
{
	char text[POST_TEXT];
	uint64_t sum;
	unsigned taken;

	fresh();
	for (uint64_t i = 0; i < 3 * POST_SLOTS; i++)
		post(i << 8 | 1, 1, "/a");
	CHECK(in.lost > 0);
	taken = take_all(&sum, text);
	CHECK_EQ(taken, POST_SLOTS);
	CHECK_EQ(taken + in.lost, 3 * POST_SLOTS);
	post(1 << 8, 1, "/b");
	CHECK_EQ(take_all(&sum, text), 1);
}

TEST(a_slot_whose_writer_died_is_free_after_two_sweeps)
{
	uint64_t busy[POST_SLOTS / 64] = {0};

	fresh();
	in.posts[5].state = 1;
	inbox_sweep(&in, busy);
	CHECK_EQ(in.posts[5].state, 1); /* it may be at work */
	inbox_sweep(&in, busy);
	CHECK_EQ(in.posts[5].state, 0);
}

enum { WRITERS = 4, POSTS = 20000 };

static int stop;

/* The text of a key: a letter, as often as the key says. */
static void *write_posts(void *number)
{
	char text[64];

	for (uint64_t i = 0; i < POSTS; i++) {
		uint64_t letter = (uint64_t)(uintptr_t)number, length = 1 + i % 60;

		memset(text, 'a' + (int)letter, length);
		text[length] = 0;
		post((i * WRITERS + letter) << 8 | length, 1, text);
	}
	__atomic_fetch_add(&stop, 1, __ATOMIC_RELEASE);
	return NULL;
}

TEST(posts_of_many_threads_are_never_torn_nor_counted_twice)
{
	pthread_t writer[WRITERS];
	char text[POST_TEXT];
	struct note n;
	uint64_t taken = 0;
	bool last = false;

	fresh();
	stop = 0;
	for (uintptr_t i = 0; i < WRITERS; i++)
		CHECK(!pthread_create(&writer[i], NULL, write_posts, (void *)i));
	while (!last) {
		uint32_t slot = 0;

		last = load_acquire(&stop) == WRITERS; /* pairs with the writers' ends */
		while (inbox_take(&in, &slot, &n, text)) {
			CHECK_EQ(n.length, n.key & 0xff);
			CHECK_EQ(strlen(text), n.length);
			CHECK_EQ(text[0], 'a' + (int)(n.key >> 8) % WRITERS);
			CHECK_EQ(strspn(text, (char[]){text[0], 0}), n.length);
			taken += n.count;
		}
	}
	for (int i = 0; i < WRITERS; i++)
		pthread_join(writer[i], NULL);
	CHECK_EQ(taken + load_relaxed(&in.lost), (uint64_t)WRITERS * POSTS);
}

static void *scribble(void *unused)
{
	uint64_t x = 88172645463325252;

	(void)unused;
	while (!load_relaxed(&stop)) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		store_relaxed(&((uint32_t *)&in)[x % (sizeof in / 4)], (uint32_t)(x >> 32));
		store_relaxed(&in.posts[x % POST_SLOTS].state, 2);
		store_relaxed(&in.news[x % (POST_SLOTS / 64)], UINT64_MAX);
	}
	return NULL;
}

TEST(hostile_bytes_give_bounded_strings_and_an_end)
{
	static char text[POST_TEXT + 8];
	pthread_t hostile;
	struct note n;
	unsigned posts = 0;

	fresh();
	stop = 0;
	memset(text, 'x', sizeof text);
	CHECK(!pthread_create(&hostile, NULL, scribble, NULL));
	for (int round = 0; round < 2000 || (posts <= 100 && round < 2000000); round++) {
		unsigned of_round = 0;

		for (uint32_t slot = 0; inbox_take(&in, &slot, &n, text); of_round++) {
			CHECK(n.length < POST_TEXT);
			CHECK_EQ(text[n.length], 0);
			CHECK_EQ(text[POST_TEXT], 'x');
		}
		CHECK(of_round <= POST_SLOTS);
		posts += of_round;
	}
	store_relaxed(&stop, 1);
	pthread_join(hostile, NULL);
	CHECK(posts > 100);
}

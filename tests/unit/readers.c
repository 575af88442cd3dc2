/*
 * Threads that ask while the authority's thread changes things, learns, takes note and forgets.
 * What is always there is never absent to them; under ThreadSanitizer every word they share is
 * looked at.
 */
#include "session.h"

#include <pthread.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ROUNDS = 300 };
#else
enum { ROUNDS = 1500 };
#endif
enum { READERS = 2 };

static bool finished;
static uint64_t wrong, absent, present;
static char always[2][512], never[512], file[512];

static void *reader(void *unused)
{
	static __thread struct path p;
	static __thread char text[4096] __attribute__((aligned(4096)));
	uint64_t bad = 0;
	const struct record *by, *r;
	uint32_t where;

	(void)unused;
	for (int turn = 0; !__atomic_load_n(&finished, __ATOMIC_ACQUIRE); turn++) {
		const char *path = turn % 4 < 2 ? always[turn % 4] : turn % 4 == 2 ? never : file;

		memset(text, 0, 512);
		strcpy(text, path);
		path_parse(&p, text);
		uint64_t seq = segment_seq(now->segment);

		if (!seq || (seq & 1))
			continue;
		enum found found = reader_absent(now->segment, &p, &by, &where);

		r = reader_find(now->segment, p.text, p.length);
		bool there = r && (load_relaxed(&r->access_ok) & ACCESS_EXISTS);

		if (!quiet() || !segment_settled(now->segment, seq))
			continue;
		add_relaxed(&absent, found == FOUND_ABSENT);
		add_relaxed(&present, there);
		bad += found == FOUND_ABSENT && path != never;
		bad += there && path == never;
		if (authority_is_mine(now->authority))
			bad++;
	}
	add_relaxed(&wrong, bad);
	return NULL;
}

static bool all_served(void)
{
	return load_relaxed(&absent) && load_relaxed(&present);
}

static void change(int round)
{
	switch (round % 5) {
	case 0:
		MUST(rename(at("spare"), at("link"))); /* now it leads to the other one */
		MUST(symlink(round % 2 ? "one" : "two", at("spare")));
		break;
	case 1:
		make_file(at("one/x%d", round));
		break;
	case 2:
		MUST(chmod(at("two"), round % 2 ? 0755 : 0711));
		break;
	case 3:
		MUST(rename(at("one/other"), at("one/another")));
		MUST(rename(at("one/another"), at("one/other")));
		break;
	default:
		if (round % 50 == 4)
			authority_forget(now->authority);
	}
}

TEST_BELLS(readers_are_never_told_that_what_exists_is_absent)
{
	pthread_t threads[READERS];

	make_dir(at("one"));
	make_dir(at("two"));
	make_file(at("one/always"));
	make_file(at("two/always"));
	make_file(at("one/other"));
	MUST(symlink("one", at("link")));
	MUST(symlink("two", at("spare")));
	strcpy(always[0], at("one/always"));
	strcpy(always[1], at("link/always"));
	strcpy(never, at("link/never"));
	strcpy(file, at("two/always"));
	finished = false;
	wrong = absent = present = 0;
	for (int i = 0; i < READERS; i++)
		CHECK(!pthread_create(&threads[i], NULL, reader, NULL));
	/* On a busy machine readers may be late. */
	for (int round = 0; round < ROUNDS || (round < 50 * ROUNDS && !all_served()); round++) {
		change(round);
		catch_up();
		learn(never);
		learn_present(file, QUESTION_ACCESS, F_OK);
		for (volatile int wait = 0; wait < 20000; wait++)
			;
	}
	__atomic_store_n(&finished, true, __ATOMIC_RELEASE);
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	CHECKF(!wrong, "%llu answers were wrong", (unsigned long long)wrong);
	CHECKF(all_served(), "%llu absences and %llu presences were served",
	       (unsigned long long)absent, (unsigned long long)present);
}

/*
 * Several threads look. One of them owns the ring; it may look, sleep, or be gone.
 */
#include "race.h"

/* The first to look is the owner: the main thread. */
static void owner_and_two(const struct race *r)
{
	race_look_for(r, 1);
	pthread_t one = race_start(race_look_thread, r), two = race_start(race_look_thread, r);

	race_look(r);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
}

TEST(two_threads_and_the_owner_see_every_change)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = owner_and_two};
	race_run(&r);
}

/* Sleeps most of the time: the bell stays rung, and the others may not believe the cache. */
static void owner_sleeps(const struct race *r)
{
	race_look_for(r, 1);
	pthread_t one = race_start(race_look_thread, r), two = race_start(race_look_thread, r);

	while (!race_over(r)) {
		race_look_for(r, 0.2);
		usleep(100);
	}
	pthread_join(one, NULL);
	pthread_join(two, NULL);
}

TEST(threads_see_every_change_while_the_owner_sleeps)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = owner_sleeps};
	race_run(&r);
}

/* Lookers that live for a moment, beside an owner that stays. */
static void threads_come_and_go(const struct race *r)
{
	race_look_for(r, 1);
	while (!race_over(r)) {
		pthread_t one = race_start(race_look_thread_ms, r);

		race_look_for(r, 2);
		pthread_join(one, NULL);
	}
}

TEST(threads_that_come_and_go_see_every_change)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = threads_come_and_go};
	race_run(&r);
}

/* A process has only one more ring after its first, so that each of these races needs new ones;
 * and a life has no thread that changes. */
#define LIVES MIXED, .change = mixed_change, .ways = ONLY(BY_PROCESS) | ONLY(FORGETTING)

/* The first owner goes, a second one too, and the rest look on. */
static void owners_exit(const struct race *r)
{
	pthread_join(race_start(race_look_thread_ms, r), NULL);
	pthread_t two = race_start(race_look_thread_ms, r);

	race_look_for(r, 6);
	pthread_join(two, NULL);
	race_look_for(r, 6);
}

static void owners_exit_again(const struct race *r)
{
	race_many_lives(r, owners_exit);
}

TEST(threads_see_every_change_when_the_owner_has_exited)
{
	static const struct race r = {LIVES, .look = owners_exit_again};
	race_run(&r);
}

/* The owner leaves as soon as the cache is hot, and nobody else has ever asked before. */
static void owner_leaves(const struct race *r)
{
	pthread_join(race_start(race_look_thread_ms, r), NULL);
	race_look_for(r, 10);
}

static void owner_leaves_again(const struct race *r)
{
	race_many_lives(r, owner_leaves);
}

TEST(the_main_thread_sees_every_change_after_the_owner_has_exited)
{
	static const struct race r = {LIVES, .look = owner_leaves_again};
	race_run(&r);
}

/* Two threads take over from one that is gone, at the same moment. */
static void two_successors(const struct race *r)
{
	pthread_join(race_start(race_look_thread_ms, r), NULL);
	pthread_t one = race_start(race_look_thread_ms, r);

	race_look_for(r, 3);
	pthread_join(one, NULL);
}

static void two_successors_again(const struct race *r)
{
	race_many_lives(r, two_successors);
}

TEST(threads_that_succeed_an_owner_together_see_every_change)
{
	static const struct race r = {LIVES, .look = two_successors_again};
	race_run(&r);
}

/* Nobody has asked yet, and then three do: only one may start the cache. */
static void first_together(const struct race *r)
{
	pthread_t one = race_start(race_look_thread_ms, r);
	pthread_t two = race_start(race_look_thread_ms, r);

	race_look_for(r, 2);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
}

static void first_together_again(const struct race *r)
{
	race_many_lives(r, first_together);
}

TEST(threads_that_ask_first_together_see_every_change)
{
	static const struct race r = {LIVES, .look = first_together_again};
	race_run(&r);
}

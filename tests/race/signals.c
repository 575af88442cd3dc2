/*
 * Signal handlers that look, at any moment of a lookup, and handlers that never return to it.
 */
#include "race.h"
#include <sys/time.h>

enum { TICK_US = 500, START_US = 60 };

static const struct race *current;
static sigjmp_buf out;
static volatile sig_atomic_t jumps, outlasts;
static uint32_t random_state = 1;

/* The lookup that was interrupted began before this change, and goes on after it. */
static void outlast_a_change(void)
{
	unsigned done = atomic_load(&race_shared->done);

	atomic_store(&race_shared->hurry, 1);
	for (int i = 0; i < 20000 && atomic_load(&race_shared->done) == done; i++)
		;
}

static void on_tick(int sig)
{
	struct looker l; /* another thread may be in here too */
	int err = errno;

	(void)sig;
	if (outlasts)
		outlast_a_change();
	looker_start(&l, current);
	looker_sweep(&l);
	if (jumps && race_random(&random_state) % 2)
		siglongjmp(out, 1);
	errno = err;
}

static void tick(int us)
{
	struct itimerval t = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &t, NULL);
}

static void handle_ticks(const struct race *r, int us)
{
	struct sigaction act = {.sa_handler = on_tick, .sa_flags = SA_RESTART};

	current = r;
	sigaction(SIGALRM, &act, NULL);
	tick(us);
}

static void interrupted(const struct race *r)
{
	handle_ticks(r, TICK_US);
	race_look(r);
	tick(0);
}

TEST(a_lookup_in_a_signal_handler_sees_every_change)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = interrupted};
	race_run(&r);
}

/* Facts that were half read end, and others take their place, before the reading goes on. */
static void outlasted(const struct race *r)
{
	outlasts = 1;
	handle_ticks(r, TICK_US / 4);
	race_look(r);
	tick(0);
	outlasts = 0;
}

TEST(a_lookup_that_a_change_and_another_lookup_interrupt_is_whole)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = outlasted};
	race_run(&r);
}

/* What the handler leaves behind is never finished. */
static void abandoned(const struct race *r)
{
	static struct looker l;

	looker_start(&l, r);
	sigsetjmp(out, 1);
	if (!jumps) {
		jumps = 1;
		handle_ticks(r, TICK_US);
	}
	while (!race_over(r))
		looker_sweep(&l);
	jumps = 0;
	tick(0);
}

TEST(a_lookup_left_by_siglongjmp_leaves_nothing_stale)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = abandoned};
	race_run(&r);
}

/* The handler runs in whichever thread the kernel picks, the owner or not. */
static void interrupted_threads(const struct race *r)
{
	race_look_for(r, 1);
	pthread_t other = race_start(race_look_thread, r);

	handle_ticks(r, TICK_US);
	race_look(r);
	tick(0);
	pthread_join(other, NULL);
}

TEST(a_lookup_in_a_signal_handler_of_any_thread_sees_every_change)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = interrupted_threads};
	race_run(&r);
}

/* The first lookup of all, which starts the cache, is interrupted by one that would start it. */
static void interrupted_start(const struct race *r)
{
	handle_ticks(r, START_US);
	race_look_for(r, 1);
	tick(TICK_US);
	race_look_for(r, 2);
	tick(0);
}

static void interrupted_starts(const struct race *r)
{
	race_many_lives(r, interrupted_start);
}

TEST(a_lookup_in_a_signal_handler_while_the_cache_starts_sees_every_change)
{
	static const struct race r = {
		MIXED,
		.change = mixed_change,
		.look = interrupted_starts,
		.ways = ONLY(BY_PROCESS) | ONLY(FORGETTING), /* a life has no changer */
	};
	race_run(&r);
}

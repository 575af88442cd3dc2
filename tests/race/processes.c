/*
 * Processes made by one whose cache is hot, and processes that are stopped: a child must neither
 * believe what it inherited nor take the events that its parent waits for.
 */
#include "race.h"

static void child_looks(const struct race *r)
{
	race_look_for(r, 4);
	race_book();
	_exit(0);
}

static void beside_a_child(const struct race *r, pid_t (*make_child)(void))
{
	while (!race_over(r)) {
		race_look_for(r, 1);
		pid_t child = make_child();

		if (child == 0)
			child_looks(r);
		race_look_for(r, 3);
		race_reap(child, false, "child");
	}
}

static void forks(const struct race *r)
{
	beside_a_child(r, race_fork);
}

TEST(a_forked_child_and_its_parent_see_every_change)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = forks};
	race_run(&r);
}

/* Without libc: nobody's fork handlers run. */
static pid_t raw_fork(void)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		race_inherited = race_served();
	return pid;
}

static void raw_forks(const struct race *r)
{
	beside_a_child(r, raw_fork);
}

TEST(a_child_made_by_a_raw_system_call_sees_every_change)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = raw_forks};
	race_run(&r);
}

/* The parent's other thread has made the ring, and may be at work in the moment of the fork. */
static void forks_beside_a_thread(const struct race *r)
{
	pthread_t owner = race_start(race_look_thread, r);

	usleep(1000);
	beside_a_child(r, raw_fork);
	pthread_join(owner, NULL);
}

TEST(a_child_forked_while_another_thread_looks_sees_every_change)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = forks_beside_a_thread};
	race_run(&r);
}

/* A child of a child, which looks before its parent has. */
static void grandchildren(const struct race *r)
{
	while (!race_over(r)) {
		race_look_for(r, 1);
		pid_t child = race_fork();

		if (child == 0) {
			pid_t grandchild = race_fork();

			if (grandchild == 0)
				child_looks(r);
			race_reap(grandchild, false, "grandchild");
			child_looks(r);
		}
		race_look_for(r, 3);
		race_reap(child, false, "child");
	}
}

TEST(a_grandchild_sees_every_change)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = grandchildren};
	race_run(&r);
}

/* The child has its parent's memory, cache and all, but is not the owner of anything. */
static void vforks(const struct race *r)
{
	static struct looker l; /* not in the frame that both return through */

	while (!race_over(r)) {
		race_look_for(r, 0.5);
		looker_start(&l, r);
		pid_t child = vfork();

		if (child == 0) {
			for (int i = 0; i < 20; i++)
				looker_sweep(&l);
			_exit(0);
		}
		race_reap(child, false, "vfork child");
	}
}

TEST(a_vfork_child_and_its_parent_see_every_change)
{
	static const struct race r = {MIXED, .change = mixed_change, .look = vforks};
	race_run(&r);
}

/* Stopped at any point, changed behind its back, continued. */
static void change_while_stopped(unsigned state, unsigned cycle)
{
	static uint32_t random = 1;
	int pid = atomic_load(&race_shared->looker);

	if (race_random(&random) % 2 || !pid) {
		mixed_change(state, cycle);
		return;
	}
	syscall(SYS_kill, pid, SIGSTOP);
	mixed_change(state, cycle);
	syscall(SYS_kill, pid, SIGCONT);
}

TEST(a_process_stopped_while_the_change_is_made_sees_it)
{
	static const struct race r = {
		MIXED,
		.change = change_while_stopped,
		.ways = ONLY(BY_PROCESS) | ONLY(FORGETTING), /* a thread would stop itself */
	};
	race_run(&r);
}

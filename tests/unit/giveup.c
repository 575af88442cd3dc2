/*
 * The cost rule's give-up side: a watch that rings often and saves little is given up; one that
 * saves is kept; with `eager` nothing is given up.
 */
#include "session.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

/* Rings the directory of a listing and catches up, telling what was saved meanwhile. */
static void ring(const char *dir, uint64_t gain_ns)
{
	char name[600];

	/* Always the same name: a listing that is outgrown is another matter. */
	snprintf(name, sizeof name, "%s/there", dir);
	MUST(unlink(name));
	make_file(name);
	CHECK(authority_catch_up(now->authority, gain_ns));
}

static void make_ringing(void)
{
	make_dir(at("d"));
	make_file(at("d/there"));
}

/* How many rings until the directory is not answered any more; `most` when it still is. */
static int rings_until_given_up(const char *dir, uint64_t gain_ns, int most)
{
	char none[600] = {0};

	snprintf(none, sizeof none, "%s/none", dir);
	for (int i = 0; i < most; i++) {
		ring(dir, gain_ns);
		if (!still_absent(none))
			return i + 1;
	}
	return most;
}

static void gives_up(bool page_bell)
{
	session_use(page_bell, false);
	make_ringing();
	make_dir(at("e"));
	CHECK(learned(at("d/none")) && learned(at("e/none")));
	int rings = rings_until_given_up(at("d"), 0, 5000);

	if (rings == 1 && session_is_emulated())
		SKIP("prices of a kernel: under qemu-user catching up costs a thousand hits");
	CHECKF(rings > 1 && rings < 5000, "after %d rings", rings);
	CHECK(!(segment_seq(now->segment) & 1));
	CHECK(still_absent(at("e/none"))); /* the quiet one stays */
}

TEST(a_watch_that_rings_without_gain_is_given_up_with_page_bell)
{
	gives_up(true);
}

TEST(a_watch_that_rings_without_gain_is_given_up_with_pending_check)
{
	gives_up(false);
}

TEST(what_was_given_up_is_not_watched)
{
	session_use(false, false);
	make_ringing();
	CHECK(learned(at("d/none")));
	CHECK(rings_until_given_up(at("d"), 0, 5000) < 5000);
	catch_up();
	for (int i = 0; i < 20 && !quiet(); i++)
		catch_up();
	/* Others may ring at any time, but not each time. */
	int rang = 0;

	for (int i = 0; i < 20; i++) {
		make_file(at("d/x%d", i));
		rang += !quiet();
		catch_up();
	}
	CHECKF(rang < 15, "%d of 20 changes rang", rang);
}

TEST(it_is_tried_again_at_growing_distances)
{
	int asked[3] = {0};

	session_use(false, false);
	make_ringing();
	CHECK(learned(at("d/none")));
	for (int round = 0; round < 3; round++) {
		CHECK(rings_until_given_up(at("d"), 0, 5000) < 5000);
		while (!is_absent(at("d/none"))) {
			learn(at("d/none"));
			catch_up();
			CHECK(asked[round]++ < 1000);
		}
	}
	CHECKF(asked[0] < asked[1] && asked[1] < asked[2], "after %d, %d, %d requests", asked[0],
	       asked[1], asked[2]);
}

TEST(a_watch_whose_answers_pay_is_kept)
{
	session_use(false, false);
	make_ringing();
	CHECK(learned(at("d/none")));
	CHECK_EQ(rings_until_given_up(at("d"), 1000000000, 300), 300);
}

TEST(past_gains_are_no_credit)
{
	session_use(false, false);
	make_ringing();
	CHECK(learned(at("d/none")));
	for (int i = 0; i < 50; i++)
		ring(at("d"), 1000000000);
	CHECK(rings_until_given_up(at("d"), 0, 5000) < 5000);
}

TEST(eager_gives_up_nothing)
{
	static struct session eager;

	session_open(&eager, (struct authority_options){.eager = true});
	now = &eager;
	CHECK_EQ(now->error, 0);
	session_empty();
	make_ringing();
	CHECK(learned(at("d/none")));
	CHECK_EQ(rings_until_given_up(at("d"), 0, 1000), 1000);
	session_close(&eager);
}

TEST(a_directory_of_no_use_is_turned_away_for_a_while)
{
	session_use(false, false);
	make_dir(at("d"));
	make_file(at("d/there"));
	/* A wrong request costs a listing; the next ones cost less and less often. */
	uint64_t before = now->authority->places[0].skip;

	CHECK_EQ(before, 0);
	for (int i = 0; i < 5; i++)
		CHECK_EQ(learn(at("d/there")), LEARNED_NOTHING);
	CHECK(learned(at("d/none")));
	CHECK(!is_absent(at("d/there")));
}

/* A process that learns, rings and gives up, stopped at each of its system calls. */
static pid_t start_traced(void)
{
	pid_t child = fork();

	if (child)
		return child;
	if (setjmp(test_end))
		_exit(3);
	sessions[false] = (struct session){0};
	session_use(false, false);
	make_ringing();
	CHECK(learned(at("d/none")));
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	raise(SIGSTOP);
	for (int i = 0; i < 500 && is_absent(at("d/none")); i++)
		ring(at("d"), 0);
	learn(at("d/none"));
	catch_up();
	_exit(is_absent(at("d/none")) ? 2 : 0);
}

static bool peek(pid_t child, const void *from, void *to, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)from, n};

	return process_vm_readv(child, &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* Guarantee 1 of layout.h: what one even seq is seen with, it is always seen with. */
TEST(nothing_changes_while_seq_is_even)
{
	static char seen[SESSION_BYTES] __attribute__((aligned(64)));
	static char last[SESSION_BYTES] __attribute__((aligned(64)));
	struct session *of_child = &sessions[false];
	struct segment *s = (struct segment *)seen;
	const struct segment *where = NULL;
	int status, stops = 0, changes = 0;
	pid_t child;

	session_use(false, false);
	child = start_traced();
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	if (!WIFSTOPPED(status))
		SKIP("ptrace(2)");
	if (!peek(child, &of_child->segment, &where, sizeof where))
		SKIP("process_vm_readv(2)");
	while (!ptrace(PTRACE_SYSCALL, child, NULL, NULL) && waitpid(child, &status, 0) == child &&
	       WIFSTOPPED(status)) {
		if (!peek(child, where, seen, sizeof seen) || (s->seq & 1))
			continue;
		stops++;
		changes +=
		    s->seq == ((struct segment *)last)->seq && memcmp(seen, last, sizeof seen);
		memcpy(last, seen, sizeof seen);
	}
	CHECKF(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
	CHECK(stops > 20);
	CHECKF(!changes, "the segment changed %d times at one even seq", changes);
}

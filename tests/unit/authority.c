/*
 * The authority's edges: whose it is, what it refuses, a bell that is lost, a segment that is full,
 * and mounts. The tests that mount something come last: no new mount is walked after them.
 */
#include "session.h"

#include <pthread.h>

TEST(zeroed_memory_is_nobodys_authority)
{
	static struct authority none;

	CHECK(!authority_is_mine(&none));
}

static void *is_mine(void *a)
{
	return (void *)(intptr_t)authority_is_mine(a);
}

TEST_BELLS(an_authority_is_its_threads)
{
	pthread_t thread;
	void *mine = (void *)1;

	CHECK(authority_is_mine(now->authority));
	CHECK(!pthread_create(&thread, NULL, is_mine, now->authority));
	pthread_join(thread, &mine);
	CHECK(!mine);
}

TEST_BELLS(seq_is_even_and_moves_with_every_call)
{
	uint64_t seq = segment_seq(now->segment), next;

	CHECK(seq && !(seq & 1));
	make_dir(at("d"));
	learn(at("d/none"));
	CHECK((next = segment_seq(now->segment)) > seq && !(next & 1));
	learn("/proc/none");
	CHECK((seq = segment_seq(now->segment)) > next && !(seq & 1));
	catch_up();
	CHECK((next = segment_seq(now->segment)) > seq && !(next & 1));
	authority_forget(now->authority);
	CHECK((seq = segment_seq(now->segment)) > next && !(seq & 1));
}

/* Directories that came and went fill the tables for good; renewed, there is room, and nothing old is left. */
TEST_BELLS(full_tables_are_renewed_and_answer_again)
{
	make_dir(at("known"));
	CHECK(learned(at("known/none")));
	CHECK(!authority_is_full(now->authority));
	for (int i = 0; !authority_is_full(now->authority); i++) {
		CHECK(i < 2 * PLACES);
		make_dir(at("d%d", i));
		learn(at("d%d/none", i));
		MUST(rmdir(at("d%d", i)));
	}
	CHECK(still_absent(at("known/none")));
	authority_renew(now->authority);
	CHECK(!authority_is_full(now->authority));
	CHECK(!is_absent(at("known/none")));
	CHECK(learned(at("known/none")));
	CHECK(still_absent(at("known/none")));
	make_file(at("known/none"));
	CHECK(!still_absent(at("known/none")));
}

TEST(only_a_page_bell_is_announced_in_the_segment)
{
	session_use(false, true);
	CHECK_EQ(now->segment->bells[0].flags, 0);
	session_use(true, true);
	for (int i = 0; i < BELLS; i++) {
		uint32_t where = now->segment->bells[i].flags;

		CHECK(where >= SESSION_BYTES && where < SESSION_BYTES + BELL_SHOWN_BYTES);
	}
}

/* The kernel takes whole pages for a ring, and its pages may be the largest that there are. */
TEST(the_rings_of_a_page_bell_share_no_page)
{
	char *memory[3][2];

	session_use(true, true);
	for (int i = 0; i < 3; i++) {
		const struct ring *r = i == 0 ? &now->authority->bell.inotify
				     : i == 1 ? &now->authority->bell.mounts
					      : &now->authority->bell.exchange;

		memory[i][0] = r->memory;
		memory[i][1] = r->entries;
	}
	for (int i = 0; i < 6; i++) {
		CHECK_EQ((uintptr_t)memory[i / 2][i % 2] % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
		for (int k = 0; k < i; k++)
			CHECK(labs(memory[i / 2][i % 2] - memory[k / 2][k % 2]) >= PAGE_MOST);
	}
}

/* One authority after another in the same segment, as when the first one's thread has ended. */
TEST(a_pending_check_after_a_page_bell_takes_its_words_away)
{
	static struct authority second;
	struct session page = {0};
	static char shown[BELL_SHOWN_BYTES] __attribute__((aligned(PAGE_MOST)));
	static char hidden[BELL_HIDDEN_BYTES] __attribute__((aligned(PAGE_MOST)));
	struct authority_options o = {
	    .bells = BELL_TRY_EPOLL,
	    .reserved = sizeof(struct segment),
	    .limit = SESSION_BYTES,
	    .bells_shown = shown,
	    .bells_hidden = hidden,
	};

	session_open(&page, (struct authority_options){.bells = BELL_TRY_PAGE | BELL_TRY_EPOLL});
	if (page.error || page.authority->bell.kind != BELL_PAGE)
		SKIP("page bell (io_uring of Linux 6.8)");
	CHECK(page.segment->bells[0].flags);
	CHECK_EQ(authority_start(&second, page.segment, &o), 0);
	close(second.bell.epoll_fd);
	close(second.bell.inotify_fd);
	close(second.bell.mounts_fd);
	CHECKF(!page.segment->bells[0].flags, "readers would look at the old bell");
}

TEST(a_lost_descriptor_ends_it_for_good)
{
	struct session lost = {0};

	session_open(&lost, (struct authority_options){.eager = true});
	now = &lost;
	CHECK_EQ(lost.error, 0);
	session_empty();
	make_dir(at("d"));
	CHECK(learned(at("d/none")));
	close(lost.authority->bell.epoll_fd);
	CHECK(!is_absent(at("d/none")));
	CHECK(!catch_up());
	CHECK(segment_seq(lost.segment) & 1);
	CHECK(!is_absent(at("d/none")));
	CHECK(!authority_is_mine(lost.authority));
}

/* A ring that could not be armed again never rings, and looks quiet. */
TEST(a_silent_bell_that_broke_is_never_believed_again)
{
	struct session lost = {0};

	session_open(&lost, (struct authority_options){.bells = BELL_TRY_PAGE, .eager = true});
	if (lost.error)
		SKIP("page bell (io_uring of Linux 6.8)");
	now = &lost;
	session_empty();
	make_dir(at("d"));
	make_dir(at("e"));
	CHECK(learned(at("d/none")));
	lost.authority->broken = true;
	CHECK(!catch_up());
	CHECK(segment_seq(lost.segment) & 1);
	CHECK(!learned(at("e/none")));
	CHECK(segment_seq(lost.segment) & 1);
	authority_forget(lost.authority);
	CHECK(segment_seq(lost.segment) & 1);
	CHECK(!is_absent(at("d/none")));
}

TEST_BELLS(a_checker_that_is_busy_is_asked_again)
{
	if (now->authority->bell.kind != BELL_EPOLL)
		return;
	make_dir(at("d"));
	CHECK(learned(at("d/none")));
	now->authority->bell.checker = 1;
	CHECK(!is_absent(at("d/none")));
	make_file(at("d/none"));
	CHECK(catch_up()); /* whoever holds it will find the event again */
	now->authority->bell.checker = 0;
	CHECK(!is_absent(at("d/none")));
	CHECK(catch_up());
	CHECK(!is_absent(at("d/none")));
	CHECK(still_absent(at("d/other")));
}

TEST(skipped_prefixes_are_refused)
{
	struct session s = {0};
	char list[200];

	session_make_base();
	snprintf(list, sizeof list, "%s/skip:/nowhere", session_base);
	session_open(&s, (struct authority_options){.eager = true, .skip = list});
	now = &s;
	CHECK_EQ(s.error, 0);
	session_empty();
	make_dir(at("skip"));
	make_dir(at("skip/below"));
	make_dir(at("skipped"));
	make_file(at("skip/file"));
	MUST(symlink("skip", at("link")));
	CHECK_EQ(learn(at("skip/none")), LEARNED_NOTHING);
	CHECK_EQ(learn(at("skip/below/none")), LEARNED_NOTHING);
	CHECK_EQ(learn(at("link/none")), LEARNED_NOTHING);
	CHECK_EQ(learn_present(at("skip/file"), QUESTION_ACCESS, F_OK), LEARNED_NOTHING);
	CHECK_EQ(ask(at("skip/none")), FOUND_REFUSED);
	CHECK(!is_absent(at("link/none")));
	CHECK(learned(at("skipped/none")));
	session_close(&s);
}

TEST_BELLS(symlinks_in_a_sticky_directory_are_not_followed)
{
	make_dir(at("sticky"));
	make_dir(at("d"));
	MUST(symlink("../d", at("sticky/link")));
	CHECK(learned(at("sticky/link/none"))); /* not sticky yet */
	MUST(chmod(at("sticky"), 01777));
	CHECK(!is_absent(at("sticky/link/none")));
	CHANGED("chmod");
	CHECK_EQ(learn(at("sticky/link/none")), LEARNED_NOTHING);
	CHECK(!is_absent(at("sticky/link/none")));
	CHECK(learned(at("sticky/none")));
}

TEST_BELLS(deep_nests_of_symlinks_are_refused_unharmed)
{
	make_dir(at("l0"));
	for (int i = 1; i < 30; i++) {
		char target[16];

		snprintf(target, sizeof target, "l%d", i - 1);
		MUST(symlink(target, at("l%d", i)));
	}
	learn(at("l29/none"));
	CHECK(!is_absent(at("l29/none")));
	CHECK(learned(at("l3/none")));
	make_file(at("l0/none"));
	CHECK(!is_absent(at("l3/none")));
}

TEST_BELLS(long_targets_are_refused_unharmed)
{
	char target[1200];

	make_dir(at("d"));
	for (size_t n = 900; n < 1150; n += 7) {
		for (size_t k = 0; k + 1 < n; k += 2)
			memcpy(target + k, "./", 2);
		memcpy(target + n / 2 * 2 - 2, "d", 2);
		MUST(symlink(target, at("link")));
		learn(at("link/none"));
		CHECK(!is_absent(at("link/none")) || access(at("link/none"), F_OK) == -1);
		MUST(unlink(at("link")));
		catch_up();
	}
}

TEST_BELLS(long_paths_are_refused_unharmed)
{
	static char path[4200];

	for (size_t n = 1000; n < 1060; n++) {
		memset(path, 0, sizeof path);
		memset(path, 'x', n);
		for (size_t k = 0; k < n; k += 100)
			path[k] = '/';
		authority_learn_absent(now->authority, path, (uint32_t)n);
		authority_learn_present(now->authority, path, (uint32_t)n, QUESTION_PATH, 0);
	}
	CHECK(!(segment_seq(now->segment) & 1));
}

/* A fact that is alive has all that it is made of, however little room there was. */
static void check_whole(uint32_t limit)
{
	const struct authority *a = now->authority;

	CHECK(now->segment->used <= limit);
	for (uint32_t i = 1; i <= a->places_used; i++) {
		const struct record *r = place_record(a, i);

		if (a->places[i].kind != PLACE_NONE)
			CHECKF(r->canonical || (r->flags & RECORD_SAME),
			       "%u bytes: %s has no canonical name", limit, (const char *)r->path);
	}
}

TEST(a_full_segment_leaves_nothing_half_made)
{
	for (uint32_t limit = 2560; limit < 6000; limit += 40) {
		struct session s = {0};

		session_open(&s, (struct authority_options){.eager = true, .limit = limit});
		now = &s;
		CHECK_EQ(s.error, 0);
		session_empty();
		make_dir(at("d"));
		make_dir(at("d/a-rather-long-name-of-a-directory"));
		make_dir(at("d/a-rather-long-name-of-a-directory/e"));
		MUST(symlink("d/a-rather-long-name-of-a-directory", at("link")));
		for (int i = 0; i < 3; i++) {
			learn_present(at("link"), QUESTION_PATH, 0);
			check_whole(limit);
			learn(at("link/e/none"));
			check_whole(limit);
			learn_present(at("link/e/../e"), QUESTION_PATH, 0);
			check_whole(limit);
		}
		make_file(at("link/e/none"));
		CHECK(!is_absent(at("link/e/none")));
		session_close(&s);
	}
}

TEST_BELLS(a_link_to_a_file_with_a_slash_has_no_path)
{
	make_file(at("file"));
	MUST(symlink("file/", at("link")));
	CHECK(access(at("link"), F_OK) == -1 && errno == ENOTDIR);
	CHECK_EQ(learn_present(at("link"), QUESTION_PATH, 0), LEARNED_NOTHING);
	CHECK(!is_present(at("link"), QUESTION_PATH, 0));
}

TEST_BELLS(a_mount_ends_every_fact)
{
	if (!session_private)
		SKIP("a mount namespace of one's own (root)");
	make_dir(at("d"));
	make_file(at("d/file"));
	CHECK(learned(at("d/name")));
	CHECK(known_present(at("d/file"), QUESTION_ACCESS, R_OK));
	MUST(mount("fastpath-unit", at("d"), "tmpfs", 0, NULL));
	make_file(at("d/name"));
	CHECK(!is_absent(at("d/name")));
	CHECK(!is_present(at("d/file"), QUESTION_ACCESS, R_OK));
	CHANGED("mount");
	CHECK(!is_absent(at("d/name")));
	CHECK(!is_present(at("d/file"), QUESTION_ACCESS, R_OK));
	if (session_is_emulated()) {
		MUST(umount(at("d")));
		SKIP("mount ids: qemu-user's statx(2) leaves them out");
	}
	/* A mount made since is not walked: its umount must not fail because of us. */
	learn(at("d/none"));
	CHECK(!is_absent(at("d/none")));
	MUST(umount(at("d")));
	CHECK(!is_absent(at("d/none")));
	CHANGED("umount");
	CHECK(learned(at("d/name")));
	CHECK(known_present(at("d/file"), QUESTION_ACCESS, R_OK));
}

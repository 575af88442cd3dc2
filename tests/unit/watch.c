/*
 * The table of watches: one an inode, counted, removed from the kernel when nobody needs it.
 */
#include "session.h"

/* What the kernel has for our instance. Pending-check only: its descriptor can be looked at. */
static int kernel_watches(void)
{
	char path[64], line[256];
	int n = 0;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", now->authority->bell.inotify_fd);
	FILE *f = fopen(path, "r");

	CHECK(f);
	while (fgets(line, sizeof line, f))
		n += !strncmp(line, "inotify wd:", 11);
	fclose(f);
	return n;
}

static int table_watches(uint32_t *unused)
{
	const struct authority *a = now->authority;
	int n = 0;

	*unused = 0;
	for (uint32_t i = 0; i < a->watches_used; i++) {
		n += a->watches[i].wd != 0;
		*unused += a->watches[i].wd && !a->watches[i].users;
	}
	return n;
}

/* The table, its count of unused entries, and the kernel agree; each user is a living place. */
static void check_counts(void)
{
	const struct authority *a = now->authority;
	uint32_t unused, uses = 0, users = 0;
	int n = table_watches(&unused);

	CHECK_EQ(a->unused_watches, unused);
	if (a->bell.kind == BELL_EPOLL && !unused)
		CHECK_EQ(kernel_watches(), n);
	for (uint32_t i = 0; i < a->watches_used; i++)
		users += a->watches[i].wd ? a->watches[i].users : 0;
	for (uint32_t i = 1; i <= a->places_used; i++)
		if (a->places[i].kind != PLACE_NONE)
			uses += (a->places[i].wd > 0) + (a->places[i].in_wd > 0);
	CHECK_EQ(users, uses);
}

TEST_BELLS(counts_agree_whatever_happens)
{
	make_dir(at("d"));
	make_dir(at("d/e"));
	make_file(at("d/e/file"));
	MUST(symlink("d/e", at("link")));
	CHECK(learned(at("d/e/none")));
	check_counts();
	CHECK(learned(at("link/none")));
	CHECK(known_present(at("link/file"), QUESTION_ACCESS, R_OK));
	check_counts();
	MUST(unlink(at("d/e/file")));
	catch_up();
	check_counts();
	MUST(rename(at("d"), at("x")));
	catch_up();
	check_counts();
	MUST(rename(at("x"), at("d")));
	CHECK(learned(at("link/none")));
	check_counts();
	MUST(rmdir(at("d/e")));
	catch_up();
	check_counts();
	authority_forget(now->authority);
	check_counts();
}

TEST_BELLS(an_inode_has_one_watch_whatever_led_to_it)
{
	make_file(at("one"));
	MUST(link(at("one"), at("two")));
	MUST(symlink("one", at("three")));
	CHECK(known_present(at("one"), QUESTION_ACCESS, R_OK));
	uint32_t unused;
	int before = table_watches(&unused);

	CHECK(known_present(at("two"), QUESTION_ACCESS, R_OK));
	CHECK_EQ(table_watches(&unused), before);
	CHECK(known_present(at("three"), QUESTION_ACCESS, R_OK));
	CHECK_EQ(table_watches(&unused), before + 1); /* the link itself */
	MUST(chmod(at("two"), 0));
	catch_up();
	CHECK(!is_present(at("one"), QUESTION_ACCESS, R_OK));
	CHECK(!is_present(at("two"), QUESTION_ACCESS, R_OK));
	CHECK(!is_present(at("three"), QUESTION_ACCESS, R_OK));
	check_counts();
}

TEST_BELLS(nothing_is_watched_when_nothing_is_known)
{
	uint32_t unused;

	make_dir(at("d"));
	CHECK(learned(at("d/none")));
	CHECK(table_watches(&unused) > 1);
	authority_forget(now->authority);
	CHECK_EQ(table_watches(&unused), 0);
	check_counts();
}

TEST_BELLS(watches_come_and_go_without_end)
{
	for (int i = 0; i < 3 * WATCHES / 4; i++) {
		make_dir(at("d"));
		learn(at("d/none"));
		MUST(rmdir(at("d")));
		if (i % 3 == 0)
			catch_up();
	}
	catch_up();
	check_counts();
	CHECK(now->authority->watches_used < 100);
	make_dir(at("d"));
	CHECK(learned(at("d/none")));
}

TEST_BELLS(space_for_filters_is_used_again)
{
	for (int i = 0; i < 8; i++) {
		make_dir(at("d"));
		CHECK(learned(at("d/none")));
		MUST(rmdir(at("d")));
		catch_up();
	}
	uint32_t used = now->segment->used;

	for (int i = 0; i < 200; i++) {
		make_dir(at("d"));
		CHECK(learned(at("d/none")));
		make_file(at("d/name"));
		CHECK(!is_absent(at("d/name")));
		MUST(unlink(at("d/name")));
		MUST(rmdir(at("d")));
		catch_up();
	}
	CHECK_EQ(now->segment->used, used);
}

TEST_BELLS(a_filter_in_new_hands_holds_nothing_old)
{
	for (int i = 0; i < 50; i++) {
		make_dir(at("x%d", i));
		make_file(at("x%d/old%d", i, i));
		CHECK(learned(at("x%d/none", i)));
		MUST(unlink(at("x%d/old%d", i, i)));
		MUST(rmdir(at("x%d", i)));
		catch_up();
		/* The place of the old one must not answer from the new one's filter. */
		make_dir(at("y%d", i));
		CHECK(learned(at("y%d/none", i)));
		CHECK(!is_absent(at("x%d/old%d", i, i)) || access(at("x%d", i), F_OK));
		make_dir(at("x%d", i));
		make_file(at("x%d/name", i));
		CHECK(!is_absent(at("x%d/name", i)));
		catch_up();
		CHECK(!is_absent(at("x%d/name", i)));
	}
}

static int watches_limit(void)
{
	FILE *f = fopen("/proc/sys/fs/inotify/max_user_watches", "r");
	int n = 0;

	if (!f || fscanf(f, "%d", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n;
}

TEST_BELLS(a_full_table_refuses_and_what_is_known_stays_true)
{
	int known = 0;

	if (watches_limit() < 2 * WATCHES)
		SKIP("fs.inotify.max_user_watches of %d or more", 2 * WATCHES);
	for (int i = 0; i < WATCHES + 50; i++)
		make_dir(at("d%d", i));
	for (int i = 0; i < WATCHES + 50; i++) {
		learn(at("d%d/none", i));
		known += is_absent(at("d%d/none", i));
	}
	CHECK(known > WATCHES / 2);
	check_counts();
	for (int i = 0; i < WATCHES + 50; i++)
		make_file(at("d%d/none", i));
	for (int i = 0; i < WATCHES + 50; i++)
		CHECK(!is_absent(at("d%d/none", i)));
	catch_up();
	for (int i = 0; i < WATCHES + 50; i++)
		CHECK(!is_absent(at("d%d/none", i)));
}

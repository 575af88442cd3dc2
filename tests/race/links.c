/*
 * Symlinks on the way: retargeted in place or by way of nothing, several in a row, leading to what
 * is not there yet, through ".." and through directories that change.
 */
#include "race.h"

/* c leads to v1, which holds one and same; v2 holds two and same. */
static void two_versions(void)
{
	make_dir("v1");
	make_dir("v2");
	make_file("v1/one");
	make_file("v2/two");
	make_file("v1/same");
	make_file("v2/same");
	make_link("v1", "c");
}

static void renamed_over(unsigned state, unsigned cycle)
{
	(void)cycle;
	point("c", state == 0 ? "v2" : "v1");
}

TEST(a_symlink_replaced_by_rename_leads_elsewhere_at_once)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_versions,
		.change = renamed_over,
		.asks = {{ask_access, "c/one", {0, -ENOENT}},
			 {ask_access, "c/two", {-ENOENT, 0}},
			 {ask_stat, "c/two", {-ENOENT, 0}},
			 {ask_open, "c/one", {0, -ENOENT}},
			 {ask_realpath, "c/same", {'1', '2'}},
			 {ask_realpath, "c/two", {-ENOENT, '2'}},
			 {ask_readlink, "c", {'1', '2'}},
			 NEVER("c/never")},
	};
	race_run(&r);
}

static void exchanged(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("c", "k");
}

static void two_links(void)
{
	two_versions();
	make_link("v2", "k");
}

TEST(symlinks_exchanged_lead_elsewhere_at_once)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_links,
		.change = exchanged,
		.asks = {{ask_access, "c/two", {-ENOENT, 0}},
			 {ask_access, "k/two", {0, -ENOENT}},
			 {ask_stat, "k/one", {-ENOENT, 0}},
			 {ask_realpath, "c/same", {'1', '2'}},
			 {ask_realpath, "k/same", {'2', '1'}},
			 NEVER("c/never"),
			 NEVER("k/never")},
	};
	race_run(&r);
}

static void removed_and_made(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0: drop_file("c"); break;
	case 1: make_link("v2", "c"); break;
	case 2: drop_file("c"); break;
	case 3: make_link("v1", "c"); break;
	}
}

TEST(a_symlink_removed_and_made_again_leads_elsewhere)
{
	static const struct race r = {
		.states = 4,
		.prepare = two_versions,
		.change = removed_and_made,
		.asks = {{ask_access, "c/one", {0, -ENOENT, -ENOENT, -ENOENT}},
			 {ask_access, "c/two", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_stat, "c/two", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_realpath, "c/same", {'1', -ENOENT, '2', -ENOENT}},
			 {ask_realpath, "c/two", {-ENOENT, -ENOENT, '2', -ENOENT}},
			 {ask_readlink, "c", {'1', -ENOENT, '2', -ENOENT}},
			 NEVER("c/never")},
	};
	race_run(&r);
}

/* l/c -> ../m/c2 -> ../v1: the second link is the one that changes. */
static void links_in_a_row(void)
{
	two_versions();
	make_dir("l");
	make_dir("m");
	make_link("../m/c2", "l/c");
	make_link("../v1", "m/c2");
}

static void second_link(unsigned state, unsigned cycle)
{
	(void)cycle;
	point("m/c2", state == 0 ? "../v2" : "../v1");
}

TEST(a_symlink_behind_a_symlink_leads_elsewhere_at_once)
{
	static const struct race r = {
		.states = 2,
		.prepare = links_in_a_row,
		.change = second_link,
		.asks = {{ask_access, "l/c/two", {-ENOENT, 0}},
			 {ask_access, "l/c/one", {0, -ENOENT}},
			 {ask_stat, "l/c/two", {-ENOENT, 0}},
			 {ask_realpath, "l/c/same", {'1', '2'}},
			 NEVER("l/c/never"),
			 NEVER("l/never")},
	};
	race_run(&r);
}

/* The directory that holds the second link makes way for another one. */
static void links_in_two_dirs(void)
{
	links_in_a_row();
	make_dir("m2");
	make_link("../v2", "m2/c2");
}

static void holder_exchanged(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("m", "m2");
}

TEST(an_exchange_of_the_directory_that_holds_a_symlink_ends_what_it_led_to)
{
	static const struct race r = {
		.states = 2,
		.prepare = links_in_two_dirs,
		.change = holder_exchanged,
		.asks = {{ask_access, "l/c/two", {-ENOENT, 0}},
			 {ask_access, "l/c/one", {0, -ENOENT}},
			 {ask_stat, "l/c/two", {-ENOENT, 0}},
			 {ask_realpath, "l/c/same", {'1', '2'}},
			 NEVER("l/c/never")},
	};
	race_run(&r);
}

/* k and kd lead into t, which has neither yet. */
static void dangling(void)
{
	make_dir("t");
	make_dir("o");
	make_file("o/x");
	make_link("t/file", "k");
	make_link("t/dir", "kd");
}

static void target_appears(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0: make_file("t/file"); break;
	case 1: move("o", "t/dir"); break;
	case 2: move("t/dir", "o"); break;
	case 3: drop_file("t/file"); break;
	}
}

TEST(the_target_of_a_dangling_symlink_appears_elsewhere)
{
	static const struct race r = {
		.states = 4,
		.prepare = dangling,
		.change = target_appears,
		.asks = {{ask_access, "k", {-ENOENT, 0, 0, 0}},
			 {ask_stat, "k", {-ENOENT, 0, 0, 0}},
			 {ask_open, "k", {-ENOENT, 0, 0, 0}},
			 {ask_realpath, "k", {-ENOENT, 't', 't', 't'}},
			 {ask_readlink, "k", ALWAYS('e')},
			 {ask_access, "kd/x", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_stat, "kd/x", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_realpath, "kd/x", {-ENOENT, -ENOENT, 'r', -ENOENT}},
			 {ask_access, "kd/never", ALWAYS(-ENOENT)},
			 NEVER("t/never")},
	};
	race_run(&r);
}

/* The target's own ancestor: w/c is what c leads to. */
static void target_with_ancestor(void)
{
	make_dir("w");
	make_dir("w/v1");
	make_dir("w2");
	make_dir("w2/v1");
	make_file("w/v1/one");
	make_file("w2/v1/two");
	make_link("w/v1", "c");
}

static void ancestor_of_target(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0: move("w", "away"); break;
	case 1: move("w2", "w"); break;
	case 2: move("w", "w2"); break;
	case 3: move("away", "w"); break;
	}
}

TEST(an_ancestor_of_a_symlinks_target_is_renamed)
{
	static const struct race r = {
		.states = 4,
		.prepare = target_with_ancestor,
		.change = ancestor_of_target,
		.asks = {{ask_access, "c/one", {0, -ENOENT, -ENOENT, -ENOENT}},
			 {ask_access, "c/two", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_stat, "c/two", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_realpath, "c/one", {'1', -ENOENT, -ENOENT, -ENOENT}},
			 NEVER("c/never")},
	};
	race_run(&r);
}

/* Absolute, and with ".." behind a directory that may itself be a link into another tree. */
static void dotdot(void)
{
	char target[2 * PATH_BYTES];

	two_versions();
	make_dir("p");
	make_dir("q");
	make_dir("q/r");
	make_dir("q/v1");
	make_file("q/v1/two");
	make_link("q/r", "p2");
	snprintf(target, sizeof target, "%s/p/../v1", race_dir);
	make_link(target, "abs");
	make_link("p/../v1", "rel");
}

static void dotdot_exchanged(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("p", "p2");
}

TEST(a_symlink_through_dotdot_follows_the_directory_it_goes_back_from)
{
	static const struct race r = {
		.states = 2,
		.prepare = dotdot,
		.change = dotdot_exchanged,
		.asks = {{ask_access, "abs/two", {-ENOENT, 0}},
			 {ask_access, "rel/two", {-ENOENT, 0}},
			 {ask_stat, "rel/one", {0, -ENOENT}},
			 {ask_access, "p/../v1/two", {-ENOENT, 0}},
			 {ask_realpath, "abs/one", {'1', -ENOENT}},
			 NEVER("abs/never"),
			 NEVER("v1/never")},
	};
	race_run(&r);
}

/* A plain file whose name becomes a link, and the other way round. */
static void file_and_link(void)
{
	two_versions();
	make_file("f");
	make_link("v2/two", "g");
}

static void file_for_link(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("f", "g");
}

TEST(a_file_exchanged_with_a_symlink_is_one)
{
	static const struct race r = {
		.states = 2,
		.prepare = file_and_link,
		.change = file_for_link,
		.asks = {{ask_readlink, "f", {-EINVAL, 'o'}},
			 {ask_readlink, "g", {'o', -EINVAL}},
			 {ask_realpath, "v1/same", ALWAYS('1')},
			 NEVER("v1/never")},
	};
	race_run(&r);
}

static void file_then_link(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0: point("f", "v2/two"); break;
	case 1: drop_file("f"); break;
	case 2: make_file("f"); break;
	case 3: drop_file("f"); break;
	case 4: make_link("v1/one", "f"); break;
	case 5:
		make_file("new");
		move("new", "f");
		break;
	}
}

TEST(a_file_that_becomes_a_symlink_is_no_longer_EINVAL_to_readlink)
{
	static const struct race r = {
		.states = 6,
		.prepare = file_and_link,
		.change = file_then_link,
		.asks = {{ask_readlink, "f", {-EINVAL, 'o', -ENOENT, -EINVAL, -ENOENT, 'e'}},
			 {ask_access, "f", {0, 0, -ENOENT, 0, -ENOENT, 0}},
			 {ask_lstat, "f", {0, 0, -ENOENT, 0, -ENOENT, 0}},
			 NEVER("v1/never")},
	};
	race_run(&r);
}

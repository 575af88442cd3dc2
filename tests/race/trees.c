/*
 * Each way a chain of directories can change under a path whose last directory stays what it was:
 * renamed, exchanged, moved in, removed while somebody holds it, replaced by a link or a file.
 */
#include "race.h"

/* What the changer holds open, so that a removed directory lives on without its name. */
static long held[2];

static void hold(int slot, const char *dir)
{
	held[slot] = MUST(syscall(SYS_openat, AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static void let_go(int slot)
{
	syscall(SYS_close, held[slot]);
}

/* a/b holds one, o/b holds two; neither holds never. */
static void two_trees(void)
{
	make_dir("a");
	make_dir("a/b");
	make_file("a/b/one");
	make_dir("o");
	make_dir("o/b");
	make_file("o/b/two");
}

static void renamed_away_and_another_in(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0: move("a", "away"); break;
	case 1: move("o", "a"); break;
	case 2: move("a", "o"); break;
	case 3: move("away", "a"); break;
	}
}

TEST(a_rename_of_an_ancestor_ends_every_fact_below_it)
{
	static const struct race r = {
		.states = 4,
		.prepare = two_trees,
		.change = renamed_away_and_another_in,
		.asks = {{ask_access, "a/b/one", {0, -ENOENT, -ENOENT, -ENOENT}},
			 {ask_access, "a/b/two", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_stat, "a/b/two", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_open, "a/b/two", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_realpath, "a/b/two", {-ENOENT, -ENOENT, 'b', -ENOENT}},
			 {ask_realpath, "a/b/one", {'b', -ENOENT, -ENOENT, -ENOENT}},
			 NEVER("a/b/never")},
	};
	race_run(&r);
}

/* The same three levels further up, and a missing directory in between. */
static void two_deep_trees(void)
{
	make_dir("top");
	two_trees();
	make_dir("a/b/c");
	make_dir("o/b/c");
	make_dir("o/b/c/e");
	make_file("o/b/c/e/two");
	move("a", "top/a");
	move("o", "top/o");
}

static void deep_exchange(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("top/a", "top/o");
}

TEST(an_exchange_of_ancestors_ends_every_fact_below_them)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_deep_trees,
		.change = deep_exchange,
		.asks = {{ask_access, "top/a/b/c/e/two", {-ENOENT, 0}},
			 {ask_stat, "top/o/b/c/e/two", {0, -ENOENT}},
			 {ask_open, "top/a/b/one", {0, -ENOENT}},
			 {ask_access, "top/o/b/one", {-ENOENT, 0}},
			 {ask_realpath, "top/a/b/c/e/two", {-ENOENT, 'e'}},
			 NEVER("top/a/b/c/never"),
			 NEVER("top/o/b/c/never")},
	};
	race_run(&r);
}

static void moved_in(unsigned state, unsigned cycle)
{
	if (state == 0)
		move("o", numbered("a/m#", cycle));
	else
		move(numbered("a/m#", cycle), "o");
}

TEST(a_populated_tree_moved_in_under_a_missing_name_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_trees,
		.change = moved_in,
		.asks = {{ask_access, "a/m#/b/two", {-ENOENT, 0}},
			 {ask_stat, "a/m#/b", {-ENOENT, 0}},
			 {ask_open, "a/m#/b/two", {-ENOENT, 0}},
			 {ask_realpath, "a/m#/b/two", {-ENOENT, 'b'}},
			 {ask_access, "o/b/two", {0, -ENOENT}},
			 {ask_access, "a/m#/b/never", {-ENOENT, -ENOENT}}},
	};
	race_run(&r);
}

/* d is empty, and then it is gone, and then another one, which gets a file. */
static void empty_dir(void)
{
	make_dir("d");
}

static void removed_while_held(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0:
		hold(0, "d");
		drop_dir("d");
		break;
	case 1: make_dir("d"); break;
	case 2: make_file("d/f"); break;
	case 3:
		drop_file("d/f");
		let_go(0);
		break;
	}
}

TEST(a_directory_removed_while_held_open_and_made_again_is_another)
{
	static const struct race r = {
		.states = 4,
		.prepare = empty_dir,
		.change = removed_while_held,
		.asks = {{ask_access, "d/f", {-ENOENT, -ENOENT, -ENOENT, 0}},
			 {ask_stat, "d/f", {-ENOENT, -ENOENT, -ENOENT, 0}},
			 {ask_open, "d/f", {-ENOENT, -ENOENT, -ENOENT, 0}},
			 {ask_access, "d", {0, -ENOENT, 0, 0}},
			 {ask_realpath, "d/f", {-ENOENT, -ENOENT, -ENOENT, 'd'}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

static void dir_in_dir(void)
{
	make_dir("a");
	make_dir("a/d");
}

static void both_removed_while_held(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0:
		hold(0, "a");
		hold(1, "a/d");
		drop_dir("a/d");
		break;
	case 1: drop_dir("a"); break;
	case 2: make_dir("a"); break;
	case 3: make_dir("a/d"); break;
	case 4: make_file("a/d/f"); break;
	case 5:
		drop_file("a/d/f");
		let_go(0);
		let_go(1);
		break;
	}
}

TEST(an_ancestor_removed_while_held_open_and_made_again_is_another)
{
	static const struct race r = {
		.states = 6,
		.prepare = dir_in_dir,
		.change = both_removed_while_held,
		.asks = {{ask_access, "a/d/f", {-ENOENT, -ENOENT, -ENOENT, -ENOENT, -ENOENT, 0}},
			 {ask_stat, "a/d/f", {-ENOENT, -ENOENT, -ENOENT, -ENOENT, -ENOENT, 0}},
			 {ask_access, "a/d", {0, -ENOENT, -ENOENT, -ENOENT, 0, 0}},
			 {ask_access, "a", {0, 0, -ENOENT, 0, 0, 0}},
			 NEVER("a/d/never"),
			 NEVER("a/never")},
	};
	race_run(&r);
}

/* rename() of a populated directory over an empty one, which somebody holds: no name goes away. */
static void empty_dir_and_tree(void)
{
	make_dir("d");
	make_dir("o");
	make_file("o/two");
}

static void renamed_over(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0:
		hold(0, "d");
		move("o", "d");
		break;
	case 1: move("d", "o"); break;
	case 2:
		make_dir("d");
		let_go(0);
		break;
	}
}

TEST(a_directory_renamed_over_an_empty_one_is_seen)
{
	static const struct race r = {
		.states = 3,
		.prepare = empty_dir_and_tree,
		.change = renamed_over,
		.asks = {{ask_access, "d/two", {-ENOENT, 0, -ENOENT}},
			 {ask_stat, "d/two", {-ENOENT, 0, -ENOENT}},
			 {ask_realpath, "d/two", {-ENOENT, 'd', -ENOENT}},
			 {ask_access, "o/two", {0, -ENOENT, 0}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

static void replaced_by_a_link(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0: move("a", "away"); break;
	case 1: make_link("o", "a"); break;
	case 2: drop_file("a"); break;
	case 3: move("away", "a"); break;
	}
}

/* b of a and p of o, so that the canonical names end differently. */
static void two_trees_apart(void)
{
	two_trees();
	make_link("b", "o/l");
	make_link("b", "a/l");
	make_file("a/both");
	make_file("o/both");
}

TEST(a_directory_replaced_by_a_symlink_changes_what_is_below_it)
{
	static const struct race r = {
		.states = 4,
		.prepare = two_trees_apart,
		.change = replaced_by_a_link,
		.asks = {{ask_access, "a/b/two", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_access, "a/l/one", {0, -ENOENT, -ENOENT, -ENOENT}},
			 {ask_stat, "a/l/two", {-ENOENT, -ENOENT, 0, -ENOENT}},
			 {ask_realpath, "a/both", {'a', -ENOENT, 'o', -ENOENT}},
			 {ask_realpath, "a/l/two", {-ENOENT, -ENOENT, 'b', -ENOENT}},
			 {ask_readlink, "a", {-EINVAL, -ENOENT, 'o', -ENOENT}},
			 NEVER("a/l/never")},
	};
	race_run(&r);
}

/* a is a file first: what is asked below it is no directory's business. */
static void file_in_the_middle(void)
{
	make_file("a");
	make_dir("o");
	make_dir("o/b");
	make_file("o/b/x");
}

static void file_makes_way(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0: move("a", "file"); break;
	case 1: move("o", "a"); break;
	case 2: move("a", "o"); break;
	case 3: move("file", "a"); break;
	}
}

TEST(a_file_in_the_middle_of_a_path_makes_way_for_a_directory)
{
	static const struct race r = {
		.states = 4,
		.prepare = file_in_the_middle,
		.change = file_makes_way,
		.asks = {{ask_access, "a/b/x", {-ENOTDIR, -ENOENT, 0, -ENOENT}},
			 {ask_stat, "a/b/never", {-ENOTDIR, -ENOENT, -ENOENT, -ENOENT}},
			 {ask_open, "a/never", {-ENOTDIR, -ENOENT, -ENOENT, -ENOENT}},
			 {ask_realpath, "a/b/x", {-ENOTDIR, -ENOENT, 'b', -ENOENT}},
			 {ask_access, "a", {0, -ENOENT, 0, -ENOENT}}},
	};
	race_run(&r);
}

/*
 * Modes of directories, for one who is bound by them: what was absent, or accessible, is EACCES
 * while an ancestor may not be searched. Run as an ordinary user.
 */
#include "race.h"

static void bound_by_modes(const struct race *r)
{
	if (geteuid() == 0)
		SKIP("an ordinary user: root may search every directory");
	race_run(r);
}

static void tree(void)
{
	make_dir("a");
	make_dir("a/b");
	make_dir("a/b/c");
	make_file_mode("a/b/c/f", 0755);
}

#define TREE_ASKS                                                                              \
	{ask_access, "a/b/c/never", {-ENOENT, -EACCES}},                                       \
	    {ask_stat, "a/b/c/never", {-ENOENT, -EACCES}},                                     \
	    {ask_open, "a/b/c/never/x", {-ENOENT, -EACCES}},                                   \
	    {ask_realpath, "a/b/c/never", {-ENOENT, -EACCES}},                                 \
	    {ask_access, "a/b/c/f", {0, -EACCES}}, {ask_exec, "a/b/c/f", {0, -EACCES}},        \
	    {ask_realpath, "a/b/c/f", {'c', -EACCES}}, NEVER("never")

static void chmod_top(unsigned state, unsigned cycle)
{
	(void)cycle;
	set_mode("a", state == 0 ? 0600 : 0755);
}

TEST(an_ancestor_that_may_not_be_searched_refuses_all_below)
{
	static const struct race r = {
		.states = 2, .prepare = tree, .change = chmod_top, .asks = {TREE_ASKS}};
	bound_by_modes(&r);
}

static void chmod_leaf(unsigned state, unsigned cycle)
{
	(void)cycle;
	set_mode("a/b/c", state == 0 ? 0600 : 0755);
}

TEST(a_directory_that_may_be_read_but_not_searched_refuses_its_names)
{
	static const struct race r = {
		.states = 2, .prepare = tree, .change = chmod_leaf, .asks = {TREE_ASKS}};
	bound_by_modes(&r);
}

static void fchmod_middle(unsigned state, unsigned cycle)
{
	static long fd;

	(void)cycle;
	if (state == 0)
		fd = MUST(syscall(SYS_openat, AT_FDCWD, "a/b", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	MUST(syscall(SYS_fchmod, fd, state == 0 ? 0 : 0755));
	if (state == 1)
		syscall(SYS_close, fd);
}

TEST(an_ancestor_closed_through_a_descriptor_refuses_all_below)
{
	static const struct race r = {
		.states = 2, .prepare = tree, .change = fchmod_middle, .asks = {TREE_ASKS}};
	bound_by_modes(&r);
}

/* An access ACL that says no more than a mode: u::rw-, g::rw-, o::rw- or with x. */
static void set_acl(const char *name, unsigned perm)
{
	struct {
		uint32_t version;
		struct {
			uint16_t tag, perm;
			uint32_t id;
		} entry[3];
	} acl = {2, {{1, perm, ~0U}, {4, perm, ~0U}, {0x20, perm, ~0U}}};

	MUST(syscall(SYS_setxattr, name, "system.posix_acl_access", &acl, sizeof acl, 0));
}

static void acl_top(unsigned state, unsigned cycle)
{
	(void)cycle;
	set_acl("a", state == 0 ? 6 : 7);
}

TEST(an_ancestor_closed_by_an_ACL_refuses_all_below)
{
	static const struct race r = {
		.states = 2, .prepare = tree, .change = acl_top, .asks = {TREE_ASKS}};
	bound_by_modes(&r);
}

static void unreadable(unsigned state, unsigned cycle)
{
	(void)cycle;
	set_mode("a/b/c/f", state == 0 ? 0 : 0755);
}

TEST(a_file_that_may_no_longer_be_read_is_refused)
{
	static const struct race r = {
		.states = 2,
		.prepare = tree,
		.change = unreadable,
		.asks = {{ask_read, "a/b/c/f", {0, -EACCES}},
			 {ask_exec, "a/b/c/f", {0, -EACCES}},
			 {ask_access, "a/b/c/f", ALWAYS(0)},
			 {ask_open, "a/b/c/f", {0, -EACCES}},
			 NEVER("a/b/c/never")},
	};
	bound_by_modes(&r);
}

/* Exchanged with a directory of the same names which may be searched, but not read. */
static void two_trees(void)
{
	tree();
	make_dir("o");
	make_dir("o/b");
	make_dir("o/b/c");
	make_file("o/b/c/new");
	set_mode("o/b/c", 0111);
}

static void exchanged(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("a", "o");
}

TEST(a_directory_that_may_be_searched_but_not_read_takes_the_place_of_one_that_may)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_trees,
		.change = exchanged,
		.asks = {{ask_access, "a/b/c/new", {-ENOENT, 0}},
			 {ask_access, "a/b/c/f", {0, -ENOENT}},
			 {ask_stat, "a/b/c/new", {-ENOENT, 0}},
			 NEVER("a/b/c/never"),
			 NEVER("o/b/c/never")},
	};
	bound_by_modes(&r);
}

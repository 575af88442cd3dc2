/*
 * What is known of a file that is there: access() says 0, realpath() says where. Each way to end
 * that, also those that nobody who watches only the directory would notice.
 */
#include "race.h"

/* d/f may be executed; e/other is the same inode; d/plain may not. */
static void files(void)
{
	make_dir("d");
	make_dir("e");
	make_file_mode("d/f", 0755);
	make_hard_link("d/f", "e/other");
	make_file_mode("d/plain", 0644);
	make_file_mode("e/spare", 0755);
}

static void unlinked(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		drop_file("d/f");
	else
		make_file_mode("d/f", 0755);
}

TEST(a_file_unlinked_is_no_longer_accessible)
{
	static const struct race r = {
		.states = 2,
		.prepare = files,
		.change = unlinked,
		.asks = {{ask_access, "d/f", {0, -ENOENT}},
			 {ask_read, "d/f", {0, -ENOENT}},
			 {ask_exec, "d/f", {0, -ENOENT}},
			 {ask_faccessat, "d/f", {0, -ENOENT}},
			 {ask_stat, "d/f", {0, -ENOENT}},
			 {ask_realpath, "d/f", {'d', -ENOENT}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

/* The file lives on in e/other, or because somebody has it open: no DELETE_SELF then. */
static void unlinked_and_linked(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		drop_file("d/f");
	else
		make_hard_link("e/other", "d/f");
}

TEST(a_file_unlinked_while_it_has_another_name_is_no_longer_accessible)
{
	static const struct race r = {
		.states = 2,
		.prepare = files,
		.change = unlinked_and_linked,
		.asks = {{ask_access, "d/f", {0, -ENOENT}},
			 {ask_exec, "d/f", {0, -ENOENT}},
			 {ask_realpath, "d/f", {'d', -ENOENT}},
			 {ask_exec, "e/other", {0, 0}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

static void unlinked_while_open(unsigned state, unsigned cycle)
{
	static long open_file;

	(void)cycle;
	if (state == 0) {
		open_file = MUST(syscall(SYS_openat, AT_FDCWD, "e/spare", O_RDONLY | O_CLOEXEC));
		drop_file("e/spare");
	} else {
		make_file_mode("e/spare", 0755);
		syscall(SYS_close, open_file);
	}
}

TEST(a_file_unlinked_while_open_is_no_longer_accessible)
{
	static const struct race r = {
		.states = 2,
		.prepare = files,
		.change = unlinked_while_open,
		.asks = {{ask_access, "e/spare", {0, -ENOENT}},
			 {ask_exec, "e/spare", {0, -ENOENT}},
			 {ask_realpath, "e/spare", {'e', -ENOENT}},
			 NEVER("e/never")},
	};
	race_run(&r);
}

/* What every change of the mode of d/f's inode is held against. */
#define MODE_ASKS                                                                              \
	{ask_exec, "d/f", {0, -EACCES}}, {ask_access, "d/f", ALWAYS(0)},                       \
	    {ask_exec, "e/other", {0, -EACCES}}, NEVER("d/never")

static void chmod_it(unsigned state, unsigned cycle)
{
	(void)cycle;
	set_mode("d/f", state == 0 ? 0644 : 0755);
}

TEST(a_file_made_not_executable_by_its_name_is_so)
{
	static const struct race r = {
		.states = 2, .prepare = files, .change = chmod_it, .asks = {MODE_ASKS}};
	race_run(&r);
}

static void chmod_other_name(unsigned state, unsigned cycle)
{
	(void)cycle;
	set_mode("e/other", state == 0 ? 0644 : 0755);
}

TEST(a_file_made_not_executable_by_another_name_is_so)
{
	static const struct race r = {
		.states = 2, .prepare = files, .change = chmod_other_name, .asks = {MODE_ASKS}};
	race_run(&r);
}

/* Opened by a name that is gone, so that no path leads from the descriptor to the watched one. */
static void chmod_descriptor(unsigned state, unsigned cycle)
{
	static long fd;

	(void)cycle;
	if (state == 0) {
		make_hard_link("e/other", "e/gone");
		fd = MUST(syscall(SYS_openat, AT_FDCWD, "e/gone", O_RDONLY | O_CLOEXEC));
		drop_file("e/gone");
	}
	MUST(syscall(SYS_fchmod, fd, state == 0 ? 0644 : 0755));
	if (state == 1)
		syscall(SYS_close, fd);
}

TEST(a_file_made_not_executable_by_a_descriptor_is_so)
{
	static const struct race r = {
		.states = 2, .prepare = files, .change = chmod_descriptor, .asks = {MODE_ASKS}};
	race_run(&r);
}

/* A new name for the file, of which the library has never heard, is what chmod is given. */
static void chmod_new_name(unsigned state, unsigned cycle)
{
	make_hard_link("d/f", numbered("e/n#", cycle));
	set_mode(numbered("e/n#", cycle), state == 0 ? 0644 : 0755);
	drop_file(numbered("e/n#", cycle));
}

TEST(a_file_made_not_executable_by_a_new_name_is_so)
{
	static const struct race r = {
		.states = 2, .prepare = files, .change = chmod_new_name, .asks = {MODE_ASKS}};
	race_run(&r);
}

static void renamed(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		move("d/f", "e/moved");
	else
		move("e/moved", "d/f");
}

TEST(a_file_renamed_is_where_it_is)
{
	static const struct race r = {
		.states = 2,
		.prepare = files,
		.change = renamed,
		.asks = {{ask_exec, "d/f", {0, -ENOENT}},
			 {ask_exec, "e/moved", {-ENOENT, 0}},
			 {ask_realpath, "d/f", {'d', -ENOENT}},
			 {ask_realpath, "e/moved", {-ENOENT, 'e'}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

static void replaced(unsigned state, unsigned cycle)
{
	(void)cycle;
	make_hard_link(state == 0 ? "d/plain" : "e/other", "new");
	move("new", "d/g");
}

static void files_and_copy(void)
{
	files();
	make_hard_link("d/f", "d/g");
}

TEST(a_file_replaced_by_rename_is_the_other)
{
	static const struct race r = {
		.states = 2,
		.prepare = files_and_copy,
		.change = replaced,
		.asks = {{ask_exec, "d/g", {0, -EACCES}},
			 {ask_access, "d/g", ALWAYS(0)},
			 {ask_realpath, "d/g", ALWAYS('d')},
			 {ask_exec, "d/f", ALWAYS(0)},
			 NEVER("d/never")},
	};
	race_run(&r);
}

static void exchanged(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("d/f", "d/plain");
}

TEST(files_exchanged_are_each_the_other)
{
	static const struct race r = {
		.states = 2,
		.prepare = files,
		.change = exchanged,
		.asks = {{ask_exec, "d/f", {0, -EACCES}},
			 {ask_exec, "d/plain", {-EACCES, 0}},
			 {ask_access, "d/f", ALWAYS(0)},
			 NEVER("d/never")},
	};
	race_run(&r);
}

/* A directory in the path becomes a link to its exchange partner: the canonical name changes. */
static void two_homes(void)
{
	make_dir("v1");
	make_dir("v2");
	make_file("v1/same");
	make_file("v2/same");
	make_link("v2", "l");
}

static void component_replaced(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("v1", "l");
}

TEST(a_canonical_path_changes_when_a_component_becomes_a_symlink)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_homes,
		.change = component_replaced,
		.asks = {{ask_realpath, "v1/same", {'1', '2'}},
			 {ask_realpath, "l/same", {'2', 'l'}},
			 {ask_access, "v1/same", ALWAYS(0)},
			 {ask_readlink, "v1", {-EINVAL, '2'}},
			 NEVER("v2/never")},
	};
	race_run(&r);
}

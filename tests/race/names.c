/*
 * Each way a name can appear in a directory that was listed, and go again. Most races take a fresh
 * name each cycle: a filter remembers a name that once was there, and then answers nothing.
 */
#include "race.h"
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>

/* d is listed and asked; e lies elsewhere. */
static void two_dirs(void)
{
	make_dir("d");
	make_dir("e");
	make_file("d/seed");
	make_file("e/seed");
}

static void by_open(unsigned state, unsigned cycle)
{
	if (state == 0)
		make_file(numbered("d/f#", cycle));
	else
		drop_file(numbered("d/f#", cycle));
}

TEST(a_file_created_by_open_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = by_open,
		.asks = {ASK_NEW_FILE("d/f#", 'd'),
			 {ask_statx, "d/f#", {-ENOENT, 0}},
			 {ask_faccessat, "d/f#", {-ENOENT, 0}},
			 {ask_fopen, "d/f#", {-ENOENT, 0}}},
	};
	race_run(&r);
}

static void same_name(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		make_file("d/f");
	else
		drop_file("d/f");
}

TEST(a_name_that_comes_and_goes_is_seen_each_time)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = same_name,
		.asks = {{ask_access, "d/f", {-ENOENT, 0}},
			 {ask_stat, "d/f", {-ENOENT, 0}},
			 {ask_open, "d/f", {-ENOENT, 0}},
			 {ask_realpath, "d/f", {-ENOENT, 'd'}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

static void by_mkdir(unsigned state, unsigned cycle)
{
	if (state == 0)
		make_dir(numbered("d/f#", cycle));
	else
		drop_dir(numbered("d/f#", cycle));
}

static int ask_opendir_fd(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : close(fd);
}

TEST(a_directory_made_by_mkdir_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = by_mkdir,
		.asks = {{ask_access, "d/f#", {-ENOENT, 0}},
			 {ask_exec, "d/f#", {-ENOENT, 0}},
			 {ask_stat, "d/f#", {-ENOENT, 0}},
			 {ask_opendir_fd, "d/f#", {-ENOENT, 0}},
			 {ask_realpath, "d/f#", {-ENOENT, 'd'}},
			 {ask_stat, "d/f#/below", {-ENOENT, -ENOENT}}},
	};
	race_run(&r);
}

static void by_mknod(unsigned state, unsigned cycle)
{
	if (state == 0)
		MUST(syscall(SYS_mknodat, AT_FDCWD, numbered("d/f#", cycle), S_IFIFO | 0644, 0));
	else
		drop_file(numbered("d/f#", cycle));
}

TEST(a_fifo_made_by_mknod_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = by_mknod,
		.asks = {ASK_NEW_FILE("d/f#", 'd')},
	};
	race_run(&r);
}

static void by_bind(unsigned state, unsigned cycle)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};

	if (state == 1) {
		drop_file(numbered("d/f#", cycle));
		return;
	}
	snprintf(name.sun_path, sizeof name.sun_path, "%.90s", numbered("d/f#", cycle));
	long fd = MUST(syscall(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
	MUST(syscall(SYS_bind, fd, &name, sizeof name));
	syscall(SYS_close, fd);
}

TEST(a_socket_made_by_bind_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = by_bind,
		.asks = {{ask_access, "d/f#", {-ENOENT, 0}},
			 {ask_stat, "d/f#", {-ENOENT, 0}},
			 {ask_open, "d/f#", {-ENOENT, -ENXIO}}},
	};
	race_run(&r);
}

static void by_symlink(unsigned state, unsigned cycle)
{
	if (state == 0)
		make_link("seed", numbered("d/f#", cycle));
	else
		drop_file(numbered("d/f#", cycle));
}

TEST(a_symlink_made_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = by_symlink,
		.asks = {{ask_access, "d/f#", {-ENOENT, 0}},
			 {ask_lstat, "d/f#", {-ENOENT, 0}},
			 {ask_stat, "d/f#", {-ENOENT, 0}},
			 {ask_readlink, "d/f#", {-ENOENT, 'd'}},
			 {ask_realpath, "d/f#", {-ENOENT, 'd'}}},
	};
	race_run(&r);
}

static void by_dangling_symlink(unsigned state, unsigned cycle)
{
	if (state == 0)
		make_link("nowhere", numbered("d/f#", cycle));
	else
		drop_file(numbered("d/f#", cycle));
}

TEST(a_dangling_symlink_made_is_seen_by_those_who_ask_for_the_link)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = by_dangling_symlink,
		.asks = {{ask_access, "d/f#", {-ENOENT, -ENOENT}},
			 {ask_lstat, "d/f#", {-ENOENT, 0}},
			 {ask_stat, "d/f#", {-ENOENT, -ENOENT}},
			 {ask_readlink, "d/f#", {-ENOENT, 'e'}},
			 {ask_realpath, "d/f#", {-ENOENT, -ENOENT}}},
	};
	race_run(&r);
}

static void by_link(unsigned state, unsigned cycle)
{
	if (state == 0)
		make_hard_link("e/seed", numbered("d/f#", cycle));
	else
		drop_file(numbered("d/f#", cycle));
}

TEST(a_hard_link_made_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = by_link,
		.asks = {ASK_NEW_FILE("d/f#", 'd')},
	};
	race_run(&r);
}

static void by_tmpfile(unsigned state, unsigned cycle)
{
	char proc[64];

	if (state == 1) {
		drop_file(numbered("d/f#", cycle));
		return;
	}
	long fd = MUST(syscall(SYS_openat, AT_FDCWD, "d", O_TMPFILE | O_WRONLY, 0644));
	snprintf(proc, sizeof proc, "/proc/self/fd/%ld", fd);
	MUST(syscall(SYS_linkat, AT_FDCWD, proc, AT_FDCWD, numbered("d/f#", cycle),
		     AT_SYMLINK_FOLLOW));
	syscall(SYS_close, fd);
}

TEST(an_unnamed_file_given_a_name_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = by_tmpfile,
		.asks = {ASK_NEW_FILE("d/f#", 'd')},
	};
	race_run(&r);
}

static void by_rename_in(unsigned state, unsigned cycle)
{
	if (state == 0)
		move("e/seed", numbered("d/f#", cycle));
	else
		move(numbered("d/f#", cycle), "e/seed");
}

TEST(a_file_renamed_in_from_elsewhere_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = by_rename_in,
		.asks = {ASK_NEW_FILE("d/f#", 'd'), {ask_access, "e/seed", {0, -ENOENT}}},
	};
	race_run(&r);
}

static void by_rename_within(unsigned state, unsigned cycle)
{
	if (state == 0)
		move("d/seed", numbered("d/f#", cycle));
	else
		move(numbered("d/f#", cycle), "d/seed");
}

TEST(a_file_renamed_within_the_directory_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = two_dirs,
		.change = by_rename_within,
		.asks = {ASK_NEW_FILE("d/f#", 'd'), {ask_access, "d/seed", {0, -ENOENT}}},
	};
	race_run(&r);
}

/* d/g a file, e/h a directory with x in it. */
static void file_and_dir(void)
{
	two_dirs();
	make_file("d/g");
	make_dir("e/h");
	make_file("e/h/x");
}

static void by_exchange(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("d/g", "e/h");
}

TEST(names_exchanged_between_directories_are_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = file_and_dir,
		.change = by_exchange,
		.asks = {{ask_access, "d/g/x", {-ENOTDIR, 0}},
			 {ask_stat, "d/g/y", {-ENOTDIR, -ENOENT}},
			 {ask_access, "e/h/x", {0, -ENOTDIR}},
			 {ask_stat, "e/h/y", {-ENOENT, -ENOTDIR}},
			 {ask_opendir_fd, "d/g", {-ENOTDIR, 0}},
			 {ask_exec, "d/g", {-EACCES, 0}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

/* The directory whose absence answered for everything below it is made, level by level. */
static void level_by_level(unsigned state, unsigned cycle)
{
	switch (state) {
	case 0: make_dir(numbered("d/n#", cycle)); break;
	case 1: make_dir(numbered("d/n#/o", cycle)); break;
	case 2: make_file(numbered("d/n#/o/f", cycle)); break;
	case 3: drop_file(numbered("d/n#/o/f", cycle)); break;
	case 4: drop_dir(numbered("d/n#/o", cycle)); break;
	case 5: drop_dir(numbered("d/n#", cycle)); break;
	}
}

TEST(a_tree_made_level_by_level_under_a_missing_name_is_seen)
{
	static const struct race r = {
		.states = 6,
		.prepare = two_dirs,
		.change = level_by_level,
		.asks = {{ask_access, "d/n#/o/f", {-ENOENT, -ENOENT, -ENOENT, 0, -ENOENT, -ENOENT}},
			 {ask_stat, "d/n#/o", {-ENOENT, -ENOENT, 0, 0, 0, -ENOENT}},
			 {ask_stat, "d/n#", {-ENOENT, 0, 0, 0, 0, 0}},
			 {ask_realpath,
			  "d/n#/o/f",
			  {-ENOENT, -ENOENT, -ENOENT, 'o', -ENOENT, -ENOENT}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

/* PATH search: the first directory never holds the name, the second one sometimes. */
static void search_path(void)
{
	char path[2 * PATH_BYTES + 8];

	two_dirs();
	snprintf(path, sizeof path, "%s/e:%s/d", race_dir, race_dir);
	setenv("PATH", path, 1);
}

static int ask_execvp(const char *path)
{
	char *argv[] = {NULL};

	return execvp(strrchr(path, '/') + 1, argv) ? -errno : 0;
}

/* Of a file that may not be executed: no child is ever left. */
static int ask_posix_spawnp(const char *path)
{
	char *argv[] = {NULL};
	pid_t pid;

	return -posix_spawnp(&pid, strrchr(path, '/') + 1, NULL, NULL, argv, argv);
}

TEST(a_program_that_appears_on_PATH_is_seen_by_execvp)
{
	static const struct race r = {
		.states = 2,
		.prepare = search_path,
		.change = by_open,
		.asks = {{ask_execvp, "d/f#", {-ENOENT, -EACCES}},
			 {ask_stat, "e/f#", {-ENOENT, -ENOENT}},
			 {ask_stat, "d/f#", {-ENOENT, 0}}},
	};
	race_run(&r);
}

TEST(a_program_that_appears_on_PATH_is_seen_by_posix_spawnp)
{
	static const struct race r = {
		.states = 2,
		.prepare = search_path,
		.change = by_open,
		.asks = {{ask_posix_spawnp, "d/f#", {-ENOENT, -EACCES}},
			 {ask_stat, "d/f#", {-ENOENT, 0}}},
	};
	race_run(&r);
}

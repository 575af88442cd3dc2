/*
 * Mounts make no inotify event. races.sh runs this as root in a mount namespace of its own and
 * says so by RACE_MOUNTS=private; nothing else may be mounted over by a test.
 */
#include "race.h"
#include <sys/mount.h>

static void privately(const struct race *r)
{
	const char *mounts = getenv("RACE_MOUNTS");

	if (geteuid() != 0 || !mounts || strcmp(mounts, "private"))
		SKIP("root in a private mount namespace: run tests/e2e/races.sh");
	race_run(r);
}

static void mount_it(const char *from, const char *to, unsigned long flags)
{
	MUST(syscall(SYS_mount, from, to, "tmpfs", flags, NULL));
}

static void unmount(const char *name)
{
	MUST(syscall(SYS_umount2, name, MNT_DETACH));
}

/* a/b holds one, o/b holds two; s, t are places to mount on. */
static void two_trees(void)
{
	make_dir("a");
	make_dir("a/b");
	make_file_mode("a/b/one", 0755);
	make_dir("o");
	make_dir("o/b");
	make_file_mode("o/b/two", 0755);
	make_dir("s");
	make_dir("t");
}

static void over_the_directory(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		mount_it("o/b", "a/b", MS_BIND);
	else
		unmount("a/b");
}

/* Only the mount changes: neither directory is touched. */
#define BIND_ASKS                                                                              \
	{ask_access, "a/b/one", {0, -ENOENT}}, {ask_access, "a/b/two", {-ENOENT, 0}},          \
	    {ask_stat, "a/b/two", {-ENOENT, 0}}, {ask_open, "a/b/two", {-ENOENT, 0}},          \
	    {ask_realpath, "a/b/two", {-ENOENT, 'b'}},                                         \
	    {ask_realpath, "a/b/one", {'b', -ENOENT}}, {ask_exec, "a/b/one", {0, -ENOENT}},    \
	    NEVER("a/b/never"), NEVER("o/b/never")

TEST(a_bind_mount_over_a_directory_is_seen)
{
	static const struct race r = {.states = 2,
				      .prepare = two_trees,
				      .change = over_the_directory,
				      .asks = {BIND_ASKS}};
	privately(&r);
}

static void over_the_ancestor(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		mount_it("o", "a", MS_BIND);
	else
		unmount("a");
}

TEST(a_bind_mount_over_an_ancestor_is_seen)
{
	static const struct race r = {.states = 2,
				      .prepare = two_trees,
				      .change = over_the_ancestor,
				      .asks = {BIND_ASKS}};
	privately(&r);
}

static void new_file_system(unsigned state, unsigned cycle)
{
	(void)cycle;
	switch (state) {
	case 0: mount_it("none", "a", 0); break;
	case 1: make_dir("a/b"); break;
	case 2: make_file("a/b/two"); break;
	case 3: unmount("a"); break;
	}
}

TEST(a_new_file_system_over_an_ancestor_is_seen_and_what_is_made_on_it)
{
	static const struct race r = {
		.states = 4,
		.prepare = two_trees,
		.change = new_file_system,
		.asks = {{ask_access, "a/b/one", {0, -ENOENT, -ENOENT, -ENOENT}},
			 {ask_access, "a/b/two", {-ENOENT, -ENOENT, -ENOENT, 0}},
			 {ask_stat, "a/b", {0, -ENOENT, 0, 0}},
			 {ask_realpath, "a/b/one", {'b', -ENOENT, -ENOENT, -ENOENT}},
			 NEVER("a/b/never")},
	};
	privately(&r);
}

/* Without MNT_DETACH: a lookup in flight may be in the way for a moment, the library never. */
static void unmounted_plainly(unsigned state, unsigned cycle)
{
	long busy = -1;

	(void)cycle;
	if (state == 0) {
		mount_it("o/b", "a/b", MS_BIND);
		return;
	}
	for (int i = 0; i < 1000000 && busy; i++) {
		busy = syscall(SYS_umount2, "a/b", 0);
		if (busy && errno != EBUSY)
			break;
	}
	MUST(busy);
}

TEST(an_unmount_that_is_refused_while_busy_succeeds_and_is_seen)
{
	static const struct race r = {.states = 2,
				      .prepare = two_trees,
				      .change = unmounted_plainly,
				      .asks = {BIND_ASKS}};
	privately(&r);
}

/* Mounted before anything was asked, so that the library may walk it. */
static void mounted_before(void)
{
	two_trees();
	mount_it("o/b", "s", MS_BIND);
}

static void clean_mounts(void)
{
	umount2("s", MNT_DETACH);
	umount2("t", MNT_DETACH);
	umount2("a/b/one", MNT_DETACH);
	umount2(race_dir, MNT_DETACH);
}

static void moved(unsigned state, unsigned cycle)
{
	(void)cycle;
	mount_it(state == 0 ? "s" : "t", state == 0 ? "t" : "s", MS_MOVE);
}

TEST(a_mount_moved_is_seen_in_both_places)
{
	static const struct race r = {
		.states = 2,
		.prepare = mounted_before,
		.change = moved,
		.clean = clean_mounts,
		.asks = {{ask_access, "s/two", {0, -ENOENT}},
			 {ask_access, "t/two", {-ENOENT, 0}},
			 {ask_stat, "t/two", {-ENOENT, 0}},
			 {ask_exec, "s/two", {0, -ENOENT}},
			 NEVER("t/never"),
			 NEVER("s/never")},
	};
	privately(&r);
}

static void remounted_noexec(unsigned state, unsigned cycle)
{
	(void)cycle;
	mount_it(NULL, "s", MS_REMOUNT | MS_BIND | (state == 0 ? MS_NOEXEC : 0));
}

TEST(a_remount_that_forbids_execution_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = mounted_before,
		.later = true,
		.change = remounted_noexec,
		.clean = clean_mounts,
		.asks = {{ask_exec, "s/two", {0, -EACCES}},
			 {ask_access, "s/two", ALWAYS(0)},
			 NEVER("s/never")},
	};
	privately(&r);
}

static void plain_file(void)
{
	two_trees();
	make_file_mode("plain", 0644);
}

static void over_a_file(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		mount_it("plain", "a/b/one", MS_BIND);
	else
		unmount("a/b/one");
}

TEST(a_file_mounted_over_a_file_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = plain_file,
		.change = over_a_file,
		.clean = clean_mounts,
		.asks = {{ask_exec, "a/b/one", {0, -EACCES}},
			 {ask_access, "a/b/one", ALWAYS(0)},
			 NEVER("a/b/never")},
	};
	privately(&r);
}

/* The race's directory is a shared mount; the changer lives in a namespace of its own. */
static void shared_dir(void)
{
	two_trees();
	CHECK(mount(race_dir, race_dir, NULL, MS_BIND, NULL) == 0);
	CHECK(mount(NULL, race_dir, NULL, MS_SHARED, NULL) == 0);
	CHECK(chdir(race_dir) == 0);
}

static void from_another_namespace(unsigned state, unsigned cycle)
{
	static bool moved_out;

	if (!moved_out) {
		MUST(syscall(SYS_unshare, CLONE_NEWNS));
		moved_out = true;
	}
	over_the_directory(state, cycle);
}

TEST(a_mount_that_propagates_from_another_namespace_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = shared_dir,
		.later = true,
		.change = from_another_namespace,
		.clean = clean_mounts,
		.ways = ONLY(BY_PROCESS) | ONLY(FORGETTING), /* a thread cannot leave alone */
		.asks = {BIND_ASKS},
	};
	privately(&r);
}

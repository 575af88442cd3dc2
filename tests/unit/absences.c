/*
 * Listed directories, end to end: learned, asked, changed, announced, taken note of.
 */
#include "session.h"

#include <sys/prctl.h>

TEST_BELLS(a_listed_directory_knows_what_it_does_not_hold)
{
	make_dir(at("d"));
	make_file(at("d/there"));
	CHECK(learned(at("d/none")));
	CHECK(still_absent(at("d/other")));
	CHECK(still_absent(at("d/sub/below")));
	CHECK(!is_absent(at("d/there")));
	CHECK(!is_absent(at("d/THERE")));
	CHECK(!is_absent(at("d")));
	CHECK(!is_absent(at("d/there/x")));
}

TEST_BELLS(the_deepest_existing_directory_is_listed)
{
	make_dir(at("d"));
	CHECK(learned(at("d/a/b/c/none")));
	CHECK(still_absent(at("d/a")));
	CHECK(still_absent(at("d/b/x")));
}

static void bring_file(const char *name)
{
	make_file(name);
}
static void bring_directory(const char *name)
{
	make_dir(name);
}
static void bring_symlink(const char *name)
{
	MUST(symlink("nowhere", name));
}
static void bring_hard_link(const char *name)
{
	MUST(link(at("elsewhere"), name));
}
static void bring_by_rename(const char *name)
{
	MUST(rename(at("elsewhere"), name));
}
static void bring_directory_by_rename(const char *name)
{
	MUST(rename(at("directory"), name));
}
static void bring_fifo(const char *name)
{
	MUST(mkfifo(name, 0600));
}
static void bring_by_exchange(const char *name)
{
	make_file(at("other"));
	MUST(rename(at("other"), name));
}
static void bring_unnamed(const char *name)
{
	int fd = open(at("d"), O_TMPFILE | O_WRONLY, 0600);
	char path[64];

	if (fd < 0)
		SKIP("O_TMPFILE");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	MUST(linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW));
	close(fd);
}

static const struct {
	const char *what;
	void (*bring)(const char *name);
} bringing[] = {
    {"creat", bring_file},
    {"mkdir", bring_directory},
    {"symlink", bring_symlink},
    {"link", bring_hard_link},
    {"rename", bring_by_rename},
    {"rename of a directory", bring_directory_by_rename},
    {"mkfifo", bring_fifo},
    {"rename from beside", bring_by_exchange},
    {"linkat of an O_TMPFILE", bring_unnamed},
};

TEST_BELLS(whatever_brings_a_name_rings_and_ends_its_absence)
{
	for (unsigned i = 0; i < sizeof bringing / sizeof *bringing; i++) {
		session_empty();
		catch_up();
		make_dir(at("d"));
		make_file(at("elsewhere"));
		make_dir(at("directory"));
		CHECKF(learned(at("d/name")), "%s", bringing[i].what);
		bringing[i].bring(at("d/name"));
		CHECKF(!is_absent(at("d/name")), "%s was not noticed", bringing[i].what);
		CHANGED(bringing[i].what);
		CHECKF(!is_absent(at("d/name")), "%s was forgotten", bringing[i].what);
		CHECKF(!is_absent(at("d/name/below")), "%s: below", bringing[i].what);
		/* The listing lives on, and is right. */
		CHECKF(still_absent(at("d/another")), "%s ended the listing", bringing[i].what);
	}
}

TEST_BELLS(a_name_that_went_may_be_asked_but_is_never_wrong)
{
	make_dir(at("d"));
	make_file(at("d/name"));
	CHECK(learned(at("d/none")));
	MUST(unlink(at("d/name")));
	catch_up();
	CHECK(!is_absent(at("d/name"))); /* nothing is taken out of a filter */
	make_file(at("d/name"));
	CHECK(!is_absent(at("d/name")));
}

TEST_BELLS(a_name_that_cannot_be_folded_silences_its_directory)
{
	make_dir(at("d"));
	CHECK(learned(at("d/none")));
	make_file(at("d/\xc3\xa4"));
	CHANGED("creat");
	CHECK(!is_absent(at("d/none")));
	CHECK(!is_absent(at("d/\xc3\x84")));
	make_dir(at("e"));
	make_file(at("e/\xc3\xa4"));
	learn(at("e/none"));
	CHECK(!is_absent(at("e/none")));
}

TEST_BELLS(all_names_of_a_large_directory_are_perhaps_present)
{
	make_dir(at("d"));
	for (int i = 0; i < 1500; i++) /* more than fit without a mapping */
		make_file(at("d/n%d", i));
	CHECK(learned(at("d/none")));
	for (int i = 0; i < 1500; i++)
		CHECKF(!is_absent(at("d/n%d", i)), "n%d", i);
	int absent = 0;

	for (int i = 0; i < 500; i++)
		absent += is_absent(at("d/x%d", i));
	CHECKF(absent > 450 || !quiet(), "only %d of 500 are absent", absent);
}

TEST_BELLS(a_directory_that_outgrew_its_filter_is_learned_anew)
{
	make_dir(at("d"));
	CHECK(learned(at("d/none")));
	for (int i = 0; i < 200; i++) {
		make_file(at("d/n%d", i));
		if (i % 10 == 0)
			catch_up();
	}
	catch_up();
	for (int i = 0; i < 200; i++)
		CHECK(!is_absent(at("d/n%d", i)));
	CHECK(learned(at("d/none")));
	for (int i = 0; i < 200; i++)
		CHECK(!is_absent(at("d/n%d", i)));
}

TEST_BELLS(a_directory_that_is_renamed_away_leaves_nothing_behind)
{
	make_dir(at("d"));
	make_dir(at("other"));
	make_file(at("other/name"));
	CHECK(learned(at("d/name")));
	MUST(rename(at("d"), at("gone")));
	CHECK(!is_absent(at("d/name")));
	CHANGED("rename");
	MUST(rename(at("other"), at("d")));
	CHECK(!is_absent(at("d/name")));
	catch_up();
	CHECK(!is_absent(at("d/name")));
	CHECK(learned(at("d/none")));
	CHECK(!is_absent(at("d/name")));
}

TEST_BELLS(a_rename_of_an_ancestor_ends_every_fact_below_it)
{
	make_dir(at("a"));
	make_dir(at("a/b"));
	make_dir(at("a/b/c"));
	make_dir(at("x"));
	make_dir(at("x/b"));
	make_dir(at("x/b/c"));
	make_file(at("x/b/c/name"));
	CHECK(learned(at("a/b/c/name")));
	CHECK(learned(at("a/b/name")));
	MUST(renameat2(AT_FDCWD, at("a"), AT_FDCWD, at("x"), RENAME_EXCHANGE));
	CHECK(!is_absent(at("a/b/c/name")));
	CHANGED("exchange");
	CHECK(!is_absent(at("a/b/c/name")));
	CHECK(learned(at("x/b/c/name")));
	CHECK(!is_absent(at("a/b/c/name")));
}

TEST_BELLS(a_directory_that_is_removed_and_made_again_is_another)
{
	make_dir(at("d"));
	CHECK(learned(at("d/name")));
	MUST(rmdir(at("d")));
	CHECK(!is_absent(at("d/name")));
	CHANGED("rmdir");
	make_dir(at("d"));
	make_file(at("d/name"));
	catch_up();
	CHECK(!is_absent(at("d/name")));
}

TEST_BELLS(a_removed_directory_that_is_held_open_ends_its_facts_too)
{
	make_dir(at("d"));
	int fd = open(at("d"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	CHECK(learned(at("d/name")));
	MUST(rmdir(at("d")));
	CHECK(!is_absent(at("d/name")));
	CHANGED("rmdir");
	make_dir(at("d"));
	make_file(at("d/name"));
	CHECK(!is_absent(at("d/name")));
	catch_up();
	CHECK(!is_absent(at("d/name")));
	close(fd);
}

TEST_BELLS(a_change_of_a_directorys_mode_ends_its_facts)
{
	make_dir(at("d"));
	make_dir(at("d/e"));
	CHECK(learned(at("d/e/name")));
	MUST(chmod(at("d"), 0700));
	CHECK(!is_absent(at("d/e/name")));
	CHANGED("chmod");
	CHECK(!is_absent(at("d/e/name"))); /* EACCES, for all that is known */
	CHECK(learned(at("d/e/name")));
}

static void two_targets(void)
{
	make_dir(at("one"));
	make_dir(at("two"));
	make_file(at("two/name"));
}

TEST_BELLS(a_retargeted_symlink_leads_elsewhere)
{
	two_targets();
	MUST(symlink("one", at("link")));
	CHECK(learned(at("link/name")));
	MUST(unlink(at("link")));
	CHECK(!is_absent(at("link/name")));
	CHANGED("unlink");
	MUST(symlink("two", at("link")));
	CHECK(!is_absent(at("link/name")));
	catch_up();
	CHECK(!is_absent(at("link/name")));
	CHECK(learned(at("link/none")));
	CHECK(!is_absent(at("link/name")));
}

TEST_BELLS(a_symlink_replaced_by_rename_leads_elsewhere)
{
	two_targets();
	MUST(symlink(at("one"), at("link")));
	MUST(symlink(at("two"), at("new")));
	CHECK(learned(at("link/name")));
	MUST(rename(at("new"), at("link")));
	CHECK(!is_absent(at("link/name")));
	CHANGED("rename");
	CHECK(!is_absent(at("link/name")));
}

TEST_BELLS(a_symlink_within_a_chain_of_them_is_watched_too)
{
	two_targets();
	make_dir(at("in"));
	MUST(symlink("../one", at("in/inner")));
	MUST(symlink("in//./inner/", at("outer")));
	CHECK(learned(at("outer/name")));
	MUST(unlink(at("in/inner")));
	CHECK(!is_absent(at("outer/name")));
	CHANGED("unlink");
	MUST(symlink("../two", at("in/inner")));
	catch_up();
	CHECK(!is_absent(at("outer/name")));
	CHECK(learned(at("outer/none")));
	CHECK(!is_absent(at("outer/name")));
}

TEST_BELLS(the_targets_directory_is_watched_as_well)
{
	two_targets();
	MUST(symlink("one", at("link")));
	CHECK(learned(at("link/name")));
	MUST(rename(at("one"), at("three")));
	CHECK(!is_absent(at("link/name")));
	CHANGED("rename");
	MUST(rename(at("two"), at("one")));
	catch_up();
	CHECK(!is_absent(at("link/name")));
}

TEST_BELLS(one_directory_by_two_names_has_one_truth)
{
	two_targets();
	MUST(symlink("one", at("link")));
	CHECK(learned(at("link/name")));
	CHECK(learned(at("one/name")));
	make_file(at("one/name"));
	CHECK(!is_absent(at("link/name")));
	CHECK(!is_absent(at("one/name")));
	CHANGED("creat");
	CHECK(!is_absent(at("link/name")));
	CHECK(!is_absent(at("one/name")));
	CHECK(still_absent(at("link/none")));
	CHECK(still_absent(at("one/none")));
}

TEST_BELLS(dot_dot_is_the_kernels_way)
{
	make_dir(at("a"));
	make_dir(at("a/b"));
	make_dir(at("x"));
	make_file(at("x/name"));
	CHECK(learned(at("a/b/../name")));
	MUST(rename(at("a/b"), at("x/b")));
	CHECK(!is_absent(at("a/b/../name")));
	CHANGED("rename");
	MUST(symlink("../x/b", at("a/b")));
	catch_up();
	CHECK(!is_absent(at("a/b/../name"))); /* now x/name */
}

TEST_BELLS(a_loop_and_a_dangling_link_are_the_kernels)
{
	MUST(symlink("loop", at("loop")));
	MUST(symlink("nowhere", at("dangling")));
	CHECK(learned(at("none")));
	learn(at("loop/x"));
	learn(at("dangling/x"));
	CHECK(!is_absent(at("loop/x")));
	CHECK(!is_absent(at("loop")));
	/* The link exists: lstat() succeeds. */
	CHECK(!is_absent(at("dangling")));
}

TEST_BELLS(below_a_file_nothing_is_said)
{
	make_file(at("file"));
	CHECK(learned(at("none")));
	CHECK_EQ(learn(at("file/x")), LEARNED_NOTHING);
	CHECK(!is_absent(at("file/x"))); /* ENOTDIR */
}

TEST_BELLS(what_exists_is_not_learned_as_absent)
{
	make_file(at("file"));
	CHECK_EQ(learn(at("file")), LEARNED_NOTHING);
	CHECK(!is_absent(at("file")));
}

/* As somebody whom the modes concern. */
static void be_nobody(bool nobody)
{
	CHECK(seteuid(nobody ? 65534 : 0) == 0);
	prctl(PR_SET_DUMPABLE, 1); /* or /proc/self/fd is closed to us */
}

TEST_BELLS(a_directory_that_may_be_read_but_not_searched_says_nothing)
{
	bool root = geteuid() == 0, control, answered;

	make_dir(at("d"));
	make_dir(at("e"));
	MUST(chmod(at("e"), 0444));
	if (root)
		be_nobody(true);
	control = learned(at("d/none"));
	learn(at("e/none"));
	answered = is_absent(at("e/none")) || !access(at("e/none"), F_OK);
	if (root)
		be_nobody(false);
	MUST(chmod(at("e"), 0755));
	CHECK(control);
	CHECK(!answered); /* EACCES */
}

TEST_BELLS(proc_sys_and_dev_are_refused)
{
	static const char *const paths[] = {"/proc/none", "/sys/none", "/dev/none",
					    "/proc/self/none"};

	for (int i = 0; i < 4; i++) {
		CHECK_EQ(learn(paths[i]), LEARNED_NOTHING);
		CHECK(!is_absent(paths[i]));
	}
}

TEST_BELLS(more_events_than_the_queue_holds_end_everything)
{
	FILE *f = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
	int limit = 1 << 30;

	CHECK(f && fscanf(f, "%d", &limit) == 1);
	fclose(f);
	if (limit > 40000)
		SKIP("an event queue small enough to fill");
	make_dir(at("d"));
	make_dir(at("e"));
	CHECK(learned(at("d/name")));
	CHECK(learned(at("e/name")));
	for (int i = 0; i < limit + 100; i++) {
		make_file(at("d/y%d", i & 1));
		MUST(unlink(at("d/y%d", i & 1)));
	}
	make_file(at("d/name"));
	make_file(at("e/name"));
	CHECK(!is_absent(at("d/name")) && !is_absent(at("e/name")));
	CHANGED("overflow");
	CHECK(!is_absent(at("d/name")) && !is_absent(at("e/name")));
	CHECK(learned(at("e/none")));
}

TEST_BELLS(forgetting_ends_every_fact)
{
	make_dir(at("d"));
	CHECK(learned(at("d/name")));
	authority_forget(now->authority);
	CHECK(!is_absent(at("d/name")));
	CHECK(!(segment_seq(now->segment) & 1));
	CHECK(learned(at("d/name")));
}

static int descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

TEST_BELLS(learning_keeps_no_descriptor)
{
	int before = descriptors();

	make_dir(at("d"));
	make_dir(at("d/e"));
	MUST(symlink("d/e", at("link")));
	MUST(symlink("nowhere", at("dangling")));
	make_file(at("file"));
	for (int i = 0; i < 10; i++) {
		learn(at("d/e/none"));
		learn(at("link/none"));
		learn(at("dangling/none"));
		learn(at("file/none"));
		learn("/proc/none/x");
		learn_present(at("link"), QUESTION_PATH, 0);
		learn_present(at("dangling"), QUESTION_PATH, 0);
		learn_present(at("file"), QUESTION_ACCESS, R_OK);
		authority_forget(now->authority);
	}
	CHECK_EQ(descriptors(), before);
}

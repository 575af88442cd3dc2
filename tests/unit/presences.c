/*
 * Positive facts, end to end: learned on the kernel's word, ended by whatever touches the inode,
 * its name, or the way to it.
 */
#include "session.h"

#include <sys/xattr.h>

TEST_BELLS(access_is_remembered_for_the_modes_asked)
{
	make_file(at("file"));
	CHECK(known_present(at("file"), QUESTION_ACCESS, F_OK));
	CHECK(!is_present(at("file"), QUESTION_ACCESS, X_OK));
	CHECK(known_present(at("file"), QUESTION_ACCESS, R_OK));
	CHECK_EQ(learn_present(at("file"), QUESTION_ACCESS, X_OK), LEARNED_NOTHING);
	CHECK(!is_present(at("file"), QUESTION_ACCESS, X_OK)); /* nobody may execute it */
	CHECK(now->segment->positives > 0);
}

TEST_BELLS(what_is_missing_is_not_learned_as_present)
{
	MUST(symlink("nowhere", at("dangling")));
	CHECK_EQ(learn_present(at("none"), QUESTION_ACCESS, F_OK), LEARNED_NOTHING);
	CHECK_EQ(learn_present(at("dangling"), QUESTION_ACCESS, F_OK), LEARNED_NOTHING);
	CHECK_EQ(learn_present(at("dangling"), QUESTION_PATH, 0), LEARNED_NOTHING);
	CHECK_EQ(learn_present("/proc/version", QUESTION_ACCESS, F_OK), LEARNED_NOTHING);
	CHECK(!is_present("/proc/version", QUESTION_ACCESS, F_OK));
}

static void end_by_chmod(void)
{
	MUST(chmod(at("d/file"), 0));
}
static void end_by_unlink(void)
{
	MUST(unlink(at("d/file")));
}
static void end_by_rename(void)
{
	MUST(rename(at("d/file"), at("d/moved")));
}
static void end_by_replacement(void)
{
	MUST(rename(at("d/new"), at("d/file")));
}
static void end_by_directory(void)
{
	MUST(rename(at("d"), at("e")));
}
static void end_by_mode_of_directory(void)
{
	MUST(chmod(at("d"), 0));
	MUST(chmod(at("d"), 0755));
}
static void end_by_descriptor(void)
{
	int fd = open(at("d/file"), O_RDONLY | O_CLOEXEC);

	MUST(fchmod(fd, 0));
	close(fd);
}
static void end_by_other_name(void)
{
	MUST(chmod(at("second"), 0));
}

static const struct {
	const char *what;
	void (*end)(void);
} endings[] = {
    {"chmod", end_by_chmod},
    {"unlink", end_by_unlink},
    {"rename", end_by_rename},
    {"replacement", end_by_replacement},
    {"rename of its directory", end_by_directory},
    {"chmod of its directory", end_by_mode_of_directory},
    {"fchmod", end_by_descriptor},
    {"chmod by another name", end_by_other_name},
};

TEST_BELLS(whatever_touches_a_file_rings_and_ends_its_facts)
{
	for (unsigned i = 0; i < sizeof endings / sizeof *endings; i++) {
		session_empty();
		catch_up();
		make_dir(at("d"));
		make_file(at("d/file"));
		make_file(at("d/new"));
		MUST(link(at("d/file"), at("second")));
		CHECKF(known_present(at("d/file"), QUESTION_ACCESS, R_OK), "%s", endings[i].what);
		endings[i].end();
		CHECKF(!is_present(at("d/file"), QUESTION_ACCESS, R_OK), "%s was not noticed",
		       endings[i].what);
		CHANGED(endings[i].what);
		CHECKF(!is_present(at("d/file"), QUESTION_ACCESS, R_OK), "%s was forgotten",
		       endings[i].what);
	}
}

TEST_BELLS(a_file_unlinked_while_open_is_not_the_file_of_that_name)
{
	make_file(at("file"));
	int fd = open(at("file"), O_RDONLY | O_CLOEXEC);

	CHECK(known_present(at("file"), QUESTION_ACCESS, R_OK));
	MUST(unlink(at("file")));
	CHECK(!is_present(at("file"), QUESTION_ACCESS, F_OK));
	CHANGED("unlink");
	CHECK(!is_present(at("file"), QUESTION_ACCESS, F_OK));
	close(fd);
}

TEST_BELLS(a_symlinks_target_is_what_counts)
{
	make_file(at("one"));
	MUST(symlink("one", at("link")));
	CHECK(known_present(at("link"), QUESTION_ACCESS, R_OK));
	MUST(chmod(at("one"), 0));
	CHECK(!is_present(at("link"), QUESTION_ACCESS, R_OK));
	CHANGED("chmod");
	CHECK(!is_present(at("link"), QUESTION_ACCESS, R_OK));
	MUST(chmod(at("one"), 0644));
	CHECK(known_present(at("link"), QUESTION_ACCESS, R_OK));
	MUST(unlink(at("link")));
	CHECK(!is_present(at("link"), QUESTION_ACCESS, R_OK));
	CHANGED("unlink");
	CHECK(!is_present(at("link"), QUESTION_ACCESS, R_OK));
	CHECK(known_present(at("one"), QUESTION_ACCESS, R_OK));
}

static void check_canonical(const char *path)
{
	char want[PATH_MAX];

	CHECKF(realpath(path, want), "realpath(%s): %s", path, strerror(errno));
	CHECKF(known_present(path, QUESTION_PATH, 0), "%s is not learned", path);
	CHECKF(!strcmp(canonical(path), want), "%.120s is %.120s, must be %.120s", path,
	       canonical(path), want);
}

TEST_BELLS(canonical_paths_are_what_realpath_says)
{
	make_dir(at("d"));
	make_dir(at("d/e"));
	make_file(at("d/e/file"));
	MUST(symlink("d", at("relative")));
	MUST(symlink(at("d"), at("absolute")));
	MUST(symlink("e/../e/./file", at("d/winding")));
	MUST(symlink("../relative", at("d/back")));
	MUST(symlink("relative/back//e/", at("long")));
	check_canonical(at("d/e/file"));
	check_canonical(at("relative/e/file"));
	check_canonical(at("absolute/e/file"));
	check_canonical(at("d/winding"));
	check_canonical(at("relative/winding"));
	check_canonical(at("d/e/../winding"));
	check_canonical(at("relative/../absolute/e/.."));
	check_canonical(at("long/file"));
	check_canonical(at("long/.."));
	check_canonical(at("d/back/back/back/e"));
	check_canonical(at("relative/e/../../d/e/../.."));
	CHECK(!is_present(at("d/none"), QUESTION_PATH, 0));
}

TEST_BELLS(a_canonical_path_ends_with_its_links)
{
	make_dir(at("one"));
	make_dir(at("two"));
	make_file(at("one/file"));
	make_file(at("two/file"));
	MUST(symlink("one", at("link")));
	MUST(symlink("two", at("new")));
	check_canonical(at("link/file"));
	MUST(rename(at("new"), at("link")));
	CHECK(!is_present(at("link/file"), QUESTION_PATH, 0));
	CHANGED("rename");
	CHECK(!is_present(at("link/file"), QUESTION_PATH, 0));
	check_canonical(at("link/file"));
}

TEST_BELLS(what_is_no_symlink_is_remembered_and_what_is_one_is_not)
{
	make_file(at("file"));
	make_dir(at("d"));
	MUST(symlink("file", at("link")));
	CHECK(known_present(at("file"), QUESTION_LINK, 0));
	CHECK(known_present(at("d"), QUESTION_LINK, 0));
	learn_present(at("link"), QUESTION_LINK, 0);
	learn_present(at("link"), QUESTION_ACCESS, F_OK);
	CHECK(!is_present(at("link"), QUESTION_LINK, 0));
	MUST(unlink(at("file")));
	CHECK(!is_present(at("file"), QUESTION_LINK, 0));
	CHANGED("unlink");
	MUST(symlink("d", at("file")));
	catch_up();
	CHECK(!is_present(at("file"), QUESTION_LINK, 0));
	learn_present(at("file"), QUESTION_ACCESS, F_OK);
	CHECK(!is_present(at("file"), QUESTION_LINK, 0));
}

TEST_BELLS(a_missing_attribute_is_remembered_until_any_is_set)
{
	make_file(at("file"));
	MUST(symlink("file", at("link")));
	for (unsigned i = 0; i < XATTR_NAMES; i++) {
		if (!known_present(at("file"), QUESTION_XATTR, i))
			SKIP("a file system that says ENODATA");
		CHECK(known_present(at("file"), QUESTION_LXATTR, i));
		CHECK(known_present(at("link"), QUESTION_XATTR, i));
		CHECK_EQ(learn_present(at("link"), QUESTION_LXATTR, i), LEARNED_NOTHING);
		CHECK(!is_present(at("link"), QUESTION_LXATTR, i));
	}
	if (setxattr(at("file"), "user.fastpath", "x", 1, 0))
		SKIP("user attributes");
	for (unsigned i = 0; i < XATTR_NAMES; i++)
		CHECK(!is_present(at("file"), QUESTION_XATTR, i));
	CHANGED("setxattr");
	for (unsigned i = 0; i < XATTR_NAMES; i++) {
		CHECK(!is_present(at("file"), QUESTION_XATTR, i));
		CHECK(!is_present(at("link"), QUESTION_XATTR, i));
	}
	CHECK(known_present(at("file"), QUESTION_XATTR, 1));
}

TEST_BELLS(an_attribute_that_is_there_is_never_absent)
{
	/* Version 2, owner rwx, group and others nothing, mask rwx: an ACL the mode cannot hold. */
	static const unsigned char acl[] = {2,   0,   0,   0,   1,   0,   7,  0,   255, 255, 255,
					    255, 2,   0,   7,   0,   1,   0,  0,   0,   4,   0,
					    0,   0,   255, 255, 255, 255, 16, 0,   7,   0,   255,
					    255, 255, 255, 32,  0,   0,   0,  255, 255, 255, 255};

	make_file(at("file"));
	if (setxattr(at("file"), "system.posix_acl_access", acl, sizeof acl, 0))
		SKIP("POSIX ACLs: %s", strerror(errno));
	catch_up();
	CHECK_EQ(learn_present(at("file"), QUESTION_XATTR, 2), LEARNED_NOTHING);
	CHECK(!is_present(at("file"), QUESTION_XATTR, 2));
	CHECK(!is_present(at("file"), QUESTION_LXATTR, 2));
	CHECK(known_present(at("file"), QUESTION_XATTR, 3));
}

TEST_BELLS(facts_of_a_directory_and_its_listing_live_side_by_side)
{
	make_dir(at("d"));
	CHECK(known_present(at("d"), QUESTION_ACCESS, R_OK | X_OK));
	CHECK(learned(at("d/name")));
	make_file(at("d/name"));
	CHANGED("creat");
	CHECK(!is_absent(at("d/name")));
	CHECK(known_present(at("d"), QUESTION_ACCESS, R_OK | X_OK));
	CHECK(still_absent(at("d/none")));
}

TEST_BELLS(both_signs_of_one_name_exclude_each_other)
{
	int told = 0;

	make_dir(at("d"));
	for (int i = 0; i < 20; i++) {
		if (!learned(at("d/name%d", i)))
			continue; /* its bits are those of names that were there */
		told++;
		make_file(at("d/name%d", i));
		catch_up();
		CHECK(known_present(at("d/name%d", i), QUESTION_ACCESS, F_OK));
		CHECK(!is_absent(at("d/name%d", i)));
		MUST(unlink(at("d/name%d", i)));
		CHECK(!is_present(at("d/name%d", i), QUESTION_ACCESS, F_OK));
		catch_up();
		CHECK(!is_present(at("d/name%d", i), QUESTION_ACCESS, F_OK));
	}
	CHECKF(told >= 10, "only %d names were learned", told);
}

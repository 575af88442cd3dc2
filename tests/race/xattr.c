/*
 * Extended attributes that are remembered as absent, and then appear: ACLs, as any owner may set.
 */
#include "race.h"
#include <sys/xattr.h>

/* In the kernel's format: version 2, and entries of tag, permission and id. */
struct acl {
	uint32_t version;
	struct {
		uint16_t tag, perm;
		uint32_t id;
	} entry[5];
};

/* u::rwx, u:12345:r--, g::r-x, m::rwx, o::r-x: more than a mode can say, so it is kept as ACL. */
static void set_acl(const char *name, const char *attribute)
{
	static const struct acl acl = {
		2,
		{{1, 7, ~0U}, {2, 4, 12345}, {4, 5, ~0U}, {0x10, 7, ~0U}, {0x20, 5, ~0U}},
	};

	MUST(syscall(SYS_setxattr, name, attribute, &acl, sizeof acl, 0));
}

static void drop_xattr(const char *name, const char *attribute)
{
	MUST(syscall(SYS_removexattr, name, attribute));
}

static int asked(ssize_t n)
{
	return n < 0 ? -errno : 0;
}

static int ask_default_acl(const char *path)
{
	char value[128];

	return asked(getxattr(path, "system.posix_acl_default", value, sizeof value));
}

static int ask_default_acl_of_link(const char *path)
{
	char value[128];

	return asked(lgetxattr(path, "system.posix_acl_default", value, sizeof value));
}

static int ask_access_acl(const char *path)
{
	char value[128];

	return asked(getxattr(path, "system.posix_acl_access", value, sizeof value));
}

static int ask_access_acl_of_link(const char *path)
{
	return asked(lgetxattr(path, "system.posix_acl_access", NULL, 0));
}

static void dir_and_files(void)
{
	make_dir("d");
	make_dir("d/sub");
	make_dir("e");
	make_file_mode("d/f", 0755);
	make_file_mode("d/with", 0755);
	make_hard_link("d/f", "e/other");
	set_acl("d/with", "system.posix_acl_access");
}

static void default_acl(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		set_acl("d/sub", "system.posix_acl_default");
	else
		drop_xattr("d/sub", "system.posix_acl_default");
}

TEST(a_default_ACL_that_appears_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = dir_and_files,
		.change = default_acl,
		.asks = {{ask_default_acl, "d/sub", {-ENODATA, 0}},
			 {ask_default_acl_of_link, "d/sub", {-ENODATA, 0}},
			 {ask_access_acl, "d/sub", ALWAYS(-ENODATA)},
			 {ask_default_acl, "d/never", ALWAYS(-ENOENT)}},
	};
	race_run(&r);
}

static void access_acl(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		set_acl("d/f", "system.posix_acl_access");
	else
		drop_xattr("d/f", "system.posix_acl_access");
}

TEST(an_access_ACL_that_appears_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = dir_and_files,
		.change = access_acl,
		.asks = {{ask_access_acl, "d/f", {-ENODATA, 0}},
			 {ask_access_acl_of_link, "d/f", {-ENODATA, 0}},
			 {ask_access_acl, "e/other", {-ENODATA, 0}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

/* By another name of the file, the second time through a descriptor. */
static void acl_by_other_name(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0) {
		set_acl("e/other", "system.posix_acl_access");
		return;
	}
	long fd = MUST(syscall(SYS_openat, AT_FDCWD, "e/other", O_RDONLY | O_CLOEXEC));
	MUST(syscall(SYS_fremovexattr, fd, "system.posix_acl_access"));
	syscall(SYS_close, fd);
}

TEST(an_ACL_set_by_another_name_of_the_file_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = dir_and_files,
		.change = acl_by_other_name,
		.asks = {{ask_access_acl, "d/f", {-ENODATA, 0}},
			 {ask_access_acl_of_link, "d/f", {-ENODATA, 0}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

static void exchanged(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("d/f", "d/with");
}

TEST(a_file_exchanged_with_one_that_has_an_ACL_has_it)
{
	static const struct race r = {
		.states = 2,
		.prepare = dir_and_files,
		.change = exchanged,
		.asks = {{ask_access_acl, "d/f", {-ENODATA, 0}},
			 {ask_access_acl, "d/with", {0, -ENODATA}},
			 {ask_exec, "d/f", ALWAYS(0)},
			 NEVER("d/never")},
	};
	race_run(&r);
}

/* What an ACL says of access(): without x for anybody it is no program, for root neither. */
static void acl_as_mode(unsigned state, unsigned cycle)
{
	uint16_t perm = state == 0 ? 4 : 5;
	struct acl acl = {2, {{1, perm, ~0U}, {4, perm, ~0U}, {0x20, perm, ~0U}}};

	(void)cycle;
	MUST(syscall(SYS_setxattr, "e/other", "system.posix_acl_access", &acl,
		     offsetof(struct acl, entry[3]), 0));
}

TEST(a_file_made_not_executable_by_an_ACL_is_so)
{
	static const struct race r = {
		.states = 2,
		.prepare = dir_and_files,
		.change = acl_as_mode,
		.asks = {{ask_exec, "d/f", {0, -EACCES}},
			 {ask_access, "d/f", ALWAYS(0)},
			 {ask_exec, "e/other", {0, -EACCES}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

/*
 * security.capability and security.selinux appear on a file that had neither. Root sets them.
 */
#include "race.h"
#include <linux/capability.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

static void as_root(const struct race *r)
{
	if (geteuid() != 0)
		SKIP("root: nobody else sets security.* attributes");
	race_run(r);
}

/*
 * Btrfs (Linux 6.18) remembers for itself that there is no capability, and who asks while one is
 * set can make it remember so for ever: without the library too, this race has stale answers there.
 */
static void where_capabilities_last(const struct race *r)
{
	const char *tmp = getenv("TMPDIR");
	struct statfs fs;

	if (statfs(tmp ? tmp : "/var/tmp", &fs) == 0 && fs.f_type == BTRFS_SUPER_MAGIC)
		SKIP("another file system than btrfs, which loses capabilities in this race");
	as_root(r);
}

/* cap_net_raw, permitted: revision 2 and 20 bytes. */
static void set_capability(const char *name)
{
	static const uint32_t value[5] = {VFS_CAP_REVISION_2, 1U << CAP_NET_RAW};

	MUST(syscall(SYS_setxattr, name, "security.capability", value, sizeof value, 0));
}

static int asked(ssize_t n)
{
	return n < 0 ? -errno : 0;
}

static int ask_capability(const char *path)
{
	char value[64];

	return asked(getxattr(path, "security.capability", value, sizeof value));
}

static int ask_capability_of_link(const char *path)
{
	char value[64];

	return asked(lgetxattr(path, "security.capability", value, sizeof value));
}

static int ask_label(const char *path)
{
	return asked(lgetxattr(path, "security.selinux", NULL, 0));
}

static void files(void)
{
	make_dir("d");
	make_dir("e");
	make_file_mode("d/f", 0755);
	make_hard_link("d/f", "e/other");
	make_file_mode("e/able", 0755);
	set_capability("e/able");
}

static void by_name(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		set_capability("d/f");
	else
		MUST(syscall(SYS_removexattr, "d/f", "security.capability"));
}

TEST(a_capability_set_on_a_file_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = files,
		.change = by_name,
		.asks = {{ask_capability, "d/f", {-ENODATA, 0}},
			 {ask_capability_of_link, "d/f", {-ENODATA, 0}},
			 {ask_capability, "e/other", {-ENODATA, 0}},
			 {ask_capability, "d/never", ALWAYS(-ENOENT)}},
	};
	where_capabilities_last(&r);
}

/* By another name; a write takes it away again, as the kernel's killpriv does. */
static void by_other_name(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0) {
		set_capability("e/other");
		return;
	}
	long fd = MUST(syscall(SYS_openat, AT_FDCWD, "e/other", O_WRONLY | O_CLOEXEC));
	MUST(syscall(SYS_write, fd, "x", 1));
	syscall(SYS_close, fd);
}

TEST(a_capability_set_by_another_name_is_seen_until_a_write_takes_it)
{
	static const struct race r = {
		.states = 2,
		.prepare = files,
		.change = by_other_name,
		.asks = {{ask_capability, "d/f", {-ENODATA, 0}},
			 {ask_capability_of_link, "d/f", {-ENODATA, 0}},
			 NEVER("d/never")},
	};
	where_capabilities_last(&r);
}

static void by_rename(unsigned state, unsigned cycle)
{
	(void)state, (void)cycle;
	exchange("d/f", "e/able");
}

TEST(a_file_exchanged_with_one_that_has_a_capability_has_it)
{
	static const struct race r = {
		.states = 2,
		.prepare = files,
		.change = by_rename,
		.asks = {{ask_capability, "d/f", {-ENODATA, 0}},
			 {ask_capability, "e/able", {0, -ENODATA}},
			 {ask_exec, "d/f", ALWAYS(0)},
			 NEVER("d/never")},
	};
	as_root(&r);
}

static void label(unsigned state, unsigned cycle)
{
	(void)cycle;
	if (state == 0)
		MUST(syscall(SYS_setxattr, "d/f", "security.selinux", "x", 2, 0));
	else
		MUST(syscall(SYS_removexattr, "d/f", "security.selinux"));
}

TEST(a_label_set_on_a_file_is_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = files,
		.change = label,
		.asks = {{ask_label, "d/f", {-ENODATA, 0}},
			 {ask_label, "e/other", {-ENODATA, 0}},
			 NEVER("d/never")},
	};
	if (syscall(SYS_faccessat, AT_FDCWD, "/sys/fs/selinux/enforce", F_OK) == 0)
		SKIP("a kernel without SELinux: it would not let go of its label");
	as_root(&r);
}

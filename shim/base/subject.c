/*
 * subject.c - credentials, namespaces and root of a process, by a handful of cheap system calls.
 */
#include "base/subject.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/sys.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>

enum { GROUPS_MAX = 64, LABEL_BYTES = 256 };

static bool read_ids(struct subject *s)
{
	uint32_t real, effective, saved;

	if (sys3(CALL_GETRESUID, &real, &effective, &saved) || real != effective || real != saved)
		return false;
	s->uid = real;
	if (sys3(CALL_GETRESGID, &real, &effective, &saved) || real != effective || real != saved)
		return false;
	s->gid = real;
	return true;
}

static bool read_groups(struct subject *s)
{
	uint32_t groups[GROUPS_MAX];
	long n = sys2(CALL_GETGROUPS, GROUPS_MAX, groups);

	if (n < 0)
		return false;
	s->groups = hash_string((const char *)groups, (size_t)n * sizeof *groups);
	return true;
}

bool subject_caps_are_plain(const struct __user_cap_data_struct *caps, uint32_t uid)
{
	for (int i = 0; i < 2; i++)
		if (caps[i].effective != (uid ? 0 : caps[i].permitted))
			return false;
	return true;
}

static bool read_caps(struct subject *s)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[2] = {{0}}; /* valgrind takes the second for never written */

	if (sys2(SYS_capget, &header, caps) || !subject_caps_are_plain(caps, s->uid))
		return false;
	s->permitted = caps[0].permitted | (uint64_t)caps[1].permitted << 32;
	return true;
}

static bool read_root(struct subject *s)
{
	struct statx found;

	if (sys_statx(SYS_AT_FDCWD, "/", 0, STATX_INO | SYS_STATX_MNT_ID_UNIQUE, &found) ||
	    !(found.stx_mask & SYS_STATX_MNT_ID_UNIQUE))
		return false;
	s->root_mount = found.stx_mnt_id;
	s->root_ino = found.stx_ino;
	s->root_dev = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
	return true;
}

uint64_t subject_user_namespace(void)
{
	struct statx found;

	return sys_statx(SYS_AT_FDCWD, "/proc/thread-self/ns/user", 0, STATX_INO, &found) ? 0 : found.stx_ino;
}

static long read_file(const char *path, char *out, size_t size)
{
	int fd = (int)sys_openat(SYS_AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	long n;

	if (fd < 0)
		return fd;
	n = sys_read(fd, out, size);
	sys_close(fd);
	return n;
}

bool subject_is_filtered(void)
{
	long mode = sys1(SYS_prctl, PR_GET_SECCOMP);

	/* A kernel without seccomp says so, prctl(2); a filter that says it would have to let others pass. */
	if (mode == -22 /* EINVAL */ && sys1(SYS_prctl, PR_GET_DUMPABLE) >= 0)
		return false;
	return mode != 0;
}

static long read_label(char *label)
{
	return read_file("/proc/thread-self/attr/current", label, LABEL_BYTES);
}

bool subject_is_labelled(void)
{
	char label[LABEL_BYTES];
	long n = read_label(label);

	if (n == -2 /* ENOENT: no such module */ || n == 0 || n == -22 /* EINVAL: none is active */)
		return false;
	return n < 10 || !bytes_equal(label, "unconfined", 10);
}

bool subject_read_label(struct subject *s)
{
	char label[LABEL_BYTES];
	long n = read_label(label);

	if (n > 0)
		s->label = hash_string(label, (size_t)n) | 1;
	return n > 0;
}

bool subject_read(struct subject *s)
{
	*s = (struct subject){0};
	return read_ids(s) && read_groups(s) && read_caps(s) && read_root(s);
}

bool subject_equal(const struct subject *a, const struct subject *b)
{
	return bytes_equal(a, b, sizeof *a);
}

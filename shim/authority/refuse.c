/*
 * refuse.c - which components fastpath never answers for.
 *
 * Adding a file system takes a test that makes each kind of change there. NFS, CIFS, 9p, FUSE and
 * the like change behind the kernel's back; vfat and f2fs fold case or were not tried.
 */
#include "authority/refuse.h"

#include "authority/place.h"
#include "authority/watch.h"
#include "base/bytes.h"
#include "base/path.h"
#include "base/settings.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/vfs.h>

#define MAGIC_EXT4     0xEF53
#define MAGIC_XFS      0x58465342
#define MAGIC_BTRFS    0x9123683E
#define MAGIC_TMPFS    0x01021994
#define MAGIC_OVERLAY  0x794c7630
#define MAGIC_SQUASHFS 0x73717368
#define MAGIC_EROFS    0xE0F5E1E2
#define MAGIC_PROC     0x9fa0
#define MAGIC_SYSFS    0x62656572

/* A row of the list: the name that the mount table gives, and what else is to be known of it. */
struct file_system {
	char name[10];
	bool never;	     /* entries without events, or that differ for each process: not even trusted */
	bool served;
	bool changeable_acl;
	uint32_t magic;
};

static const struct file_system file_systems[] = {
	{"ext4", false, true, false, MAGIC_EXT4},
	{"ext3", false, true, false, MAGIC_EXT4},
	{"ext2", false, true, false, MAGIC_EXT4},
	{"xfs", false, true, false, MAGIC_XFS},
	{"btrfs", false, true, true, MAGIC_BTRFS},
	{"tmpfs", false, true, false, MAGIC_TMPFS},
	{"overlay", false, true, true, MAGIC_OVERLAY},
	{"squashfs", false, true, false, MAGIC_SQUASHFS},
	{"erofs", false, true, false, MAGIC_EROFS},
	{"proc", true, false, false, MAGIC_PROC},
	{"sysfs", true, false, false, MAGIC_SYSFS},
};

static const struct file_system *by_magic(uint32_t magic)
{
	for (unsigned i = 0; i < array_size(file_systems); i++)
		if (file_systems[i].magic == magic)
			return &file_systems[i];
	return NULL;
}

/* Newer than some uapi headers that fastpath builds with: statmount(2) and listmount(2), Linux 6.8. */
enum { CALL_STATMOUNT = 457, CALL_LISTMOUNT = 458, STATMOUNT_BASIC = 1, LIST_BATCH = 32 };

struct mount_request {
	uint32_t size, unused;
	uint64_t mount, wanted;
};

void refuse_start(struct authority *a)
{
	struct mount_request r = {.size = sizeof r, .mount = UINT64_MAX /* LSMT_ROOT */};
	uint64_t ids[LIST_BATCH];
	struct statx root;
	long n;

	a->newest_mount = 0;
	if (sys_statx(SYS_AT_FDCWD, "/", 0, SYS_STATX_MNT_ID_UNIQUE, &root) ||
	    !(root.stx_mask & SYS_STATX_MNT_ID_UNIQUE))
		return;
	/* Unique ids are given out in order; they are listed in order, those after `wanted`. */
	do {
		n = sys4(CALL_LISTMOUNT, &r, ids, LIST_BATCH, 0);
		if (n < 0)
			return;
		if (n)
			r.wanted = ids[n - 1];
	} while (n == LIST_BATCH);
	a->newest_mount = root.stx_mnt_id > r.wanted ? root.stx_mnt_id : r.wanted;
}

static struct mount *mount_find(struct authority *a, uint64_t id)
{
	for (uint32_t i = 0; i < a->mounts_used; i++)
		if (a->mounts[i].id == id)
			return &a->mounts[i];
	/* A descriptor of ours on a mount made since we began could make its umount fail. */
	if ((a->newest_mount ? id > a->newest_mount : a->mounts_closed) || a->mounts_used == MOUNTS)
		return NULL;
	a->mounts[a->mounts_used] = (struct mount){.id = id, .verdict = -EAGAIN};
	return &a->mounts[a->mounts_used++];
}


struct statmount_answer {
	uint32_t size, unused;
	uint64_t got;
	uint32_t dev_major, dev_minor;
	uint64_t magic;
	char rest[512 - 32];
};

/* The kernel's own word for a mount's type, or 0: by unique id. */
static uint32_t magic_by_statmount(uint64_t mount)
{
	struct mount_request r = {.size = sizeof r, .mount = mount, .wanted = STATMOUNT_BASIC};
	struct statmount_answer out;

	if (sys4(CALL_STATMOUNT, &r, &out, sizeof out, 0) || !(out.got & STATMOUNT_BASIC))
		return 0;
	return (uint32_t)out.magic;
}

/* The number that a line begins with. */
static uint64_t line_number(const char *line)
{
	uint64_t n = 0;

	while (*line >= '0' && *line <= '9')
		n = 10 * n + (uint64_t)(*line++ - '0');
	return n;
}

/* Does the mount table's line (NUL-terminated) name this type? It stands after " - ". */
static bool line_has_type(const char *line, const char *name)
{
	const char *rest;

	for (; *line; line++) {
		if (!(rest = string_after(line, " - ")) || !(rest = string_after(rest, name)))
			continue;
		return *rest == ' ';
	}
	return false;
}

/* The same from the mount table, by old id; the lines are read into the event buffer. */
static uint32_t magic_by_table(struct authority *a, uint64_t mount)
{
	int fd = (int)sys_openat(SYS_AT_FDCWD, "/proc/thread-self/mountinfo", O_RDONLY | O_CLOEXEC);
	uint32_t magic = 0, kept = 0;
	long n;

	if (fd < 0)
		return 0;
	while (!magic && (n = sys_read(fd, a->events + kept, EVENT_BYTES - 1 - kept)) > 0) {
		uint32_t size = kept + (uint32_t)n, line = 0;

		for (uint32_t i = 0; i < size; i++) {
			if (a->events[i] != '\n')
				continue;
			a->events[i] = 0;
			for (unsigned k = 0; k < array_size(file_systems); k++)
				if (line_number(a->events + line) == mount &&
				    line_has_type(a->events + line, file_systems[k].name))
					magic = file_systems[k].magic;
			line = i + 1;
		}
		kept = size - line;
		for (uint32_t i = 0; i < kept; i++)
			a->events[i] = a->events[line + i];
	}
	sys_close(fd);
	return magic;
}

/* Not statfs(2)'s word alone: 9p passes on what its server says. */
static uint32_t magic_of(struct authority *a, int fd, uint64_t mount)
{
	uint32_t magic = a->old_mount_ids ? 0 : magic_by_statmount(mount);
	struct statx *old = &a->found;

	if (magic)
		return magic;
	if (sys_statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, SYS_STATX_MNT_ID, old))
		return 0;
	return magic_by_table(a, old->stx_mnt_id);
}

static void mount_judge(struct authority *a, struct mount *m, int fd)
{
	const struct file_system *f = by_magic(magic_of(a, fd, m->id));
	struct statfs64 fs;

	m->verdict = (int)sys_fstatfs(fd, &fs);
	if (m->verdict)
		return;
	m->overlay = f && f->magic == MAGIC_OVERLAY;
	m->changeable_acl = f && f->changeable_acl;
	m->racy_xattrs = f && f->magic == MAGIC_BTRFS;
	m->name_max = fs.f_namelen < PATH_NAME_MAX ? (uint8_t)fs.f_namelen : PATH_NAME_MAX;
	if (f && f->never)
		m->verdict = -EPERM;
	else if (!f)
		m->verdict = -EXDEV; /* unless the user trusts the path */
}

static const struct mount *mount_of(const struct authority *a, uint32_t place)
{
	const struct place *p = &a->places[place_target(a, place)];

	for (uint32_t i = 0; i < a->mounts_used; i++)
		if (a->mounts[i].id == p->id.mount)
			return &a->mounts[i];
	return NULL;
}

bool refuse_changeable_acl(const struct authority *a, uint32_t place)
{
	const struct mount *m = mount_of(a, place);

	return !m || m->changeable_acl;
}

bool refuse_racy_xattrs(const struct authority *a, uint32_t place)
{
	const struct mount *m = mount_of(a, place);

	return !m || m->racy_xattrs;
}

bool refuse_by_acl(const struct authority *a, const struct mount *m, int fd)
{
	char path[WATCH_FD_PATH];

	if (!m->changeable_acl)
		return false;
	watch_fd_path(a, path, fd);
	return sys4(SYS_getxattr, path, "system.posix_acl_access", NULL, 0) != -ENODATA;
}

enum refusal refuse_judge(struct authority *a, int fd, const struct statx *found, const char *spelled,
			  uint32_t length, const struct mount **mount)
{
	struct mount *m = mount_find(a, found->stx_mnt_id);

	*mount = m;
	if (!m)
		return REFUSED_LATER_MOUNT;
	if (settings_lists("/proc:/sys:/dev", spelled, length))
		return REFUSED_PLACE;
	if (settings_lists(a->skip, spelled, length))
		return REFUSED_SKIP;
	/* Adding a key renames everything; a lookup of an automount point mounts. */
	if (found->stx_attributes & STATX_ATTR_ENCRYPTED)
		return REFUSED_ENCRYPTED;
	if (found->stx_attributes & STATX_ATTR_AUTOMOUNT)
		return REFUSED_AUTOMOUNT;
	if (m->verdict == -EAGAIN)
		mount_judge(a, m, fd);
	if (!m->verdict || (m->verdict == -EXDEV && settings_lists(a->trust, spelled, length)))
		return REFUSED_NOT;
	return m->verdict == -EXDEV ? REFUSED_FILE_SYSTEM : m->verdict == -EPERM ? REFUSED_NEVER :
										    REFUSED_UNKNOWN;
}

const struct mount *refuse_component(struct authority *a, int fd, const struct statx *found,
				     const char *spelled, uint32_t length)
{
	const struct mount *m;

	return refuse_judge(a, fd, found, spelled, length, &m) ? NULL : m;
}

void refuse_mounts_changed(struct authority *a)
{
	a->mounts_closed = true;
	for (uint32_t i = 0; i < a->mounts_used; i++)
		a->mounts[i].verdict = -EAGAIN;
}

bool refuse_by_label(struct authority *a)
{
	char label[32];
	int fd;
	long n = -1;

	if (a->label_known)
		return a->label_decides;
	fd = (int)sys_openat(SYS_AT_FDCWD, "/proc/thread-self/attr/current", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = sys_read(fd, label, sizeof label);
		sys_close(fd);
	}
	a->label_known = true;
	/* No label, or AppArmor's "unconfined": AppArmor does not take part in access(). */
	a->label_decides = n > 0 && !(n >= 10 && bytes_equal(label, "unconfined", 10));
	if (fd < 0 && fd != -ENOENT)
		a->label_decides = true;
	return a->label_decides;
}

/*
 * refuse.c - which components fastpath never answers for.
 *
 * Adding a file system takes a test that makes each kind of change there. NFS, CIFS, 9p, FUSE and
 * the like change behind the kernel's back; vfat and f2fs fold case or were not tried.
 */
#include "authority/refuse.h"

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

static bool is_served(uint32_t magic)
{
	switch (magic) {
	case MAGIC_EXT4:
	case MAGIC_XFS:
	case MAGIC_BTRFS:
	case MAGIC_TMPFS:
	case MAGIC_OVERLAY:
	case MAGIC_SQUASHFS:
	case MAGIC_EROFS:
		return true;
	default:
		return false;
	}
}

/* Their entries come and go without events, or mean something else to each process. */
static bool is_never_served(uint32_t magic)
{
	return magic == MAGIC_PROC || magic == MAGIC_SYSFS;
}

static struct mount *mount_find(struct authority *a, uint64_t id)
{
	for (uint32_t i = 0; i < a->mounts_used; i++)
		if (a->mounts[i].id == id)
			return &a->mounts[i];
	/* A descriptor of ours on a mount made since we began could make its umount fail. */
	if (a->mounts_closed || a->mounts_used == MOUNTS)
		return NULL;
	a->mounts[a->mounts_used] = (struct mount){.id = id, .verdict = -EAGAIN};
	return &a->mounts[a->mounts_used++];
}

static void mount_judge(struct mount *m, int fd)
{
	struct statfs fs;
	uint32_t magic;

	m->verdict = (int)sys2(SYS_fstatfs, fd, &fs);
	if (m->verdict)
		return;
	magic = (uint32_t)fs.f_type;
	m->overlay = magic == MAGIC_OVERLAY;
	m->btrfs = magic == MAGIC_BTRFS;
	m->name_max = fs.f_namelen < PATH_NAME_MAX ? (uint8_t)fs.f_namelen : PATH_NAME_MAX;
	if (is_never_served(magic))
		m->verdict = -EPERM;
	else if (!is_served(magic))
		m->verdict = -EXDEV; /* unless the user trusts the path */
}

const struct mount *refuse_component(struct authority *a, int fd, const struct statx *found,
				     const char *spelled, uint32_t length)
{
	struct mount *m = mount_find(a, found->stx_mnt_id);

	if (!m || settings_lists("/proc:/sys:/dev", spelled, length) ||
	    settings_lists(a->skip, spelled, length))
		return NULL;
	/* Adding a key renames everything; a lookup of an automount point mounts. */
	if (found->stx_attributes & (STATX_ATTR_ENCRYPTED | STATX_ATTR_AUTOMOUNT))
		return NULL;
	if (m->verdict == -EAGAIN)
		mount_judge(m, fd);
	if (m->verdict == -EXDEV && settings_lists(a->trust, spelled, length))
		return m;
	return m->verdict ? NULL : m;
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

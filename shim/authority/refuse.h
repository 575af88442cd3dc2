/*
 * refuse.h - who decides that a directory is refused: the closed list of what may be cached.
 */
#ifndef AUTHORITY_REFUSE_H
#define AUTHORITY_REFUSE_H

#include "authority/authority.h"

#include <linux/stat.h>

/* Why a component is refused; zero: it is not. */
enum refusal {
	REFUSED_NOT = 0,
	REFUSED_LATER_MOUNT, /* made since the authority began, or beyond MOUNTS */
	REFUSED_PLACE,	     /* below /proc, /sys or /dev */
	REFUSED_SKIP,	     /* FASTPATH_SKIP */
	REFUSED_ENCRYPTED,
	REFUSED_AUTOMOUNT,
	REFUSED_FILE_SYSTEM, /* not of those that are served: FASTPATH_TRUST would do */
	REFUSED_NEVER,	     /* a file system that is not even trusted */
	REFUSED_UNKNOWN,     /* fstatfs(2) failed */
};

/* As refuse_component(), with the reason; *mount is its mount's entry when it is not refused. */
enum refusal refuse_judge(struct authority *a, int fd, const struct statx *found, const char *spelled,
			  uint32_t length, const struct mount **mount);

/*
 * May facts rest on the component that the O_PATH descriptor `fd` names? `found` is its statx (not
 * kept),
 * `spelled` (length bytes) the path that led to it. Returns its mount's entry, or NULL: refused.
 * The entry is valid until the mount table changes.
 */
const struct mount *refuse_component(struct authority *a, int fd, const struct statx *found,
				     const char *spelled, uint32_t length);

/* May the ACLs of this place's file come to count, or not to count, without an event? */
bool refuse_changeable_acl(const struct authority *a, uint32_t place);

/* On btrfs, a getxattr() beside a setxattr() can leave the kernel denying the attribute for good. */
bool refuse_racy_xattrs(const struct authority *a, uint32_t place);

/* Of a watched directory: has it an ACL, or may it have one that does not count at the moment, where
 * that can change without an event? */
bool refuse_by_acl(const struct authority *a, const struct mount *m, int fd);

/* At the beginning: which mounts are there. */
void refuse_start(struct authority *a);

/* The mount table changed: judge anew. */
void refuse_mounts_changed(struct authority *a);

/* Does a security module with labels decide access() here? */
bool refuse_by_label(struct authority *a);

#endif

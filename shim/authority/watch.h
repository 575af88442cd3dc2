/*
 * watch.h - the table of watched inodes: one watch descriptor an inode, whatever led to it.
 */
#ifndef AUTHORITY_WATCH_H
#define AUTHORITY_WATCH_H

#include "authority/authority.h"

#include <sys/inotify.h>

enum {
	/* Whatever ends a place from its own inode; for a directory also its children's ATTRIB. */
	WATCH_SELF = IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB,
	/* A directory that a chain goes through: a removed child that someone holds open sends no
	 * DELETE_SELF. */
	WATCH_THROUGH = IN_DELETE,
	/* A directory whose names are answered. */
	WATCH_LISTED = IN_CREATE | IN_MOVED_TO,
	/* A directory that holds a symlink of a chain, or on overlayfs a file. */
	WATCH_HOLDER = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE,
};

static inline bool event_ends_self(uint32_t mask)
{
	return mask & (IN_MOVE_SELF | IN_DELETE_SELF | IN_ATTRIB | IN_UNMOUNT | IN_IGNORED);
}

static inline bool event_takes_name(uint32_t mask)
{
	return mask & (IN_DELETE | IN_MOVED_FROM);
}

static inline bool event_brings_name(uint32_t mask)
{
	return mask & (IN_CREATE | IN_MOVED_TO);
}

/*
 * Watches the inode that the O_PATH descriptor `fd` names, for `mask` more than before, through the
 * borrowed inotify descriptor. Returns its watch descriptor (> 0) or -errno; ENOSPC when the user's
 * watches or the table are used up.
 */
int watch_add(struct authority *a, int borrowed, int fd, uint32_t mask);

/* After a walk's last watch_add(): where the authority may change its working directory, it is "/" again. */
void watch_stand_back(struct authority *a);

/* A path that leads to what `fd` names, without following it. */
enum { WATCH_FD_PATH = 40 };
void watch_fd_path(const struct authority *a, char *out, int fd);

/* NULL when it is not in the table: an event of a watch that was just removed. */
struct watch *watch_find(struct authority *a, int wd);

/* A place came to need, or needs no more, a watch. */
void watch_use(struct authority *a, int wd);
void watch_drop(struct authority *a, int wd);

/* The same of the watch of the directory that its name was looked up in. */
void watch_use_named(struct authority *a, int wd);
void watch_drop_named(struct authority *a, int wd);

/* It rang: what taking note costs is put down to it. */
void watch_note(struct authority *a, struct watch *w);

/* Ends a listing: its filter's space is kept for another. */
void watch_unlist(struct authority *a, struct watch *w);

/* The kernel removed it (IN_IGNORED). */
void watch_forget(struct authority *a, struct watch *w);

/* Removes the watches without users from the kernel. */
void watch_sweep(struct authority *a);

#endif

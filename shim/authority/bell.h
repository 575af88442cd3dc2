/*
 * bell.h - knowing that nothing changed: one inotify instance, one mountinfo file, and the bell
 * that rings before a change returns to whoever made it.
 *
 * Two kinds, chosen when it is made: the page bell (readers look at memory, segment_quiet()) and
 * the pending-check (readers ask with one system call, bell_pending()). Only the thread that made a
 * bell may call anything but bell_pending().
 */
#ifndef AUTHORITY_BELL_H
#define AUTHORITY_BELL_H

#include "authority/ring.h"
#include "base/attributes.h"

enum bell_kind { BELL_NONE = 0, BELL_PAGE, BELL_EPOLL };

/* Pages that readers look at, and pages of the owner alone. */
enum {
	BELL_SHOWN_BYTES = BELLS * RING_PAGE_BYTES,
	BELL_HIDDEN_BYTES = (BELLS + 2) * RING_PAGE_BYTES,
};

struct bell {
	uint32_t kind; /* enum bell_kind */
	/* page: one ring a polled file, and one for all else */
	struct ring inotify, mounts, exchange;
	bool kept; /* inotify_fd is open */
	/* pending-check: descriptors above the application's; inotify_fd also where it is kept */
	int epoll_fd, inotify_fd, mounts_fd;
	uint64_t checker FP_WHOLE; /* the one thread that checks: epoll_wait(0) can miss beside another */
	uint32_t kept_out;    /* how often the owner met another checker, in a row */
	uint8_t mounts_moved; /* sticky: polling mountinfo consumes its event */
	uint8_t lost;	      /* a descriptor of ours was taken away: caching has ended */
};

/* What rang. */
enum { RANG_EVENTS = 1, RANG_MOUNTS = 2, RANG_BROKEN = 4 };

/*
 * shown: BELL_SHOWN_BYTES zeroed, page-aligned bytes within reach of *s, whose bell words are
 * set; hidden: BELL_HIDDEN_BYTES anywhere. kinds: which may be made, the page bell first. 0; -EAGAIN: only the pending-check can be, and
 * was not allowed; or -errno.
 */
enum { BELL_TRY_PAGE = 1, BELL_TRY_EPOLL = 2 };
int bell_make(struct bell *b, struct segment *s, void *shown, void *hidden, unsigned kinds);

/* Pending-check: true when nothing changed. Any thread. */
bool bell_pending(struct bell *b);

/* Which files have news: RANG_ bits. Clears the page bell; the segment's seq must be odd. */
unsigned bell_answer(struct bell *b);

/* Makes the bell ring again for the files in `rang`. 0 or -errno: then it must not be trusted. */
int bell_rearm(struct bell *b, unsigned rang);

/* Returns when changes of the mount table that have rung are complete. */
void bell_await_mounts(void);

/* Has it rung since it was armed? */
bool bell_rung(struct bell *b);

/* read(2) of inotify events; -EAGAIN when there are none. */
int bell_read(struct bell *b, void *buffer, unsigned size);

/* Page bell: keeps a descriptor open, to be lent without asking the kernel for one each time. */
void bell_keep(struct bell *b);

/* A descriptor for inotify_add_watch(2), to be given back at once. */
int bell_borrow(struct bell *b);
void bell_return(struct bell *b, int fd);

/* Is fd a descriptor of the pending-check? */
static inline bool bell_owns(const struct bell *b, int fd)
{
	return b->kind == BELL_EPOLL &&
	       (fd == b->epoll_fd || fd == b->inotify_fd || fd == b->mounts_fd);
}

#endif

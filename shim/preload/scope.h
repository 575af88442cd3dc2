/*
 * scope.h - whether this process caches, with what, and when that ends.
 *
 * Everything that a forked child must not inherit lies in the region, which the kernel wipes in the
 * child (MADV_WIPEONFORK): there the child finds nothing set up, and starts anew when it pays.
 */
#ifndef PRELOAD_SCOPE_H
#define PRELOAD_SCOPE_H

#include "authority/authority.h"
#include "base/settings.h"
#include "base/subject.h"
#include "cache/layout.h"
#include "preload/counters.h"
#include "preload/ledger.h"

enum {
	SEGMENT_BYTES = 512 * 1024,
	REGION_POWER = 5,
	REGION_SLOTS = 1 << REGION_POWER, /* counters: threads that count without sharing */
	REGION_LOSSES = 1024, /* ledger entries */
	STATIC_LOSSES = 128,
};

/* Private memory of one process, zeroed by the kernel in a forked child. */
struct region {
	/* What readers see: the segment and, within reach of its offsets, the pages of the bells.
	 * A second set for the authority that follows one whose thread has ended. */
	union {
		struct segment segment;
		char bytes[PAGE_ROUND(SEGMENT_BYTES + SEGMENT_SLACK)];
	};
	struct {
		char shown[BELL_SHOWN_BYTES], hidden[BELL_HIDDEN_BYTES];
	} bells[2];
	struct counters slots[REGION_SLOTS];
	struct loss losses[REGION_LOSSES];
	/* Whose statistics these are. */
	uint32_t pid; /* 0: not known yet */
	uint32_t reported;
	uint64_t began_ns;
	uint64_t checked FP_WHOLE, wrong, unresolved; /* FASTPATH_VERIFY */
	/* Who answers. */
	uint32_t starting;   /* claimed by the thread that sets up */
	uint32_t generation; /* authorities started so far */
	uint32_t failures;   /* attempts to set up that failed */
	bool no_page_bell;   /* it cannot be had here */
	uint32_t turned_away; /* hits that another thread's bell prevented */
	uint64_t served_before; /* sum of served at the last catching up */
	struct authority authority;
};

_Static_assert(offsetof(struct region, bells) % PAGE_MOST == 0, "the bells are whole pages");

struct scope {
	uint8_t on;	  /* not inert: calls are looked at */
	uint8_t detached; /* for good: every call goes to the kernel */
	uint8_t quiet;	  /* no system call of our own any more: a filter is in place */
	uint8_t chrooted; /* our file may not be there for the programs that are executed */
	uint8_t observed; /* statistics, verification or a profile were asked for */
	uint8_t plain;	  /* at start, real and effective ids were the same */
	uint8_t session_decided; /* attached, or never will be */
	uint8_t inbox_tried;
	uint8_t execs;	  /* in a session: this program starts others; also written by vfork children */
	uint8_t marked;	  /* in a session: it was to attach at once */
	uint8_t asked;	  /* in a session: it is to tell how its run went */
	uint8_t numbered; /* descriptors of the pending-check are there, or were in who this was forked from */
	uint8_t caching;  /* this process set up, or who it was forked from */
	uint8_t filtered; /* in a session: a filter was there at start, which may not like what we would ask */
	uint32_t uid;
	uint32_t pid;	  /* at start, in a session; a forked child's is another */
	uint32_t looks;	  /* stat() and access() in a session, until it is attached to */
	uint32_t woken;	  /* the last of the broker's sleeps that was ended from here */
	uint64_t lot;	  /* random, in a session */
	uint64_t children; /* in a session: page faults of children that were there before this program */
	uint32_t paused;
	uint32_t session_mapping; /* claimed by the thread that attaches; a byte cannot be, without libatomic, on RISC-V */
	struct settings settings;
	struct region *region; /* NULL: not mapped yet */
	/* The first thread, if it set up or attached at start: where libc has fork() write a child's id, what
	 * is there, and its thread pointer. */
	const uint32_t *tid_at; /* NULL: not known */
	uint32_t tid;
	uint64_t thread FP_WHOLE;
	counters_set counters;
	struct ledger ledger;
	uint64_t stderr_dev, stderr_ino;
	/* Tree scope: shared, and good in forked children too. */
	const struct session *session; /* NULL: not attached */
	const struct session *expected; /* mapped: is it ready, and for us? */
	struct subject subject;	       /* this process's, when that was mapped */
	struct inbox *inbox;	       /* mapped by who teaches */
	struct counters slot; /* answers are counted here until a second thread comes */
};

extern struct scope scope;

/* Is this the ledger's memory from before the region was there? */
bool scope_is_static(const struct loss *losses);

/* The loader's init and fini functions. */
void scope_start(int argc, char **argv, char **environment);
void scope_end(void);

/* Maps the region when it is not there yet. NULL when it cannot be. */
struct region *scope_region(void);

/* Starts caching, for a process that lost so much without. False when it cannot be, now or ever. */
bool scope_set_up(uint64_t lost_ns);

/* Ends caching for good, before credentials, root or filters change. */
void scope_detach(void);

/* The session that this process is attached to, or NULL. */
FP_INLINE const struct session *scope_session(void)
{
	return load_acquire(&scope.session); /* pairs with session_attach() */
}

/* A vfork child borrows its parent's memory: what it set up would be the parent's, and not work. */
bool scope_is_borrowing(void);

/* For scope_is_forked(), by the first thread, whose id it returns: the process's. */
uint32_t scope_note_first_thread(void);

/*
 * Is this a forked child of the thread that was noted, surely? Told by what fork() has written anyway: to look
 * at the region, of which nothing is left there, would cost such a child a page fault. For other threads the
 * id is another when the first one has ended.
 */
FP_INLINE bool scope_is_forked(void)
{
	const uint32_t *at = load_acquire(&scope.tid_at); /* pairs with scope_note_first_thread() */

	return at && unlikely(load_relaxed(at) != load_relaxed(&scope.tid)) &&
	       load_relaxed(&scope.thread) == thread_pointer();
}

/* Is a running authority there for this process? Its segment, or NULL. */
FP_INLINE struct region *scope_attached(void)
{
	struct region *r = load_relaxed(&scope.region);

	return r && !scope_is_forked() && load_relaxed(&r->generation) ? r : NULL;
}

/* A forked child of a process that caches, which has not set up itself. */
FP_INLINE bool scope_is_heir(void)
{
	return load_relaxed(&scope.caching) && !scope_attached();
}

/* Where answers are found now: the session's segment or this process's own. NULL: nowhere yet. */
FP_INLINE const struct segment *scope_segment(void)
{
	const struct session *s = scope_session();
	struct region *r;

	if (s)
		return (const struct segment *)s; /* its first member */
	r = scope_attached();
	return r ? &r->segment : NULL;
}

/* More threads than one count: slots for each. */
void scope_spread(void);

/* The bell rang: lets the authority take note, when it is this thread's. True: ask again. */
bool scope_catch_up(void);

/* Calls of a family served so far. */
uint64_t scope_served_of(int family);

/* Calls served so far, all together. */
uint64_t scope_served(void);

/* A descriptor is about to be closed or replaced: is it one of ours? Then caching ends. */
void scope_losing_fd(unsigned first, unsigned last);

#endif

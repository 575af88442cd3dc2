/*
 * ring.h - one io_uring whose memory is ours, with one fixed file.
 *
 * Made with NO_MMAP its rings lie in a page that readers can look at; made with DEFER_TASKRUN the
 * kernel sets IORING_SQ_TASKRUN there when the polled file has news, inside the system call of
 * whoever caused it. Needs no descriptor (REGISTERED_FD_ONLY): the ring belongs to the thread that
 * made it, no other may call anything here, and it is gone when that thread has ended.
 * Results are 0 or more, or -errno. See io_uring_setup(2), io_uring_enter(2).
 */
#ifndef AUTHORITY_RING_H
#define AUTHORITY_RING_H

#include "base/page.h"
#include "cache/layout.h"

#include <stdbool.h>

/* The kernel takes whole pages, which must be apart. */
enum { RING_PAGE_BYTES = PAGE_MOST };

struct ring {
	char *memory; /* a zeroed page: the rings, which readers look at */
	char *entries; /* another: the submission entries */
	int index;    /* of the registered ring */
	uint32_t sq_tail, sq_array;
	uint32_t sq_flags, cq_head, cq_tail, cqes; /* offsets in memory */
};

/* deferred: a bell; else a ring whose requests are done when the call that makes them returns. */
int ring_make(struct ring *r, void *memory, void *entries, bool deferred);

/* Its one fixed file: the descriptor may be closed then. */
int ring_keep(struct ring *r, int fd);

/* Poll the fixed file once for `events` (POLLIN, POLLPRI). */
int ring_arm(struct ring *r, unsigned events);

/* Let the kernel do the deferred work: clears the flag, posts completions. */
int ring_answer(struct ring *r);

/* Is there something to answer or to take? */
bool ring_rung(const struct ring *r);

/* Takes one completion: true, and its result. */
bool ring_take(struct ring *r, int *result);

/* A descriptor, close-on-exec, of the fixed file. */
int ring_install(struct ring *r);

/* read(2) from the fixed file, which must be non-blocking. */
int ring_read(struct ring *r, void *buffer, unsigned size);

/* Where readers find the bell, as offsets from `base`. */
void ring_words(const struct ring *r, const void *base, struct bell_words *out);

#endif

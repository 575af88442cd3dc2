/*
 * image.h - what /proc and its memory tell of a process that is stopped.
 */
#ifndef AUDIT_IMAGE_H
#define AUDIT_IMAGE_H

#include "audit/model.h"

#include <stdint.h>
#include <sys/types.h>

struct image {
	enum model_reach reach;
	uint64_t loader, loader_end; /* where the dynamic loader is; 0, 0: none */
	char exe[4096];              /* "" where /proc does not tell */
	const char
	    *search; /* value of PATH, without a NUL; NULL: none. Valid until the next call */
	size_t search_bytes;
};

/* Reads those of a process that is stopped. Not thread-safe. What cannot be read is left out. */
void image_read(struct image *i, pid_t pid);

/* The number after `name`, "Tgid:" say, in /proc/TID/status; 0: unknown. */
pid_t image_status(pid_t tid, const char *name);

/* `bytes` of another process's memory, or fewer, up to what is not there. Returns how many. */
size_t image_peek(pid_t pid, uint64_t at, void *to, size_t bytes);

/* A string of another process's memory, cut off where `room` or the memory ends. Returns its
 * length. */
size_t image_peek_string(pid_t pid, uint64_t at, char *to, size_t room);

#endif

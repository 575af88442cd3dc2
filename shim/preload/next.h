/*
 * next.h - the definitions that a wrapper calls on to: the next ones in the order of loading.
 *
 * What dlsym(RTLD_NEXT) does, but without its locks and allocations: safe before constructors, in
 * signal handlers and in vfork children, and cheap enough to be done when needed.
 */
#ifndef PRELOAD_NEXT_H
#define PRELOAD_NEXT_H

#include "base/atomic.h"
#include "base/attributes.h"
#include "preload/calls.h"

#include <stdbool.h>

enum next {
#define CALL(id, symbol, version) NEXT_##id,
	CALLS(CALL)
#undef CALL
		NEXT_COUNT
};

extern void *next_found[NEXT_COUNT];

/* The auxiliary vector on the stack of the program; NULL before our start. */
extern const void *next_auxiliary;

/* Finds and remembers it. A symbol that no library defines gives a function that fails with
 * ENOSYS. */
void *next_resolve(enum next which);

FP_INLINE void *next_address(enum next which)
{
	void *found = load_relaxed(&next_found[which]);

	return likely(found) ? found : next_resolve(which);
}

/* NEXT(access, int (*)(const char *, int))(path, mode) */
#define NEXT(id, type) ((type)next_address(NEXT_##id))

/* Whether anything but glibc would be called on to: then nothing may be answered here. */
bool next_is_foreign(void);

/* Sets errno and returns -1; glibc's own variable of the calling thread. */
int answer(int error);

#endif

/*
 * memory.h - can a string that goes on in the next page be read on?
 */
#ifndef PRELOAD_MEMORY_H
#define PRELOAD_MEMORY_H

#include <stdbool.h>

/*
 * `page` begins a page, and the one before it was read. True: so can this one be. False: the kernel alone
 * knows. Async-signal-safe, without a system call.
 */
bool memory_goes_on(const char *page);

#endif

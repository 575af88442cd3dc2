/*
 * filter.h - living with a seccomp filter that was there before us.
 */
#ifndef PRELOAD_FILTER_H
#define PRELOAD_FILTER_H

#include <stdbool.h>

/*
 * Would a system call that caching with the pending-check needs end this process? Whether a filter
 * refuses a call or kills for it cannot be asked: a child tries each of them.
 */
bool filter_kills(void);

#endif

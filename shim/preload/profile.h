/*
 * profile.h - FASTPATH_PROFILE: who makes the lookups that are, or could be, avoided.
 */
#ifndef PRELOAD_PROFILE_H
#define PRELOAD_PROFILE_H

#include <fastpath.h>

/* Notes the caller's stack. Loads libunwind the first time. */
void profile_note(enum fastpath_call family);

/* Appends the folded stacks noted so far to the file, and forgets them. */
void profile_write(void);

#endif

/*
 * environment.h - a copy of the environment with some variables set: the environment itself is
 * never edited.
 */
#ifndef CLI_ENVIRONMENT_H
#define CLI_ENVIRONMENT_H

#include <stddef.h>

struct environment {
	char **entries; /* NULL-terminated; strings that were not set here are the original's */
	size_t used;
};

enum { ENVIRONMENT_MORE = 8 }; /* variables that may be added */

/* Both return 0 or -ENOMEM. Nothing is ever freed: exec follows. */
int environment_copy(struct environment *e, char *const *from);
/* In the place of the first one of that name, else at the end; every other one is taken out. */
int environment_set(struct environment *e, const char *name, const char *value);

void environment_remove(struct environment *e, const char *name);

/* The value of the first one of that name, or NULL. */
const char *environment_get(char *const *entries, const char *name);

#endif

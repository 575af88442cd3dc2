/*
 * environment.c - a copy of the environment with some variables set.
 */
#include "cli/environment.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_named(const char *entry, const char *name, size_t length)
{
	return !strncmp(entry, name, length) && entry[length] == '=';
}

int environment_copy(struct environment *e, char *const *from)
{
	e->used = 0;
	while (from[e->used])
		e->used++;
	e->entries = calloc(e->used + ENVIRONMENT_MORE + 1, sizeof *e->entries);
	if (!e->entries)
		return -ENOMEM;
	memcpy(e->entries, from, e->used * sizeof *e->entries);
	return 0;
}

/* Returns where the first one was; `used` when there was none. */
static size_t take_out(struct environment *e, const char *name)
{
	size_t length = strlen(name), kept = 0, first = e->used;

	for (size_t i = 0; i < e->used; i++) {
		if (!is_named(e->entries[i], name, length))
			e->entries[kept++] = e->entries[i];
		else if (first == e->used)
			first = i;
	}
	if (first == e->used)
		first = kept;
	e->used = kept;
	e->entries[kept] = NULL;
	return first;
}

int environment_set(struct environment *e, const char *name, const char *value)
{
	char *entry;
	size_t at;

	if (asprintf(&entry, "%s=%s", name, value) < 0)
		return -ENOMEM;
	at = take_out(e, name);
	memmove(e->entries + at + 1, e->entries + at, (e->used - at + 1) * sizeof *e->entries);
	e->entries[at] = entry;
	e->used++;
	return 0;
}

void environment_remove(struct environment *e, const char *name)
{
	(void)take_out(e, name);
}

const char *environment_get(char *const *entries, const char *name)
{
	size_t length = strlen(name);

	for (; *entries; entries++)
		if (is_named(*entries, name, length))
			return *entries + length + 1;
	return NULL;
}

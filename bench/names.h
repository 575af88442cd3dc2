/*
 * names.h - names to ask for, one after the other, so that no single line of memory decides.
 */
#ifndef NAMES_H
#define NAMES_H

#include "bench.h"

enum { HIT_NAMES = 64, HIT_NAME_BYTES = 128, NAMES_DEEP = 6 };

/* Slots divide a page, and are half empty: a path near a page's end is not served by design. */
static _Alignas(4096) char hit_names[HIT_NAMES][HIT_NAME_BYTES];

/* DIRECTORY/a/a/.../missing with NAMES_DEEP components in all; shorter than that is a mistake. */
static inline void names_deep(const char *directory)
{
	char parent[HIT_NAME_BYTES / 2];
	int have = 0;

	bench_path(parent, sizeof parent, "%s", directory);
	for (const char *p = directory; *p; p++)
		have += *p == '/';
	if (have > NAMES_DEEP - 1)
		bench_die("%s has %d components, more than %d", directory, have, NAMES_DEEP - 1);
	for (; have < NAMES_DEEP - 1; have++) {
		strncat(parent, "/a", sizeof parent - strlen(parent) - 1);
		bench_mkdir(parent);
	}
	for (int i = 0; i < HIT_NAMES; i++)
		bench_path(hit_names[i], HIT_NAME_BYTES / 2, "%s/missing-%02d", parent, i);
}

#endif

/*
 * names.h - names to ask for, one after the other, so that no single line of memory decides.
 */
#ifndef NAMES_H
#define NAMES_H

#include "bench.h"

#ifndef NAMES_SLOT
#define NAMES_SLOT 128 /* a workload that has longer ones says so before */
#endif

enum { HIT_NAME_BYTES = NAMES_SLOT, HIT_NAMES = 8192 / NAMES_SLOT, NAMES_DEEP = 6 };

/* Slots divide a page, and are half empty: a path near a page's end is not served by design. */
static _Alignas(4096) char hit_names[HIT_NAMES][HIT_NAME_BYTES];

static inline int names_components(const char *path)
{
	int n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

/* DIRECTORY/a/a/.../missing with NAMES_DEEP components in all, more if DIRECTORY has as many. */
static inline void names_deep(const char *directory)
{
	char parent[HIT_NAME_BYTES / 2];

	bench_path(parent, sizeof parent, "%s", directory);
	while (names_components(parent) < NAMES_DEEP - 1) {
		strncat(parent, "/a", sizeof parent - strlen(parent) - 1);
		bench_mkdir(parent);
	}
	for (int i = 0; i < HIT_NAMES; i++)
		bench_path(hit_names[i], HIT_NAME_BYTES / 2, "%s/missing-%02d", parent, i);
}

#endif

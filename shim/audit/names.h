/*
 * names.h - strings by number: equal strings have the same one. Numbers count from 0, without gaps.
 */
#ifndef AUDIT_NAMES_H
#define AUDIT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define NAMES_NONE UINT32_MAX

struct name {
	const char *text;
	uint32_t length;
	uint32_t hash;
};

/* Zeroed memory is an empty one. */
struct names {
	struct name *all;
	uint32_t used, room;
	uint32_t *slots; /* number + 1; 0: free */
	uint32_t mask;
	char *block; /* where texts are put; blocks are freed with the process */
	size_t block_left;
};

/* The number of a string of `length` bytes, which is copied if it is new; NAMES_NONE: no memory. */
uint32_t names_add(struct names *n, const char *text, size_t length);

#endif

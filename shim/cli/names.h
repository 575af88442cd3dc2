/*
 * names.h - numbers for strings, in the order of their first coming: 0, 1, 2 ...
 */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct name {
	char *text;
	size_t length;
	uint64_t hash;
};

/* Zeroed memory is an empty one. */
struct names {
	struct name *of; /* by number */
	size_t used, room;
	uint32_t *slots; /* 1 + number, 0: free; a power of two of them, at least half free */
	size_t slots_room;
};

/* The number of these bytes, which need not be terminated; -ENOMEM. */
int64_t names_number(struct names *n, const char *text, size_t length);

void names_free(struct names *n);

/* Room for one more element of `size` bytes in *elements. False: no memory, and nothing changed. */
_Bool names_make_room(void **elements, size_t used, size_t *room, size_t size);

#endif

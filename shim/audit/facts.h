/*
 * facts.h - a set of 64-bit keys: what the kernel has said before, to a process or to the tree.
 */
#ifndef AUDIT_FACTS_H
#define AUDIT_FACTS_H

#include <stdint.h>

/* Zeroed memory is an empty one. */
struct facts {
	uint64_t *keys; /* key + 1; 0: free */
	uint32_t used, mask;
};

enum facts_answer { FACTS_NEW, FACTS_KNOWN, FACTS_NO_MEMORY };

/* Puts a key, not UINT64_MAX, into the set, if it is not there. */
enum facts_answer facts_add(struct facts *f, uint64_t key);

void facts_free(struct facts *f);

#endif

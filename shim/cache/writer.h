/*
 * writer.h - how an authority changes a segment. One thread at a time; no locks; never blocks.
 *
 * All functions but segment_begin() and segment_end() may be called only between those two, except
 * on a segment that no one reads yet. Offsets and pointers stay valid until segment_reset().
 */
#ifndef CACHE_WRITER_H
#define CACHE_WRITER_H

#include "cache/layout.h"

#include <stdbool.h>

/* Readers are turned away until segment_end(). segment_begin() nests not. */
void segment_begin(struct segment *s);
void segment_end(struct segment *s);

/*
 * Forget everything and start anew in `limit` bytes, of which the first `reserved` (header
 * included) are not handed out. Keeps seq and the bells.
 */
void segment_reset(struct segment *s, uint32_t reserved, uint32_t limit);

/* The record of a path, made when it is new. NULL when the segment is full. */
struct record *segment_record(struct segment *s, const char *text, uint32_t length);

/* Make an object; its offset, or 0 when the segment is full. `old` (0: none) is a text of the caller's
 * that may be overwritten. */
uint32_t segment_text(struct segment *s, uint32_t old, const char *bytes, uint32_t length);
uint32_t segment_filter(struct segment *s, uint32_t words);

/* Empty a filter for reuse with `words` words, at most its capacity. */
void filter_clear(struct segment *s, uint32_t filter, uint32_t words);

/* Add a name by its hash_name(); hash 0 saturates the filter. Nothing is ever taken out. */
void filter_add(struct segment *s, uint32_t filter, uint64_t hash);

/* No name is surely absent any more. */
void filter_saturate(struct segment *s, uint32_t filter);

#endif

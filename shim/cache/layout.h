/*
 * layout.h - the shared bytes: what an authority publishes and any number of readers consult.
 *
 * Guarantees, numbered for those who rely on them:
 *  1. A segment has one writer, its authority. Every byte of it, the bell pages of the kernel apart,
 *     changes only while seq is odd. Zeroed memory (seq 0) is never believed.
 *  2. Records are never moved or freed before the whole segment is reset; their facts come and go.
 *  3. Offsets count bytes from the segment's first byte. A reader checks that they lie below limit:
 *     it may be reading what the writer is just changing, and finds out by seq only afterwards. An
 *     object begun there can seem to reach SEGMENT_SLACK bytes beyond: so far memory is readable.
 *  4. All words are read and written by relaxed atomic operations; order comes from seq alone.
 */
#ifndef CACHE_LAYOUT_H
#define CACHE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/* Where the three words of an io_uring that make a page bell are. flags 0: there is no page bell. */
struct bell_words {
	uint32_t flags; /* sq_flags: IORING_SQ_TASKRUN rings */
	uint32_t head;	/* cq head and tail: different rings */
	uint32_t tail;
};

enum { BELLS = 2 }; /* inotify, mountinfo */

struct segment {
	/* Read by every lookup, written only when something changed. */
	uint64_t seq;		  /* starts at 2; odd while the authority writes; 0: no segment */
	struct bell_words bells[BELLS];
	uint32_t index;		  /* offset of the hash index, an array of uint64_t slots */
	uint32_t index_mask;	  /* slots - 1 */
	uint32_t positives;	  /* records that ever had a positive fact */
	uint32_t limit;		  /* bytes that may be used; SEGMENT_SLACK more can be read */
	/*
	 * A broker's thread id, which the kernel marks (FUTEX_OWNER_DIED) when it dies, before it takes the
	 * rings down: that takes a moment in which they are silent. 0: a process's own segment.
	 */
	uint32_t owner;
	/* The authority's own. */
	uint32_t used;		  /* bytes handed out since the last reset */
	uint32_t dirty;		  /* the same at its highest: beyond, memory is still zeroed */
	uint32_t records;
} __attribute__((aligned(64)));

enum { SEGMENT_SLOTS_MAX = 1 << 16 }; /* more than fit in 1 MiB with their records */
enum { SEGMENT_SLACK = 8192 }; /* more than a record of a path of PATH_MAX */

/*
 * A slot holds the upper half of a path's hash above its record's offset; 0 is free. Collisions
 * take the next slot.
 */

enum {
	RECORD_REFUSED = 1,  /* never answered from: the kernel */
	RECORD_NOT_LINK = 2, /* readlink() says EINVAL */
	RECORD_SAME = 4,     /* the path is its own canonical name */
	RECORD_POSITIVE = 8, /* counted in segment.positives */
};

/* access_ok: R_OK, W_OK, X_OK as in access(2), and this bit for "exists". */
enum { ACCESS_EXISTS = 8 };

/* xattr_absent: a bit for each name of xattr_names (reader.h), shifted left by 4 for lgetxattr. */
enum { XATTR_NAMES = 4 };

/* One spelled path: a directory prefix (without its last slash; "/" is "") or a file. */
struct record {
	uint32_t length;
	uint32_t filter;    /* of the listed directory; 0: not listed */
	uint32_t canonical; /* offset of a struct text; 0: unknown, or RECORD_SAME */
	uint32_t place;	    /* the authority's own number of it */
	uint8_t flags;
	uint8_t access_ok;
	uint8_t xattr_absent;
	uint8_t name_max; /* longest name of the file system */
	uint32_t unused;
	uint64_t path[]; /* padded with NULs to whole words */
};

/* A Bloom filter of the names in one directory; each name sets four bits of one word. */
struct filter {
	uint32_t words;	   /* 0: saturated, every name is perhaps present */
	uint32_t capacity; /* words that fit */
	uint64_t bits[];
};

struct text {
	uint32_t length;
	uint32_t capacity;
	char bytes[];
};

_Static_assert(sizeof(struct bell_words) == 12, "read across processes");
_Static_assert(offsetof(struct segment, owner) == 48, "the hit path reads one line of the header");
_Static_assert(sizeof(struct record) == 24, "records are whole words");
_Static_assert(sizeof(struct filter) == 8, "filters are whole words");

#endif

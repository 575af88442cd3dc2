/*
 * authority.h - who finds the facts and ends them: the state, and what may be asked of it.
 *
 * An authority belongs to the thread that started it. All memory is the caller's; zeroed memory is
 * an authority that was not started. Results: 0 or -errno.
 */
#ifndef AUTHORITY_AUTHORITY_H
#define AUTHORITY_AUTHORITY_H

#include "authority/bell.h"
#include "cache/layout.h"

#include <linux/stat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PLACES = 4096,
	WATCHES = 4096,
	WATCH_SLOTS = 2 * WATCHES, /* a power of two */
	RANG_MAX = 32,	     /* watches between which the price of one catching up is divided */
	MOUNTS = 32,
	LINK_DEPTH = 8,	     /* symlinks within symlinks; more are refused */
	LINK_BYTES = 1024,   /* longest spelled path behind a symlink */
	EVENT_BYTES = 16384,
	LISTING_MAX = 65536, /* entries of a directory; more are refused */
	SPARE_FILTERS = 16,
	NAMES_FIRST = 512,   /* names of a directory listed without a mapping of its own */
};

enum place_kind { PLACE_NONE = 0, PLACE_DIRECTORY, PLACE_LINK, PLACE_FILE };

/* What an inode is known by while it is held or watched. */
struct identity {
	uint64_t ino, mount;
	uint32_t dev_major, dev_minor;
};

/*
 * The authority's half of a record: one spelled path and the step that led to it. A place is alive
 * while each inode on its chain is watched and nothing was heard of it.
 */
struct place {
	struct identity id; /* its own: a symlink's, not its target's */
	uint64_t name;	    /* event_name() of its last component */
	int32_t wd;	    /* of its own inode */
	int32_t in_wd;	    /* of the directory that its name was looked up in; 0 for "/" */
	uint32_t record;    /* offset in the segment */
	uint32_t parent;    /* places by number; 0: none */
	uint32_t via;	    /* a symlink's target */
	uint32_t text;	    /* its last canonical name, for reuse */
	uint8_t kind;	    /* enum place_kind; PLACE_NONE: dead */
	uint8_t sticky;	    /* a directory in which symlinks are not followed for everyone */
	uint8_t strikes;    /* how often it was refused or given up */
	uint32_t skip;	    /* requests to turn down before the next try */
};

/* One watched inode. */
struct watch {
	int32_t wd; /* 0: free */
	uint32_t mask;
	uint32_t filter; /* of the listed directory; 0: not listed */
	uint32_t names;	 /* when it was listed */
	uint32_t added;	 /* since */
	uint32_t users;	 /* places that need it */
	uint32_t named;	 /* those among them whose name was looked up in it */
	int64_t debt_ns; /* what its ringing cost beyond what was served meanwhile */
	bool rang;	 /* since the debt was last reckoned: it is in authority.rang */
	uint32_t rings;	 /* statistics */
};

struct mount {
	uint64_t id;
	int32_t verdict; /* 0 served, -errno refused */
	uint8_t name_max;
	bool overlay;
	bool racy_xattrs; /* the kernel itself may go on saying that one is absent */
	bool changeable_acl; /* a remount elsewhere can make ACLs count or not, without an event */
};

struct authority {
	struct segment *segment;
	struct bell bell;
	uint32_t owner; /* thread id; 0: not started */
	uint32_t pid;
	uint32_t reserved; /* as in authority_options */
	bool broken;	/* for good: seq stays odd */
	bool eager;
	bool old_mount_ids; /* the kernel has no unique ones */
	bool first_thread; /* the owner is the process's first */
	bool alone;	   /* as in authority_options */
	bool moved;	   /* the working directory is not "/" */
	bool label_known, label_decides; /* does a security label decide access()? */
	uint64_t newest_mount; /* unique id: later ones are not walked; 0: not known, and then: */
	bool mounts_closed; /* the mount table changed: mounts not seen before are not walked */
	struct identity root; /* of one that is alone, at start */
	const char *skip, *trust;
	uint32_t places_used, watches_used, mounts_used;
	int32_t rang[RANG_MAX]; /* watch descriptors */
	uint32_t rang_count;
	uint32_t unused_watches; /* without users, not yet removed */
	uint32_t free_watch;	 /* an entry of those used that is free, or above all free ones */
	uint32_t spare_filters[SPARE_FILTERS]; /* of listings that ended: space for new ones */
	/* Statistics; read by anyone. */
	uint64_t learned, invalidated;
	/* The cost rule: measured, in nanoseconds. */
	uint64_t start_ns, spent_ns, learn_ns; /* of starting; of all; of a typical learning */
	uint32_t learnings;
	/* Where learning works: memory it need not clear. */
	char link[LINK_DEPTH][LINK_BYTES];
	char name[256 + 8];
	struct statx found;
	struct mount mounts[MOUNTS];
	uint16_t watch_index[WATCH_SLOTS]; /* by watch descriptor: 1 + entry; see watch.c */
	struct watch watches[WATCHES];
	struct place places[PLACES];
	uint64_t names[NAMES_FIRST];
	char events[EVENT_BYTES] __attribute__((aligned(8)));
};

struct authority_options {
	unsigned bells; /* BELL_TRY_ bits */
	bool eager;
	const char *skip, *trust;
	uint32_t reserved, limit; /* of the segment, in bytes: see segment_reset() */
	void *bells_shown, *bells_hidden; /* see bell_make() */
	bool alone; /* in a process of its own: descriptors may stay open, and the working directory move */
};

/* Makes the bell; afterwards the segment is empty and its seq even. */
int authority_start(struct authority *a, struct segment *s, const struct authority_options *o);

/* Makes the calling thread the owner of one with the pending-check whose owner has ended. */
void authority_adopt(struct authority *a);

/* Is the calling thread the owner of a working authority? One system call. */
bool authority_is_mine(const struct authority *a);

/*
 * Takes note of all changes announced so far. gain_ns: what was saved by answers since the last
 * call, set against what this one costs. False: the bell cannot be trusted any more.
 */
bool authority_catch_up(struct authority *a, uint64_t gain_ns);

enum learned {
	LEARNED_NOTHING = 0, /* refused, raced, or of no use */
	LEARNED_FACT,
};

/* An absolute path (struct path's normal form) was not found: lists the deepest directory of it. */
enum learned authority_learn_absent(struct authority *a, const char *text, uint32_t length);

/* What a positive fact answers. `detail` goes with it. */
enum question {
	QUESTION_NONE = 0,
	QUESTION_ACCESS, /* access(path, detail) is 0 */
	QUESTION_PATH,	 /* realpath(path) succeeds */
	QUESTION_LINK,	 /* readlink(path) says EINVAL */
	QUESTION_XATTR,	 /* getxattr of name number `detail` says ENODATA */
	QUESTION_LXATTR, /* the same of lgetxattr */
};

/* A path was found; the question was answered as the fact would have. */
enum learned authority_learn_present(struct authority *a, const char *text, uint32_t length,
				     enum question question, unsigned detail);

/* Ends every fact. */
void authority_forget(struct authority *a);

/* Is there hardly room for more? What was known once stays in the tables, even where it has ended. */
bool authority_is_full(const struct authority *a);

/* Ends every fact and begins with empty tables. */
void authority_renew(struct authority *a);

#endif

/*
 * walk.h - resolving a path step by step, each inode on the way watched before it is relied on.
 */
#ifndef AUTHORITY_WALK_H
#define AUTHORITY_WALK_H

#include "authority/authority.h"

#include <linux/stat.h>

enum walked {
	WALK_REFUSED = 0, /* or failed, or no use */
	WALK_RACED,	  /* something moved meanwhile: may be tried again */
	WALK_MISSING,	  /* ends at `place`, a directory in which the next component is missing */
	WALK_WHOLE,	  /* `place` is the whole path */
};

struct walk {
	struct authority *a;
	int borrowed;	/* inotify descriptor */
	int fd;		/* O_PATH of the directory of `place`, or -1 */
	bool lists;	/* where a component is missing, the directory will be listed */
	bool peeked;	/* the next component was opened already: */
	int peek;	/* its O_PATH descriptor, or -errno */
	uint32_t place; /* the last place reached: directory, symlink to one, or file */
};

/* Borrows descriptors; walk_end() gives them back, whatever the walk came to. */
int walk_begin(struct walk *w, struct authority *a, bool lists);
void walk_end(struct walk *w);

/*
 * From "/" along `text` (a normal form of `length` bytes). The text must stay
 * valid. seq is even, and odd now and then: what is found on the way is published at once.
 */
enum walked walk_path(struct walk *w, const char *text, uint32_t length);

/* An O_PATH descriptor of the directory that the living place `w->place` leads to, in w->fd. */
bool walk_open(struct walk *w);

/* statx of a descriptor, or of a name in a directory, as an identity; whole in a->found. */
bool identity_of(struct authority *a, struct identity *id, int dir, const char *name);
bool identity_equal(const struct identity *a, const struct identity *b);

#endif

/*
 * session.h - the shared bytes of a tree: what one broker publishes and every process maps.
 *
 * Two memfds. The first is the segment with the session's block around it: sealed, so that nobody but
 * the broker can write it. The second is the inbox, which everybody may write and nobody trusts.
 *
 *  1. struct session, its hints apart, is written before state says that it is ready.
 *  2. Hints (sleeping, rounds, programs) change at any time: who reads them may do better or worse, never wrong.
 *  3. Every byte of the inbox may be anything at any time: the broker copies before it looks.
 */
#ifndef CACHE_SESSION_H
#define CACHE_SESSION_H

#include "base/atomic.h"
#include "base/attributes.h"
#include "base/page.h"
#include "base/subject.h"
#include "cache/layout.h"

#include <stdbool.h>

enum {
	SESSION_BYTES = 1024 * 1024, /* of the first memfd; sparse */
	SESSION_PROGRAMS = 128,	     /* a power of two */
	SESSION_PROBES = 8,
	SESSION_DROPPED = 128,	     /* a power of two */
	SESSION_BELL_BYTES = BELLS * PAGE_MOST, /* BELL_SHOWN_BYTES of authority/bell.h */
	SESSION_SEALS = 0x2 | 0x4 | 0x10, /* F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE */
	INBOX_SEALS = 0x2 | 0x4,
	SESSION_READY = 1,
	SESSION_FAILED = 2, /* there is no tree scope here */
	/* What FASTPATH_SESSION begins with: for a program that is to attach at once, for one that is to tell how its
	 * run went, and for all others. */
	SESSION_MARK = '+',
	SESSION_ASKED = '?',
	SESSION_NO_MARK = '0',
	POST_SLOTS = 256,
	POST_TEXT = 472,
	POST_PROBES = 4,
};

/* What the broker, asleep, wants to be woken for: 0 while it is awake, or naps for the sake of its own costs. */
enum { SLEEPS_TO_POSTS = 1, SLEEPS_TO_BELL = 2, SLEEPS_COUNT = 4 };

/* What is known of a program: a hint for whoever is about to execute it. */
enum {
	PROGRAM_KNOWN = 1,  /* looked at: the preload can be loaded into it */
	PROGRAM_CANNOT = 2, /* it cannot */
	PROGRAM_DROP = 4,   /* its runs save less than the preload costs, and it executes nothing */
	PROGRAM_EXECS = 8,  /* it executes others */
	PROGRAM_JUDGED = 16, /* enough runs were told of: from now on, few need be */
};

struct program {
	uint64_t key; /* program_key(); 0: free */
	uint32_t flags;
	uint32_t unused;
};

struct session {
	union {
		struct {
			struct segment segment;
			uint64_t nonce;
			uint64_t inbox_dev, inbox_ino;
			uint32_t inbox_fd; /* in the broker */
			uint32_t state;	   /* SESSION_READY, SESSION_FAILED; 0: not yet */
			uint32_t labelled; /* subjects have a label that matters */
			uint32_t sleeping; /* futex: SLEEPS_ bits, and a count of sleeps above them */
			uint32_t rounds;   /* of the broker: what was announced or posted two rounds ago is done */
			struct subject subject;
			uint64_t user_ns; /* subject_user_namespace() of the broker's */
			uint64_t rules; /* session_rules() of the broker's */
			struct program programs[SESSION_PROGRAMS] __attribute__((aligned(64)));
			/* Hashes of the paths of programs with PROGRAM_DROP; 0: none. */
			uint32_t dropped[SESSION_DROPPED];
		};
		char head[PAGE_MOST];
	};
	char bells[SESSION_BELL_BYTES];
};

/* A program by its inode and the time of its last change. */
struct statx;
uint64_t program_key(const struct statx *found);

/* FASTPATH_SKIP and FASTPATH_TRUST as one word: who has others may not share what was found by these. */
uint64_t session_rules(const char *skip, const char *trust);

/* Its flags; 0: nothing is known. */
uint32_t session_program(const struct session *s, uint64_t key);

/* Is the program of that path dropped, as far as can be told without a look at it? */
bool session_drops(const struct session *s, const char *path, uint32_t length);

/* Broker: notes it, or no more. */
void session_note_dropped(struct session *s, const char *path, bool dropped);

/* Is there room to know more of it, if nothing is? */
bool session_has_room(const struct session *s, uint64_t key);

enum post_kind {
	POST_LOST = 1, /* the kernel answered what a fact would have: text is the path */
	POST_RUN,      /* a program ended: text is its path */
	POST_EXEC,     /* a program, or a child that it forked, executes another */
};

/* What a post says besides its text. */
struct note {
	uint64_t key; /* posts with the same one are one */
	uint32_t count; /* of losses */
	uint32_t price_ns;
	uint32_t served;	   /* POST_RUN */
	uint16_t length;	   /* of the text */
	uint8_t kind;
	uint8_t question, detail;  /* POST_LOST, as in authority.h */
	uint8_t execs;		   /* POST_RUN: it has executed others */
	uint8_t unused[6];
};

struct post {
	uint32_t state; /* 0: free, 1: being written, 2: whole; clients 0 -> 1 -> 2, the broker -> 0 */
	uint32_t unused;
	struct note note;
	char text[POST_TEXT];
};

struct inbox {
	uint64_t news[POST_SLOTS / 64]; /* a bit a slot that has become whole */
	uint32_t lost;			/* posts for which there was no room */
	uint32_t unused[7];
	struct post posts[POST_SLOTS] __attribute__((aligned(64)));
};

_Static_assert(sizeof(struct post) == 512, "a slot");
_Static_assert(offsetof(struct session, bells) == PAGE_MOST, "the bells are whole pages");

/* Client: drops a note and n->length < POST_TEXT bytes of text. Lossy, lock-free, async-signal-safe. */
void inbox_post(struct inbox *i, const struct note *n, const char *text);

/* Broker: the next whole post, copied, the text as a string; `slot` counts on from 0. False: no more. */
bool inbox_take(struct inbox *i, uint32_t *slot, struct note *n, char text[POST_TEXT]);

/* Broker: frees slots whose writers have ended: to be called seldom; those busy twice in a row. */
void inbox_sweep(struct inbox *i, uint64_t busy[POST_SLOTS / 64]);

#endif

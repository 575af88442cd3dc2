/*
 * client.h - the verdict on one call: answered here, or the kernel's to answer.
 *
 *	struct lookup q;
 *
 *	switch (client_verdict(&q, FASTPATH_ACCESS, path, QUESTION_ACCESS, mode)) {
 *	case ASK_KERNEL: break;
 *	case KNOWN_ABSENT: return answer(ENOENT);
 *	case KNOWN_PRESENT: return 0;
 *	}
 *	return client_done(&q, NEXT(access, ...)(path, mode));
 *
 * Async-signal-safe, takes no lock, allocates nothing. errno is touched only by answer().
 */
#ifndef PRELOAD_CLIENT_H
#define PRELOAD_CLIENT_H

#include "base/path.h"
#include "preload/scope.h"

#include <fastpath.h>

enum verdict {
	ASK_KERNEL = 0,
	KNOWN_ABSENT,  /* ENOENT, whatever the call */
	KNOWN_PRESENT, /* the question's positive answer */
};

enum { CANONICAL_BYTES = 384 };

/* One call on its way. */
struct lookup {
	uint8_t watched;    /* its outcome tells whether something was lost */
	uint8_t may_learn;  /* ENOENT would be a loss */
	uint8_t refused;    /* in a directory that is never cached, as far as is known */
	uint8_t family;	    /* enum fastpath_call */
	uint8_t question;   /* enum question */
	uint8_t detail;
	uint32_t canonical_length;
	uint64_t began_ns;  /* 0: not timed */
	uint64_t seq;	    /* of the segment when it was answered */
	char *canonical;    /* CANONICAL_BYTES for realpath()'s result, or NULL */
	struct path path;   /* last: large, and not cleared */
};

enum verdict client_verdict_active(struct lookup *q, const char *path);
int client_done_active(struct lookup *q, int result);

/* Counts the call and decides. Relative paths, unusual pointers and the unknown: ASK_KERNEL. */
FP_INLINE enum verdict client_verdict(struct lookup *q, enum fastpath_call family,
				      const char *path, enum question question, unsigned detail)
{
	q->watched = 0;
	if (likely(!scope.on))
		return ASK_KERNEL;
	q->family = (uint8_t)family;
	q->question = (uint8_t)question;
	q->detail = (uint8_t)detail;
	q->canonical = NULL;
	return client_verdict_active(q, path);
}

/* For calls that no positive fact answers. */
FP_INLINE bool client_absent(struct lookup *q, enum fastpath_call family, const char *path)
{
	return client_verdict(q, family, path, QUESTION_NONE, 0) == KNOWN_ABSENT;
}

/* What the kernel said, -1 with errno or else: the ledger takes note. Returns result. */
FP_INLINE int client_done(struct lookup *q, int result)
{
	// cppcheck-suppress ctuuninitvar ; where it is 0 nothing else is looked at
	return unlikely(q->watched) ? client_done_active(q, result) : result;
}

/*
 * The program that q asked for is not there: what exec's ENOENT may mean, as it may that its interpreter is
 * not; whoever learns looks for itself. Only where client_verdict() said ASK_KERNEL.
 */
void client_missed(struct lookup *q);

/* A call whose arguments alone make it the kernel's. */
void client_argument(enum fastpath_call family);

/* Does the segment still say so, at the same seq? For FASTPATH_VERIFY. */
bool client_still(struct lookup *q, enum verdict verdict);

#endif

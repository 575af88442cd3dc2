/*
 * access.c - where access() is answered.
 */
#include "preload/client.h"
#include "preload/next.h"

#include <errno.h>
#include <fcntl.h>

enum { MODE_BITS = 7, MODE_WRITE = 2 };

int access(const char *path, int mode);
int eaccess(const char *path, int mode);
int euidaccess(const char *path, int mode);
int faccessat(int dir, const char *path, int mode, int flags);

/* W_OK is never remembered: read-only remounts can make no event. */
static enum verdict verdict(struct lookup *q, const char *path, int mode, bool follows)
{
	if (mode & ~MODE_BITS) {
		q->watched = 0;
		client_argument(FASTPATH_ACCESS);
		return ASK_KERNEL;
	}
	if ((mode & MODE_WRITE) || !follows)
		return client_verdict(q, FASTPATH_ACCESS, path, QUESTION_NONE, 0);
	return client_verdict(q, FASTPATH_ACCESS, path, QUESTION_ACCESS, (unsigned)mode);
}

/* Real and effective ids are the same where anything is answered: one question. */
FP_INLINE int by_path(enum next next, const char *path, int mode)
{
	struct lookup q;

	switch (verdict(&q, path, mode, true)) {
	case ASK_KERNEL:
		break;
	case KNOWN_ABSENT:
		return answer(ENOENT);
	case KNOWN_PRESENT:
		return 0;
	}
	return client_done(&q, ((int (*)(const char *, int))next_address(next))(path, mode));
}

FP_EXPORT int access(const char *path, int mode)
{
	return by_path(NEXT_access, path, mode);
}

FP_EXPORT int eaccess(const char *path, int mode)
{
	return by_path(NEXT_eaccess, path, mode);
}

FP_EXPORT int euidaccess(const char *path, int mode)
{
	return by_path(NEXT_euidaccess, path, mode);
}

FP_EXPORT int faccessat(int dir, const char *path, int mode, int flags)
{
	struct lookup q;
	int known = (flags & ~(AT_EACCESS | AT_SYMLINK_NOFOLLOW)) ? -1 : mode;

	switch (verdict(&q, path, known, !(flags & AT_SYMLINK_NOFOLLOW))) {
	case ASK_KERNEL:
		break;
	case KNOWN_ABSENT:
		return answer(ENOENT);
	case KNOWN_PRESENT:
		return 0;
	}
	return client_done(&q, NEXT(faccessat, int (*)(int, const char *, int, int))(dir, path, mode,
										     flags));
}

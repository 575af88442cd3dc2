/*
 * realpath.c - canonical names: where a build's failing lookups mostly come from, since libc's own
 * readlinks within realpath() cannot be interposed.
 *
 * On ENOENT the caller's buffer holds what glibc leaves there: the canonical name of the first
 * missing component.
 */
#include "preload/client.h"
#include "preload/next.h"

#include <errno.h>

char *__realpath_chk(const char *path, char *resolved, size_t room);
char *canonicalize_file_name(const char *path);

#if defined(REALPATH_OLD_VERSION)
char *fastpath_realpath(const char *path, char *resolved);
char *fastpath_realpath_old(const char *path, char *resolved);

__asm__(".symver fastpath_realpath, realpath@@" REALPATH_VERSION);
__asm__(".symver fastpath_realpath_old, realpath@" REALPATH_OLD_VERSION);
#else
char *fastpath_realpath(const char *path, char *resolved) __asm__("realpath");
#endif

/* Copies an answer into the caller's buffer, or one from malloc(). NULL with ENOMEM. */
static char *give(const struct lookup *q, char *resolved)
{
	uint32_t n = q->canonical_length;
	const char *from = n ? q->canonical : "/";

	n = n ? n : 1;
	if (!resolved)
		resolved = NEXT(malloc, void *(*)(size_t))(n + 1);
	if (!resolved) {
		answer(ENOMEM);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++)
		resolved[i] = from[i];
	resolved[n] = 0;
	return resolved;
}

/* True: *result is the answer. */
static bool answered(struct lookup *q, const char *path, char *resolved, char **result)
{
	char canonical[CANONICAL_BYTES];

	q->watched = 0;
	if (likely(!scope.on))
		return false;
	q->family = FASTPATH_REALPATH;
	q->question = QUESTION_PATH;
	q->detail = 0;
	q->canonical = canonical;
	switch (client_verdict_active(q, path)) {
	case KNOWN_PRESENT:
		*result = give(q, resolved);
		return true;
	case KNOWN_ABSENT:
		if (resolved)
			give(q, resolved);
		answer(ENOENT);
		*result = NULL;
		return true;
	default:
		return false;
	}
}

static char *done(struct lookup *q, char *result)
{
	client_done(q, result ? 0 : -1);
	return result;
}

FP_EXPORT char *fastpath_realpath(const char *path, char *resolved)
{
	struct lookup q;
	char *result;

	if (answered(&q, path, resolved, &result))
		return result;
	return done(&q, NEXT(realpath, char *(*)(const char *, char *))(path, resolved));
}

#if defined(REALPATH_OLD_VERSION)
/* This one calls a missing buffer EINVAL. */
FP_EXPORT char *fastpath_realpath_old(const char *path, char *resolved)
{
	struct lookup q;
	char *result;

	q.watched = 0;
	if (!resolved)
		client_argument(FASTPATH_REALPATH);
	else if (answered(&q, path, resolved, &result))
		return result;
	return done(&q, NEXT(realpath_old, char *(*)(const char *, char *))(path, resolved));
}
#endif

/* A buffer smaller than PATH_MAX ends the program, in libc. */
FP_EXPORT char *__realpath_chk(const char *path, char *resolved, size_t room)
{
	struct lookup q;
	char *result;

	q.watched = 0;
	if (room < 4096)
		client_argument(FASTPATH_REALPATH);
	else if (answered(&q, path, resolved, &result))
		return result;
	return done(&q, NEXT(realpath_chk, char *(*)(const char *, char *, size_t))(path, resolved,
										    room));
}

FP_EXPORT char *canonicalize_file_name(const char *path)
{
	struct lookup q;
	char *result;

	if (answered(&q, path, NULL, &result))
		return result;
	return done(&q, NEXT(canonicalize, char *(*)(const char *))(path));
}

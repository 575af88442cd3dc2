/*
 * readlink.c - readlink(): absence, and "not a symbolic link".
 */
#include "preload/client.h"
#include "preload/next.h"

#include <errno.h>
#include <sys/types.h>

ssize_t readlink(const char *path, char *buffer, size_t size);
ssize_t readlinkat(int dir, const char *path, char *buffer, size_t size);
ssize_t __readlink_chk(const char *path, char *buffer, size_t size, size_t room);
ssize_t __readlinkat_chk(int dir, const char *path, char *buffer, size_t size, size_t room);

/* 0: the kernel has to be asked; else the answer's errno. */
static int known_error(struct lookup *q, const char *path, size_t size)
{
	/* Sizes that are EINVAL by themselves, whatever the path. */
	if (!size || size > INT32_MAX) {
		q->watched = 0;
		client_argument(FASTPATH_READLINK);
		return 0;
	}
	switch (client_verdict(q, FASTPATH_READLINK, path, QUESTION_LINK, 0)) {
	case KNOWN_ABSENT:
		return ENOENT;
	case KNOWN_PRESENT:
		return EINVAL;
	default:
		return 0;
	}
}

static ssize_t done(struct lookup *q, ssize_t result)
{
	client_done(q, result < 0 ? -1 : 0);
	return result;
}

FP_EXPORT ssize_t readlink(const char *path, char *buffer, size_t size)
{
	struct lookup q;
	int error = known_error(&q, path, size);

	if (error)
		return answer(error);
	return done(&q,
		    NEXT(readlink, ssize_t(*)(const char *, char *, size_t))(path, buffer, size));
}

FP_EXPORT ssize_t readlinkat(int dir, const char *path, char *buffer, size_t size)
{
	struct lookup q;
	int error = known_error(&q, path, size);

	if (error)
		return answer(error);
	return done(&q, NEXT(readlinkat, ssize_t(*)(int, const char *, char *, size_t))(
				dir, path, buffer, size));
}

/* A size beyond the buffer ends the program, in libc. */
FP_EXPORT ssize_t __readlink_chk(const char *path, char *buffer, size_t size, size_t room)
{
	struct lookup q;
	int error = known_error(&q, path, size > room ? 0 : size);

	if (error)
		return answer(error);
	return done(&q, NEXT(readlink_chk, ssize_t(*)(const char *, char *, size_t, size_t))(
				path, buffer, size, room));
}

FP_EXPORT ssize_t __readlinkat_chk(int dir, const char *path, char *buffer, size_t size,
				   size_t room)
{
	struct lookup q;
	int error = known_error(&q, path, size > room ? 0 : size);

	if (error)
		return answer(error);
	return done(&q, NEXT(readlinkat_chk, ssize_t(*)(int, const char *, char *, size_t, size_t))(
				dir, path, buffer, size, room));
}

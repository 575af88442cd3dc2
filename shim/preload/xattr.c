/*
 * xattr.c - extended attributes: absence of the file, and of the four attributes that ls and cp
 * ask every file for.
 */
#include "preload/client.h"
#include "preload/next.h"

#include "base/bytes.h"

#include <errno.h>
#include <sys/types.h>

ssize_t getxattr(const char *path, const char *name, void *value, size_t size);
ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size);
ssize_t listxattr(const char *path, char *list, size_t size);
ssize_t llistxattr(const char *path, char *list, size_t size);

enum { NAME_KNOWN = XATTR_NAMES, NAME_OTHER, NAME_BAD };

/* The number of an attribute whose absence is remembered, or NAME_OTHER; NAME_BAD: not surely a
 * name. */
static unsigned number_of(const char *name)
{
	static const char names[][26] = {"security.selinux", "security.capability",
					 "system.posix_acl_access", "system.posix_acl_default"};
	uintptr_t at = (uintptr_t)name;
	uint32_t room = PATH_PAGE - (uint32_t)(at % PATH_PAGE), n = 0;

	if (at < PATH_PAGE || PATH_BEYOND(at) || !*name)
		return NAME_BAD;
	while (n < room && name[n])
		n++;
	if (n == room || n > PATH_NAME_MAX)
		return NAME_BAD;
	for (unsigned i = 0; i < XATTR_NAMES; i++)
		if (string_equal(name, names[i]))
			return i;
	return NAME_OTHER;
}

/* 0: the kernel has to be asked; else the answer's errno. */
static int known_error(struct lookup *q, const char *path, const char *name,
		       enum question question)
{
	unsigned number = likely(!scope.on) ? NAME_OTHER : number_of(name);

	if (number == NAME_BAD) {
		q->watched = 0;
		client_argument(FASTPATH_XATTR);
		return 0;
	}
	if (number >= XATTR_NAMES)
		question = QUESTION_NONE;
	switch (client_verdict(q, FASTPATH_XATTR, path, question, number)) {
	case KNOWN_ABSENT:
		return ENOENT;
	case KNOWN_PRESENT:
		return ENODATA;
	default:
		return 0;
	}
}

static ssize_t done(struct lookup *q, ssize_t result)
{
	client_done(q, result < 0 ? -1 : 0);
	return result;
}

typedef ssize_t get_function(const char *, const char *, void *, size_t);
typedef ssize_t list_function(const char *, char *, size_t);

FP_EXPORT ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
	struct lookup q;
	int error = known_error(&q, path, name, QUESTION_XATTR);

	if (error)
		return answer(error);
	return done(&q, NEXT(getxattr, get_function *)(path, name, value, size));
}

FP_EXPORT ssize_t lgetxattr(const char *path, const char *name, void *value, size_t size)
{
	struct lookup q;
	int error = known_error(&q, path, name, QUESTION_LXATTR);

	if (error)
		return answer(error);
	return done(&q, NEXT(lgetxattr, get_function *)(path, name, value, size));
}

FP_EXPORT ssize_t listxattr(const char *path, char *list, size_t size)
{
	struct lookup q;

	if (client_absent(&q, FASTPATH_XATTR, path))
		return answer(ENOENT);
	return done(&q, NEXT(listxattr, list_function *)(path, list, size));
}

FP_EXPORT ssize_t llistxattr(const char *path, char *list, size_t size)
{
	struct lookup q;

	if (client_absent(&q, FASTPATH_XATTR, path))
		return answer(ENOENT);
	return done(&q, NEXT(llistxattr, list_function *)(path, list, size));
}

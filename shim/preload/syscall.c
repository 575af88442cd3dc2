/*
 * syscall.c - path lookups made through syscall(2): node's statx, and others'.
 *
 * The last step is a jump: no frame of ours is on the stack of a child that syscall(SYS_clone)
 * makes.
 */
#include "preload/client.h"
#include "preload/identity.h"
#include "preload/next.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

long syscall(long number, long a, long b, long c, long d, long e, long f);

enum { NOT_A_LOOKUP = -1 };

#define MASK_RESERVED 0x80000000 /* STATX__RESERVED */

/* For the numbers whose only answer is ENOENT: the family, and where the path is. */
static int family_of(long number, long a, long b, long c, long d, const char **path)
{
	const int at_flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;

	(void)a; /* where every lookup begins with a directory */
	*path = (const char *)b;
	switch (number) {
#if defined(SYS_access)
	case SYS_access:
		*path = (const char *)a;
		return (b & ~7) ? NOT_A_LOOKUP : FASTPATH_ACCESS;
	case SYS_stat:
	case SYS_lstat:
#if defined(SYS_stat64)
	case SYS_stat64:
	case SYS_lstat64:
#endif
		*path = (const char *)a;
		return FASTPATH_STAT;
	case SYS_readlink:
		*path = (const char *)a;
		return (int)c <= 0 ? NOT_A_LOOKUP : FASTPATH_READLINK;
#endif
	case SYS_faccessat:
		return (c & ~7) ? NOT_A_LOOKUP : FASTPATH_ACCESS;
#if defined(SYS_newfstatat)
	case SYS_newfstatat:
#else
	case SYS_fstatat64:
#endif
		return (d & ~at_flags) ? NOT_A_LOOKUP : FASTPATH_STAT;
	case SYS_statx:
		return (c & ~at_flags) || (d & MASK_RESERVED) ? NOT_A_LOOKUP : FASTPATH_STAT;
	case SYS_readlinkat:
		return (int)d <= 0 ? NOT_A_LOOKUP : FASTPATH_READLINK;
	default:
		return NOT_A_LOOKUP;
	}
}

/* False: to the kernel with it. */
static bool absent(long number, long a, long b, long c, long d)
{
	const char *path;
	struct lookup q;
	int family = family_of(number, a, b, c, d, &path);

	if (family == NOT_A_LOOKUP) {
		identity_system_call(number, a, b);
		return false;
	}
	return client_absent(&q, (enum fastpath_call)family, path);
}

FP_EXPORT long syscall(long number, long a, long b, long c, long d, long e, long f)
{
	if (unlikely(scope.on) && absent(number, a, b, c, d))
		return answer(ENOENT);
	return NEXT(syscall, long (*)(long, long, long, long, long, long, long))(number, a, b, c, d, e,
										 f);
}

/*
 * stat.c - the stat family: only absence is ever answered, so no buffer is looked at.
 */
#include "preload/client.h"
#include "preload/next.h"

#include <errno.h>
#include <fcntl.h>

/* Without <sys/stat.h>: on some architectures the buffers of stat and stat64 differ, and each call is
 * forwarded to its own name. */
int stat(const char *path, void *buffer);
int stat64(const char *path, void *buffer);
int lstat(const char *path, void *buffer);
int lstat64(const char *path, void *buffer);
int fstatat(int dir, const char *path, void *buffer, int flags);
int fstatat64(int dir, const char *path, void *buffer, int flags);
int __xstat(int version, const char *path, void *buffer);
int __xstat64(int version, const char *path, void *buffer);
int __lxstat(int version, const char *path, void *buffer);
int __lxstat64(int version, const char *path, void *buffer);
int __fxstatat(int version, int dir, const char *path, void *buffer, int flags);
int __fxstatat64(int version, int dir, const char *path, void *buffer, int flags);
int statx(int dir, const char *path, int flags, unsigned mask, void *buffer);
int __stat64_time64(const char *path, void *buffer);
int __lstat64_time64(const char *path, void *buffer);
int __fstatat64_time64(int dir, const char *path, void *buffer, int flags);

#define MASK_RESERVED 0x80000000U /* STATX__RESERVED */

FP_INLINE int by_path(enum next next, const char *path, void *buffer)
{
	struct lookup q;

	if (client_absent(&q, FASTPATH_STAT, path))
		return answer(ENOENT);
	return client_done(&q, ((int (*)(const char *, void *))next_address(next))(path, buffer));
}

FP_EXPORT int stat(const char *path, void *buffer)
{
	return by_path(NEXT_stat, path, buffer);
}

FP_EXPORT int stat64(const char *path, void *buffer)
{
	return by_path(NEXT_stat64, path, buffer);
}

FP_EXPORT int lstat(const char *path, void *buffer)
{
	return by_path(NEXT_lstat, path, buffer);
}

FP_EXPORT int lstat64(const char *path, void *buffer)
{
	return by_path(NEXT_lstat64, path, buffer);
}

/* AT_EMPTY_PATH and whatever is newer is the kernel's. */
static bool absent_at(struct lookup *q, const char *path, int flags)
{
	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT)) {
		q->watched = 0;
		client_argument(FASTPATH_STAT);
		return false;
	}
	return client_absent(q, FASTPATH_STAT, path);
}

FP_INLINE int at_directory(enum next next, int dir, const char *path, void *buffer, int flags)
{
	struct lookup q;

	if (absent_at(&q, path, flags))
		return answer(ENOENT);
	return client_done(&q, ((int (*)(int, const char *, void *, int))next_address(next))(
				       dir, path, buffer, flags));
}

FP_EXPORT int fstatat(int dir, const char *path, void *buffer, int flags)
{
	return at_directory(NEXT_fstatat, dir, path, buffer, flags);
}

FP_EXPORT int fstatat64(int dir, const char *path, void *buffer, int flags)
{
	return at_directory(NEXT_fstatat64, dir, path, buffer, flags);
}

#if defined(__i386__)
FP_EXPORT int __stat64_time64(const char *path, void *buffer)
{
	return by_path(NEXT_stat_time64, path, buffer);
}

FP_EXPORT int __lstat64_time64(const char *path, void *buffer)
{
	return by_path(NEXT_lstat_time64, path, buffer);
}

FP_EXPORT int __fstatat64_time64(int dir, const char *path, void *buffer, int flags)
{
	return at_directory(NEXT_fstatat_time64, dir, path, buffer, flags);
}
#endif

FP_EXPORT int statx(int dir, const char *path, int flags, unsigned mask, void *buffer)
{
	struct lookup q;

	/* The reserved bit of the mask is EINVAL. */
	if (absent_at(&q, path, mask & MASK_RESERVED ? -1 : flags))
		return answer(ENOENT);
	return client_done(&q, NEXT(statx, int (*)(int, const char *, int, unsigned, void *))(
				       dir, path, flags, mask, buffer));
}

/* The struct version that the system's programs pass, and the kernel's own on x86-64. Others may be EINVAL, whatever
 * the path. */
static bool version_is_known(int version)
{
#if defined(__x86_64__)
	return version == 0 || version == 1;
#elif defined(__i386__)
	return version == 3;
#else
	return version == 0;
#endif
}

/* The names that programs built for glibc before 2.33 import. */
FP_INLINE int by_version(enum next next, int version, const char *path, void *buffer)
{
	struct lookup q;

	if (!version_is_known(version)) {
		q.watched = 0;
		client_argument(FASTPATH_STAT);
	} else if (client_absent(&q, FASTPATH_STAT, path)) {
		return answer(ENOENT);
	}
	return client_done(
		&q, ((int (*)(int, const char *, void *))next_address(next))(version, path, buffer));
}

FP_EXPORT int __xstat(int version, const char *path, void *buffer)
{
	return by_version(NEXT_xstat, version, path, buffer);
}

FP_EXPORT int __xstat64(int version, const char *path, void *buffer)
{
	return by_version(NEXT_xstat64, version, path, buffer);
}

FP_EXPORT int __lxstat(int version, const char *path, void *buffer)
{
	return by_version(NEXT_lxstat, version, path, buffer);
}

FP_EXPORT int __lxstat64(int version, const char *path, void *buffer)
{
	return by_version(NEXT_lxstat64, version, path, buffer);
}

FP_INLINE int at_version(enum next next, int version, int dir, const char *path, void *buffer,
			 int flags)
{
	struct lookup q;

	if (absent_at(&q, path, version_is_known(version) ? flags : -1))
		return answer(ENOENT);
	return client_done(&q, ((int (*)(int, int, const char *, void *, int))next_address(next))(
				       version, dir, path, buffer, flags));
}

FP_EXPORT int __fxstatat(int version, int dir, const char *path, void *buffer, int flags)
{
	return at_version(NEXT_fxstatat, version, dir, path, buffer, flags);
}

FP_EXPORT int __fxstatat64(int version, int dir, const char *path, void *buffer, int flags)
{
	return at_version(NEXT_fxstatat64, version, dir, path, buffer, flags);
}

/*
 * open.c - opening what is not there. Anything that may create goes to the kernel, always.
 */
#include "preload/client.h"
#include "preload/next.h"

#include <errno.h>
#include <stdarg.h>

/* Without <fcntl.h> and <stdio.h>, whose open() and fopen() are several functions in one. */
#include <asm/fcntl.h>

int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);
int __open(const char *path, int flags, ...);
int __open64(const char *path, int flags, ...);
int openat(int dir, const char *path, int flags, ...);
int openat64(int dir, const char *path, int flags, ...);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
void *fopen64(const char *path, const char *mode);
void *opendir(const char *path);

#if defined(__i386__)
/* The old versions make streams of another layout: they are left alone. */
void *fastpath_fopen(const char *path, const char *mode);
void *fastpath_io_fopen(const char *path, const char *mode);

__asm__(".symver fastpath_fopen, fopen@@GLIBC_2.1");
__asm__(".symver fastpath_io_fopen, _IO_fopen@@GLIBC_2.1");
#else
void *fastpath_fopen(const char *path, const char *mode) __asm__("fopen");
void *fastpath_io_fopen(const char *path, const char *mode) __asm__("_IO_fopen");
#endif

static bool may_create(int flags)
{
	return (flags & O_CREAT) || (flags & __O_TMPFILE) == __O_TMPFILE;
}

static bool absent(struct lookup *q, const char *path, int flags)
{
	const int known = O_ACCMODE | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK |
			  FASYNC | O_DIRECT | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW |
			  O_NOATIME | O_CLOEXEC | O_SYNC | O_PATH;

	if (may_create(flags) || (flags & ~known)) {
		q->watched = 0;
		client_argument(FASTPATH_OPEN);
		return false;
	}
	return client_absent(q, FASTPATH_OPEN, path);
}

/* The mode that follows the flags is read only where there must be one. */
#define MODE_ARGUMENT(flags)                                                                   \
	({                                                                                     \
		unsigned mode_ = 0;                                                            \
		if (may_create(flags)) {                                                       \
			va_list list_;                                                         \
			va_start(list_, flags);                                                \
			mode_ = va_arg(list_, unsigned);                                       \
			va_end(list_);                                                         \
		}                                                                              \
		mode_;                                                                         \
	})

/* open() is a cancellation point, whoever answers. */
static int answer_open(void)
{
	NEXT(testcancel, void (*)(void))();
	return answer(ENOENT);
}

FP_INLINE int by_path(enum next next, const char *path, int flags, unsigned mode)
{
	struct lookup q;

	if (absent(&q, path, flags))
		return answer_open();
	return client_done(
		&q, ((int (*)(const char *, int, ...))next_address(next))(path, flags, mode));
}

FP_INLINE int at_directory(enum next next, int dir, const char *path, int flags, unsigned mode)
{
	struct lookup q;

	if (absent(&q, path, flags))
		return answer_open();
	return client_done(&q, ((int (*)(int, const char *, int, ...))next_address(next))(
				       dir, path, flags, mode));
}

FP_EXPORT int open(const char *path, int flags, ...)
{
	return by_path(NEXT_open, path, flags, MODE_ARGUMENT(flags));
}

FP_EXPORT int open64(const char *path, int flags, ...)
{
	return by_path(NEXT_open64, path, flags, MODE_ARGUMENT(flags));
}

FP_EXPORT int __open(const char *path, int flags, ...)
{
	return by_path(NEXT_uopen, path, flags, MODE_ARGUMENT(flags));
}

FP_EXPORT int __open64(const char *path, int flags, ...)
{
	return by_path(NEXT_uopen64, path, flags, MODE_ARGUMENT(flags));
}

FP_EXPORT int openat(int dir, const char *path, int flags, ...)
{
	return at_directory(NEXT_openat, dir, path, flags, MODE_ARGUMENT(flags));
}

FP_EXPORT int openat64(int dir, const char *path, int flags, ...)
{
	return at_directory(NEXT_openat64, dir, path, flags, MODE_ARGUMENT(flags));
}

/* The fortified ones have no mode: with O_CREAT they end the program, in libc. */
FP_EXPORT int __open_2(const char *path, int flags)
{
	return by_path(NEXT_open_2, path, flags, 0);
}

FP_EXPORT int __open64_2(const char *path, int flags)
{
	return by_path(NEXT_open64_2, path, flags, 0);
}

FP_EXPORT int __openat_2(int dir, const char *path, int flags)
{
	return at_directory(NEXT_openat_2, dir, path, flags, 0);
}

FP_EXPORT int __openat64_2(int dir, const char *path, int flags)
{
	return at_directory(NEXT_openat64_2, dir, path, flags, 0);
}

/* Of fopen()'s modes only those that begin with r never create. */
FP_INLINE void *stream(enum next next, const char *path, const char *mode)
{
	struct lookup q;
	void *file;

	if (*mode != 'r') {
		q.watched = 0;
		client_argument(FASTPATH_OPEN);
	} else if (client_absent(&q, FASTPATH_OPEN, path)) {
		answer(ENOENT);
		return NULL;
	}
	file = ((void *(*)(const char *, const char *))next_address(next))(path, mode);
	client_done(&q, file ? 0 : -1);
	return file;
}

FP_EXPORT void *fastpath_fopen(const char *path, const char *mode)
{
	return stream(NEXT_fopen, path, mode);
}

FP_EXPORT void *fopen64(const char *path, const char *mode)
{
	return stream(NEXT_fopen64, path, mode);
}

FP_EXPORT void *fastpath_io_fopen(const char *path, const char *mode)
{
	return stream(NEXT_io_fopen, path, mode);
}

FP_EXPORT void *opendir(const char *path)
{
	struct lookup q;
	void *directory;

	if (client_absent(&q, FASTPATH_OPEN, path)) {
		answer(ENOENT);
		return NULL;
	}
	directory = NEXT(opendir, void *(*)(const char *))(path);
	client_done(&q, directory ? 0 : -1);
	return directory;
}

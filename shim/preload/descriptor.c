/*
 * descriptor.c - closing and exiting: hints, for the pending-check's descriptors and the statistics.
 *
 * The pending-check has numbers of its own, above the application's; whoever takes them away ends
 * caching. The page bell has none.
 */
#include "preload/next.h"
#include "preload/report.h"
#include "preload/scope.h"

#include <limits.h>

int close(int fd);
int dup2(int from, int to);
int dup3(int from, int to, int flags);
int close_range(unsigned first, unsigned last, int flags);
void closefrom(int first);
void _exit(int status) __attribute__((noreturn));
void _Exit(int status) __attribute__((noreturn));

FP_EXPORT int close(int fd)
{
	if (unlikely(scope.on))
		scope_losing_fd((unsigned)fd, (unsigned)fd);
	return NEXT(close, int (*)(int))(fd);
}

FP_EXPORT int dup2(int from, int to)
{
	if (unlikely(scope.on))
		scope_losing_fd((unsigned)to, (unsigned)to);
	return NEXT(dup2, int (*)(int, int))(from, to);
}

FP_EXPORT int dup3(int from, int to, int flags)
{
	if (unlikely(scope.on))
		scope_losing_fd((unsigned)to, (unsigned)to);
	return NEXT(dup3, int (*)(int, int, int))(from, to, flags);
}

FP_EXPORT int close_range(unsigned first, unsigned last, int flags)
{
	if (unlikely(scope.on))
		scope_losing_fd(first, last);
	return NEXT(close_range, int (*)(unsigned, unsigned, int))(first, last, flags);
}

FP_EXPORT void closefrom(int first)
{
	if (unlikely(scope.on))
		scope_losing_fd(first < 0 ? 0 : (unsigned)first, UINT_MAX);
	NEXT(closefrom, void (*)(int))(first);
}

FP_EXPORT void _exit(int status)
{
	scope_end();
	NEXT(exit_now, void (*)(int))(status);
	__builtin_unreachable();
}

FP_EXPORT void _Exit(int status)
{
	scope_end();
	NEXT(exit_now_c, void (*)(int))(status);
	__builtin_unreachable();
}

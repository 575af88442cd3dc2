/*
 * api.c - include/fastpath.h.
 */
#include "preload/report.h"
#include "preload/scope.h"
#include "preload/session.h"

FP_EXPORT const char *fastpath_version(void)
{
	return FASTPATH_VERSION;
}

FP_EXPORT int fastpath_stats(struct fastpath_stats *stats, size_t size)
{
	struct fastpath_stats s;

	if (!scope.on)
		return -1;
	report_collect(&s);
	for (size_t i = 0; i < size && i < sizeof s; i++)
		((volatile char *)stats)[i] = ((const char *)&s)[i];
	return 0;
}

FP_EXPORT void fastpath_flush(void)
{
	struct region *r = scope.on ? scope_attached() : NULL;

	if (scope.on && scope_session())
		session_flush();
	else if (r && authority_is_mine(&r->authority) && !scope.quiet)
		authority_forget(&r->authority);
}

FP_EXPORT void fastpath_pause(void)
{
	add_relaxed(&scope.paused, 1);
}

FP_EXPORT void fastpath_resume(void)
{
	uint32_t depth = load_relaxed(&scope.paused);

	/* One resume too many is none. */
	while (depth && !__atomic_compare_exchange_n(&scope.paused, &depth, depth - 1, false,
						     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/*
 * signals.h - keeping signal handlers out: one may longjmp() and never come back.
 */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include "base/sys.h"

#include <signal.h>
#include <stdbool.h>

FP_INLINE void signals_block(uint64_t *old)
{
	uint64_t all = ~UINT64_C(0);

	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, old, sizeof all);
}

FP_INLINE void signals_restore(const uint64_t *old)
{
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, old, NULL, sizeof *old);
}

/* On an alternate signal stack there may be room for nothing. */
FP_INLINE bool signals_on_alternate_stack(void)
{
	stack_t stack;

	return sys2(SYS_sigaltstack, NULL, &stack) || (stack.ss_flags & SS_ONSTACK);
}

#endif

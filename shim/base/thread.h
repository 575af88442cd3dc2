/*
 * thread.h - telling threads apart without a system call.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include "base/attributes.h"

#include <stdint.h>

/* Differs between living threads, costs nothing to ask. */
FP_INLINE uint64_t thread_pointer(void)
{
#if defined(__x86_64__)
	uint64_t self;

	__asm__("mov %%fs:0, %0" : "=r"(self));
	return self;
#elif defined(__i386__)
	uint32_t self;

	__asm__("mov %%gs:0, %0" : "=r"(self));
	return self;
#else
	return (uintptr_t)__builtin_thread_pointer();
#endif
}

#endif

/*
 * identity.h - system calls, made through syscall(), that change who a process is, or take away its
 * descriptors.
 */
#ifndef PRELOAD_IDENTITY_H
#define PRELOAD_IDENTITY_H

/* Before the call is made: ends caching when the number is one of those. */
void identity_system_call(long number, long first, long second);

#endif

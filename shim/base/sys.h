/*
 * sys.h - system calls without libc: every one returns its result or -errno and never touches
 * errno. Nothing here can be interposed, cancelled, or needs to be bound.
 */
#ifndef BASE_SYS_H
#define BASE_SYS_H

#include "base/attributes.h"

#include <linux/stat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>

#if defined(__clang_analyzer__)
/* The analyzer does not see what a kernel writes behind inline assembly. */
long sys_call(long n, long a, long b, long c, long d, long e, long f);
#elif defined(__x86_64__)
FP_INLINE long sys_call(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "+a"(n)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return n;
}
#elif defined(__aarch64__)
FP_INLINE long sys_call(long n, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#elif defined(__riscv) && __riscv_xlen == 64
FP_INLINE long sys_call(long n, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7") = n;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;

	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
}
#elif defined(__i386__)
/* There is no register left for the last argument but the frame pointer, which only assembler may change. */
FP_INLINE long sys_call(long n, long a, long b, long c, long d, long e, long f)
{
	__asm__ volatile("pushl %[f]\n\t"
			 "pushl %%ebp\n\t"
			 "movl 4(%%esp), %%ebp\n\t"
			 "int $0x80\n\t"
			 "popl %%ebp\n\t"
			 "addl $4, %%esp"
			 : "+a"(n)
			 : "b"(a), "c"(b), "d"(c), "S"(d), "D"(e), [f] "g"(f)
			 : "memory", "cc");
	return n;
}
#else
#error "system calls of this architecture are not written yet"
#endif

#define SYS_ARG_(x)	 ((long)(x))
#define sys0(n)		 sys_call((n), 0, 0, 0, 0, 0, 0)
#define sys1(n, a)	 sys_call((n), SYS_ARG_(a), 0, 0, 0, 0, 0)
#define sys2(n, a, b)	 sys_call((n), SYS_ARG_(a), SYS_ARG_(b), 0, 0, 0, 0)
#define sys3(n, a, b, c) sys_call((n), SYS_ARG_(a), SYS_ARG_(b), SYS_ARG_(c), 0, 0, 0)
#define sys4(n, a, b, c, d)                                                                    \
	sys_call((n), SYS_ARG_(a), SYS_ARG_(b), SYS_ARG_(c), SYS_ARG_(d), 0, 0)
#define sys5(n, a, b, c, d, e)                                                                 \
	sys_call((n), SYS_ARG_(a), SYS_ARG_(b), SYS_ARG_(c), SYS_ARG_(d), SYS_ARG_(e), 0)
#define sys6(n, a, b, c, d, e, f)                                                              \
	sys_call((n), SYS_ARG_(a), SYS_ARG_(b), SYS_ARG_(c), SYS_ARG_(d), SYS_ARG_(e),         \
		 SYS_ARG_(f))

#define SYS_AT_FDCWD (-100)

/* Where there were ids of 16 bits, those of 32 have calls of their own. */
#if defined(SYS_getresuid32)
#define CALL_GETRESUID SYS_getresuid32
#define CALL_GETRESGID SYS_getresgid32
#define CALL_GETGROUPS SYS_getgroups32
#else
#define CALL_GETRESUID SYS_getresuid
#define CALL_GETRESGID SYS_getresgid
#define CALL_GETGROUPS SYS_getgroups
#endif

/* Newer than some uapi headers that fastpath builds with. */
#define SYS_STATX_MNT_ID	0x1000U
#define SYS_STATX_MNT_ID_UNIQUE 0x4000U

FP_INLINE long sys_openat(int dir, const char *path, int flags)
{
	return sys4(SYS_openat, dir, path, flags, 0);
}

FP_INLINE long sys_close(int fd)
{
	return sys1(SYS_close, fd);
}

FP_INLINE long sys_read(int fd, void *buffer, size_t size)
{
	return sys3(SYS_read, fd, buffer, size);
}

FP_INLINE long sys_statx(int dir, const char *path, int flags, unsigned mask, struct statx *out)
{
	return sys5(SYS_statx, dir, path, flags, mask, out);
}

FP_INLINE long sys_readlinkat(int dir, const char *path, char *buffer, size_t size)
{
	return sys4(SYS_readlinkat, dir, path, buffer, size);
}

/* From the beginning of a file. The result is an address or -errno: sys_is_error(). */
FP_INLINE long sys_mmap(size_t size, int protection, int flags, int fd)
{
#if defined(SYS_mmap2)
	return sys6(SYS_mmap2, NULL, size, protection, flags, fd, 0);
#else
	return sys6(SYS_mmap, NULL, size, protection, flags, fd, 0);
#endif
}

/* Addresses may be negative numbers. */
FP_INLINE bool sys_is_error(long result)
{
	return result < 0 && result > -4096;
}

FP_INLINE long sys_pread(int fd, void *buffer, size_t size, uint64_t offset)
{
#if __SIZEOF_LONG__ == 8
	return sys4(SYS_pread64, fd, buffer, size, offset);
#else
	return sys5(SYS_pread64, fd, buffer, size, (uint32_t)offset, (uint32_t)(offset >> 32));
#endif
}

FP_INLINE long sys_fstatfs(int fd, struct statfs64 *out)
{
#if defined(SYS_fstatfs64)
	return sys3(SYS_fstatfs64, fd, sizeof *out, out);
#else
	return sys2(SYS_fstatfs, fd, out);
#endif
}

FP_INLINE int sys_getpid(void)
{
	return (int)sys0(SYS_getpid);
}

FP_INLINE int sys_gettid(void)
{
	return (int)sys0(SYS_gettid);
}

/* CLOCK_MONOTONIC in nanoseconds. The library has no libc to ask: there by system call, for slow paths only. */
FP_INLINE uint64_t sys_clock_ns(void)
{
	struct timespec t = {0, 0};

#if defined(FP_LIBRARY)
	sys2(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
#else
	clock_gettime(CLOCK_MONOTONIC, &t);
#endif
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* CPU time of the process, by system call. */
FP_INLINE uint64_t sys_cpu_ns(void)
{
	struct timespec t = {0, 0};

	sys2(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

#endif

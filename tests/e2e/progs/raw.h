/*
 * raw.h - the kernel's own answers: system calls by inline instructions, past every interposer,
 * syscall() included. A result or -errno. Used by the programs of tests/e2e.
 */
#ifndef RAW_H
#define RAW_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static inline long raw6(long n, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
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
#else
#error "raw6: no system call instruction for this architecture"
#endif
}

#define raw3(n, a, b, c)       raw6(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define raw4(n, a, b, c, d)    raw6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define raw5(n, a, b, c, d, e) raw6(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

static inline long raw_openat(int dir, const char *path, int flags, unsigned mode)
{
	return raw4(SYS_openat, dir, path, flags, mode);
}

static inline long raw_close(int fd)
{
	return raw3(SYS_close, fd, 0, 0);
}

static inline long raw_fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return raw4(SYS_newfstatat, dir, path, st, flags);
}

static inline long raw_access(const char *path, int mode)
{
	return raw3(SYS_faccessat, AT_FDCWD, path, mode);
}

__attribute__((noreturn)) static inline void raw_exit(int status)
{
	raw3(SYS_exit_group, status, 0, 0);
	__builtin_unreachable();
}

#endif

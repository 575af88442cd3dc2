/*
 * identity.c - calls after which facts may not hold for this process any more: caching ends before
 * they are made. Hints: raw system calls bypass them.
 */
#include "preload/identity.h"

#include "preload/next.h"
#include "preload/scope.h"

#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>

int clone(int (*function)(void *), void *stack, int flags, void *argument, ...);
int chroot(const char *path);
int pivot_root(const char *new_root, const char *put_old);
int unshare(int flags);
int setns(int fd, int type);
int setuid(uid_t uid);
int seteuid(uid_t uid);
int setreuid(uid_t real, uid_t effective);
int setresuid(uid_t real, uid_t effective, uid_t saved);
int setgid(gid_t gid);
int setegid(gid_t gid);
int setregid(gid_t real, gid_t effective);
int setresgid(gid_t real, gid_t effective, gid_t saved);
int setgroups(size_t n, const gid_t *list);
int initgroups(const char *user, gid_t group);
int setfsuid(uid_t uid);
int setfsgid(gid_t gid);
int capset(void *header, const void *data);

static void ends(void)
{
	if (unlikely(scope.on))
		scope_detach();
}

static void ends_with_root(void)
{
	ends();
	scope.chrooted = scope.on;
}

static void ends_with_filter(void)
{
	ends();
	scope.quiet = 1;
}

static void prctl_ends(int option)
{
	if (option == PR_SET_SECCOMP)
		ends_with_filter();
	else if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECUREBITS)
		ends();
}

/* A child that shares our memory, but not what paths and ids mean. */
static void clone_ends(unsigned long flags)
{
	const unsigned long apart = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID;

	/* A child with memory of its own has lost what its parent knew, but not a session's segment; nor may it
	 * change the root that both have. */
	if ((flags & CLONE_VM) ? (flags & apart) : scope_session() && (flags & (apart | CLONE_FS)))
		ends();
}

static bool takes_descriptor(long number, long first, long second)
{
	switch (number) {
	case SYS_close:
		scope_losing_fd((unsigned)first, (unsigned)first);
		return true;
#if defined(SYS_dup2)
	case SYS_dup2:
#endif
	case SYS_dup3:
		scope_losing_fd((unsigned)second, (unsigned)second);
		return true;
#if defined(SYS_close_range)
	case SYS_close_range:
		scope_losing_fd((unsigned)first, (unsigned)second);
		return true;
#endif
	default:
		return false;
	}
}

void identity_system_call(long number, long first, long second)
{
	if (takes_descriptor(number, first, second))
		return;
	switch (number) {
	case SYS_clone:
		clone_ends((unsigned long)first);
		break;
	case SYS_clone3:
		if (first)
			clone_ends((unsigned long)*(const uint64_t *)first);
		break;
	case SYS_chroot:
	case SYS_pivot_root:
		ends_with_root();
		break;
	case SYS_seccomp:
		ends_with_filter();
		break;
	case SYS_prctl:
		prctl_ends((int)first);
		break;
	case SYS_unshare:
	case SYS_setns:
	case SYS_setuid:
	case SYS_setreuid:
	case SYS_setresuid:
	case SYS_setgid:
	case SYS_setregid:
	case SYS_setresgid:
	case SYS_setgroups:
	case SYS_setfsuid:
	case SYS_setfsgid:
#if defined(SYS_setuid32)
	case SYS_setuid32:
	case SYS_setreuid32:
	case SYS_setresuid32:
	case SYS_setgid32:
	case SYS_setregid32:
	case SYS_setresgid32:
	case SYS_setgroups32:
	case SYS_setfsuid32:
	case SYS_setfsgid32:
#endif
	case SYS_capset:
		ends();
		break;
	}
}

FP_EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	void *a[3];
	__builtin_va_list list;

	__builtin_va_start(list, argument);
	for (int i = 0; i < 3; i++)
		a[i] = __builtin_va_arg(list, void *);
	__builtin_va_end(list);
	if (unlikely(scope.on))
		clone_ends((unsigned)flags);
	return NEXT(clone, int (*)(int (*)(void *), void *, int, void *, ...))(
		function, stack, flags, argument, a[0], a[1], a[2]);
}

/* Of a changed root: what is executed from now on will not find our file. */
static int with_root(int result)
{
	if (!result)
		scope.chrooted = scope.on;
	return result;
}

FP_EXPORT int chroot(const char *path)
{
	ends();
	return with_root(NEXT(chroot, int (*)(const char *))(path));
}

FP_EXPORT int pivot_root(const char *new_root, const char *put_old)
{
	ends();
	return with_root(NEXT(pivot_root, int (*)(const char *, const char *))(new_root, put_old));
}

FP_EXPORT int unshare(int flags)
{
	ends();
	return NEXT(unshare, int (*)(int))(flags);
}

FP_EXPORT int setns(int fd, int type)
{
	ends();
	return NEXT(setns, int (*)(int, int))(fd, type);
}

FP_EXPORT int setuid(uid_t uid)
{
	ends();
	return NEXT(setuid, int (*)(uid_t))(uid);
}

FP_EXPORT int seteuid(uid_t uid)
{
	ends();
	return NEXT(seteuid, int (*)(uid_t))(uid);
}

FP_EXPORT int setreuid(uid_t real, uid_t effective)
{
	ends();
	return NEXT(setreuid, int (*)(uid_t, uid_t))(real, effective);
}

FP_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	ends();
	return NEXT(setresuid, int (*)(uid_t, uid_t, uid_t))(real, effective, saved);
}

FP_EXPORT int setgid(gid_t gid)
{
	ends();
	return NEXT(setgid, int (*)(gid_t))(gid);
}

FP_EXPORT int setegid(gid_t gid)
{
	ends();
	return NEXT(setegid, int (*)(gid_t))(gid);
}

FP_EXPORT int setregid(gid_t real, gid_t effective)
{
	ends();
	return NEXT(setregid, int (*)(gid_t, gid_t))(real, effective);
}

FP_EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved)
{
	ends();
	return NEXT(setresgid, int (*)(gid_t, gid_t, gid_t))(real, effective, saved);
}

FP_EXPORT int setgroups(size_t n, const gid_t *list)
{
	ends();
	return NEXT(setgroups, int (*)(size_t, const gid_t *))(n, list);
}

FP_EXPORT int initgroups(const char *user, gid_t group)
{
	ends();
	return NEXT(initgroups, int (*)(const char *, gid_t))(user, group);
}

FP_EXPORT int setfsuid(uid_t uid)
{
	ends();
	return NEXT(setfsuid, int (*)(uid_t))(uid);
}

FP_EXPORT int setfsgid(gid_t gid)
{
	ends();
	return NEXT(setfsgid, int (*)(gid_t))(gid);
}

FP_EXPORT int capset(void *header, const void *data)
{
	ends();
	return NEXT(capset, int (*)(void *, const void *))(header, data);
}

FP_EXPORT int prctl(int option, ...)
{
	unsigned long a[4];
	__builtin_va_list list;

	__builtin_va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = __builtin_va_arg(list, unsigned long);
	__builtin_va_end(list);
	if (unlikely(scope.on))
		prctl_ends(option);
	return NEXT(prctl, int (*)(int, ...))(option, a[0], a[1], a[2], a[3]);
}

/*
 * calls.h - the table of interposed calls: one row a symbol.
 *
 * CALL(id, symbol, version): version is the symbol version to forward to, "" for the default one.
 * Only the functions whose versions behave differently are there twice; architectures that glibc came to
 * later have one version of each. After the interposed ones come those that fastpath itself needs now and
 * then, found the same way.
 */
#ifndef PRELOAD_CALLS_H
#define PRELOAD_CALLS_H

/* The versions of realpath() and posix_spawn(), here and in their definitions. */
#if defined(__x86_64__)
#define REALPATH_VERSION     "GLIBC_2.3"
#define REALPATH_OLD_VERSION "GLIBC_2.2.5"
#define SPAWN_VERSION	     "GLIBC_2.15"
#define SPAWN_OLD_VERSION    "GLIBC_2.2.5"
#elif defined(__i386__)
#define REALPATH_VERSION     "GLIBC_2.3"
#define REALPATH_OLD_VERSION "GLIBC_2.0"
#define SPAWN_VERSION	     "GLIBC_2.15"
#define SPAWN_OLD_VERSION    "GLIBC_2.2"
#else
#define REALPATH_VERSION ""
#define SPAWN_VERSION	 ""
#endif

#if defined(SPAWN_OLD_VERSION)
#define OLD(...) __VA_ARGS__
#else
#define OLD(...)
#endif

/* With a time_t of 64 bits where it had 32. */
#if defined(__i386__)
#define TIME64(...) __VA_ARGS__
#else
#define TIME64(...)
#endif

#define CALLS(CALL)                                                                            \
	CALL(access, "access", "")                                                             \
	CALL(euidaccess, "euidaccess", "")                                                     \
	CALL(eaccess, "eaccess", "")                                                           \
	CALL(faccessat, "faccessat", "")                                                       \
	CALL(stat, "stat", "")                                                                 \
	CALL(stat64, "stat64", "")                                                             \
	CALL(lstat, "lstat", "")                                                               \
	CALL(lstat64, "lstat64", "")                                                           \
	CALL(fstatat, "fstatat", "")                                                           \
	CALL(fstatat64, "fstatat64", "")                                                       \
	CALL(xstat, "__xstat", "")                                                             \
	CALL(xstat64, "__xstat64", "")                                                         \
	CALL(lxstat, "__lxstat", "")                                                           \
	CALL(lxstat64, "__lxstat64", "")                                                       \
	CALL(fxstatat, "__fxstatat", "")                                                       \
	CALL(fxstatat64, "__fxstatat64", "")                                                   \
	TIME64(CALL(stat_time64, "__stat64_time64", ""))                                       \
	TIME64(CALL(lstat_time64, "__lstat64_time64", ""))                                     \
	TIME64(CALL(fstatat_time64, "__fstatat64_time64", ""))                                 \
	CALL(statx, "statx", "")                                                               \
	CALL(open, "open", "")                                                                 \
	CALL(open64, "open64", "")                                                             \
	CALL(uopen, "__open", "")                                                              \
	CALL(uopen64, "__open64", "")                                                          \
	CALL(openat, "openat", "")                                                             \
	CALL(openat64, "openat64", "")                                                         \
	CALL(open_2, "__open_2", "")                                                           \
	CALL(open64_2, "__open64_2", "")                                                       \
	CALL(openat_2, "__openat_2", "")                                                       \
	CALL(openat64_2, "__openat64_2", "")                                                   \
	CALL(fopen, "fopen", "")                                                               \
	CALL(fopen64, "fopen64", "")                                                           \
	CALL(io_fopen, "_IO_fopen", "")                                                        \
	CALL(opendir, "opendir", "")                                                           \
	CALL(readlink, "readlink", "")                                                         \
	CALL(readlinkat, "readlinkat", "")                                                     \
	CALL(readlink_chk, "__readlink_chk", "")                                               \
	CALL(readlinkat_chk, "__readlinkat_chk", "")                                           \
	CALL(realpath, "realpath", REALPATH_VERSION)                                           \
	OLD(CALL(realpath_old, "realpath", REALPATH_OLD_VERSION))                              \
	CALL(realpath_chk, "__realpath_chk", "")                                               \
	CALL(canonicalize, "canonicalize_file_name", "")                                       \
	CALL(execve, "execve", "")                                                             \
	CALL(execv, "execv", "")                                                               \
	CALL(execvp, "execvp", "")                                                             \
	CALL(execvpe, "execvpe", "")                                                           \
	CALL(execveat, "execveat", "")                                                         \
	CALL(fexecve, "fexecve", "")                                                           \
	CALL(posix_spawn, "posix_spawn", SPAWN_VERSION)                                        \
	OLD(CALL(posix_spawn_old, "posix_spawn", SPAWN_OLD_VERSION))                           \
	CALL(posix_spawnp, "posix_spawnp", SPAWN_VERSION)                                      \
	OLD(CALL(posix_spawnp_old, "posix_spawnp", SPAWN_OLD_VERSION))                         \
	CALL(getxattr, "getxattr", "")                                                         \
	CALL(lgetxattr, "lgetxattr", "")                                                       \
	CALL(listxattr, "listxattr", "")                                                       \
	CALL(llistxattr, "llistxattr", "")                                                     \
	CALL(syscall, "syscall", "")                                                           \
	CALL(exit_now, "_exit", "")                                                            \
	CALL(exit_now_c, "_Exit", "")                                                          \
	CALL(clone, "clone", "")                                                               \
	CALL(chroot, "chroot", "")                                                             \
	CALL(pivot_root, "pivot_root", "")                                                     \
	CALL(unshare, "unshare", "")                                                           \
	CALL(setns, "setns", "")                                                               \
	CALL(setuid, "setuid", "")                                                             \
	CALL(seteuid, "seteuid", "")                                                           \
	CALL(setreuid, "setreuid", "")                                                         \
	CALL(setresuid, "setresuid", "")                                                       \
	CALL(setgid, "setgid", "")                                                             \
	CALL(setegid, "setegid", "")                                                           \
	CALL(setregid, "setregid", "")                                                         \
	CALL(setresgid, "setresgid", "")                                                       \
	CALL(setgroups, "setgroups", "")                                                       \
	CALL(initgroups, "initgroups", "")                                                     \
	CALL(setfsuid, "setfsuid", "")                                                         \
	CALL(setfsgid, "setfsgid", "")                                                         \
	CALL(capset, "capset", "")                                                             \
	CALL(prctl, "prctl", "")                                                               \
	CALL(close, "close", "")                                                               \
	CALL(dup2, "dup2", "")                                                                 \
	CALL(dup3, "dup3", "")                                                                 \
	CALL(close_range, "close_range", "")                                                   \
	CALL(closefrom, "closefrom", "")                                                       \
	CALL(errno_location, "__errno_location", "")                                           \
	CALL(clock_gettime, "clock_gettime", "")                                               \
	CALL(malloc, "malloc", "")                                                             \
	CALL(environ, "environ", "")                                                           \
	CALL(curbrk, "__curbrk", "")                                                           \
	CALL(dlopen, "dlopen", "")                                                             \
	CALL(dlsym, "dlsym", "")                                                               \
	CALL(dladdr, "dladdr", "")                                                             \
	CALL(abort, "abort", "")                                                               \
	CALL(testcancel, "pthread_testcancel", "")

#endif

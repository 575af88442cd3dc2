/*
 * failures.c - a preload that counts the failing lookups of a tree by absolute path, by the calls
 * that fastpath interposes: not the dynamic loader's nor libc's own. FAILURES names a file of 64
 * bytes, one 64-bit counter a family in the order of enum family; every process adds to it, however
 * it ends.
 *
 * Listed after libfastpath.so it sees just what that passes on. fastpath caches nothing when a
 * library before libc may rewrite paths; this one does not, and says so by passing for libc: see
 * the end.
 *
 * Calls of libc that look up several paths (realpath(), a search of PATH) are counted by repeating
 * their lookups here, one by one: for counting, never while time is taken.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum family { ACCESS, STAT, OPEN, EXEC, READLINK, REALPATH, XATTR, FAMILIES };

enum { MAP_BYTES = 64, LINKS_MAX = 40 };

static uint64_t *counters;

/* libc's: every other name may lead back through fastpath. */
#define NEXT(name) ((__typeof__(&(name)))next(#name))
static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor)) static void map_counters(void)
{
	const char *path = getenv("FAILURES");
	int fd = path && !counters ? NEXT(open)(path, O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	void *at = mmap(NULL, MAP_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED)
		counters = at;
	NEXT(close)(fd);
}

static void add(enum family family, uint64_t n)
{
	if (!counters)
		map_counters(); /* another preload's constructor was first */
	if (counters)
		__atomic_fetch_add(&counters[family], n, __ATOMIC_RELAXED);
}

static bool counts(const char *path)
{
	return errno != EFAULT && path && *path == '/';
}

/* The result of a call, which failed if it is negative. */
static long tally(enum family family, const char *path, long result)
{
	int error = errno;

	if (result < 0 && counts(path))
		add(family, 1);
	errno = error;
	return result;
}

static void *tally_pointer(enum family family, const char *path, void *result)
{
	tally(family, path, result ? 0 : -1);
	return result;
}

#define INT(family, name, parameters, arguments)                                                   \
	int name parameters                                                                        \
	{                                                                                          \
		return (int)tally(family, path, NEXT(name) arguments);                             \
	}
#define SIZE(family, name, parameters, arguments)                                                  \
	ssize_t name parameters                                                                    \
	{                                                                                          \
		return tally(family, path, NEXT(name) arguments);                                  \
	}

INT(ACCESS, access, (const char *path, int mode), (path, mode))
INT(ACCESS, eaccess, (const char *path, int mode), (path, mode))
INT(ACCESS, euidaccess, (const char *path, int mode), (path, mode))
INT(ACCESS, faccessat, (int dir, const char *path, int mode, int flags), (dir, path, mode, flags))

INT(STAT, stat, (const char *path, struct stat *to), (path, to))
INT(STAT, stat64, (const char *path, struct stat64 *to), (path, to))
INT(STAT, lstat, (const char *path, struct stat *to), (path, to))
INT(STAT, lstat64, (const char *path, struct stat64 *to), (path, to))
INT(STAT, fstatat, (int dir, const char *path, struct stat *to, int flags), (dir, path, to, flags))
INT(STAT, fstatat64, (int dir, const char *path, struct stat64 *to, int flags),
    (dir, path, to, flags))
INT(STAT, statx, (int dir, const char *path, int flags, unsigned mask, struct statx *to),
    (dir, path, flags, mask, to))

/* The mode is passed on whether it is there or not, as libc's own headers do. */
#define OPEN_MODE(flags)                                                                           \
	mode_t mode;                                                                               \
	va_list list;                                                                              \
	va_start(list, flags);                                                                     \
	mode = va_arg(list, mode_t);                                                               \
	va_end(list)
#define OPENS(name)                                                                                \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		OPEN_MODE(flags);                                                                  \
		return (int)tally(OPEN, path, NEXT(name)(path, flags, mode));                      \
	}
#define OPENS_AT(name)                                                                             \
	int name(int dir, const char *path, int flags, ...)                                        \
	{                                                                                          \
		OPEN_MODE(flags);                                                                  \
		return (int)tally(OPEN, path, NEXT(name)(dir, path, flags, mode));                 \
	}

int __open(const char *path, int flags, ...);
int __open64(const char *path, int flags, ...);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

OPENS(open)
OPENS(open64)
OPENS(__open)
OPENS(__open64)
OPENS_AT(openat)
OPENS_AT(openat64)
INT(OPEN, __open_2, (const char *path, int flags), (path, flags))
INT(OPEN, __open64_2, (const char *path, int flags), (path, flags))
INT(OPEN, __openat_2, (int dir, const char *path, int flags), (dir, path, flags))
INT(OPEN, __openat64_2, (int dir, const char *path, int flags), (dir, path, flags))

FILE *fopen(const char *path, const char *mode)
{
	return tally_pointer(OPEN, path, NEXT(fopen)(path, mode));
}

FILE *fopen64(const char *path, const char *mode)
{
	return tally_pointer(OPEN, path, NEXT(fopen64)(path, mode));
}

DIR *opendir(const char *path)
{
	return tally_pointer(OPEN, path, NEXT(opendir)(path));
}

ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room);
ssize_t __readlinkat_chk(int dir, const char *path, char *to, size_t size, size_t room);

SIZE(READLINK, readlink, (const char *path, char *to, size_t size), (path, to, size))
SIZE(READLINK, readlinkat, (int dir, const char *path, char *to, size_t size),
     (dir, path, to, size))
SIZE(READLINK, __readlink_chk, (const char *path, char *to, size_t size, size_t room),
     (path, to, size, room))
SIZE(READLINK, __readlinkat_chk, (int dir, const char *path, char *to, size_t size, size_t room),
     (dir, path, to, size, room))

SIZE(XATTR, getxattr, (const char *path, const char *name, void *to, size_t size),
     (path, name, to, size))
SIZE(XATTR, lgetxattr, (const char *path, const char *name, void *to, size_t size),
     (path, name, to, size))
SIZE(XATTR, listxattr, (const char *path, char *to, size_t size), (path, to, size))
SIZE(XATTR, llistxattr, (const char *path, char *to, size_t size), (path, to, size))

/* glibc's realpath() reads each component as a link; most of them are none, which is a failure too.
 */
static void count_realpath(const char *path)
{
	char rest[2 * PATH_MAX], name[PATH_MAX] = "", link[PATH_MAX];
	int error = errno, links = 0;

	if (!path || *path != '/' || strlen(path) >= PATH_MAX)
		return;
	strcpy(rest, path);
	for (char *at = rest; *(at += strspn(at, "/"));) {
		size_t length = strcspn(at, "/"), end = strlen(name);
		bool here = length == 1 && *at == '.', above = length == 2 && !memcmp(at, "..", 2);
		ssize_t n = -1;

		if (above && end)
			*strrchr(name, '/') = 0;
		if (!here && !above) {
			if (end + length + 2 > sizeof name)
				break;
			name[end] = '/';
			memcpy(name + end + 1, at, length);
			name[end + 1 + length] = 0;
			n = NEXT(readlink)(name, link, sizeof link - 1);
			add(REALPATH, n < 0);
			if (n < 0 && errno != EINVAL)
				break;
		}
		at += length;
		if (n < 0)
			continue;
		if (links++ == LINKS_MAX || (size_t)n + strlen(at) >= PATH_MAX)
			break;
		memmove(rest + n, at, strlen(at) + 1);
		memcpy(rest, link, (size_t)n);
		at = rest;
		name[*link == '/' ? 0 : end] = 0;
	}
	errno = error;
}

char *__realpath_chk(const char *path, char *to, size_t room);

char *realpath(const char *path, char *to)
{
	count_realpath(path);
	return NEXT(realpath)(path, to);
}

char *__realpath_chk(const char *path, char *to, size_t room)
{
	count_realpath(path);
	return NEXT(__realpath_chk)(path, to, room);
}

char *canonicalize_file_name(const char *path)
{
	count_realpath(path);
	return NEXT(canonicalize_file_name)(path);
}

/* A search of PATH fails on each directory before the first that has the file. */
static void count_search(const char *file)
{
	const char *path = getenv("PATH");
	char candidate[PATH_MAX];
	int error = errno;

	for (; path && *path; path += *path == ':') {
		size_t length = strcspn(path, ":");

		if (*path == '/' && length + strlen(file) + 2 <= sizeof candidate) {
			memcpy(candidate, path, length);
			candidate[length] = '/';
			strcpy(candidate + length + 1, file);
			if (!NEXT(access)(candidate, F_OK))
				break;
			add(EXEC, 1);
		}
		path += length;
	}
	errno = error;
}

static long tally_search(const char *file, long result)
{
	return strchr(file, '/') ? tally(EXEC, file, result) : result;
}

INT(EXEC, execve, (const char *path, char *const argv[], char *const envp[]), (path, argv, envp))
INT(EXEC, execv, (const char *path, char *const argv[]), (path, argv))

int execvp(const char *file, char *const argv[])
{
	if (!strchr(file, '/'))
		count_search(file);
	return (int)tally_search(file, NEXT(execvp)(file, argv));
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
	if (!strchr(file, '/'))
		count_search(file);
	return (int)tally_search(file, NEXT(execvpe)(file, argv, envp));
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	int error = NEXT(posix_spawn)(pid, path, actions, attributes, argv, envp);

	tally(EXEC, path, -error);
	return error;
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	if (!strchr(file, '/'))
		count_search(file);
	int error = NEXT(posix_spawnp)(pid, file, actions, attributes, argv, envp);

	tally_search(file, -error);
	return error;
}

/* What fastpath knows libc by (next_is_foreign() in shim/preload/next.c). */
const char *gnu_get_libc_version(void);
const char *gnu_get_libc_version(void)
{
	return NEXT(gnu_get_libc_version)();
}

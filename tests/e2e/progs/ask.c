/*
 * ask.c - asks about paths through libc by every call family and compares each answer with the
 * raw system call's; run under the library by coherence.sh and filesystems.sh.
 *
 * usage: ask [-f FIRST] [-o main|thread|child] PATH...
 *
 * Asks three rounds, so that everything that can be known is known, says "ready" on stdout and
 * waits for a line on stdin, before which the world may change: "go" compares again (in the order
 * of -o first by another thread, or by a forked child, then by the main thread; the family FIRST
 * goes first) and gets everything known anew; "self OP ARG..." makes a change itself by raw system
 * calls; "end" ends. A path that starts with ~ may stay unknown. Lines on stderr: MISMATCH ...;
 * UNSERVED path: the third round was not answered by the library; UNCHANGED: nothing changed, so
 * the case proves nothing; BELL name; SERVED total.
 */
#define _GNU_SOURCE
#include "fastpath.h"
#include "raw.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char **environ;

struct answer {
	long ret;                 /* 0 or a size, or -errno */
	char data[PATH_MAX + 64]; /* what else the call told */
};

static int compared, mismatches;
static const char *phase = "hot";

static long result(long ret)
{
	return ret < 0 ? -errno : ret;
}

static void tell_stat(struct answer *a, const struct stat *st)
{
	snprintf(a->data, sizeof a->data, "dev %llx ino %llu mode %o links %llu",
		 (unsigned long long)st->st_dev, (unsigned long long)st->st_ino, st->st_mode,
		 (unsigned long long)st->st_nlink);
}

static void tell_fd(struct answer *a, long fd)
{
	struct stat st;

	a->ret = fd < 0 ? fd : 0;
	if (fd < 0)
		return;
	if (raw_fstatat((int)fd, "", &st, AT_EMPTY_PATH) == 0)
		tell_stat(a, &st);
	raw_close((int)fd);
}

static void tell_statx(struct answer *a, const struct statx *x)
{
	snprintf(a->data, sizeof a->data, "ino %llu mode %o links %u",
		 (unsigned long long)x->stx_ino, x->stx_mode, x->stx_nlink);
}

/* ---- one pair of functions a family: through libc, and raw ---- */

#define ACCESS_PAIR(name, libc_call, raw_mode)                                                     \
	static void libc_##name(const char *p, struct answer *a)                                   \
	{                                                                                          \
		a->ret = result(libc_call);                                                        \
	}                                                                                          \
	static void raw_##name##_(const char *p, struct answer *a)                                 \
	{                                                                                          \
		a->ret = raw_access(p, raw_mode);                                                  \
	}

ACCESS_PAIR(access_f, access(p, F_OK), F_OK)
ACCESS_PAIR(access_r, access(p, R_OK), R_OK)
ACCESS_PAIR(access_w, access(p, W_OK), W_OK)
ACCESS_PAIR(access_x, access(p, X_OK), X_OK)
ACCESS_PAIR(access_rx, access(p, R_OK | X_OK), R_OK | X_OK)
ACCESS_PAIR(faccessat, faccessat(-1, p, R_OK, 0), R_OK)
ACCESS_PAIR(eaccess, eaccess(p, F_OK), F_OK) /* real = effective in ask */
ACCESS_PAIR(euidaccess, euidaccess(p, X_OK), X_OK)

#define STAT_PAIR(name, libc_call, raw_flags)                                                      \
	static void libc_##name(const char *p, struct answer *a)                                   \
	{                                                                                          \
		struct stat st;                                                                    \
		a->ret = result(libc_call);                                                        \
		if (a->ret == 0)                                                                   \
			tell_stat(a, &st);                                                         \
	}                                                                                          \
	static void raw_##name##_(const char *p, struct answer *a)                                 \
	{                                                                                          \
		struct stat st;                                                                    \
		a->ret = raw_fstatat(AT_FDCWD, p, &st, raw_flags);                                 \
		if (a->ret == 0)                                                                   \
			tell_stat(a, &st);                                                         \
	}

STAT_PAIR(stat, stat(p, &st), 0)
STAT_PAIR(lstat, lstat(p, &st), AT_SYMLINK_NOFOLLOW)
STAT_PAIR(fstatat, fstatat(AT_FDCWD, p, &st, 0), 0)

static void libc_statx(const char *p, struct answer *a)
{
	struct statx x;

	a->ret = result(statx(AT_FDCWD, p, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &x));
	if (a->ret == 0)
		tell_statx(a, &x);
}

static void raw_statx_(const char *p, struct answer *a)
{
	struct statx x;

	a->ret = raw5(SYS_statx, AT_FDCWD, p, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &x);
	if (a->ret == 0)
		tell_statx(a, &x);
}

#define OPEN_PAIR(name, libc_call, raw_flags)                                                      \
	static void libc_##name(const char *p, struct answer *a)                                   \
	{                                                                                          \
		tell_fd(a, result(libc_call));                                                     \
	}                                                                                          \
	static void raw_##name##_(const char *p, struct answer *a)                                 \
	{                                                                                          \
		tell_fd(a, raw_openat(AT_FDCWD, p, raw_flags, 0));                                 \
	}

OPEN_PAIR(open, open(p, O_RDONLY | O_NONBLOCK), O_RDONLY | O_NONBLOCK)
OPEN_PAIR(openat, openat(-1, p, O_PATH | O_NOFOLLOW), O_PATH | O_NOFOLLOW)
OPEN_PAIR(open_directory, open(p, O_RDONLY | O_DIRECTORY), O_RDONLY | O_DIRECTORY)

static bool is_fifo(const char *p)
{
	struct stat st;

	return raw_fstatat(AT_FDCWD, p, &st, 0) == 0 && S_ISFIFO(st.st_mode);
}

static void libc_fopen(const char *p, struct answer *a)
{
	FILE *f = is_fifo(p) ? NULL : fopen(p, "r");

	a->ret = f ? 0 : is_fifo(p) ? 0 : -errno;
	if (f)
		fclose(f);
}

static void raw_fopen_(const char *p, struct answer *a)
{
	tell_fd(a, raw_openat(AT_FDCWD, p, O_RDONLY | O_NONBLOCK, 0));
	a->data[0] = 0;
}

static void libc_opendir(const char *p, struct answer *a)
{
	DIR *d = opendir(p);

	a->ret = d ? 0 : -errno;
	if (d)
		closedir(d);
}

static void raw_opendir_(const char *p, struct answer *a)
{
	tell_fd(a, raw_openat(AT_FDCWD, p, O_RDONLY | O_NONBLOCK | O_DIRECTORY, 0));
	a->data[0] = 0;
}

static void libc_readlink(const char *p, struct answer *a)
{
	a->ret = result(readlink(p, a->data, sizeof a->data - 1));
}

static void raw_readlink_(const char *p, struct answer *a)
{
	a->ret = raw4(SYS_readlinkat, AT_FDCWD, p, a->data, sizeof a->data - 1);
}

static void libc_readlinkat(const char *p, struct answer *a)
{
	a->ret = result(readlinkat(-1, p, a->data, sizeof a->data - 1));
}

static void libc_realpath(const char *p, struct answer *a)
{
	char *r = realpath(p, NULL);

	a->ret = r ? 0 : -errno;
	if (r)
		snprintf(a->data, sizeof a->data, "%s", r);
	free(r);
}

/* The name of an O_PATH descriptor is the canonical path. */
static void raw_realpath_(const char *p, struct answer *a)
{
	char link[64];
	long fd = raw_openat(AT_FDCWD, p, O_PATH, 0);

	a->ret = fd < 0 ? fd : 0;
	if (fd < 0)
		return;
	snprintf(link, sizeof link, "/proc/self/fd/%ld", fd);
	if (raw4(SYS_readlinkat, AT_FDCWD, link, a->data, sizeof a->data - 1) < 0)
		a->ret = -ENOSYS;
	raw_close((int)fd);
}

static void libc_canonicalize(const char *p, struct answer *a)
{
	char *r = canonicalize_file_name(p);

	a->ret = r ? 0 : -errno;
	if (r)
		snprintf(a->data, sizeof a->data, "%s", r);
	free(r);
}

#define XATTR_PAIR(fn, call, name, attribute)                                                      \
	static void libc_##name(const char *p, struct answer *a)                                   \
	{                                                                                          \
		char b[256];                                                                       \
		a->ret = result(call(p, attribute, b, sizeof b));                                  \
	}                                                                                          \
	static void raw_##name##_(const char *p, struct answer *a)                                 \
	{                                                                                          \
		char b[256];                                                                       \
		a->ret = raw4(SYS_##call, p, attribute, b, sizeof b);                              \
	}

XATTR_PAIR(f, getxattr, getxattr_capability, "security.capability")
XATTR_PAIR(f, getxattr, getxattr_acl, "system.posix_acl_access")
XATTR_PAIR(f, lgetxattr, lgetxattr_selinux, "security.selinux")
XATTR_PAIR(f, lgetxattr, lgetxattr_default, "system.posix_acl_default")
XATTR_PAIR(f, getxattr, getxattr_user, "user.fastpath")

static void libc_listxattr(const char *p, struct answer *a)
{
	char b[1024];

	a->ret = result(listxattr(p, b, sizeof b));
}

static void raw_listxattr_(const char *p, struct answer *a)
{
	char b[1024];

	a->ret = raw3(SYS_listxattr, p, b, sizeof b);
}

/* True when running it could do something: then exec is not asked. */
static bool runs(const char *p)
{
	struct stat st;

	return raw_fstatat(AT_FDCWD, p, &st, 0) == 0 && S_ISREG(st.st_mode) &&
	       raw_access(p, X_OK) == 0;
}

static void libc_exec(const char *p, struct answer *a)
{
	char *argv[] = {(char *)p, NULL};
	int status;
	pid_t pid;

	if (runs(p))
		return;
	pid = vfork();
	if (pid == 0) {
		execv(p, argv);
		_exit(errno);
	}
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status))
		a->ret = -WEXITSTATUS(status);
	else
		a->ret = -999;
}

static void raw_exec_(const char *p, struct answer *a)
{
	char *argv[] = {(char *)p, NULL};
	int status;
	pid_t pid;

	if (runs(p))
		return;
	pid = vfork();
	if (pid == 0)
		raw_exit((int)-raw3(SYS_execve, p, argv, environ));
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status))
		a->ret = -WEXITSTATUS(status);
	else
		a->ret = -998;
}

static void libc_spawn(const char *p, struct answer *a)
{
	char *argv[] = {(char *)p, NULL};
	pid_t pid;

	if (!runs(p))
		a->ret = -posix_spawn(&pid, p, NULL, NULL, argv, environ);
}

/* glibc leaves an unreadable or non-executable file to execve, so the answers agree. */
static const struct family {
	const char *name;
	void (*libc)(const char *, struct answer *);
	void (*raw)(const char *, struct answer *);
	bool data; /* the data must be equal too */
} families[] = {
    {"stat", libc_stat, raw_stat_, true},
    {"access(F_OK)", libc_access_f, raw_access_f_, false},
    {"open", libc_open, raw_open_, true},
    {"execv", libc_exec, raw_exec_, false},
    {"realpath", libc_realpath, raw_realpath_, true},
    {"access(X_OK)", libc_access_x, raw_access_x_, false},
    {"readlink", libc_readlink, raw_readlink_, true},
    {"getxattr(security.capability)", libc_getxattr_capability, raw_getxattr_capability_, false},
    {"lstat", libc_lstat, raw_lstat_, true},
    {"access(R_OK)", libc_access_r, raw_access_r_, false},
    {"statx", libc_statx, raw_statx_, true},
    {"fopen", libc_fopen, raw_fopen_, false},
    {"access(W_OK)", libc_access_w, raw_access_w_, false},
    {"access(R_OK|X_OK)", libc_access_rx, raw_access_rx_, false},
    {"faccessat", libc_faccessat, raw_faccessat_, false},
    {"eaccess", libc_eaccess, raw_eaccess_, false},
    {"euidaccess", libc_euidaccess, raw_euidaccess_, false},
    {"fstatat", libc_fstatat, raw_fstatat_, true},
    {"openat", libc_openat, raw_openat_, true},
    {"open(O_DIRECTORY)", libc_open_directory, raw_open_directory_, true},
    {"opendir", libc_opendir, raw_opendir_, false},
    {"readlinkat", libc_readlinkat, raw_readlink_, true},
    {"canonicalize_file_name", libc_canonicalize, raw_realpath_, true},
    {"posix_spawn", libc_spawn, raw_exec_, false},
    {"getxattr(acl_access)", libc_getxattr_acl, raw_getxattr_acl_, false},
    {"lgetxattr(selinux)", libc_lgetxattr_selinux, raw_lgetxattr_selinux_, false},
    {"lgetxattr(acl_default)", libc_lgetxattr_default, raw_lgetxattr_default_, false},
    {"getxattr(user)", libc_getxattr_user, raw_getxattr_user_, false},
    {"listxattr", libc_listxattr, raw_listxattr_, false},
};
enum { FAMILIES = sizeof families / sizeof *families };

static char **paths;
static bool *optional;
static unsigned first;

static uint64_t served(void)
{
	struct fastpath_stats s;
	uint64_t n = 0;

	memset(&s, 0, sizeof s);
	if (!fastpath_stats || fastpath_stats(&s, sizeof s) != 0)
		return 0;
	for (int i = 0; i < FASTPATH_CALLS; i++)
		n += s.served[i];
	return n;
}

static void compare(const struct family *f, const char *path, const char *who)
{
	static __thread struct answer mine,
	    kernels; /* zeroed at first, data cut to strings below */

	memset(&mine, 0, sizeof mine);
	memset(&kernels, 0, sizeof kernels);
	f->libc(path, &mine);
	f->raw(path, &kernels);
	__atomic_fetch_add(&compared, 1, __ATOMIC_RELAXED);
	if (f->raw == raw_realpath_ && kernels.ret == -ENOSYS)
		return; /* no /proc: no telling */
	if (f->raw == raw_statx_ && kernels.ret == -ENOSYS)
		return; /* then glibc asks fstatat */
	if (f->libc == libc_spawn && mine.ret == -ENOMEM)
		return; /* its own: no memory for the child's stack */
	if (mine.ret == kernels.ret && (!f->data || strcmp(mine.data, kernels.data) == 0))
		return;
	if (__atomic_fetch_add(&mismatches, 1, __ATOMIC_RELAXED) < 8)
		fprintf(stderr, "MISMATCH %s, %s: %s of %s: %ld %s, the kernel says %ld %s\n",
			phase, who, f->name, path, mine.ret, mine.data, kernels.ret, kernels.data);
}

static void compare_all(const char *path, const char *who)
{
	for (unsigned i = 0; i < FAMILIES; i++)
		compare(&families[(first + i) % FAMILIES], path, who);
}

static void *thread_main(void *unused)
{
	(void)unused;
	for (int i = 0; paths[i]; i++)
		compare_all(paths[i], "another thread");
	return NULL;
}

static void compare_in(const char *order)
{
	if (!strcmp(order, "thread")) {
		pthread_t t;
		int error = pthread_create(&t, NULL, thread_main, NULL);

		if (error) {
			fprintf(stderr, "MISMATCH pthread_create: %s\n", strerror(error));
			return;
		}
		pthread_join(t, NULL);
	} else if (!strcmp(order, "child")) {
		int status, before = mismatches;
		pid_t pid = fork();

		if (pid == 0) {
			for (int round = 0; round < 2; round++)
				for (int i = 0; paths[i]; i++)
					compare_all(paths[i], "a forked child");
			_exit(mismatches != before);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0) {
			fprintf(stderr, "MISMATCH in a forked child, status %x\n", status);
			mismatches++;
		}
	}
	for (int i = 0; paths[i]; i++)
		compare_all(paths[i], "main");
}

/* What the kernel says of all paths, in one number. */
static uint64_t world(void)
{
	uint64_t h = 1469598103934665603u;

	for (int i = 0; paths[i]; i++)
		for (unsigned f = 0; f < FAMILIES; f++) {
			struct answer a;

			memset(&a, 0, sizeof a);
			families[f].raw(paths[i], &a);
			h = (h ^ (uint64_t)a.ret) * 1099511628211u;
			for (char *c = a.data; *c; c++)
				h = (h ^ (unsigned char)*c) * 1099511628211u;
		}
	return h;
}

static void heat(bool demand)
{
	for (int round = 0; round < 2; round++)
		for (int i = 0; paths[i]; i++)
			compare_all(paths[i], "main");
	for (int i = 0; paths[i]; i++) {
		uint64_t before = served();

		compare_all(paths[i], "main");
		if (demand && !optional[i] && served() == before)
			fprintf(stderr, "UNSERVED %s\n", paths[i]);
	}
}

static long operate(char *line)
{
	char *a[4] = {0}, *save;
	int n = 0;
	long r = -EINVAL;

	for (char *w = strtok_r(line, " \n", &save); w && n < 4; w = strtok_r(NULL, " \n", &save))
		a[n++] = w;
	if (n < 2)
		return -EINVAL;
	if (!strcmp(a[0], "creat")) {
		r = raw_openat(AT_FDCWD, a[1], O_CREAT | O_WRONLY, 0644);
		if (r >= 0)
			raw_close((int)r);
	} else if (!strcmp(a[0], "mkdir")) {
		r = raw3(SYS_mkdirat, AT_FDCWD, a[1], 0755);
	} else if (!strcmp(a[0], "unlink")) {
		r = raw3(SYS_unlinkat, AT_FDCWD, a[1], 0);
	} else if (!strcmp(a[0], "rmdir")) {
		r = raw3(SYS_unlinkat, AT_FDCWD, a[1], AT_REMOVEDIR);
	} else if (!strcmp(a[0], "rename") && n == 3) {
		r = raw5(SYS_renameat2, AT_FDCWD, a[1], AT_FDCWD, a[2], 0);
	} else if (!strcmp(a[0], "exchange") && n == 3) {
		r = raw5(SYS_renameat2, AT_FDCWD, a[1], AT_FDCWD, a[2], 2);
	} else if (!strcmp(a[0], "symlink") && n == 3) {
		r = raw3(SYS_symlinkat, a[1], AT_FDCWD, a[2]);
	} else if (!strcmp(a[0], "link") && n == 3) {
		r = raw5(SYS_linkat, AT_FDCWD, a[1], AT_FDCWD, a[2], 0);
	} else if (!strcmp(a[0], "chmod") && n == 3) {
		r = raw3(SYS_fchmodat, AT_FDCWD, a[2], strtol(a[1], NULL, 8));
	} else if (!strcmp(a[0], "bind") && n == 3) {
		r = raw5(SYS_mount, a[1], a[2], "", MS_BIND, 0);
	} else if (!strcmp(a[0], "umount")) {
		r = raw3(SYS_umount2, a[1], MNT_DETACH, 0);
	}
	return r < 0 ? r : 0;
}

static void say_bell(void)
{
	static const char *const names[] = {"none", "page", "epoll"};
	struct fastpath_stats s;

	memset(&s, 0, sizeof s);
	if (fastpath_stats && fastpath_stats(&s, sizeof s) == 0)
		fprintf(stderr, "BELL %s\n", names[s.bell % 3]);
}

int main(int argc, char **argv)
{
	const char *order = "main";
	char line[3 * PATH_MAX];
	uint64_t now, then;
	int opt, n;

	while ((opt = getopt(argc, argv, "f:o:")) != -1) {
		if (opt == 'f')
			first = (unsigned)strtoul(optarg, NULL, 10) % FAMILIES;
		else if (opt == 'o')
			order = optarg;
		else
			return 2;
	}
	paths = argv + optind;
	/* A path that goes on in the next page is the kernel's: none of these shall. */
	for (char **path = paths; *path; path++) {
		char *whole = aligned_alloc(4096, 8192);

		*path = strncpy(whole, *path, 8191);
	}
	n = argc - optind;
	optional = calloc((size_t)n + 1, sizeof *optional);
	for (int i = 0; i < n; i++)
		if (paths[i][0] == '~') {
			optional[i] = true;
			paths[i]++;
		}
	heat(true);
	say_bell();
	then = world();
	printf("ready\n");
	fflush(stdout);
	phase = "after the change";
	while (fgets(line, sizeof line, stdin)) {
		if (!strcmp(line, "end\n"))
			break;
		if (!strncmp(line, "self ", 5)) {
			long r = operate(line + 5);

			printf("done\n");
			fflush(stdout);
			if (r < 0)
				fprintf(stderr, "MISMATCH self %s: %s\n", line + 5,
					strerror((int)-r));
			continue;
		}
		compare_in(order);
		now = world();
		if (now == then)
			fprintf(stderr, "UNCHANGED\n");
		then = now;
		heat(false);
		printf("ready\n");
		fflush(stdout);
	}
	fprintf(stderr, "SERVED %llu of %d\n", (unsigned long long)served(), compared);
	return mismatches != 0;
}

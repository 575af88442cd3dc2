/*
 * differential.c - every answer of the library equals the kernel's, whatever happened before.
 *
 * A seeded generator changes a small tree (by libc, by raw system call, in a thread, in another
 * process) and asks about it through every interposed spelling. Each answer (value, errno, bytes)
 * is compared with the raw system call's; where glibc builds the answer itself, with libc's own
 * definition, found past every preload. tests/e2e/differential.sh runs it; by hand:
 *
 *	FASTPATH=1 FASTPATH_TEST=eager LD_PRELOAD=$PWD/build/libfastpath.so \
 *		build/differential --seed 1 --steps 20000 [--as-user] [--fs tmpfs] [--trace STEP]
 *
 * Draws depend on the seed and on the tree as the kernel tells it, so a seed repeats its run.
 * Leaves its tree in $TMPDIR.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#if defined(__i386__)
#define _FILE_OFFSET_BITS 64
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "fastpath.h"

/* Those of the sizes that this program's own structs and ids have. */
#if defined(__i386__)
#undef SYS_fstat
#undef SYS_setgroups
#undef SYS_setresuid
#undef SYS_setresgid
#define SYS_newfstatat SYS_fstatat64
#define SYS_fstat      SYS_fstat64
#define SYS_setgroups  SYS_setgroups32
#define SYS_setresuid  SYS_setresuid32
#define SYS_setresgid  SYS_setresgid32
#endif

enum {
	PATH_BYTES = PATH_MAX + 512,
	OUT_BYTES = PATH_MAX + 256,
	UNTOUCHED = 0xA5,  /* what an output buffer holds before the call */
	ERRNO_BEFORE = 77, /* a success must leave it alone where the kernel's wrapper does */
	MUTATIONS_LOGGED = 20,
	HOT = 48,   /* paths asked again and again: a fact that is never hit proves nothing */
	RECENT = 6, /* paths changed last */
	HELD = 6,   /* directories held open, also while they are removed */
	PATH_ELEMENTS = 6,
	NOBODY = 65534
};

#define COUNT(array) ((unsigned)(sizeof(array) / sizeof((array)[0])))
#define PICK(array)  ((array)[below(COUNT(array))])
#define P(pointer)   ((long)(pointer))

/* ---- the kernel, past every interposable symbol ---- */

/* Returns the result or -errno. */
__attribute__((noinline)) static long raw(long nr, const long a[6])
{
#if defined(__x86_64__)
	register long d __asm__("r10") = a[3], e __asm__("r8") = a[4], f __asm__("r9") = a[5];
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(d), "r"(e), "r"(f)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long n __asm__("x8") = nr;
	register long x0 __asm__("x0") = a[0], x1 __asm__("x1") = a[1], x2 __asm__("x2") = a[2];
	register long x3 __asm__("x3") = a[3], x4 __asm__("x4") = a[4], x5 __asm__("x5") = a[5];

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(n), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#elif defined(__riscv)
	register long n __asm__("a7") = nr;
	register long a0 __asm__("a0") = a[0], a1 __asm__("a1") = a[1], a2 __asm__("a2") = a[2];
	register long a3 __asm__("a3") = a[3], a4 __asm__("a4") = a[4], a5 __asm__("a5") = a[5];

	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(n), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
#elif defined(__i386__)
	long ret;

	/* The sixth argument is in the frame pointer, which the compiler does not lend. */
	__asm__ volatile("pushl %[f]\n\tpushl %%ebp\n\tmovl 4(%%esp), %%ebp\n\tint $0x80\n\t"
			 "popl %%ebp\n\taddl $4, %%esp"
			 : "=a"(ret)
			 : "a"(nr), "b"(a[0]), "c"(a[1]), "d"(a[2]), "S"(a[3]), "D"(a[4]), [f] "g"(a[5])
			 : "memory", "cc");
	return ret;
#else
#error "raw(): this architecture's system call instruction"
#endif
}

#define RAW(nr, ...) raw((nr), (const long[6]){__VA_ARGS__})

/* ---- what is asked ---- */

enum pointer { PLAIN, AT_EDGE, CUT_AT_EDGE, NULL_POINTER, FIRST_BYTE, FIRST_PAGE, NON_CANONICAL };
enum asker { ASK_HERE, ASK_THREAD, ASK_VFORKED };

struct question {
	const struct row *row;
	enum pointer pointer;
	enum asker asker;
	char text[PATH_BYTES];
	const char *path; /* text, or a copy at the edge of a page, or no string at all */
	unsigned gap;     /* from its NUL to the edge */
	int dirfd, mode, at_flags, open_flags, version;
	unsigned statx_mask;
	size_t size;
	const char *name, *fopen_mode; /* an xattr's; fopen's */
	bool no_buffer, no_result;     /* bad output pointer; realpath(path, NULL) */
	bool vforked, own_environment, bad_argv;
	int spawn_actions;
	char search[PATH_ELEMENTS * 256]; /* PATH; "-" means none */
	bool absent;                      /* just before it is asked */
};

struct answer {
	long ret;
	int err;
	unsigned char out[OUT_BYTES] __attribute__((aligned(16)));
};

typedef void ask_fn(void *fn, const struct question *q, struct answer *a);

enum takes {
	ANY_POINTER = 1, /* hands the path on unread: EFAULT instead of a crash */
	CHECKED = 2,     /* a fortified spelling: aborts where the plain one returns an error */
	BLOCKS = 4,      /* on a fifo without a writer */
	RUNS = 8,        /* makes a child of its own */
	SEARCHES = 16,   /* looks for the name in PATH */
	VERSIONED = 32   /* two versions with two meanings */
};

struct row {
	const char *name, *version;
	enum fastpath_call family;
	ask_fn *ask, *truth; /* no truth: ask libc's own definition the same way */
	unsigned takes;
};

/* ---- what changes ---- */

enum by { BY_LIBC, BY_RAW, BY_THREAD, BY_PROCESS, BYS };
static const char *const by_names[BYS] = {"libc", "raw call", "thread", "other process"};

struct mutation {
	unsigned long step;
	unsigned op, arg;
	enum by by;
	long result;
	char from[PATH_BYTES], to[PATH_BYTES];
};

/* Shared with the other process, which only runs `mutation` when its turn comes. */
struct shared {
	uint32_t turn;
	bool quit, mounts;
	uid_t user;
	volatile int child_errno; /* written by a child just before it gives up */
	char root[256];           /* holds everything; not sticky, so symlinks work */
	char base[256], twin[256], side[256];
	struct mutation mutation;
	unsigned long logged;
	struct mutation log[MUTATIONS_LOGGED];
};

static struct shared *sh;
static unsigned long seed = 1, steps = 20000, step_now, trace_from = -1UL;
static bool as_user, in_child, chrooted;
static char *tree; /* the fastpath command that is to run the test in a session */
static const char *fs_kind = "disk";
static unsigned long asked, agreed_absent, changes, changes_made;
static int held[HELD];
static char *guard_end; /* the first byte of a page that may not be touched */
static char search_variable[PATH_ELEMENTS * 256 + 8];
static char *small_environment[] = {"FASTPATH=0", "LC_ALL=C", NULL};

extern char **environ;

/* ---- draws ---- */

static uint64_t draw_state;

/* splitmix64 */
static uint64_t draw(void)
{
	uint64_t z = draw_state += 0x9E3779B97F4A7C15u;

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
	z = (z ^ z >> 27) * 0x94D049BB133111EBu;
	return z ^ z >> 31;
}

static unsigned below(unsigned n)
{
	return (unsigned)(draw() >> 33) % n;
}

static bool percent(unsigned n)
{
	return below(100) < n;
}

/* ---- failing ---- */

static const char *run_name(const char *promise)
{
	static char name[256];
	const char *test = getenv("FASTPATH_TEST");

	snprintf(name, sizeof name, "%s_seed_%lu_%s_%s_%s", promise, seed, fs_kind,
		 as_user     ? "user_beside_root"
		 : geteuid() ? "user"
			     : "root",
		 tree                    ? "tree"
		 : !test                 ? "thrifty"
		 : strstr(test, "epoll") ? "epoll"
					 : "page");
	return name;
}

/* Ends the run: the harness's own troubles. */
__attribute__((format(printf, 1, 2), noreturn)) static void fail(const char *format, ...)
{
	va_list args;

	printf("FAIL %s: step %lu: ", run_name("every_answer_equals_the_kernels"), step_now);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

static const char *printable(char *to, const char *from, size_t size)
{
	size_t at = 0;

	for (; *from && at + 5 < size; from++) {
		if (*from > ' ' && *from <= '~' && *from != '\\')
			to[at++] = *from;
		else
			at += (size_t)sprintf(to + at, "\\x%02x", (unsigned char)*from);
	}
	to[at] = 0;
	return to;
}

/* ---- taking turns ---- */

static void turn_give(uint32_t *turn, uint32_t to)
{
	__atomic_store_n(turn, to, __ATOMIC_SEQ_CST);
	RAW(SYS_futex, P(turn), FUTEX_WAKE, 1);
}

enum { MINUTE = 60, FOR_EVER = INT_MAX };

/* False: the other side has not given it for that many seconds. */
static bool turn_wait(uint32_t *turn, uint32_t want, int limit)
{
	struct timespec second = {.tv_sec = 1};
	int seconds = 0;

	for (int i = 0; i < 2000; i++)
		if (__atomic_load_n(turn, __ATOMIC_SEQ_CST) == want)
			return true;
	while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) != want) {
		long ret = RAW(SYS_futex, P(turn), FUTEX_WAIT, !want, P(&second));
		if (ret == -ETIMEDOUT && ++seconds >= limit)
			return false;
	}
	return true;
}

/* ---- paths ---- */

/* Short names that meet often; the last ones exist seldom or never. */
static const char *const names[] = {
    "a", "b", "c", "d", "x", "y", "z", "l", "m", "X", "no", "\xff\xfe\xc3",
};
static const char *const directories[] = {"a", "b", "c", "d", "a", "b", "l", "m0", "m1", "m2"};
static const char *const system_paths[] = {
    "/",
    "/bin/true",
    "/bin/no-such-program",
    "/etc/passwd",
    "/usr/include/no",
    "/usr/lib/no/no/x",
    "/no-such-directory/x",
    "/proc/self/fd/77",
    "/proc/self/maps",
    "/dev/null",
    "/dev/fd/0",
    "/etc/passwd/x",
    "/tmp/no-such",
    "/var/tmp/../no",
    "/usr/../bin/true/",
    "/sys/no",
};

static char hot[HOT][PATH_BYTES], recent[RECENT][PATH_BYTES];

static void path_add(char *path, const char *name)
{
	size_t n = strlen(path);

	snprintf(path + n, PATH_BYTES - n, "/%s", name);
}

static void path_fresh(char *path)
{
	unsigned depth = below(4);

	strcpy(path, sh->base);
	while (depth--)
		path_add(path, PICK(directories));
	path_add(path, PICK(names));
}

/* Drops the last component, but never the base's own. */
static void path_parent(char *path)
{
	char *slash = strrchr(path, '/');

	if ((size_t)(slash - path) > strlen(sh->base))
		*slash = 0;
}

static bool exists(const char *path)
{
	struct stat st;

	return RAW(SYS_newfstatat, AT_FDCWD, P(path), P(&st), AT_SYMLINK_NOFOLLOW) == 0;
}

/* A path below the base, spelled plainly: what mutations work on. */
static void path_plain(char *path)
{
	if (percent(25))
		path_fresh(path);
	else
		strcpy(path, hot[below(HOT)]);
	if (percent(35))
		path_parent(path);
	if (percent(15))
		path_parent(path);
}

enum fit { ANYTHING, NOTHING, A_FILE, A_DIRECTORY };

static bool fits(const char *path, enum fit fit)
{
	struct stat st;
	bool there = RAW(SYS_newfstatat, AT_FDCWD, P(path), P(&st), AT_SYMLINK_NOFOLLOW) == 0;

	if (!there || fit == NOTHING)
		return !there && fit == NOTHING;
	return fit == ANYTHING || S_ISDIR(st.st_mode) == (fit == A_DIRECTORY);
}

/* One that is there, or not yet there but could be: most changes shall take place. */
static void path_fitting(char *path, enum fit fit)
{
	char parent[PATH_BYTES];

	for (unsigned tries = 1 + below(8); tries; tries--) {
		path_plain(path);
		strcpy(parent, path);
		path_parent(parent);
		if (fits(path, fit) && exists(parent))
			return;
	}
}

static void path_mount(char *path)
{
	static const char *const points[] = {"m0", "m1", "m2"};

	path_plain(path);
	if (percent(60)) {
		strcpy(path, sh->base);
		path_add(path, PICK(points));
	}
}

static void path_insert(char *path, char *at, const char *what)
{
	size_t n = strlen(what);

	if (strlen(path) + n >= PATH_BYTES)
		return;
	memmove(at + n, at, strlen(at) + 1);
	memcpy(at, what, n);
}

/* Some slash of the path, at or below the base. */
static char *path_slash(char *path)
{
	size_t from = strncmp(path, sh->base, strlen(sh->base)) ? 0 : strlen(sh->base);
	unsigned n = 0;
	char *found = path + strlen(path);

	for (char *p = path + from; *p; p++)
		if (*p == '/' && below(++n) == 0)
			found = p;
	return found;
}

/* Lengthens the path to `length` bytes without changing what it names. */
static void path_pad(char *path, size_t length)
{
	char *at = path_slash(path);
	size_t n = strlen(path), pad = length > n ? length - n : 0;

	if (!*at)
		return;
	memmove(at + pad, at, n - (size_t)(at - path) + 1);
	for (size_t i = 0; i < pad; i++)
		at[i] = i % 2 && pad % 2 == 0 ? '.' : '/';
}

static void path_name_of(char *path, size_t length)
{
	char name[300];

	memset(name, 'n', length);
	name[length] = 0;
	path_add(path, name);
}

/* The many ways to write, or to miss, a path. At most one "..": nothing may leave the root. */
static void path_respell(char *path)
{
	static const char *const tails[] = {"/", "//", "/.", "/..", "/./", "/no/..", "/x/", "/."};
	static const size_t lengths[] = {PATH_MAX - 2, PATH_MAX - 1, PATH_MAX, PATH_MAX + 1};

	switch (below(12)) {
	case 0:
		path_insert(path, path_slash(path), "/");
		break;
	case 1:
		path_insert(path, path_slash(path), "/.");
		break;
	case 2:
	case 3:
		path_insert(path, path_slash(path), "/..");
		break;
	case 4:
	case 5:
	case 6:
		strcat(path, PICK(tails));
		break;
	case 7:
		path_insert(path, path_slash(path), "/nope");
		break;
	case 8:
		path_name_of(path, 254 + below(4));
		break;
	case 9:
		path_pad(path, PICK(lengths));
		break;
	case 10:
		path_insert(path, path, "/");
		break;
	default:
		path_add(path, "no");
		path_insert(path, path + strlen(path), "/such/thing");
	}
}

/* The cwd is always somewhere below the base. */
static void path_relative(char *path)
{
	static const char *const others[] = {"", ".", "..", "x", "./a", "a/x", "../x", "no/x"};

	if (percent(50) && strlen(path) > strlen(sh->base))
		memmove(path, path + strlen(sh->base) + 1, strlen(path + strlen(sh->base)));
	else
		strcpy(path, PICK(others));
}

static void hot_refresh(unsigned i)
{
	path_fresh(hot[i]);
	if (percent(40))
		path_add(hot[i], PICK(names));
}

static void recent_note(const char *path)
{
	static unsigned at;

	strcpy(recent[at++ % RECENT], path);
}

static bool inside(const char *path)
{
	return *path != '/' || strncmp(path, sh->root, strlen(sh->root)) == 0;
}

/* ---- asking: one function a signature ---- */

static void begin(struct answer *a)
{
	memset(a->out, UNTOUCHED, sizeof a->out);
	errno = ERRNO_BEFORE;
}

static void end(struct answer *a, long ret)
{
	a->err = errno;
	a->ret = ret;
}

static void end_raw(struct answer *a, long ret)
{
	a->err = ret < 0 ? (int)-ret : ERRNO_BEFORE;
	a->ret = ret < 0 ? -1 : ret;
}

static void *out(const struct question *q, struct answer *a)
{
	return q->no_buffer ? NULL : a->out;
}

typedef long syscall_fn(long, ...);

static void ask_access(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((int (*)(const char *, int))fn)(q->path, q->mode));
}

static void kernel_access(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_faccessat, AT_FDCWD, P(q->path), q->mode));
}

static void ask_faccessat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((int (*)(int, const char *, int, int))fn)(q->dirfd, q->path, q->mode, q->at_flags));
}

static void kernel_faccessat(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_faccessat2, q->dirfd, P(q->path), q->mode, q->at_flags));
}

static void ask_sys_faccessat2(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((syscall_fn *)fn)(SYS_faccessat2, q->dirfd, q->path, q->mode, q->at_flags));
}

static void ask_sys_faccessat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((syscall_fn *)fn)(SYS_faccessat, q->dirfd, q->path, q->mode));
}

static void kernel_sys_faccessat(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_faccessat, q->dirfd, P(q->path), q->mode));
}

static void ask_sys_fstatat(void *fn, const struct question *q, struct answer *a);

/* Where the access time is in what this spelling of stat() writes. */
static size_t stat_atime(const struct row *row)
{
#if defined(__i386__)
	enum { KERNELS_OLD = 32, LIBCS_OLD = 56 }; /* of 32 bits, with 32-bit times */

	if (!strcmp(row->name, "syscall"))
		return row->ask == ask_sys_fstatat ? offsetof(struct stat, st_atim) : KERNELS_OLD;
	if (!strstr(row->name, "64"))
		return LIBCS_OLD;
#endif
	(void)row;
	return offsetof(struct stat, st_atim);
}

/* Reading a link or listing a directory between two stats may move its access time. */
static void stat_settle(const struct question *q, struct answer *a)
{
	if (a->ret == 0 && !q->no_buffer)
		memset(a->out + stat_atime(q->row), 0, sizeof(struct timespec));
}

/* What libc makes of another layout is compared with what it makes itself. */
#if defined(__i386__)
#define STAT(truth) (sizeof(&(truth)) == sizeof(void *) ? NULL : (truth))
#else
#define STAT(truth) truth
#endif

/* What programs pass to __xstat(). */
#if defined(__x86_64__)
#define STAT_VERSION 1
#elif defined(__i386__)
#define STAT_VERSION 3
#else
#define STAT_VERSION 0
#endif

static void ask_stat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((int (*)(const char *, void *))fn)(q->path, out(q, a)));
	stat_settle(q, a);
}

static void kernel_stat(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_newfstatat, AT_FDCWD, P(q->path), P(out(q, a)), 0));
	stat_settle(q, a);
}

static void kernel_lstat(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_newfstatat, AT_FDCWD, P(q->path), P(out(q, a)), AT_SYMLINK_NOFOLLOW));
	stat_settle(q, a);
}

static void ask_fstatat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((int (*)(int, const char *, void *, int))fn)(q->dirfd, q->path, out(q, a),
							     q->at_flags));
	stat_settle(q, a);
}

static void kernel_fstatat(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_newfstatat, q->dirfd, P(q->path), P(out(q, a)), q->at_flags));
	stat_settle(q, a);
}

static void ask_sys_fstatat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((syscall_fn *)fn)(SYS_newfstatat, q->dirfd, q->path, out(q, a), q->at_flags));
	stat_settle(q, a);
}

static void ask_xstat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((int (*)(int, const char *, void *))fn)(q->version, q->path, out(q, a)));
	stat_settle(q, a);
}

static void ask_fxstatat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((int (*)(int, int, const char *, void *, int))fn)(q->version, q->dirfd, q->path,
								  out(q, a), q->at_flags));
	stat_settle(q, a);
}

static void statx_settle(const struct question *q, struct answer *a)
{
	struct statx *stx = (void *)a->out;

	if (a->ret == 0 && !q->no_buffer)
		memset(&stx->stx_atime, 0, sizeof stx->stx_atime);
}

static void ask_statx(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((int (*)(int, const char *, int, unsigned, void *))fn)(
		   q->dirfd, q->path, q->at_flags, q->statx_mask, out(q, a)));
	statx_settle(q, a);
}

static void ask_sys_statx(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((syscall_fn *)fn)(SYS_statx, q->dirfd, q->path, q->at_flags, q->statx_mask,
				  out(q, a)));
	statx_settle(q, a);
}

static void kernel_statx(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_statx, q->dirfd, P(q->path), q->at_flags, q->statx_mask, P(out(q, a))));
	statx_settle(q, a);
}

/* ---- opening ---- */

struct seen {
	uint64_t device, inode;
	uint32_t mode, links;
	long flags;
};

/* What a path given to this question is relative to. */
static int question_directory(const struct question *q);

/*
 * Whatever the call made is unmade, so that the next one meets the same tree. By its own name
 * where that is it (the cwd may not be reachable from the root), else behind the link.
 */
static void undo_creation(const struct question *q, int fd, const struct stat *made)
{
	char link[64], path[PATH_BYTES];
	struct stat st;
	long n;

	if (RAW(SYS_newfstatat, question_directory(q), P(q->text), P(&st), AT_SYMLINK_NOFOLLOW) ==
		0 &&
	    st.st_ino == made->st_ino) {
		RAW(SYS_unlinkat, question_directory(q), P(q->text), 0);
		return;
	}
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = RAW(SYS_readlinkat, AT_FDCWD, P(link), P(path), sizeof path - 1);
	if (n <= 0)
		return;
	path[n] = 0;
	if (strncmp(path, sh->root, strlen(sh->root)) == 0)
		RAW(SYS_unlinkat, AT_FDCWD, P(path), 0);
}

static void describe(long fd, const struct question *q, struct answer *a, bool creating)
{
	struct seen seen = {0};
	struct stat st;

	if (RAW(SYS_fstat, fd, P(&st)) < 0)
		fail("%s returned a bad descriptor %ld", q->row->name, fd);
	seen.mode = st.st_mode;
	seen.flags = RAW(SYS_fcntl, fd, F_GETFL);
#if defined(__i386__)
	seen.flags &= ~0100000L; /* O_LARGEFILE: some spellings add it */
#endif
	if (creating) {
		undo_creation(q, (int)fd, &st);
	} else {
		seen.device = st.st_dev;
		seen.inode = st.st_ino;
		seen.links = (uint32_t)st.st_nlink;
	}
	memcpy(a->out, &seen, sizeof seen);
}

/* open(2) makes a file when asked to and none is there; an unnamed one always. */
static bool open_creates(const struct question *q, int flags)
{
	return (flags & O_TMPFILE) == O_TMPFILE || (flags & O_CREAT && q->absent);
}

static void end_open(const struct question *q, struct answer *a, int flags)
{
	if (a->ret < 0)
		return;
	describe(a->ret, q, a, open_creates(q, flags));
	RAW(SYS_close, a->ret);
}

static void ask_open(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((int (*)(const char *, int, ...))fn)(q->path, q->open_flags, q->mode));
	end_open(q, a, q->open_flags);
}

static void kernel_open(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_openat, AT_FDCWD, P(q->path), q->open_flags, q->mode));
	end_open(q, a, q->open_flags);
}

static void ask_openat(void *fn, const struct question *q, struct answer *a)
{
	end(a,
	    ((int (*)(int, const char *, int, ...))fn)(q->dirfd, q->path, q->open_flags, q->mode));
	end_open(q, a, q->open_flags);
}

static void ask_sys_openat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((syscall_fn *)fn)(SYS_openat, q->dirfd, q->path, q->open_flags, q->mode));
	end_open(q, a, q->open_flags);
}

static void kernel_openat(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_openat, q->dirfd, P(q->path), q->open_flags, q->mode));
	end_open(q, a, q->open_flags);
}

static void ask_creat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((int (*)(const char *, int))fn)(q->path, q->mode));
	end_open(q, a, O_CREAT);
}

static void kernel_creat(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_openat, AT_FDCWD, P(q->path), O_CREAT | O_WRONLY | O_TRUNC, q->mode));
	end_open(q, a, O_CREAT);
}

static void ask_fopen(void *fn, const struct question *q, struct answer *a)
{
	FILE *f = ((FILE * (*)(const char *, const char *)) fn)(q->path, q->fopen_mode);

	end(a, f ? 0 : -1);
	if (!f)
		return;
	describe(fileno(f), q, a, *q->fopen_mode != 'r' && q->absent);
	a->ret = fileno(f);
	fclose(f);
}

static void ask_opendir(void *fn, const struct question *q, struct answer *a)
{
	DIR *d = ((DIR * (*)(const char *)) fn)(q->path);

	end(a, d ? 0 : -1);
	if (!d)
		return;
	describe(dirfd(d), q, a, false);
	a->ret = dirfd(d);
	closedir(d);
}

static int question_directory(const struct question *q)
{
	bool at = q->row->ask == ask_openat || q->row->ask == ask_sys_openat;

	return at ? q->dirfd : AT_FDCWD;
}

/* ---- links and canonical names ---- */

static void ask_readlink(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((ssize_t(*)(const char *, void *, size_t))fn)(q->path, out(q, a), q->size));
}

static void kernel_readlink(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_readlinkat, AT_FDCWD, P(q->path), P(out(q, a)), (int)q->size));
}

static void ask_readlink_chk(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((ssize_t(*)(const char *, void *, size_t, size_t))fn)(q->path, out(q, a), q->size,
								      OUT_BYTES));
}

static void ask_readlinkat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((ssize_t(*)(int, const char *, void *, size_t))fn)(q->dirfd, q->path, out(q, a),
								   q->size));
}

static void ask_readlinkat_chk(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((ssize_t(*)(int, const char *, void *, size_t, size_t))fn)(
		   q->dirfd, q->path, out(q, a), q->size, OUT_BYTES));
}

static void ask_sys_readlinkat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((syscall_fn *)fn)(SYS_readlinkat, q->dirfd, q->path, out(q, a), q->size));
}

static void kernel_readlinkat(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_readlinkat, q->dirfd, P(q->path), P(out(q, a)), (int)q->size));
}

/* What lies behind the string's end is nobody's business, what lies behind PATH_MAX is. */
static void string_settle(struct answer *a)
{
	unsigned char *nul = memchr(a->out, 0, PATH_MAX);

	if (nul)
		memset(nul + 1, UNTOUCHED, (size_t)(a->out + PATH_MAX - nul - 1));
}

enum { NO_STRING, NEW_STRING, CALLERS_BUFFER };

static void end_string(struct answer *a, char *result)
{
	end(a, !result ? NO_STRING : result == (char *)a->out ? CALLERS_BUFFER : NEW_STRING);
	if (a->ret == NEW_STRING) {
		snprintf((char *)a->out, PATH_MAX, "%s", result);
		free(result);
	}
	string_settle(a);
}

static void ask_realpath(void *fn, const struct question *q, struct answer *a)
{
	char *into = q->no_result ? NULL : (char *)a->out;

	end_string(a, ((char *(*)(const char *, char *))fn)(q->path, into));
}

static void ask_realpath_chk(void *fn, const struct question *q, struct answer *a)
{
	end_string(
	    a, ((char *(*)(const char *, char *, size_t))fn)(q->path, (char *)a->out, PATH_MAX));
}

static void ask_canonicalize(void *fn, const struct question *q, struct answer *a)
{
	end_string(a, ((char *(*)(const char *))fn)(q->path));
}

/* glibc 2.34 and later, by what it does: the canonical name so far and what is still to come. */
struct walk {
	char name[3 * PATH_BYTES], rest[3 * PATH_BYTES];
	size_t length;
	int links;
};

/* True: what follows the component can only be asked of a directory. */
static bool walk_wants_directory(const char *end)
{
	while (*end == '/') {
		end += strspn(end, "/");
		if (!*end)
			return true;
		if (*end++ != '.')
			return false;
		if (!*end || (*end == '.' && (!end[1] || end[1] == '/')))
			return true;
	}
	return false;
}

static void walk_up(struct walk *w)
{
	if (w->length <= 1)
		return;
	for (w->length--; w->length && w->name[w->length - 1] != '/'; w->length--)
		continue;
}

static int walk_link(struct walk *w, const char *link, const char *after)
{
	char rest[3 * PATH_BYTES];

	if (++w->links > 40)
		return ELOOP;
	snprintf(rest, sizeof rest, "%s%s", link, after);
	strcpy(w->rest, rest);
	if (*link == '/')
		w->length = 1;
	else
		walk_up(w);
	return 0;
}

/* Appends a component; *next is where the rest goes on. Returns 0 or errno. */
static int walk_into(struct walk *w, const char *component, size_t n, const char **next)
{
	char link[PATH_MAX + 1];
	const char *after = component + n;
	long ret;

	if (w->name[w->length - 1] != '/')
		w->name[w->length++] = '/';
	memcpy(w->name + w->length, component, n);
	w->length += n;
	w->name[w->length] = 0;
	ret = RAW(SYS_readlinkat, AT_FDCWD, P(w->name), P(link), PATH_MAX);
	if (ret >= 0) {
		link[ret] = 0;
		*next = w->rest;
		return walk_link(w, link, after);
	}
	*next = after;
	if (!walk_wants_directory(after))
		return ret == -EINVAL ? 0 : (int)-ret;
	strcpy(w->name + w->length, "/");
	return (int)-RAW(SYS_faccessat2, AT_FDCWD, P(w->name), F_OK, AT_EACCESS);
}

static int walk_all(struct walk *w)
{
	const char *p = w->rest;

	for (;;) {
		p += strspn(p, "/");
		size_t n = strcspn(p, "/");
		if (!n)
			break;
		if (n == 1 && *p == '.') {
			p++;
			continue;
		}
		if (n == 2 && p[0] == '.' && p[1] == '.') {
			walk_up(w);
			p += 2;
			continue;
		}
		int err = walk_into(w, p, n, &p);
		if (err)
			return err;
	}
	if (w->length > 1 && w->name[w->length - 1] == '/')
		w->length--;
	return 0;
}

/* realpath() of an absolute path, with nothing of libc in between. */
static void reference_realpath(const struct question *q, struct answer *a)
{
	static struct walk w;
	int err;

	strcpy(w.rest, q->path);
	strcpy(w.name, "/");
	w.length = 1;
	w.links = 0;
	err = walk_all(&w);
	w.name[w.length] = 0;
	a->err = err ? err : ERRNO_BEFORE;
	a->ret = err ? NO_STRING : CALLERS_BUFFER;
	if (err && err != ENOENT && err != EACCES)
		return;
	if (w.length < PATH_MAX)
		memcpy(a->out, w.name, w.length + 1);
	else if (!err)
		a->ret = NO_STRING, a->err = ENAMETOOLONG;
	string_settle(a);
}

/* ---- extended attributes ---- */

static void ask_getxattr(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((ssize_t(*)(const char *, const char *, void *, size_t))fn)(q->path, q->name,
									    out(q, a), q->size));
}

static void kernel_getxattr(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_getxattr, P(q->path), P(q->name), P(out(q, a)), (long)q->size));
}

static void kernel_lgetxattr(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_lgetxattr, P(q->path), P(q->name), P(out(q, a)), (long)q->size));
}

static void ask_listxattr(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((ssize_t(*)(const char *, void *, size_t))fn)(q->path, out(q, a), q->size));
}

static void kernel_listxattr(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_listxattr, P(q->path), P(out(q, a)), (long)q->size));
}

static void kernel_llistxattr(void *fn, const struct question *q, struct answer *a)
{
	(void)fn;
	end_raw(a, RAW(SYS_llistxattr, P(q->path), P(out(q, a)), (long)q->size));
}

/* ---- running programs ---- */

static char *run_argv[] = {"zero", "one", NULL};

static char **q_argv(const struct question *q)
{
	return q->bad_argv ? (char **)8 : run_argv;
}

static char **q_environment(const struct question *q)
{
	return q->own_environment ? small_environment : environ;
}

static void run_execve(void *fn, const struct question *q)
{
	((int (*)(const char *, char **, char **))fn)(q->path, q_argv(q), q_environment(q));
}

static void run_execve_raw(void *fn, const struct question *q)
{
	(void)fn;
	errno = (int)-RAW(SYS_execve, P(q->path), P(q_argv(q)), P(q_environment(q)));
}

static void run_execv_raw(void *fn, const struct question *q)
{
	(void)fn;
	errno = (int)-RAW(SYS_execve, P(q->path), P(q_argv(q)), P(environ));
}

static void run_execv(void *fn, const struct question *q)
{
	((int (*)(const char *, char **))fn)(q->path, q_argv(q));
}

static void run_execl(void *fn, const struct question *q)
{
	((int (*)(const char *, const char *, ...))fn)(q->path, "zero", "one", (char *)NULL);
}

static void run_execle(void *fn, const struct question *q)
{
	((int (*)(const char *, const char *, ...))fn)(q->path, "zero", "one", (char *)NULL,
						       q_environment(q));
}

static void run_execveat(void *fn, const struct question *q)
{
	((int (*)(int, const char *, char **, char **, int))fn)(q->dirfd, q->path, q_argv(q),
								q_environment(q), q->at_flags);
}

static void run_execveat_raw(void *fn, const struct question *q)
{
	(void)fn;
	errno = (int)-RAW(SYS_execveat, q->dirfd, P(q->path), P(q_argv(q)), P(q_environment(q)),
			  q->at_flags);
}

static void run_fexecve(void *fn, const struct question *q)
{
	int fd = (int)RAW(SYS_openat, AT_FDCWD, P(q->path), O_PATH | O_CLOEXEC);

	errno = ERRNO_BEFORE;
	((int (*)(int, char **, char **))fn)(fd, run_argv, q_environment(q));
}

/* The answer: how the child ended, and errno if it could not become the program. */
static void in_child_run(void (*run)(void *, const struct question *), void *fn,
			 const struct question *q, struct answer *a)
{
	int status = -1;
	pid_t pid;

	sh->child_errno = ERRNO_BEFORE;
	pid = q->vforked ? vfork() : fork();
	if (pid == 0) {
		errno = ERRNO_BEFORE;
		run(fn, q);
		sh->child_errno = errno;
		_exit(111);
	}
	if (pid < 0 || RAW(SYS_wait4, pid, P(&status), 0, 0) != pid)
		fail("cannot make a child: %s", strerror(errno));
	a->ret = status;
	a->err = sh->child_errno;
}

#define RUNNER(name, run)                                                                          \
	static void name(void *fn, const struct question *q, struct answer *a)                     \
	{                                                                                          \
		in_child_run(run, fn, q, a);                                                       \
	}
RUNNER(ask_execve, run_execve)
RUNNER(kernel_execve, run_execve_raw)
RUNNER(ask_execv, run_execv)
RUNNER(kernel_execv, run_execv_raw)
RUNNER(ask_execl, run_execl)
RUNNER(ask_execle, run_execle)
RUNNER(ask_execveat, run_execveat)
RUNNER(kernel_execveat, run_execveat_raw)
RUNNER(ask_fexecve, run_fexecve)

enum { NO_ACTIONS, EMPTY_ACTIONS, CHDIR_ACTION, CREATE_ACTION, SPAWN_ACTIONS };

/* The second action makes the very file that is to be run. */
static void spawn_prepare(posix_spawn_file_actions_t *actions, const struct question *q)
{
	posix_spawn_file_actions_init(actions);
	if (q->spawn_actions == CHDIR_ACTION)
		posix_spawn_file_actions_addchdir_np(actions, sh->base);
	if (q->spawn_actions == CREATE_ACTION) {
		posix_spawn_file_actions_addopen(actions, 50, q->text, O_CREAT | O_WRONLY, 0755);
		posix_spawn_file_actions_addclose(actions, 50);
	}
}

/* errno is left out: the child shares it. */
static void ask_spawn(void *fn, const struct question *q, struct answer *a)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid = -1;
	int status = -1;

	spawn_prepare(&actions, q);
	posix_spawnattr_init(&attributes);
	a->ret = ((int (*)(pid_t *, const char *, void *, void *, char **, char **))fn)(
	    &pid, q->path, q->spawn_actions == NO_ACTIONS ? NULL : &actions,
	    q->own_environment ? &attributes : NULL, run_argv, q_environment(q));
	a->err = 0;
	if (a->ret == 0 && RAW(SYS_wait4, pid, P(&status), 0, 0) != pid)
		fail("%s gave no child", q->row->name);
	memcpy(a->out, &status, sizeof status);
	if (q->spawn_actions == CREATE_ACTION && q->absent)
		RAW(SYS_unlinkat, AT_FDCWD, P(q->text), 0);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
}

/* ---- the calls ---- */

#if defined(__x86_64__)
#define OLD     "GLIBC_2.2.5"
#define V(text) text
#else
#define OLD     NULL
#define V(text) NULL
#endif

/* The functions that have two versions with two meanings, where they do. */
#if defined(__x86_64__)
#define VERSIONS(x86_64, i386) x86_64
#elif defined(__i386__)
#define VERSIONS(x86_64, i386) i386
#else
#define VERSIONS(x86_64, i386) NULL
#endif
#define REALPATH     VERSIONS("GLIBC_2.3", "GLIBC_2.3")
#define REALPATH_OLD VERSIONS("GLIBC_2.2.5", "GLIBC_2.0")
#define SPAWN	     VERSIONS("GLIBC_2.15", "GLIBC_2.15")
#define SPAWN_OLD    VERSIONS("GLIBC_2.2.5", "GLIBC_2.2")

static void ask_sys_access(void *fn, const struct question *q, struct answer *a)
{
#ifdef SYS_access
	end(a, ((syscall_fn *)fn)(SYS_access, q->path, q->mode));
#else
	end(a, ((syscall_fn *)fn)(SYS_faccessat, AT_FDCWD, q->path, q->mode));
#endif
}

#ifdef SYS_open
static void ask_sys_open(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((syscall_fn *)fn)(SYS_open, q->path, q->open_flags, q->mode));
	end_open(q, a, q->open_flags);
}

static void ask_sys_stat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((syscall_fn *)fn)(SYS_stat, q->path, out(q, a)));
	stat_settle(q, a);
}

static void ask_sys_lstat(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((syscall_fn *)fn)(SYS_lstat, q->path, out(q, a)));
	stat_settle(q, a);
}

static void ask_sys_readlink(void *fn, const struct question *q, struct answer *a)
{
	end(a, ((syscall_fn *)fn)(SYS_readlink, q->path, out(q, a), q->size));
}
#endif

static const struct row rows[] = {
    {"access", OLD, FASTPATH_ACCESS, ask_access, kernel_access, ANY_POINTER},
    {"access", OLD, FASTPATH_ACCESS, ask_access, kernel_access, ANY_POINTER},
    {"euidaccess", OLD, FASTPATH_ACCESS, ask_access, NULL, ANY_POINTER},
    {"eaccess", V("GLIBC_2.4"), FASTPATH_ACCESS, ask_access, NULL, ANY_POINTER},
    {"faccessat", V("GLIBC_2.4"), FASTPATH_ACCESS, ask_faccessat, kernel_faccessat, ANY_POINTER},
    {"syscall", OLD, FASTPATH_ACCESS, ask_sys_access, kernel_access, ANY_POINTER},
    {"syscall", OLD, FASTPATH_ACCESS, ask_sys_faccessat, kernel_sys_faccessat, ANY_POINTER},
    {"syscall", OLD, FASTPATH_ACCESS, ask_sys_faccessat2, kernel_faccessat, ANY_POINTER},

    {"stat", NULL, FASTPATH_STAT, ask_stat, STAT(kernel_stat), ANY_POINTER},
    {"stat64", NULL, FASTPATH_STAT, ask_stat, STAT(kernel_stat), ANY_POINTER},
    {"lstat", NULL, FASTPATH_STAT, ask_stat, STAT(kernel_lstat), ANY_POINTER},
    {"lstat64", NULL, FASTPATH_STAT, ask_stat, STAT(kernel_lstat), ANY_POINTER},
    {"fstatat", NULL, FASTPATH_STAT, ask_fstatat, STAT(kernel_fstatat), ANY_POINTER},
    {"fstatat64", NULL, FASTPATH_STAT, ask_fstatat, STAT(kernel_fstatat), ANY_POINTER},
    {"__xstat", OLD, FASTPATH_STAT, ask_xstat, NULL, ANY_POINTER},
    {"__xstat64", OLD, FASTPATH_STAT, ask_xstat, NULL, ANY_POINTER},
    {"__lxstat", OLD, FASTPATH_STAT, ask_xstat, NULL, ANY_POINTER},
    {"__lxstat64", OLD, FASTPATH_STAT, ask_xstat, NULL, ANY_POINTER},
    {"__fxstatat", V("GLIBC_2.4"), FASTPATH_STAT, ask_fxstatat, NULL, ANY_POINTER},
    {"__fxstatat64", V("GLIBC_2.4"), FASTPATH_STAT, ask_fxstatat, NULL, ANY_POINTER},
    {"statx", NULL, FASTPATH_STAT, ask_statx, kernel_statx, ANY_POINTER},
    {"syscall", OLD, FASTPATH_STAT, ask_sys_statx, kernel_statx, ANY_POINTER},
    {"syscall", OLD, FASTPATH_STAT, ask_sys_fstatat, STAT(kernel_fstatat), ANY_POINTER},
#ifdef SYS_open
    {"syscall", OLD, FASTPATH_STAT, ask_sys_stat, STAT(kernel_stat), ANY_POINTER},
    {"syscall", OLD, FASTPATH_STAT, ask_sys_lstat, STAT(kernel_lstat), ANY_POINTER},
#endif

    {"open", OLD, FASTPATH_OPEN, ask_open, kernel_open, ANY_POINTER},
    {"open64", OLD, FASTPATH_OPEN, ask_open, kernel_open, ANY_POINTER},
    {"__open", OLD, FASTPATH_OPEN, ask_open, kernel_open, ANY_POINTER},
    {"__open64", OLD, FASTPATH_OPEN, ask_open, kernel_open, ANY_POINTER},
    {"openat", V("GLIBC_2.4"), FASTPATH_OPEN, ask_openat, kernel_openat, ANY_POINTER},
    {"openat64", V("GLIBC_2.4"), FASTPATH_OPEN, ask_openat, kernel_openat, ANY_POINTER},
    {"__open_2", V("GLIBC_2.7"), FASTPATH_OPEN, ask_open, kernel_open, ANY_POINTER | CHECKED},
    {"__open64_2", V("GLIBC_2.7"), FASTPATH_OPEN, ask_open, kernel_open, ANY_POINTER | CHECKED},
    {"__openat_2", V("GLIBC_2.7"), FASTPATH_OPEN, ask_openat, kernel_openat, ANY_POINTER | CHECKED},
    {"__openat64_2", V("GLIBC_2.7"), FASTPATH_OPEN, ask_openat, kernel_openat,
     ANY_POINTER | CHECKED},
    {"creat", OLD, FASTPATH_OPEN, ask_creat, kernel_creat, ANY_POINTER | BLOCKS},
    {"creat64", OLD, FASTPATH_OPEN, ask_creat, kernel_creat, ANY_POINTER | BLOCKS},
    {"fopen", OLD, FASTPATH_OPEN, ask_fopen, NULL, ANY_POINTER | BLOCKS},
    {"fopen64", OLD, FASTPATH_OPEN, ask_fopen, NULL, ANY_POINTER | BLOCKS},
    {"_IO_fopen", OLD, FASTPATH_OPEN, ask_fopen, NULL, ANY_POINTER | BLOCKS},
    {"opendir", OLD, FASTPATH_OPEN, ask_opendir, NULL, 0},
    {"opendir", OLD, FASTPATH_OPEN, ask_opendir, NULL, 0},
    {"syscall", OLD, FASTPATH_OPEN, ask_sys_openat, kernel_openat, ANY_POINTER},
#ifdef SYS_open
    {"syscall", OLD, FASTPATH_OPEN, ask_sys_open, kernel_open, ANY_POINTER},
#endif

    {"readlink", OLD, FASTPATH_READLINK, ask_readlink, kernel_readlink, ANY_POINTER},
    {"readlinkat", V("GLIBC_2.4"), FASTPATH_READLINK, ask_readlinkat, kernel_readlinkat,
     ANY_POINTER},
    {"__readlink_chk", V("GLIBC_2.4"), FASTPATH_READLINK, ask_readlink_chk, kernel_readlink,
     ANY_POINTER | CHECKED},
    {"__readlinkat_chk", V("GLIBC_2.5"), FASTPATH_READLINK, ask_readlinkat_chk, kernel_readlinkat,
     ANY_POINTER | CHECKED},
    {"syscall", OLD, FASTPATH_READLINK, ask_sys_readlinkat, kernel_readlinkat, ANY_POINTER},
#ifdef SYS_open
    {"syscall", OLD, FASTPATH_READLINK, ask_sys_readlink, kernel_readlink, ANY_POINTER},
#endif

    {"realpath", REALPATH, FASTPATH_REALPATH, ask_realpath, NULL, VERSIONED},
    {"realpath", REALPATH, FASTPATH_REALPATH, ask_realpath, NULL, VERSIONED},
    {"realpath", REALPATH_OLD, FASTPATH_REALPATH, ask_realpath, NULL, VERSIONED},
    {"__realpath_chk", V("GLIBC_2.4"), FASTPATH_REALPATH, ask_realpath_chk, NULL, CHECKED},
    {"canonicalize_file_name", OLD, FASTPATH_REALPATH, ask_canonicalize, NULL, 0},

    {"execve", OLD, FASTPATH_EXEC, ask_execve, kernel_execve, ANY_POINTER | RUNS},
    {"execve", OLD, FASTPATH_EXEC, ask_execve, kernel_execve, ANY_POINTER | RUNS},
    {"execv", OLD, FASTPATH_EXEC, ask_execv, kernel_execv, ANY_POINTER | RUNS},
    {"execl", OLD, FASTPATH_EXEC, ask_execl, NULL, RUNS},
    {"execle", OLD, FASTPATH_EXEC, ask_execle, NULL, RUNS},
    {"execvp", OLD, FASTPATH_EXEC, ask_execv, NULL, RUNS | SEARCHES},
    {"execvpe", V("GLIBC_2.11"), FASTPATH_EXEC, ask_execve, NULL, RUNS | SEARCHES},
    {"execlp", OLD, FASTPATH_EXEC, ask_execl, NULL, RUNS | SEARCHES},
    {"execveat", NULL, FASTPATH_EXEC, ask_execveat, kernel_execveat, ANY_POINTER | RUNS},
    {"fexecve", OLD, FASTPATH_EXEC, ask_fexecve, NULL, RUNS},
    {"posix_spawn", SPAWN, FASTPATH_EXEC, ask_spawn, NULL, RUNS | VERSIONED},
    {"posix_spawn", SPAWN_OLD, FASTPATH_EXEC, ask_spawn, NULL, RUNS | VERSIONED},
    {"posix_spawnp", SPAWN, FASTPATH_EXEC, ask_spawn, NULL, RUNS | VERSIONED | SEARCHES},
    {"posix_spawnp", SPAWN_OLD, FASTPATH_EXEC, ask_spawn, NULL, RUNS | VERSIONED | SEARCHES},

    {"getxattr", V("GLIBC_2.3"), FASTPATH_XATTR, ask_getxattr, kernel_getxattr, ANY_POINTER},
    {"lgetxattr", V("GLIBC_2.3"), FASTPATH_XATTR, ask_getxattr, kernel_lgetxattr, ANY_POINTER},
    {"listxattr", V("GLIBC_2.3"), FASTPATH_XATTR, ask_listxattr, kernel_listxattr, ANY_POINTER},
    {"llistxattr", V("GLIBC_2.3"), FASTPATH_XATTR, ask_listxattr, kernel_llistxattr, ANY_POINTER},
};

/* What a program calls, and libc's own behind every preload. */
static void *interposed[COUNT(rows)], *libcs_own[COUNT(rows)];
static unsigned first_row[FASTPATH_CALLS], row_count[FASTPATH_CALLS];

/* dlvsym() would not find a definition without versions, though references bind to it. */
static void *symbol(void *from, const struct row *row)
{
	void *found = row->takes & VERSIONED && row->version ? NULL : dlsym(from, row->name);

	return found || !row->version ? found : dlvsym(from, row->name, row->version);
}

static void rows_find(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	if (!libc)
		fail("libc.so.6 is not here: %s", dlerror());
	for (unsigned i = 0; i < COUNT(rows); i++) {
		interposed[i] = symbol(RTLD_DEFAULT, &rows[i]);
		libcs_own[i] = symbol(libc, &rows[i]);
		if (!interposed[i] || !libcs_own[i])
			fprintf(stderr, "not in this libc: %s %s\n", rows[i].name,
				rows[i].version ? rows[i].version : "");
	}
}

static unsigned row_number(const struct row *row)
{
	return (unsigned)(row - rows);
}

/* ---- making a question ---- */

static const int access_modes[] = {F_OK, F_OK, F_OK, R_OK, R_OK,        X_OK,
				   X_OK, W_OK, 5,    7,    X_OK | 0x10, -1};
static const int at_flags[] = {
    0,
    0,
    0,
    0,
    0,
    0,
    AT_SYMLINK_NOFOLLOW,
    AT_SYMLINK_NOFOLLOW,
    AT_EACCESS,
    0,
    0,
    AT_EMPTY_PATH,
    AT_EACCESS,
    0x40000000,
    AT_SYMLINK_FOLLOW,
    AT_NO_AUTOMOUNT,
    -1,
    0,
    0,
    0x2000,
    0x6000,
    0,
};
static const int open_flags[] = {
    O_RDONLY,
    O_RDONLY,
    O_RDONLY | O_CLOEXEC,
    O_RDONLY | O_DIRECTORY,
    O_RDONLY | O_NOFOLLOW,
    O_PATH,
    O_PATH | O_NOFOLLOW,
    O_PATH | O_DIRECTORY,
    O_WRONLY,
    O_RDWR | O_APPEND,
    O_WRONLY | O_TRUNC,
    O_ACCMODE,
    O_RDONLY | O_NOATIME,
    O_RDONLY | O_EXCL,
    O_WRONLY | O_CREAT,
    O_RDWR | O_CREAT | O_EXCL,
    O_WRONLY | O_CREAT | O_TRUNC,
    O_RDONLY | O_CREAT | O_DIRECTORY,
    O_RDONLY | O_CREAT | O_NOFOLLOW,
    O_TMPFILE | O_RDWR,
    O_TMPFILE | O_RDONLY,
    1 << 30 | O_RDONLY,
};
static const unsigned statx_masks[] = {STATX_BASIC_STATS, STATX_ALL, 0, STATX_TYPE, 1u << 31};
static const size_t sizes[] = {PATH_MAX, PATH_MAX, 64, 1, 0, PATH_MAX, 3};
static const size_t huge_sizes[] = {PATH_MAX, 1ul << 31, (size_t)UINT64_C(0x100000001), -1ul, 0};
static const char *const fopen_modes[] = {"r",  "r",  "re", "r+", "w", "a",  "wx",
					  "w+", "rx", "rm", "",   "q", "a+", "rb"};
static const char *const xattr_names[] = {
    "security.selinux",
    "security.capability",
    "system.posix_acl_access",
    "system.posix_acl_default",
    "security.selinux",
    "security.capability",
    "system.posix_acl_access",
    "system.posix_acl_default",
    "user.x",
    "user.absent",
    "security.ima",
    "trusted.x",
    "",
    "bogus",
    NULL,
    "security.",
    "Security.selinux",
};

static int draw_dirfd(void)
{
	static const int bad[] = {-1, 9999, -101, INT_MAX};

	if (percent(60))
		return AT_FDCWD;
	if (percent(50))
		return PICK(bad);
	return held[below(HELD)];
}

static enum pointer draw_pointer(const struct row *row)
{
	static const enum pointer bad[] = {CUT_AT_EDGE, NULL_POINTER, FIRST_BYTE, FIRST_PAGE,
					   NON_CANONICAL};
	unsigned n = below(100);
	enum pointer chosen = PICK(bad);

	if (n < 3 && row->takes & ANY_POINTER)
		return chosen;
	return n < 15 ? AT_EDGE : PLAIN;
}

/* Which paths, in which directories, with which rights: everything but the name of the file. */
static void draw_search(struct question *q)
{
	static const char *const others[] = {"", "", ".", "no", "a", "/nope", "/no/such", "/dev"};
	static const enum fit kinds[] = {A_DIRECTORY, A_DIRECTORY, A_DIRECTORY, A_FILE, NOTHING};
	unsigned n = 1 + below(PATH_ELEMENTS), odd = percent(50) ? 0 : 35;
	char element[PATH_BYTES];

	*q->search = 0;
	if (percent(4)) {
		strcpy(q->search, "-");
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		path_fitting(element, PICK(kinds));
		const char *other = PICK(others);
		if (percent(odd))
			strcpy(element, other);
		if (i)
			strcat(q->search, ":");
		if (strlen(element) < 250)
			strcat(q->search, element);
	}
}

/* Every field is drawn every time: the kind of call must not shift later draws. */
static void draw_arguments(struct question *q)
{
	q->gap = percent(50) ? 0 : below(40);
	q->dirfd = draw_dirfd();
	q->mode = PICK(access_modes);
	q->at_flags = PICK(at_flags);
	q->open_flags = PICK(open_flags) | O_NONBLOCK;
	q->statx_mask = PICK(statx_masks);
	q->version = percent(95) ? STAT_VERSION : (int)below(4);
	q->size = PICK(sizes);
	size_t huge = PICK(huge_sizes);
	if (percent(10) && !(q->row->takes & CHECKED) && q->row->family == FASTPATH_READLINK)
		q->size = huge;
	q->name = PICK(xattr_names);
	q->fopen_mode = PICK(fopen_modes);
	q->no_buffer = percent(3);
	q->no_result = percent(50);
	q->vforked = percent(60);
	q->own_environment = percent(50);
	q->bad_argv = percent(3);
	q->spawn_actions = percent(70) ? NO_ACTIONS : (int)below(SPAWN_ACTIONS);
	draw_search(q);
}

/* The arguments that this spelling would abort on, or that could harm what is not ours. */
static void tame(struct question *q)
{
	if (q->row->takes & CHECKED)
		q->open_flags &= ~(O_CREAT | __O_TMPFILE);
	if (q->row->family == FASTPATH_OPEN)
		q->mode = 0640 | (q->mode & 7);
	if (!(q->row->takes & ANY_POINTER))
		q->bad_argv = false;
	/* A pointer into no mapping may fault: the design's exception (b). */
	if (q->pointer == CUT_AT_EDGE && !*q->text)
		q->pointer = NULL_POINTER;
	if (inside(q->text))
		return;
	q->open_flags &= O_DIRECTORY | O_NOFOLLOW | O_PATH | O_NONBLOCK;
	q->fopen_mode = "r";
	q->spawn_actions = NO_ACTIONS;
	if (q->row->ask == ask_creat)
		strcpy(q->text, "");
}

/* A run of a program takes milliseconds where the others take microseconds. */
static const struct row *draw_row(void)
{
	static const enum fastpath_call families[] = {
	    FASTPATH_ACCESS,   FASTPATH_ACCESS,   FASTPATH_STAT,   FASTPATH_STAT,
	    FASTPATH_OPEN,     FASTPATH_OPEN,     FASTPATH_ACCESS, FASTPATH_READLINK,
	    FASTPATH_REALPATH, FASTPATH_REALPATH, FASTPATH_XATTR,  FASTPATH_STAT,
	};
	enum fastpath_call family = percent(3) ? FASTPATH_EXEC : PICK(families);

	return &rows[first_row[family] + below(row_count[family])];
}

static void draw_text(char *text)
{
	unsigned n = below(100);

	if (n < 66)
		strcpy(text, hot[below(HOT)]);
	else if (n < 80)
		strcpy(text, recent[below(RECENT)]);
	else if (n < 88)
		path_fresh(text);
	else if (n < 94)
		path_plain(text);
	else if (n < 99)
		strcpy(text, PICK(system_paths));
	else
		strcpy(text, "");
}

/* `about`: NULL, or the path to ask about, in the spelling given or another. */
static void question_draw(struct question *q, const char *about)
{
	q->row = draw_row();
	draw_text(q->text);
	if (about)
		strcpy(q->text, about);
	if (about && percent(40))
		path_add(q->text, PICK(names));
	if (about && percent(15))
		path_parent(q->text);
	if (percent(14))
		path_respell(q->text);
	bool relative = percent(q->row->takes & SEARCHES ? 90 : 5);
	if (relative && strncmp(q->text, sh->base, strlen(sh->base)) == 0)
		path_relative(q->text);
	if (q->row->takes & SEARCHES && percent(70))
		strcpy(q->text, percent(80) ? PICK(names) : "true");
	if (chrooted && percent(60) && strncmp(q->text, sh->base, strlen(sh->base)) == 0)
		memmove(q->text, q->text + strlen(sh->base),
			strlen(q->text + strlen(sh->base)) + 1);
	q->pointer = draw_pointer(q->row);
	draw_arguments(q);
	tame(q);
	unsigned n = below(100);
	/* /proc/self differs between processes. Who asks first owns the bell, and others learn
	 * nothing: let it be this thread. */
	bool own = !inside(q->text) || in_child || step_now < 20;
	q->asker = own || q->row->takes & RUNS ? ASK_HERE
		   : n < 6                     ? ASK_THREAD
		   : n < 8                     ? ASK_VFORKED
					       : ASK_HERE;
}

/* ---- asking ---- */

static void question_place(struct question *q)
{
	size_t n = strlen(q->text), gap = q->pointer == AT_EDGE ? 1 + q->gap : 0;
	char *to = guard_end - n - gap;

	q->path = q->text;
	if (q->pointer == AT_EDGE || q->pointer == CUT_AT_EDGE) {
		memcpy(to, q->text, n);
		memset(to + n, '/', gap); /* what follows the string is nobody's business */
		if (gap)
			to[n] = 0;
		q->path = to;
	} else if (q->pointer == NULL_POINTER) {
		q->path = NULL;
	} else if (q->pointer == FIRST_BYTE || q->pointer == FIRST_PAGE) {
		q->path = (const char *)(q->pointer == FIRST_BYTE ? 1ul : 4095ul);
	} else if (q->pointer == NON_CANONICAL) {
		/* There are none of 32 bits. */
		q->path = (const char *)(uintptr_t)(sizeof(long) == 8 ? UINT64_C(1) << 63 | 4096 : 4095);
	}
}

static void question_search(const struct question *q)
{
	const char *text = q->row->takes & SEARCHES ? q->search : "/bin:/usr/bin";

	snprintf(search_variable, sizeof search_variable, "%s=%s",
		 strcmp(text, "-") ? "PATH" : "NONE", text);
}

/* An exec teaches nothing: without this its candidates would seldom be known. */
static void question_warm(const struct question *q)
{
	char path[PATH_BYTES];
	const char *p = q->search;

	for (size_t n; q->row->takes & SEARCHES && *p; p += n + (p[n] == ':')) {
		n = strcspn(p, ":");
		snprintf(path, sizeof path, "%.*s/%.300s", (int)n, p, q->text);
		if (*p == '/' && access(path, F_OK) == 0)
			continue;
	}
}

static uint32_t thread_turn;
static const struct question *thread_question;
static struct answer *thread_answer;
static struct mutation *thread_mutation;

/* Under qemu-user a vfork child has memory of its own: there posix_spawn() cannot tell errors. */
static bool vfork_shares(void)
{
	static volatile int shares; /* 1: yes, 2: no */
	volatile int mark = 0;
	int status;
	pid_t pid;

	if (!shares) {
		pid = vfork();
		if (pid == 0) {
			mark = 1;
			_exit(0);
		}
		RAW(SYS_wait4, pid, P(&status), 0, 0);
		shares = mark ? 1 : 2;
	}
	return shares == 1;
}

static void ask_vforked(const struct question *q, struct answer *a)
{
	void *fn = interposed[row_number(q->row)];
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		begin(a);
		q->row->ask(fn, q, a);
		_exit(0);
	}
	if (RAW(SYS_wait4, pid, P(&status), 0, 0) != pid || status != 0)
		fail("%s in a vfork child: status %#x", q->row->name, (unsigned)status);
}

static void ask_library(const struct question *q, struct answer *a)
{
	if (q->asker == ASK_VFORKED && vfork_shares()) {
		ask_vforked(q, a);
	} else if (q->asker == ASK_THREAD) {
		thread_question = q;
		thread_answer = a;
		turn_give(&thread_turn, 1);
		if (!turn_wait(&thread_turn, 0, MINUTE))
			fail("%s in a thread does not return", q->row->name);
	} else {
		begin(a);
		q->row->ask(interposed[row_number(q->row)], q, a);
	}
}

static void ask_truth(const struct question *q, struct answer *a)
{
	begin(a);
	if (q->row->truth)
		q->row->truth(NULL, q, a);
	else
		q->row->ask(libcs_own[row_number(q->row)], q, a);
}

/* Where libc makes several calls for a success, errno may come out touched or untouched. */
static bool same(const struct question *q, const struct answer *got, const struct answer *want)
{
	bool success =
	    q->row->family == FASTPATH_REALPATH ? want->ret != NO_STRING : want->ret >= 0;
	bool free_errno = success && !q->row->truth && got->err == ERRNO_BEFORE;

	return got->ret == want->ret && (got->err == want->err || free_errno) &&
	       !memcmp(got->out, want->out, OUT_BYTES);
}

/* True: opening it would wait for a writer, it cannot be asked here, or what it makes behind a link could not be unmade. */
static bool question_unfit(const struct question *q)
{
	struct stat st;

	if (q->spawn_actions == CREATE_ACTION && q->row->ask == ask_spawn && exists(q->text))
		return true;
	/* And qemu-user looks at what is to be written before the path. */
	if (!vfork_shares() && (q->row->ask == ask_spawn || q->no_buffer || q->bad_argv))
		return true;
	return q->row->takes & BLOCKS &&
	       RAW(SYS_newfstatat, AT_FDCWD, P(q->path), P(&st), 0) == 0 && S_ISFIFO(st.st_mode);
}

static bool question_absent(const struct question *q)
{
	struct stat st;

	return RAW(SYS_newfstatat, question_directory(q), P(q->path), P(&st), 0) < 0;
}

/* ---- telling ---- */

static void print_answer(const char *who, const struct question *q, const struct answer *a,
			 const struct answer *other)
{
	char text[2 * PATH_BYTES];
	unsigned at = 0;

	while (at < OUT_BYTES && a->out[at] == other->out[at])
		at++;
	printf("  %-9s %ld, errno %d (%s)", who, a->ret, a->err, strerror(a->err));
	if (q->row->family == FASTPATH_REALPATH && memchr(a->out, 0, PATH_MAX))
		printf(", \"%s\"", printable(text, (const char *)a->out, sizeof text));
	if (at < OUT_BYTES)
		printf(", byte %u of the result is %02x", at, a->out[at]);
	printf("\n");
}

static void print_question(const struct question *q)
{
	static const char *const pointers[] = {"",
					       ", string ends at a page's end",
					       ", no NUL before the mapping ends",
					       ", NULL",
					       ", pointer 1",
					       ", pointer 4095",
					       ", non-canonical"};
	static const char *const askers[] = {"", ", by a thread", ", in a vfork child"};
	char text[4 * PATH_BYTES];

	printf("  %lu: %s@%s row %u (\"%s\"%s%s) dirfd %d mode %#x at %#x open %#x size %zd",
	       step_now, q->row->name, q->row->version ? q->row->version : "", row_number(q->row),
	       printable(text, q->text, sizeof text), pointers[q->pointer], askers[q->asker],
	       q->dirfd, (unsigned)q->mode, (unsigned)q->at_flags, (unsigned)q->open_flags,
	       (ssize_t)q->size);
	if (q->row->family == FASTPATH_XATTR)
		printf(" name %s", q->name ? q->name : "NULL");
	if (q->row->family == FASTPATH_OPEN)
		printf(" fopen \"%s\"", q->fopen_mode);
	if (q->row->family == FASTPATH_EXEC)
		printf(" %s%s%s actions %d", q->vforked ? "vfork" : "fork",
		       q->own_environment ? " own environment" : "", q->bad_argv ? " bad argv" : "",
		       q->spawn_actions);
	if (q->row->takes & SEARCHES)
		printf(" PATH %s", printable(text, q->search, sizeof text));
	printf("%s%s%s\n", q->no_buffer ? " no buffer" : "", q->no_result ? " no result" : "",
	       q->absent ? " (absent)" : "");
}

static void print_mutation(const struct mutation *m);

/* What led here, and both answers. */
__attribute__((noreturn)) static void disagree(const struct question *q, const struct answer *got,
					       const struct answer *want, const char *whose)
{
	char cwd[PATH_MAX] = "";

	printf("FAIL %s: step %lu: %s(\"%.300s\")%s%s: got %ld errno %d, %s says %ld errno %d\n",
	       run_name("every_answer_equals_the_kernels"), step_now, q->row->name,
	       q->pointer <= AT_EDGE ? q->text : "bad pointer",
	       in_child ? " in a forked child" : "", chrooted ? " after chroot" : "", got->ret,
	       got->err, whose, want->ret, want->err);
	print_question(q);
	print_answer("library", q, got, want);
	print_answer(whose, q, want, got);
	RAW(SYS_getcwd, P(cwd), sizeof cwd);
	printf("  base %s, cwd %s; changes before, oldest first:\n", sh->base, cwd);
	for (unsigned i = 0; i < MUTATIONS_LOGGED; i++)
		if (sh->logged + i >= MUTATIONS_LOGGED)
			print_mutation(&sh->log[(sh->logged + i) % MUTATIONS_LOGGED]);
	fflush(stdout);
	_exit(1);
}

/* ---- comparing ---- */

static bool reference_applies(const struct question *q)
{
	return (q->row->ask == ask_realpath || q->row->ask == ask_realpath_chk) &&
	       (q->row->ask == ask_realpath_chk || !q->no_result) && *q->text == '/' &&
	       strlen(q->text) < PATH_MAX;
}

static void compare(struct question *q)
{
	static struct answer library, again, truth, reference;

	if (!interposed[row_number(q->row)] || !libcs_own[row_number(q->row)])
		return;
	question_place(q);
	if (question_unfit(q))
		return;
	question_search(q);
	question_warm(q);
	q->absent = question_absent(q);
	if (step_now >= trace_from)
		print_question(q), fflush(stdout);
	asked++;
	ask_library(q, &library);
	ask_truth(q, &truth);
	if (!same(q, &library, &truth))
		disagree(q, &library, &truth, q->row->truth ? "kernel" : "libc");
	agreed_absent += truth.ret == -1 && truth.err == ENOENT;
	if (reference_applies(q)) {
		begin(&reference);
		reference_realpath(q, &reference);
		if (reference.err == ERRNO_BEFORE)
			reference.err = library.err;
		if (!same(q, &library, &reference))
			disagree(q, &library, &reference, "reference");
	}
	if (q->row->family == FASTPATH_EXEC && truth.err == ERRNO_BEFORE)
		return;         /* something ran: that takes long */
	ask_library(q, &again); /* by now it may be a hit */
	if (!same(q, &again, &truth))
		disagree(q, &again, &truth, q->row->truth ? "kernel" : "libc");
}

/* ---- changes: each is a few system calls, made by whoever is asked to ---- */

typedef long call_fn(long nr, const long a[6]);
#define CALL(nr, ...) call((nr), (const long[6]){__VA_ARGS__})

static const char *target_of(const struct mutation *m)
{
	static const char *const relative[] = {"x", "a", "../b/x", "a/c", "./y", "../a", "l", "no"};
	static const char *const absolute[] = {"/proc/self/cwd", "/no-such-directory/x",
					       "/proc/self/cwd/a"};

	if (m->arg % 10 < 5)
		return m->to;
	if (m->arg % 10 < 9)
		return relative[m->arg / 10 % COUNT(relative)];
	return absolute[m->arg / 10 % COUNT(absolute)];
}

static const char *side_path(char *to, const char *name)
{
	snprintf(to, PATH_BYTES, "%s/%s", sh->side, name);
	return to;
}

static long make_file(call_fn *call, const char *path, long flags, long mode, const char *text)
{
	long fd =
	    CALL(SYS_openat, AT_FDCWD, P(path), O_CREAT | O_WRONLY | O_NONBLOCK | flags, mode);

	if (fd < 0)
		return fd;
	if (text)
		CALL(SYS_write, fd, P(text), (long)strlen(text));
	CALL(SYS_close, fd);
	return 0;
}

static long op_create(call_fn *call, struct mutation *m)
{
	return make_file(call, m->from, O_EXCL, m->arg & 1 ? 0755 : 0644, NULL);
}

static long op_mkdir(call_fn *call, struct mutation *m)
{
	return CALL(SYS_mkdirat, AT_FDCWD, P(m->from), m->arg % 8 ? 0755 : 0711);
}

/* mkdir -p with a file at its end: only the first name makes an event where it matters. */
static long op_mkdir_deep(call_fn *call, struct mutation *m)
{
	char path[PATH_BYTES];

	for (char *p = m->from + strlen(sh->base); (p = strchr(p + 1, '/'));) {
		snprintf(path, sizeof path, "%.*s", (int)(p - m->from), m->from);
		CALL(SYS_mkdirat, AT_FDCWD, P(path), 0755);
	}
	return make_file(call, m->from, 0, 0644, NULL);
}

static long op_script(call_fn *call, struct mutation *m)
{
	static const char body[] = "[ \"$1\" = one ] && exit %u\nexit 98\n";
	char text[PATH_BYTES], head[512] = "";

	if (m->arg % 4 == 1)
		strcpy(head, "#!/bin/sh\n");
	if (m->arg % 4 == 2)
		strcpy(head, "#!/no/such/interpreter\n");
	if (m->arg % 4 == 3)
		snprintf(head, sizeof head, "#!%.200s/x\n", sh->base);
	strcpy(text, head);
	snprintf(text + strlen(text), 128, body, m->arg / 4 % 90);
	return make_file(call, m->from, O_TRUNC, 0755, text);
}

static long op_mkfifo(call_fn *call, struct mutation *m)
{
	return CALL(SYS_mknodat, AT_FDCWD, P(m->from), S_IFIFO | 0644);
}

static long op_symlink(call_fn *call, struct mutation *m)
{
	return CALL(SYS_symlinkat, P(target_of(m)), AT_FDCWD, P(m->from));
}

static long op_link(call_fn *call, struct mutation *m)
{
	return CALL(SYS_linkat, AT_FDCWD, P(m->from), AT_FDCWD, P(m->to), 0);
}

static long op_tmpfile_link(call_fn *call, struct mutation *m)
{
	char link[64];
	long fd = CALL(SYS_openat, AT_FDCWD, P(sh->side), O_TMPFILE | O_WRONLY, 0644);
	long ret;

	if (fd < 0)
		return fd;
	snprintf(link, sizeof link, "/proc/self/fd/%ld", fd);
	ret = CALL(SYS_linkat, AT_FDCWD, P(link), AT_FDCWD, P(m->from), AT_SYMLINK_FOLLOW);
	CALL(SYS_close, fd);
	return ret;
}

static long op_bind_socket(call_fn *call, struct mutation *m)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	long fd, ret;

	if (strlen(m->from) >= sizeof name.sun_path)
		return -ENAMETOOLONG;
	strcpy(name.sun_path, m->from);
	fd = CALL(SYS_socket, AF_UNIX, SOCK_DGRAM, 0);
	if (fd < 0)
		return fd;
	ret = CALL(SYS_bind, fd, P(&name), sizeof name);
	CALL(SYS_close, fd);
	return ret;
}

static long op_rename(call_fn *call, struct mutation *m)
{
	return CALL(SYS_renameat2, AT_FDCWD, P(m->from), AT_FDCWD, P(m->to), 0);
}

static long op_rename_new(call_fn *call, struct mutation *m)
{
	return CALL(SYS_renameat2, AT_FDCWD, P(m->from), AT_FDCWD, P(m->to), 1 /* NOREPLACE */);
}

static long op_exchange(call_fn *call, struct mutation *m)
{
	return CALL(SYS_renameat2, AT_FDCWD, P(m->from), AT_FDCWD, P(m->to), 2 /* EXCHANGE */);
}

/* The base itself, and so the ancestor of everything, changes places with its twin. */
static long op_exchange_base(call_fn *call, struct mutation *m)
{
	(void)m;
	return CALL(SYS_renameat2, AT_FDCWD, P(sh->base), AT_FDCWD, P(sh->twin), 2 /* EXCHANGE */);
}

static long op_rename_over_empty(call_fn *call, struct mutation *m)
{
	CALL(SYS_mkdirat, AT_FDCWD, P(m->to), 0755);
	return CALL(SYS_renameat2, AT_FDCWD, P(m->from), AT_FDCWD, P(m->to), 0);
}

/* A tree made where nobody looks takes the name over in one step. */
static long op_move_tree_in(call_fn *call, struct mutation *m)
{
	char top[PATH_BYTES], path[PATH_BYTES];
	long ret;

	CALL(SYS_mkdirat, AT_FDCWD, P(side_path(top, "t")), 0755);
	CALL(SYS_mkdirat, AT_FDCWD, P(side_path(path, "t/a")), 0755);
	CALL(SYS_mkdirat, AT_FDCWD, P(side_path(path, "t/a/b")), 0755);
	make_file(call, side_path(path, "t/x"), 0, 0755, NULL);
	make_file(call, side_path(path, "t/a/y"), 0, 0644, NULL);
	CALL(SYS_symlinkat, P("a"), AT_FDCWD, P(side_path(path, "t/l")));
	ret = CALL(SYS_renameat2, AT_FDCWD, P(top), AT_FDCWD, P(m->from), m->arg & 1 ? 2 : 0);
	if (ret == -ENOENT)
		ret = CALL(SYS_renameat2, AT_FDCWD, P(top), AT_FDCWD, P(m->from), 0);
	return ret;
}

static long op_unlink(call_fn *call, struct mutation *m)
{
	return CALL(SYS_unlinkat, AT_FDCWD, P(m->from), 0);
}

static long op_rmdir(call_fn *call, struct mutation *m)
{
	return CALL(SYS_unlinkat, AT_FDCWD, P(m->from), AT_REMOVEDIR);
}

/* Empties a directory as far as one level goes, and removes it. */
static long op_clear(call_fn *call, struct mutation *m)
{
	char path[PATH_BYTES];

	for (unsigned i = 0; i < COUNT(names); i++) {
		strcpy(path, m->from);
		path_add(path, names[i]);
		CALL(SYS_unlinkat, AT_FDCWD, P(path), 0);
		CALL(SYS_unlinkat, AT_FDCWD, P(path), AT_REMOVEDIR);
	}
	return m->arg % 3 ? 0 : CALL(SYS_unlinkat, AT_FDCWD, P(m->from), AT_REMOVEDIR);
}

/* Removed while held open, and made again: the old one sends no DELETE_SELF. */
static long op_remake_held(call_fn *call, struct mutation *m)
{
	long fd = CALL(SYS_openat, AT_FDCWD, P(m->from), O_DIRECTORY | (m->arg & 1 ? O_PATH : 0));
	long ret;

	op_clear(call, m);
	CALL(SYS_unlinkat, AT_FDCWD, P(m->from), AT_REMOVEDIR);
	ret = CALL(SYS_mkdirat, AT_FDCWD, P(m->from), 0755);
	make_file(call, m->to, 0, 0644, NULL);
	if (fd >= 0)
		CALL(SYS_close, fd);
	return ret;
}

/* Keeps a directory (or file) open for longer; questions use it as their dirfd. */
static long op_hold(call_fn *call, struct mutation *m)
{
	int *slot = &held[m->arg % HELD];

	if (*slot >= 0)
		CALL(SYS_close, *slot);
	*slot = (int)CALL(SYS_openat, AT_FDCWD, P(m->from),
			  O_RDONLY | O_NONBLOCK | (m->arg & 1 ? O_PATH : 0));
	return *slot;
}

static long mode_of(const struct mutation *m)
{
	static const long modes[] = {0755, 0755, 0755, 0755, 0644, 0700,  0,    0711,
				     0744, 0555, 0500, 0755, 0755, 01777, 0755, 0111};

	return modes[m->arg % COUNT(modes)];
}

static long op_chmod(call_fn *call, struct mutation *m)
{
	return CALL(SYS_fchmodat, AT_FDCWD, P(m->from), mode_of(m));
}

/* An ancestor of everything; the episode opens it again. */
static long op_chmod_root(call_fn *call, struct mutation *m)
{
	static const long modes[] = {0, 0711, 0700, 0644};

	return CALL(SYS_fchmodat, AT_FDCWD, P(sh->root), modes[m->arg % COUNT(modes)]);
}

static long op_chmod_by_fd(call_fn *call, struct mutation *m)
{
	long fd = CALL(SYS_openat, AT_FDCWD, P(m->from), O_RDONLY | O_NONBLOCK);
	long ret;

	if (fd < 0)
		return fd;
	ret = CALL(SYS_fchmod, fd, mode_of(m));
	CALL(SYS_close, fd);
	return ret;
}

/* By a name elsewhere, or by a descriptor whose name is gone: the directory hears nothing. */
static long op_chmod_by_other_link(call_fn *call, struct mutation *m)
{
	char path[PATH_BYTES];
	long ret = CALL(SYS_linkat, AT_FDCWD, P(m->from), AT_FDCWD, P(side_path(path, "h")), 0);
	long fd = ret == 0 && m->arg & 16 ? CALL(SYS_openat, AT_FDCWD, P(path), O_NONBLOCK) : -1;

	if (ret == 0 && fd < 0)
		ret = CALL(SYS_fchmodat, AT_FDCWD, P(path), mode_of(m));
	CALL(SYS_unlinkat, AT_FDCWD, P(path), 0);
	if (fd < 0)
		return ret;
	ret = CALL(SYS_fchmod, fd, mode_of(m));
	CALL(SYS_close, fd);
	return ret;
}

static long op_chown(call_fn *call, struct mutation *m)
{
	long id = m->arg & 1 ? NOBODY : 0;

	return CALL(SYS_fchownat, AT_FDCWD, P(m->from), id, id,
		    m->arg & 2 ? AT_SYMLINK_NOFOLLOW : 0);
}

/* Everything down to the path is its asker's again and open to him, or a run ends in EACCES. */
static long op_heal(call_fn *call, struct mutation *m)
{
	char path[PATH_BYTES];
	long ret = -ENOENT;

	for (char *p = m->from + strlen(sh->base); p; p = strchr(p + 1, '/')) {
		snprintf(path, sizeof path, "%.*s", (int)(p - m->from), m->from);
		CALL(SYS_fchownat, AT_FDCWD, P(path), sh->user, sh->user, 0);
		ret = CALL(SYS_fchmodat, AT_FDCWD, P(path), 0755);
	}
	return ret;
}

static long op_retarget(call_fn *call, struct mutation *m)
{
	char path[PATH_BYTES];

	CALL(SYS_unlinkat, AT_FDCWD, P(side_path(path, "s")), 0);
	if (m->arg & 1) {
		CALL(SYS_unlinkat, AT_FDCWD, P(m->from), 0);
		return CALL(SYS_symlinkat, P(target_of(m)), AT_FDCWD, P(m->from));
	}
	CALL(SYS_symlinkat, P(target_of(m)), AT_FDCWD, P(path));
	return CALL(SYS_renameat2, AT_FDCWD, P(path), AT_FDCWD, P(m->from), 0);
}

struct acl_entry {
	uint16_t tag, rights;
	uint32_t id;
};
static const struct {
	uint32_t version;
	struct acl_entry entries[5];
} acl = {2, {{0x01, 6, -1u}, {0x02, 0, NOBODY}, {0x04, 5, -1u}, {0x10, 5, -1u}, {0x20, 5, -1u}}};
/* VFS_CAP_REVISION_2, cap_net_raw permitted */
static const uint32_t file_capability[5] = {0x02000000, 1 << 13};

static long op_setxattr(call_fn *call, struct mutation *m)
{
	const char *name = xattr_names[m->arg % 10];

	if (strncmp(name, "system.", 7) == 0)
		return CALL(SYS_setxattr, P(m->from), P(name), P(&acl), sizeof acl);
	if (strcmp(name, "security.capability") == 0)
		return CALL(SYS_setxattr, P(m->from), P(name), P(file_capability),
			    sizeof file_capability);
	return CALL(m->arg & 1 ? SYS_setxattr : SYS_lsetxattr, P(m->from), P(name), P("value"), 5);
}

static long op_removexattr(call_fn *call, struct mutation *m)
{
	long ret = -ENODATA;

	for (unsigned i = 0; i < 10; i++)
		if (CALL(SYS_removexattr, P(m->from), P(xattr_names[i])) == 0)
			ret = 0;
	return ret;
}

/* FS_IMMUTABLE_FL: nobody writes to it any more, and inotify says nothing. Undone by the episode.
 */
static long op_immutable(call_fn *call, struct mutation *m)
{
	long fd = CALL(SYS_openat, AT_FDCWD, P(m->from), O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
	int flags = 0;
	long ret;

	if (fd < 0)
		return fd;
	ret = CALL(SYS_ioctl, fd, FS_IOC_GETFLAGS, P(&flags));
	flags = m->arg & 1 ? flags & ~FS_IMMUTABLE_FL : flags | FS_IMMUTABLE_FL;
	if (ret >= 0)
		ret = CALL(SYS_ioctl, fd, FS_IOC_SETFLAGS, P(&flags));
	CALL(SYS_close, fd);
	return ret;
}

static long op_touch(call_fn *call, struct mutation *m)
{
	return CALL(SYS_utimensat, AT_FDCWD, P(m->from), 0, AT_SYMLINK_NOFOLLOW);
}

/* More events than the queue holds (16,384 by default), then one that is lost. */
static long op_flood(call_fn *call, struct mutation *m)
{
	char one[PATH_BYTES], other[PATH_BYTES];

	strcpy(one, m->from);
	path_add(one, "x");
	strcpy(other, m->from);
	path_add(other, "y");
	if (make_file(call, one, 0, 0755, NULL) < 0 || make_file(call, other, 0, 0755, NULL) < 0)
		return -ENOENT;
	for (int i = 0; i < 8500; i++) {
		CALL(SYS_utimensat, AT_FDCWD, P(one), 0, 0);
		CALL(SYS_utimensat, AT_FDCWD, P(other), 0, 0);
	}
	return make_file(call, m->to, O_EXCL, 0644, NULL);
}

static long op_chdir(call_fn *call, struct mutation *m)
{
	return m->arg & 1 && held[m->arg % HELD] >= 0 ? CALL(SYS_fchdir, held[m->arg % HELD])
						      : CALL(SYS_chdir, P(m->from));
}

static long op_chdir_base(call_fn *call, struct mutation *m)
{
	(void)m;
	return CALL(SYS_chdir, P(sh->base));
}

static long op_bind(call_fn *call, struct mutation *m)
{
	return CALL(SYS_mount, P(m->from), P(m->to), 0, MS_BIND);
}

static long op_mount_tmpfs(call_fn *call, struct mutation *m)
{
	return CALL(SYS_mount, P("none"), P(m->from), P("tmpfs"), 0, P("size=1m,mode=777"));
}

static long op_umount(call_fn *call, struct mutation *m)
{
	return CALL(SYS_umount2, P(m->from), m->arg & 1 ? MNT_DETACH : 0);
}

static long op_move_mount(call_fn *call, struct mutation *m)
{
	return CALL(SYS_mount, P(m->from), P(m->to), 0, MS_MOVE);
}

static long op_remount(call_fn *call, struct mutation *m)
{
	static const long flags[] = {0, MS_RDONLY, 0, MS_NOEXEC};

	return CALL(SYS_mount, 0, P(m->from), 0, MS_REMOUNT | MS_BIND | flags[m->arg % 4]);
}

/* ---- who changes ---- */

enum needs {
	MOUNTS = 1,
	OWN_PROCESS = 2,
	ON_BASE = 4, /* the base itself may be changed like this */
	MAKES = 8,
	OVER = 16, /* the other path had better exist too */
	ON_FILE = 32,
	ON_DIRECTORY = 64,
	CHILD = 128 /* the other path is a name in the first */
};

static const struct op {
	const char *name;
	long (*run)(call_fn *call, struct mutation *m);
	unsigned weight, needs;
} ops[] = {
    {"create", op_create, 12, MAKES},
    {"mkdir", op_mkdir, 14, MAKES},
    {"mkdir -p", op_mkdir_deep, 8, MAKES},
    {"write a script", op_script, 6, MAKES},
    {"mkfifo", op_mkfifo, 1, MAKES},
    {"symlink", op_symlink, 8, MAKES},
    {"link", op_link, 4, ON_FILE},
    {"O_TMPFILE and link", op_tmpfile_link, 3, MAKES},
    {"bind a socket", op_bind_socket, 1, MAKES},
    {"rename", op_rename, 8, OVER},
    {"rename, no replacing", op_rename_new, 4, 0},
    {"exchange", op_exchange, 4, OVER},
    {"exchange the base", op_exchange_base, 2, 0},
    {"rename over an empty directory", op_rename_over_empty, 3, 0},
    {"move a tree in", op_move_tree_in, 6, MAKES | CHILD},
    {"unlink", op_unlink, 14, ON_FILE},
    {"rmdir", op_rmdir, 6, ON_DIRECTORY},
    {"clear", op_clear, 3, ON_DIRECTORY | CHILD},
    {"remake while held", op_remake_held, 4, ON_DIRECTORY | CHILD},
    {"hold", op_hold, 4, ON_BASE | ON_DIRECTORY},
    {"chmod", op_chmod, 10, ON_BASE},
    {"chmod the root", op_chmod_root, 3, 0},
    {"chmod by fd", op_chmod_by_fd, 4, 0},
    {"chmod by another link", op_chmod_by_other_link, 4, ON_FILE},
    {"chown", op_chown, 3, 0},
    {"heal", op_heal, 6, 0},
    {"retarget", op_retarget, 8, 0},
    {"setxattr", op_setxattr, 6, ON_BASE},
    {"removexattr", op_removexattr, 5, ON_BASE},
    {"chattr", op_immutable, 3, ON_FILE},
    {"touch", op_touch, 3, ON_BASE},
    {"flood", op_flood, 1, ON_DIRECTORY | CHILD},
    {"chdir", op_chdir, 3, OWN_PROCESS | ON_BASE | ON_DIRECTORY},
    {"chdir to the base", op_chdir_base, 2, OWN_PROCESS},
    {"bind mount", op_bind, 2, MOUNTS | OVER},
    {"mount tmpfs", op_mount_tmpfs, 1, MOUNTS},
    {"umount", op_umount, 4, MOUNTS},
    {"move a mount", op_move_mount, 2, MOUNTS},
    {"remount", op_remount, 4, MOUNTS},
};

static void print_mutation(const struct mutation *m)
{
	char from[PATH_BYTES], to[PATH_BYTES];

	printf("  %lu: %s by %s (\"%s\", \"%s\", %u) = %ld\n", m->step, ops[m->op].name,
	       by_names[m->by], printable(from, m->from, sizeof from),
	       printable(to, m->to, sizeof to), m->arg, m->result);
}

static long kernel_call(long nr, const long a[6])
{
	return raw(nr, a);
}

static long by_libc_at(long nr, const long a[6])
{
	const char *one = (const char *)a[1], *three = (const char *)a[3];

	switch (nr) {
	case SYS_openat:
		return open(one, (int)a[2], (mode_t)a[3]);
	case SYS_mkdirat:
		return mkdir(one, (mode_t)a[2]);
	case SYS_mknodat:
		return mknod(one, (mode_t)a[2], 0);
	case SYS_symlinkat:
		return symlink((const char *)a[0], (const char *)a[2]);
	case SYS_linkat:
		return linkat((int)a[0], one, (int)a[2], three, (int)a[4]);
	case SYS_renameat2:
		return a[4] ? renameat2((int)a[0], one, (int)a[2], three, (unsigned)a[4])
			    : rename(one, three);
	case SYS_unlinkat:
		return a[2] ? rmdir(one) : unlink(one);
	case SYS_fchmodat:
		return chmod(one, (mode_t)a[2]);
	case SYS_fchownat:
		return a[4] ? lchown(one, (uid_t)a[2], (gid_t)a[3])
			    : chown(one, (uid_t)a[2], (gid_t)a[3]);
	case SYS_utimensat:
		return utimensat((int)a[0], one, (const struct timespec *)a[2], (int)a[3]);
	default:
		return syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}

static long by_libc(long nr, const long a[6])
{
	const char *zero = (const char *)a[0];
	long ret;

	switch (nr) {
	case SYS_close:
		ret = close((int)a[0]);
		break;
	case SYS_fchmod:
		ret = fchmod((int)a[0], (mode_t)a[1]);
		break;
	case SYS_setxattr:
		ret = setxattr(zero, (const char *)a[1], (const void *)a[2], (size_t)a[3], 0);
		break;
	case SYS_removexattr:
		ret = removexattr(zero, (const char *)a[1]);
		break;
	case SYS_chdir:
		ret = chdir(zero);
		break;
	case SYS_fchdir:
		ret = fchdir((int)a[0]);
		break;
	case SYS_mount:
		ret = mount(zero, (const char *)a[1], (const char *)a[2], (unsigned long)a[3],
			    (const void *)a[4]);
		break;
	case SYS_umount2:
		ret = umount2(zero, (int)a[1]);
		break;
	default:
		ret = by_libc_at(nr, a);
	}
	return ret < 0 ? -errno : ret;
}

static unsigned draw_op(void)
{
	unsigned total = 0, n;

	for (unsigned i = 0; i < COUNT(ops); i++)
		total += ops[i].weight;
	n = below(total);
	for (unsigned i = 0;; i++) {
		if (n < ops[i].weight)
			return i;
		n -= ops[i].weight;
	}
}

/* The base must stay where it is; of it, only what it looks like changes. */
static void mutation_draw(struct mutation *m)
{
	unsigned needs;

	m->step = step_now;
	m->op = draw_op();
	m->arg = (unsigned)(draw() >> 40);
	m->by = (enum by)below(BYS);
	needs = ops[m->op].needs;
	path_fitting(m->from, needs & MAKES          ? NOTHING
			      : needs & ON_FILE      ? A_FILE
			      : needs & ON_DIRECTORY ? A_DIRECTORY
						     : ANYTHING);
	path_fitting(m->to, percent(needs & OVER ? 80 : 30) ? ANYTHING : NOTHING);
	if (needs & MOUNTS)
		path_mount(percent(needs & OVER ? 20 : 90) ? m->from : m->to);
	else if (percent(15))
		strcpy(m->from, recent[below(RECENT)]);
	const char *name = PICK(names);
	if (strcmp(m->from, sh->base) == 0 && !(needs & ON_BASE))
		path_add(m->from, name);
	if (needs & CHILD)
		strcpy(m->to, m->from);
	if (needs & CHILD || strcmp(m->to, sh->base) == 0)
		path_add(m->to, name);
	if (m->by == BY_THREAD && in_child)
		m->by = BY_RAW;
	if (m->by == BY_PROCESS && needs & OWN_PROCESS)
		m->by = BY_LIBC;
	if (m->by != BY_PROCESS && needs & MOUNTS && as_user)
		m->by = BY_PROCESS;
}

static void mutation_run(struct mutation *m)
{
	if (m->by == BY_PROCESS) {
		sh->mutation = *m;
		turn_give(&sh->turn, 1);
		if (!turn_wait(&sh->turn, 0, MINUTE))
			fail("the other process does not answer");
		m->result = sh->mutation.result;
	} else if (m->by == BY_THREAD) {
		thread_mutation = m;
		turn_give(&thread_turn, 1);
		if (!turn_wait(&thread_turn, 0, MINUTE))
			fail("%s in a thread does not return", ops[m->op].name);
	} else {
		m->result = ops[m->op].run(m->by == BY_LIBC ? by_libc : kernel_call, m);
	}
	if (step_now >= trace_from)
		print_mutation(m), fflush(stdout);
	changes++;
	changes_made += m->result >= 0;
	sh->log[sh->logged++ % MUTATIONS_LOGGED] = *m;
	recent_note(m->from);
	recent_note(m->to);
}

/* ---- the thread and the other process ---- */

static void *thread_main(void *unused)
{
	for (;;) {
		turn_wait(&thread_turn, 1, FOR_EVER);
		if (thread_mutation) {
			struct mutation *m = thread_mutation;
			m->result = ops[m->op].run(m->arg & 4 ? by_libc : kernel_call, m);
		} else {
			const struct question *q = thread_question;
			begin(thread_answer);
			q->row->ask(interposed[row_number(q->row)], q, thread_answer);
		}
		thread_mutation = NULL;
		turn_give(&thread_turn, 0);
	}
	return unused;
}

/*
 * Forked by a raw call before the library knows anything. Looks each second whether the asker still
 * lives: no signal would come from one that has become an ordinary user.
 */
static void other_process(long asker)
{
	if (RAW(SYS_chdir, P(sh->base)) < 0)
		_exit(1);
	while (RAW(SYS_getppid) == asker && !sh->quit) {
		if (!turn_wait(&sh->turn, 1, 1))
			continue;
		struct mutation *m = &sh->mutation;
		if (!sh->quit)
			m->result = ops[m->op].run(kernel_call, m);
		turn_give(&sh->turn, 0);
	}
	RAW(SYS_exit_group, 0);
}

/* ---- episodes: what a step is ---- */

enum { QUESTIONS = 5, CHANGES = 15 };

static void episode_questions(void)
{
	static struct question q;

	for (unsigned n = 1 + below(QUESTIONS); n; n--) {
		question_draw(&q, NULL);
		compare(&q);
	}
}

static bool about_mounts(const struct mutation *m)
{
	return ops[m->op].needs & MOUNTS;
}

/* Asks, changes just that, and asks the same again: what was true must not be said still. */
static void episode_change(void)
{
	static struct question q[QUESTIONS];
	static struct mutation m;
	unsigned n = below(QUESTIONS + 1);

	mutation_draw(&m);
	m.arg &= ops[m.op].run == op_immutable ? ~1u : ~0u;
	for (unsigned i = 0; i < n; i++) {
		question_draw(&q[i], i % 3 == 2 ? m.to : m.from);
		compare(&q[i]);
	}
	if (about_mounts(&m) && (!sh->mounts || in_child))
		return;
	mutation_run(&m);
	for (unsigned i = 0; i < n; i++)
		compare(&q[i]);
	m.arg |= 1;
	if (ops[m.op].run == op_immutable)
		mutation_run(&m);
	if (strcmp(m.from, sh->base) == 0)
		RAW(SYS_fchmodat, AT_FDCWD, P(sh->base), 0755);
	RAW(SYS_fchmodat, AT_FDCWD, P(sh->root), 0755);
}

/* ---- children: fork, and what ends caching in a process: credentials, lost descriptors ---- */

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};

	syscall(SYS_capset, &header, none);
}

/* Through libc, as programs do: what is done by inline system calls the library cannot see. */
static int change_process(unsigned how)
{
	gid_t group = NOBODY;

	switch (how) {
	case 0:
		return seteuid(NOBODY);
	case 1:
		return setegid(NOBODY) | seteuid(NOBODY);
	case 2:
		return setgroups(1, &group) | setresuid(NOBODY, NOBODY, 0);
	case 3:
		return setreuid(NOBODY, 0);
	case 4:
		return setfsgid(NOBODY) | setfsuid(NOBODY);
	case 5:
		drop_capabilities();
		return 0;
	case 6:
		return setuid(NOBODY);
	case 7:
		chrooted = chroot(sh->base) == 0;
		return 0;
	case 8:
		return unshare(CLONE_NEWNS) | mount(sh->side, sh->base, 0, MS_BIND, 0);
	case 9:
		return unshare(CLONE_NEWUSER);
	case 10:
		return (int)syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY);
	case 11:
		return (int)syscall(SYS_close_range, 3, ~0u, 0);
	case 12:
		return dup2(0, 800) | dup2(0, 801) | dup2(0, 802) | dup2(0, 803);
	case 13:
		return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	default:
		return prctl(PR_SET_SECUREBITS, 1 << 2 /* SECBIT_NO_SETUID_FIXUP */, 0, 0, 0);
	}
}

/* Asks about a directory that is its owner's alone, becomes somebody else, and asks the same. */
static void episode_identity(const char *closed, unsigned how)
{
	static const long modes[] = {0700, 0700, 0711, 0744, 0};
	static struct question q[QUESTIONS];

	RAW(SYS_fchmodat, AT_FDCWD, P(closed), PICK(modes));
	for (unsigned i = 0; i < QUESTIONS; i++) {
		question_draw(&q[i], closed);
		compare(&q[i]);
	}
	change_process(how);
	for (unsigned i = 0; i < QUESTIONS; i++)
		compare(&q[i]);
}

__attribute__((noreturn)) static void child_main(const char *closed)
{
	unsigned how = below(2 * CHANGES);

	in_child = true;
	for (unsigned i = below(4); i; i--)
		percent(30) ? episode_change() : episode_questions();
	if (how < CHANGES)
		episode_identity(closed, how);
	for (unsigned i = 1 + below(4); i; i--)
		percent(30) ? episode_change() : episode_questions();
	fflush(stdout);
	_exit(0);
}

static void episode_child(void)
{
	uint64_t salt = draw();
	char closed[PATH_BYTES];
	int status;
	pid_t pid;

	path_fitting(closed, A_DIRECTORY);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		draw_state ^= salt;
		child_main(closed);
	}
	if (pid < 0 || RAW(SYS_wait4, pid, P(&status), 0, 0) != pid)
		fail("cannot fork: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 1)
		_exit(1);
	if (status)
		fail("a forked child ended with status %#x", (unsigned)status);
	RAW(SYS_fchmodat, AT_FDCWD, P(closed), 0755);
}

static void episode(void)
{
	hot_refresh(below(percent(5) ? HOT : 1));
	unsigned n = below(1000);

	if (n < 8)
		episode_child();
	else if (n < 330)
		episode_change();
	else
		episode_questions();
}

/* ---- the run ---- */

static void guard_make(void)
{
	long page = sysconf(_SC_PAGESIZE);
	size_t size = 2 * (size_t)(PATH_BYTES / page + 1) * (size_t)page;
	char *area = mmap(NULL, size + (size_t)page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED || mprotect(area + size, (size_t)page, PROT_NONE) < 0)
		fail("no guard page: %s", strerror(errno));
	guard_end = area + size;
}

static void populate(const char *base)
{
	static const char *const made[] = {"a", "b", "c", "d", "a/a", "a/b", "b/c", "a/b/c"};
	char path[PATH_BYTES];

	for (unsigned i = 0; i < COUNT(made); i++) {
		snprintf(path, sizeof path, "%s/%s", base, made[i]);
		mkdir(path, 0755);
		path_add(path, i % 2 ? "x" : "y");
		make_file(kernel_call, path, 0, 0755, NULL);
	}
	snprintf(path, sizeof path, "%s/l", base);
	RAW(SYS_symlinkat, P("a/b"), AT_FDCWD, P(path));
}

static void rows_number(void)
{
	for (unsigned i = COUNT(rows); i-- > 0;) {
		first_row[rows[i].family] = i;
		row_count[rows[i].family]++;
	}
}

static void prepare(void)
{
	pthread_t thread;

	guard_make();
	rows_find();
	rows_number();
	strcpy(search_variable, "PATH=/bin"); /* putenv() takes no empty string */
	putenv(search_variable);
	if (chdir(sh->base) < 0)
		fail("cannot enter %s: %s", sh->base, strerror(errno));
	populate(sh->base);
	populate(sh->twin);
	for (unsigned i = 0; i < HELD; i++)
		held[i] = -1;
	draw_state = seed * 0x2545F4914F6CDD1Du;
	for (unsigned i = 0; i < HOT; i++)
		hot_refresh(i);
	for (unsigned i = 0; i < RECENT; i++)
		path_plain(recent[i]);
	if (pthread_create(&thread, NULL, thread_main, NULL))
		fail("no thread");
}

/* The library must have been of use, in every family, or nothing has been tested. */
static int check_served(void)
{
	static const char *const families[FASTPATH_CALLS] = {
	    "access", "stat", "open", "exec", "readlink", "realpath", "xattr",
	};
	int (*stats)(struct fastpath_stats *, size_t) =
	    (int (*)(struct fastpath_stats *, size_t))dlsym(RTLD_DEFAULT, "fastpath_stats");
	const char *name = run_name("the_cache_was_hit_in_every_family");
	struct fastpath_stats s = {0};
	uint64_t sum = 0;
	const char *test = getenv("FASTPATH_TEST");
	bool eager = test && strstr(test, "eager");
	int idle = 0;

	if (!stats) {
		bool wanted = getenv("FASTPATH") != NULL;
		printf("%s %s: the library is not loaded\n", wanted ? "FAIL" : "SKIP", name);
		return wanted;
	}
	if (stats(&s, sizeof s) < 0) {
		printf("FAIL %s: the library is inert\n", name);
		return 1;
	}
	for (int i = 0; i < FASTPATH_CALLS; i++) {
		printf("  %s: %llu of %llu served\n", families[i], (unsigned long long)s.served[i],
		       (unsigned long long)s.calls[i]);
		sum += s.served[i];
		idle += !s.served[i];
	}
	printf("  bell %u, learned %llu, invalidated %llu; to the kernel:", s.bell,
	       (unsigned long long)s.learned, (unsigned long long)s.invalidated);
	for (int i = 0; i < FASTPATH_REASONS; i++)
		printf(" %llu", (unsigned long long)s.kernel[i]);
	printf("\n");
	/* By the rules of cost, which eager suspends, little or nothing may have been worth it. */
	if (eager && (sum * 20 < asked || (idle && asked > 20000))) {
		printf("FAIL %s: %llu served of %lu questions, %d families never\n", name,
		       (unsigned long long)sum, asked, idle);
		return 1;
	}
	if (!sum)
		printf("SKIP %s: nothing was worth caching\n", name);
	else
		printf("PASS %s\n", name);
	return 0;
}

static int run(void)
{
	int failed;

	prepare();
	for (step_now = 0; step_now < steps; step_now++)
		episode();
	printf("  %lu questions, %lu answered ENOENT; %lu of %lu changes took place\n", asked,
	       agreed_absent, changes_made, changes);
	printf("PASS %s\n", run_name("every_answer_equals_the_kernels"));
	failed = check_served();
	fflush(stdout);
	sh->quit = true;
	turn_give(&sh->turn, 1);
	return failed;
}

/* ---- before the run, in a process of its own: root's part, and the other process ---- */

static char *root_path(char *to, const char *name)
{
	snprintf(to, 256, "%.200s/%s", sh->root, name);
	return to;
}

static void make_directory(const char *path)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		fail("mkdir %s: %s", path, strerror(errno));
	if (as_user && chown(path, NOBODY, NOBODY) < 0)
		fail("chown %s: %s", path, strerror(errno));
}

/* A mount namespace of our own, entered by raw call: the library need not know. */
static bool namespace_enter(void)
{
	return geteuid() == 0 && RAW(SYS_unshare, CLONE_NEWNS) == 0 &&
	       RAW(SYS_mount, 0, P("/"), 0, MS_REC | MS_PRIVATE) == 0;
}

/* Any other name only says what $TMPDIR lies on. */
static bool mount_base(void)
{
	char lower[256], upper[256], work[256], options[1024];

	if (strcmp(fs_kind, "tmpfs") == 0)
		return sh->mounts && mount("none", sh->base, "tmpfs", 0, "size=64m,mode=755") == 0;
	if (strcmp(fs_kind, "overlay") == 0) {
		make_directory(root_path(lower, "lower"));
		make_directory(root_path(upper, "upper"));
		make_directory(root_path(work, "work"));
		populate(lower);
		snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s", lower,
			 upper, work);
		return sh->mounts && mount("none", sh->base, "overlay", 0, options) == 0;
	}
	return true;
}

/* Mounts that are there from the start, so that facts about them exist when they go. */
static void mount_inside(void)
{
	char path[256];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%.200s/m%d", sh->base, i);
		make_directory(path);
		if (i == 0)
			mount("none", path, "tmpfs", 0, "size=4m,mode=755");
		else
			mount(sh->side, path, 0, MS_BIND, 0);
		make_directory(path);
	}
}

static void tree_make(void)
{
	const char *under = getenv("TMPDIR");

	snprintf(sh->root, sizeof sh->root, "%.80s/fp.XXXXXX",
		 under && *under ? under : "/var/tmp");
	if (!mkdtemp(sh->root) || chmod(sh->root, 0755) < 0)
		fail("mkdtemp %s: %s", sh->root, strerror(errno));
	make_directory(sh->root);
	make_directory(root_path(sh->base, "t"));
	make_directory(root_path(sh->twin, "twin"));
	make_directory(root_path(sh->side, "side"));
	sh->user = as_user ? NOBODY : geteuid();
	sh->mounts = namespace_enter();
	if (!mount_base()) {
		printf("SKIP %s: cannot mount %s\n", run_name("every_answer_equals_the_kernels"),
		       fs_kind);
		exit(77);
	}
	make_directory(sh->base);
	if (sh->mounts)
		mount_inside();
}

static struct shared *share(int fd)
{
	void *at = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		fail("mmap: %s", strerror(errno));
	return at;
}

static void become_user(void)
{
	gid_t group = NOBODY;

	if (RAW(SYS_setgroups, 1, P(&group)) < 0 || RAW(SYS_setresgid, group, group, group) < 0 ||
	    RAW(SYS_setresuid, NOBODY, NOBODY, NOBODY) < 0)
		fail("cannot become an ordinary user");
}

/* Does not return: the same program goes on in the new surroundings, with nothing learned yet. */
static void start(char **argv)
{
	int fd = (int)syscall(SYS_memfd_create, "differential", 0);
	char number[16];
	char *args[34] = {tree, "run", argv[0], "--inside", number}, **inside = tree ? args : args + 2;
	long asker = RAW(SYS_getpid);

	if (fd < 0 || ftruncate(fd, sizeof(struct shared)) < 0)
		fail("memfd: %s", strerror(errno));
	sh = share(fd);
	umask(022);
	tree_make();
	if (RAW(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
		other_process(asker);
	if (as_user)
		become_user();
	snprintf(number, sizeof number, "%d", fd);
	for (int i = 1; argv[i] && i < 28; i++)
		args[i + 4] = argv[i];
	execv(tree ? tree : "/proc/self/exe", inside);
	fail("exec: %s", strerror(errno));
}

static int usage(const char *name)
{
	fprintf(stderr,
		"usage: %s [--seed N] [--steps N] [--as-user] [--fs tmpfs|overlay|NAME]"
		" [--trace STEP] [--tree FASTPATH]\n",
		name);
	return 2;
}

int main(int argc, char **argv)
{
	int inside_fd = -1;

	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (strcmp(argv[i], "--as-user") == 0) {
			as_user = true;
			continue;
		}
		if (strcmp(argv[i], "--seed") == 0)
			seed = strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--steps") == 0)
			steps = strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--trace") == 0)
			trace_from = strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--fs") == 0)
			fs_kind = value;
		else if (strcmp(argv[i], "--tree") == 0)
			tree = argv[i + 1];
		else if (strcmp(argv[i], "--inside") == 0)
			inside_fd = atoi(value);
		else
			return usage(argv[0]);
		i++;
	}
	if (inside_fd < 0)
		start(argv);
	sh = share(inside_fd);
	close(inside_fd);
	return run();
}

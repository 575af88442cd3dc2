/*
 * answers.c - makes calls with every kind of argument on paths that the library knows by then, and
 * prints each result, errno and datum; answers.sh compares the output with and without the library.
 *
 * usage: answers CATEGORY, in an empty directory. Each line is asked three times; the last counts.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char **environ;
extern int __open_2(const char *, int), __open64_2(const char *, int);
extern int __openat_2(int, const char *, int), __openat64_2(int, const char *, int);
extern int __xstat(int, const char *, struct stat *), __lxstat(int, const char *, struct stat *);
extern int __fxstatat(int, int, const char *, struct stat *, int);
extern ssize_t __readlink_chk(const char *, char *, size_t, size_t);
extern ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
extern char *__realpath_chk(const char *, char *, size_t);

static char here[PATH_MAX];
static void *volatile nowhere = (void *)16; /* in no mapping */

/* A path in the test's directory; eight live at a time. */
static const char *at(const char *format, ...)
{
	static char buffers[8][2 * PATH_MAX];
	static int next;
	char *b = buffers[next++ % 8];
	int n = sprintf(b, "%s/", here);
	va_list ap;

	va_start(ap, format);
	vsnprintf(b + n, sizeof buffers[0] - (size_t)n, format, ap);
	va_end(ap);
	return b;
}

static void touch(const char *path, mode_t mode)
{
	int fd = open(path, O_CREAT | O_WRONLY, mode);

	fchmod(fd, mode);
	close(fd);
}

static void script(const char *path, const char *text)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0755);

	if (write(fd, text, strlen(text)) < 0)
		perror("write");
	close(fd);
}

static void say(const char *what, const char *path, long ret, int error)
{
	const char *short_path = path;

	if ((uintptr_t)path > 4096 && (intptr_t)path > 0 && !strncmp(path, here, strlen(here)))
		short_path = path + strlen(here);
	if ((uintptr_t)path <= 4096 || (intptr_t)path < 0)
		short_path = "(pointer)";
	printf("%s %.60s: %ld %d\n", what, short_path, ret, error);
}

/* Thrice, errno preset; the last result is told. */
#define ASK(what, path, call)                                                                      \
	do {                                                                                       \
		long ret_ = 0;                                                                     \
		for (int round_ = 0; round_ < 3; round_++) {                                       \
			errno = 77;                                                                \
			ret_ = (long)(call);                                                       \
		}                                                                                  \
		say(what, path, ret_, errno);                                                      \
	} while (0)
#define ASK_FD(what, path, call)                                                                   \
	ASK(what, path, ({                                                                         \
		    int fd_ = (call), e_ = errno;                                                  \
		    if (fd_ >= 0)                                                                  \
			    close(fd_);                                                            \
		    errno = e_;                                                                    \
		    fd_ >= 0 ? 0 : -1;                                                             \
	    }))
#define ASK_FILE(what, path, call)                                                                 \
	ASK(what, path, ({                                                                         \
		    FILE *f_ = (call);                                                             \
		    int e_ = errno;                                                                \
		    if (f_)                                                                        \
			    fclose(f_);                                                            \
		    errno = f_ ? 77 : e_;                                                          \
		    f_ ? 0 : -1;                                                                   \
	    }))

static void ask_stat(const char *p)
{
	struct stat st;
	struct stat64 st64;
	struct statx x;

	ASK("stat", p, stat(p, &st));
	ASK("lstat", p, lstat(p, &st));
	ASK("stat64", p, stat64(p, &st64));
	ASK("lstat64", p, lstat64(p, &st64));
	ASK("fstatat64", p, fstatat64(AT_FDCWD, p, &st64, 0));
	ASK("__xstat", p, __xstat(1, p, &st));
	ASK("__lxstat", p, __lxstat(1, p, &st));
	ASK("__fxstatat", p, __fxstatat(1, AT_FDCWD, p, &st, 0));
	ASK("__xstat version", p, __xstat(77, p, &st));
	for (int flags = 0; flags < 0x20000; flags = flags ? flags * 2 : 1) {
		ASK("fstatat", p, fstatat(AT_FDCWD, p, &st, flags));
		ASK("fstatat of no descriptor", p, fstatat(-1, p, &st, flags));
		ASK("statx", p, statx(AT_FDCWD, p, flags, STATX_BASIC_STATS, &x));
		ASK("syscall statx", p,
		    syscall(SYS_statx, AT_FDCWD, p, flags, STATX_BASIC_STATS, &x));
	}
	ASK("statx both syncs", p, statx(AT_FDCWD, p, AT_STATX_SYNC_TYPE, STATX_ALL, &x));
	ASK("statx reserved mask", p, statx(AT_FDCWD, p, 0, 0x80000000u, &x));
	ASK("statx no mask", p, statx(AT_FDCWD, p, 0, 0, &x));
	ASK("stat to nowhere", p, syscall(SYS_newfstatat, AT_FDCWD, p, 16, 0));
}

static void ask_access(const char *p)
{
	static const int modes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 512, -1};

	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
		ASK("access", p, access(p, modes[i]));
		ASK("eaccess", p, eaccess(p, modes[i]));
		ASK("euidaccess", p, euidaccess(p, modes[i]));
		ASK("faccessat", p, faccessat(AT_FDCWD, p, modes[i], 0));
		ASK("faccessat of no descriptor", p, faccessat(99, p, modes[i], 0));
		ASK("faccessat AT_EACCESS", p, faccessat(AT_FDCWD, p, modes[i], AT_EACCESS));
	}
	for (int flags = 1; flags < 0x20000; flags *= 2)
		ASK("faccessat with a flag", p, faccessat(AT_FDCWD, p, R_OK, flags));
	ASK("syscall access", p, syscall(SYS_faccessat, AT_FDCWD, p, 0));
}

static void ask_open(const char *p)
{
	static const int flags[] = {O_RDONLY,
				    O_WRONLY,
				    O_RDWR,
				    O_ACCMODE,
				    O_RDONLY | O_DIRECTORY,
				    O_PATH,
				    O_PATH | O_NOFOLLOW,
				    O_RDONLY | O_NOFOLLOW,
				    O_RDONLY | O_EXCL,
				    O_RDONLY | O_CLOEXEC | O_NOATIME,
				    O_WRONLY | O_APPEND,
				    O_RDONLY | O_SYNC,
				    O_RDONLY | O_DIRECT,
				    O_RDONLY | O_ASYNC,
				    O_RDONLY | O_NONBLOCK,
				    1 << 28,
				    1 << 30,
				    O_PATH | O_DIRECTORY,
				    O_RDONLY | O_LARGEFILE | O_NOCTTY};
	static const char *const modes[] = {"r",  "r+", "rb", "rt",          "re",
					    "rm", "rc", "rx", "r,ccs=UTF-8", "r,ccs=nonsense",
					    "q",  "",   "+r"};

	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
		ASK_FD("open", p, open(p, flags[i]));
		ASK_FD("open64", p, open64(p, flags[i]));
		ASK_FD("openat", p, openat(AT_FDCWD, p, flags[i]));
		ASK_FD("openat64 of no descriptor", p, openat64(-7, p, flags[i]));
		ASK_FD("__open_2", p, __open_2(p, flags[i]));
		ASK_FD("__open64_2", p, __open64_2(p, flags[i]));
		ASK_FD("__openat_2", p, __openat_2(AT_FDCWD, p, flags[i]));
		ASK_FD("__openat64_2", p, __openat64_2(AT_FDCWD, p, flags[i]));
	}
	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
		ASK_FILE("fopen", p, fopen(p, modes[i]));
		ASK_FILE("fopen64", p, fopen64(p, modes[i]));
	}
	ASK("opendir", p, ({
		    DIR *d = opendir(p);
		    int e = errno;
		    if (d)
			    closedir(d);
		    errno = d ? 77 : e;
		    d ? 0 : -1;
	    }));
}

static void ask_readlink(const char *p)
{
	char b[PATH_MAX + 1];

	for (int size = -1; size < 3; size++) {
		memset(b, '#', sizeof b);
		ASK("readlink", p, readlink(p, b, (size_t)size));
		ASK("readlinkat", p, readlinkat(AT_FDCWD, p, b, (size_t)size));
		printf("%.4s\n", b);
	}
	ASK("readlink", p, readlink(p, b, 100));
	ASK("readlink to nowhere", p, syscall(SYS_readlinkat, AT_FDCWD, p, 16, 100));
	ASK("__readlink_chk", p, __readlink_chk(p, b, 100, sizeof b));
	ASK("__readlinkat_chk", p, __readlinkat_chk(AT_FDCWD, p, b, 100, sizeof b));
	ASK("readlinkat of no descriptor", p, readlinkat(-9, p, b, 100));
}

/* errno after success is not told: glibc leaves there what its last readlink said. */
static void ask_realpath(const char *p)
{
	char b[PATH_MAX + 1];

	for (int round = 0; round < 3; round++) {
		char *r, *s;

		memset(b, '#', sizeof b);
		b[PATH_MAX] = 0;
		errno = 77;
		r = realpath(p, b);
		if (round == 2) {
			say("realpath", p, r == b, r ? 0 : errno);
			printf("buffer %s\n", b[0] == '#'                       ? "untouched"
					      : !strncmp(b, here, strlen(here)) ? b + strlen(here)
										: b);
		}
		errno = 77;
		s = realpath(p, NULL);
		if (round == 2)
			say(s && !strncmp(s, here, strlen(here)) ? s + strlen(here)
			    : s                                  ? s
								 : "realpath null",
			    p, s != NULL, s ? 0 : errno);
		free(s);
		errno = 77;
		s = canonicalize_file_name(p);
		if (round == 2)
			say("canonicalize_file_name", p, s != NULL, s ? 0 : errno);
		free(s);
		memset(b, '#', sizeof b);
		errno = 77;
		s = __realpath_chk(p, b, sizeof b);
		if (round == 2)
			say("__realpath_chk", p, s != NULL, s ? 0 : errno);
	}
}

static void ask_xattr(const char *p)
{
	static const char *const names[] = {"security.capability",
					    "security.selinux",
					    "system.posix_acl_access",
					    "system.posix_acl_default",
					    "user.x",
					    "trusted.x",
					    "",
					    "nonsense",
					    "user.",
					    "security.",
					    "system.nonsense",
					    "SECURITY.capability"};
	char b[300], longest[300];

	memset(longest, 'n', 299);
	memcpy(longest, "user.", 5);
	longest[299] = 0;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		ASK(names[i], p, getxattr(p, names[i], b, sizeof b));
		ASK(names[i], p, lgetxattr(p, names[i], b, sizeof b));
		ASK(names[i], p, getxattr(p, names[i], NULL, 0));
		ASK(names[i], p, getxattr(p, names[i], nowhere, 100));
	}
	ASK("long name", p, getxattr(p, longest, b, sizeof b));
	ASK("no name", p, getxattr(p, nowhere, b, sizeof b));
	ASK("listxattr", p, listxattr(p, b, sizeof b));
	ASK("llistxattr", p, llistxattr(p, b, sizeof b));
	ASK("listxattr size", p, listxattr(p, NULL, 0));
	ASK("listxattr to nowhere", p, listxattr(p, nowhere, 100));
}

static void tree(void)
{
	mkdir(at("d"), 0755);
	mkdir(at("d/e"), 0755);
	touch(at("d/f"), 0755);
	if (symlink("f", at("d/l")) || symlink("nowhere", at("d/dangling")) ||
	    symlink("e", at("d/le")) || symlink("loop", at("d/loop")))
		perror("symlink");
}

static const char *const shapes[] = {
    "d/x",    "d/f",        "d",           "d/",        "d/f/",          "d/x/",       "d/l",
    "d/l/",   "d/dangling", "d/dangling/", "d/loop",    "d/loop/x",      "d/x/../f",   "d/f/../f",
    "d/f/x",  "d/le/..",    "d/le/../f",   "d/le/../x", "d/e/x",         "d/e/x/y/z",  "d//x",
    "d/./x",  "d/x/.",      "d/x/..",      "d/.",       "d/..",          "d/...",      "d/e//./x",
    "d/le/x", "/d/f",       "d/f/.",       "d/l/..",    "d/dangling/..", "d/\xff\xfe", "d/e/",
    "d/ x y", "d/x\n"};

static void family(const char *name)
{
	static const struct {
		const char *name;
		void (*ask)(const char *);
	} asks[] = {{"stat", ask_stat},         {"access", ask_access},     {"open", ask_open},
		    {"readlink", ask_readlink}, {"realpath", ask_realpath}, {"xattr", ask_xattr}};
	char longest[PATH_MAX + 200];

	tree();
	for (unsigned i = 0; i < sizeof asks / sizeof *asks; i++) {
		if (strcmp(asks[i].name, name))
			continue;
		for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
			asks[i].ask(at("%s", shapes[s]));
		asks[i].ask("");
		asks[i].ask("/");
		asks[i].ask("//");
		asks[i].ask("/..");
		asks[i].ask("/nowhere");
		for (int n = 254; n < 258; n++)
			asks[i].ask(at("d/%0*d", n, 7));
		for (int n = 4090; n < 4100; n++) { /* with its NUL, 4096 is too long */
			int k = snprintf(longest, sizeof longest, "%s/d/x", here);

			while (k < n)
				longest[k++] = '/';
			longest[k] = 0;
			asks[i].ask(longest);
		}
		/* relative */
		asks[i].ask("d/x");
		asks[i].ask("d/f");
		if (chdir("d/e") == 0)
			asks[i].ask("../f");
	}
}

/* ---- what creates must create, however well the name is known to be absent ---- */

static void known_absent(const char *p)
{
	struct stat st;

	for (int i = 0; i < 3; i++)
		if (stat(p, &st) == 0 || access(p, F_OK) == 0)
			printf("not absent: %s\n", p);
}

#define CREATES(what, call)                                                                        \
	do {                                                                                       \
		known_absent(p);                                                                   \
		errno = 77;                                                                        \
		long ret_ = (long)(call);                                                          \
		printf("%s: %s %d", what, ret_ >= 0 ? "done" : "failed", ret_ >= 0 ? 0 : errno);   \
		printf(" then %d\n", access(p, F_OK));                                             \
		unlink(p);                                                                         \
		rmdir(p);                                                                          \
	} while (0)

static int closes(int fd)
{
	return fd < 0 ? -1 : close(fd);
}

static int ends(FILE *f)
{
	return f ? fclose(f) : -1;
}

static void creation(void)
{
	const char *p;
	char template[PATH_MAX + 16];
	char q[PATH_MAX + 16];

	tree();
	p = strdup(at("d/x"));
	CREATES("open", closes(open(p, O_CREAT | O_WRONLY, 0644)));
	CREATES("open excl", closes(open(p, O_CREAT | O_EXCL | O_RDWR, 0600)));
	CREATES("open rdonly", closes(open(p, O_CREAT, 0600)));
	CREATES("open directory", closes(open(p, O_CREAT | O_DIRECTORY, 0600)));
	CREATES("open64", closes(open64(p, O_CREAT | O_TRUNC | O_WRONLY, 0644)));
	CREATES("openat", closes(openat(AT_FDCWD, p, O_CREAT | O_WRONLY, 0644)));
	CREATES("openat64", closes(openat64(-1, p, O_CREAT | O_WRONLY, 0644)));
	CREATES("creat", closes(creat(p, 0644)));
	CREATES("fopen w", ends(fopen(p, "w")));
	CREATES("fopen a", ends(fopen(p, "a")));
	CREATES("fopen wx", ends(fopen(p, "wx")));
	CREATES("fopen w+", ends(fopen(p, "w+")));
	CREATES("fopen a+e", ends(fopen(p, "a+e")));
	CREATES("fopen r+", ends(fopen(p, "r+")));
	CREATES("fopen64 w", ends(fopen64(p, "w")));
	CREATES("freopen", ends(freopen(p, "w", fopen("/dev/null", "r"))));
	CREATES("mkdir", mkdir(p, 0755));
	CREATES("mkfifo", mkfifo(p, 0644));
	CREATES("link", link(at("d/f"), p));
	CREATES("symlink", symlink("f", p));
	CREATES("open tmpfile", closes(open(p, O_TMPFILE | O_RDWR, 0600)));
	CREATES("open tmpfile in d", closes(open(at("d"), O_TMPFILE | O_RDWR, 0600)));
	CREATES("truncate", truncate(p, 0));
	CREATES("system", system("true >>d/x"));
	CREATES("syscall open",
		closes((int)syscall(SYS_openat, AT_FDCWD, p, O_CREAT | O_WRONLY, 0644)));
	snprintf(q, sizeof q, "%s", at("d/f"));
	CREATES("rename", rename(q, p));
	snprintf(template, sizeof template, "%s", at("d/tXXXXXX"));
	printf("mkstemp %d", closes(mkstemp(template)));
	printf(" then %d\n", access(template, F_OK));
	snprintf(template, sizeof template, "%s", at("d/uXXXXXX"));
	printf("mkdtemp %d", mkdtemp(template) != NULL);
	printf(" then %d\n", access(template, F_OK));
}

/* ---- pointers ---- */

static void pointers(void)
{
	static const uintptr_t bad[] = {
	    0, 1, 4095, 0x8000000000000000u, 0xffff800000000000u, UINTPTR_MAX};
	char *two = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct stat st;
	struct statx x;
	char b[64];
	char *argv[] = {"x", NULL};
	pid_t pid;

	tree();
	for (int i = 0; i < 3; i++)
		known_absent(at("d/x"));
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *p = (const char *)bad[i];

		__asm__("" : "+r"(p));
		ASK("access", p, access(p, 0));
		ASK("faccessat", p, faccessat(AT_FDCWD, p, 0, 0));
		ASK("stat", p, stat(p, &st));
		ASK("lstat", p, lstat(p, &st));
		ASK("statx", p, statx(AT_FDCWD, p, 0, STATX_ALL, &x));
		ASK_FD("open", p, open(p, O_RDONLY));
		ASK("readlink", p, readlink(p, b, sizeof b));
		ASK("getxattr", p, getxattr(p, "user.x", b, sizeof b));
		ASK("execv", p, execv(p, argv));
		ASK("posix_spawn", p, posix_spawn(&pid, p, NULL, NULL, argv, environ));
	}
	munmap(two + 4096, 4096);
	for (int terminated = 0; terminated < 2; terminated++) {
		size_t n = strlen(at("d/x")) + (size_t)terminated;
		char *p = two + 4096 - n;

		memcpy(p, at("d/x"), n);
		ASK("access at the end", "", access(p, 0));
		ASK("stat at the end", "", stat(p, &st));
		ASK_FD("open at the end", "", open(p, O_RDONLY));
		ASK("readlink at the end", "", readlink(p, b, sizeof b));
	}
	memset(two, '/', 4096);
	ASK("access of a page of slashes", "", access(two, 0));
	memset(two, 'a', 4096);
	ASK("access of a page of letters", "", access(two, 0));
	ASK("stat to nowhere", "", stat(at("d/x"), nowhere));
	ASK("stat of a file to nowhere", "", syscall(SYS_newfstatat, AT_FDCWD, at("d/f"), 16, 0));
	ASK("realpath of null", "", realpath(NULL, NULL) != NULL);
}

/* ---- relative ---- */

static int visit(const char *p, const struct stat *st, int type, struct FTW *f)
{
	(void)st;
	printf("nftw %s %d: %d %d\n", p, type, access(p + f->base, F_OK), access("x", F_OK));
	return 0;
}

static void *own_cwd(void *unused)
{
	(void)unused;
	printf("unshare %d", unshare(CLONE_FS));
	printf(" chdir %d", chdir(at("s")));
	printf(" thread %d %d\n", access("x", F_OK), access(at("x"), F_OK));
	return NULL;
}

static void relative(void)
{
	char *const roots[] = {(char *)at("."), NULL};
	pthread_t t;
	FTSENT *e;
	FTS *fts;
	int fd;

	mkdir("s", 0755);
	touch("s/x", 0644);
	for (int i = 0; i < 3; i++)
		printf("%d %d\n", access("x", F_OK), access(at("x"), F_OK));
	printf("chdir %d %d\n", chdir("s"), access("x", F_OK));
	printf("absolute %d %d\n", access(at("x"), F_OK), access(at("s/x"), F_OK));
	printf("chdir back %d %d\n", chdir(".."), access("x", F_OK));
	fd = open("s", O_RDONLY);
	printf("fchdir %d %d\n", fchdir(fd), access("x", F_OK));
	printf("chdir absolute %d %d\n", chdir(here), access("x", F_OK));
	printf("faccessat %d %d\n", faccessat(fd, "x", F_OK, 0), faccessat(fd, at("x"), F_OK, 0));
	close(fd);
	printf("again %d", open(".", O_RDONLY) == fd);
	printf(" %d %d\n", faccessat(fd, "x", F_OK, 0), faccessat(fd, at("s/x"), F_OK, 0));
	close(fd);
	printf("raw chdir %ld %d\n", syscall(SYS_chdir, at("s")), access("x", F_OK));
	printf("raw back %ld %d\n", syscall(SYS_chdir, here), access("x", F_OK));
	printf("nftw %d\n", nftw(".", visit, 8, FTW_CHDIR | FTW_PHYS));
	fts = fts_open(roots, FTS_PHYSICAL, NULL);
	while (fts && (e = fts_read(fts)))
		printf("fts %s %d %d\n", e->fts_name, access(e->fts_accpath, F_OK),
		       access("x", F_OK));
	fts_close(fts);
	fflush(stdout);
	pthread_create(&t, NULL, own_cwd, NULL);
	pthread_join(t, NULL);
	printf("main %d %d\n", access("x", F_OK), access(at("x"), F_OK));
	printf("rename %d", rename("s", "r"));
	printf(" %d %d\n", access("r/x", F_OK), access(at("r/x"), F_OK));
}

/* ---- exec ---- */

static const char *const path_lists[] = {
    "missing",           "first",     "plain:first",   "plain",
    "directory:first",   "directory", "noshebang",     "interpreter",
    "interpreter:first", "f:first",   "missing:f",     ":first",
    "e::first",          "none",      "longest:first", "e:e:e:e:first",
    "e:e/absent:e"};

static void path_of(const char *list, char *out)
{
	char copy[200], *save, *w;

	snprintf(copy, sizeof copy, "%s", list);
	out[0] = 0;
	if (!strcmp(list, "none"))
		return;
	for (char *c = copy; *c; c++)
		if (*c == ':' && (c == copy || c[-1] == ':' || c[1] == ':'))
			*c = '\1';
	for (w = strtok_r(copy, ":", &save); w; w = strtok_r(NULL, ":", &save)) {
		if (*out)
			strcat(out, ":");
		if (!strncmp(w, "longest", 7)) {
			size_t n = strlen(out);

			memset(out + n, 'l', 5000);
			out[n + 5000] = 0;
		} else if (*w == '\1') {
			strcat(out, "::");
			if (w[1])
				strcat(out, at("%s", w + 1));
		} else {
			strcat(out, at("%s", w));
		}
	}
}

static int child(int how, const char *name, char **argv)
{
	switch (how) {
	case 0:
		return execvp(name, argv);
	case 1:
		return execvpe(name, argv, environ);
	case 2:
		return execlp(name, argv[0], argv[1], NULL);
	case 3:
		return execv(name, argv);
	case 4:
		return execve(name, argv, environ);
	case 5:
		return execl(name, argv[0], argv[1], NULL);
	case 6:
		return execle(name, argv[0], argv[1], NULL, environ);
	case 7:
		return execveat(AT_FDCWD, name, argv, environ, 0);
	case 8:
		return execveat(-1, name, argv, environ, AT_SYMLINK_NOFOLLOW);
	default:
		return -1;
	}
}

static int spawn(int how, pid_t *pid, const char *name, char **argv)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addclose(&actions, 77);
	posix_spawnattr_init(&attributes);
	if (how == 3)
		posix_spawnattr_setflags(&attributes,
					 POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
	if (how == 0)
		r = posix_spawn(pid, name, NULL, NULL, argv, environ);
	else if (how == 1)
		r = posix_spawnp(pid, name, NULL, NULL, argv, environ);
	else if (how == 2)
		r = posix_spawnp(pid, name, &actions, NULL, argv, environ);
	else
		r = posix_spawnp(pid, name, NULL, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return r;
}

static void tell_status(const char *what, const char *list, const char *name, int error, int status)
{
	if (!strncmp(name, here, strlen(here)))
		name += strlen(here);
	printf("%s %s %.20s: error %d status %x\n", what, list, name, error, status);
	fflush(stdout);
}

/* vfork() is no function to be pointed at: the child would return through its parent's frame. */
static pid_t vfork_(void)
{
	return -1;
}

static void run_in(pid_t (*make)(void), const char *what, int how, const char *list,
		   const char *name, char **argv)
{
	static volatile int error;
	volatile pid_t pid;
	int status;

	error = 0;
	fflush(stdout);
	if (make == vfork_)
		pid = vfork();
	else
		pid = make();
	if (pid == 0) {
		child(how, name, argv);
		error = errno;
		_exit(errno);
	}
	waitpid(pid, &status, 0);
	tell_status(what, list, name, error, status);
}

static void run_all(const char *list, const char *name)
{
	static const char *const hows[] = {"execvp", "execvpe",  "execlp",
					   "execv",  "execve",   "execl",
					   "execle", "execveat", "execveat nofollow"};
	char *argv[] = {"argument0", "argument1", NULL};
	int status;
	pid_t pid;

	for (int how = 0; how < 9; how++) {
		run_in(fork, hows[how], how, list, name, argv);
		run_in(vfork_, hows[how], how, list, name, argv);
	}
	for (int how = 0; how < 4; how++) {
		int error = spawn(how, &pid, name, argv);

		status = 0;
		if (!error)
			waitpid(pid, &status, 0);
		tell_status("spawn", list, name, error, status);
	}
}

static void exec_(void)
{
	static char path[8 * PATH_MAX];
	static char longest[300];

	mkdir("missing", 0755), mkdir("first", 0755), mkdir("plain", 0755),
	    mkdir("directory", 0755);
	mkdir("noshebang", 0755), mkdir("interpreter", 0755), mkdir("e", 0755),
	    mkdir("directory/prog", 0755);
	touch("f", 0755);
	script("first/prog", "#!/bin/sh\necho first $0 $*; exit 3\n");
	touch("plain/prog", 0644);
	script("noshebang/prog", "echo noshebang $*; exit 4\n");
	script("interpreter/prog", "#!/nowhere/interpreter\n");
	script("prog", "#!/bin/sh\necho here; exit 5\n");
	memset(longest, 'p', 299);
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < sizeof path_lists / sizeof *path_lists; i++) {
			path_of(path_lists[i], path);
			setenv("PATH", path, 1);
			run_all(path_lists[i], "prog");
		}
	run_all("", "");
	run_all("", longest);
	run_all("", at("missing/prog"));
	run_all("", at("first/prog"));
	run_all("", at("interpreter/prog"));
	run_all("", at("noshebang/prog"));
	run_all("", at("f/prog"));
	for (int i = 0; i < 3; i++)
		printf("the script exists: %d %d\n", access(at("interpreter/prog"), F_OK),
		       access(at("interpreter/prog"), X_OK));
	unsetenv("PATH");
	run_all("unset", "prog-of-no-name");
}

/* ---- credentials: known as root, asked as somebody else ---- */

static void ask_private(const char *when)
{
	struct stat st;

	printf("%s\n", when);
	ASK("stat", "private/x", stat(at("private/x"), &st));
	ASK("access", "private/x", access(at("private/x"), F_OK));
	ASK("eaccess", "private/x", eaccess(at("private/x"), F_OK));
	ASK_FD("open", "private/x", open(at("private/x"), O_RDONLY));
	ASK("realpath", "private/x", realpath(at("private/x"), NULL) != NULL);
	ASK("access R", "private/f", access(at("private/f"), R_OK));
	ASK("access R", "secret", access(at("secret"), R_OK));
	ASK("access X", "secret", access(at("secret"), X_OK));
	ASK("eaccess R", "secret", eaccess(at("secret"), R_OK));
	ASK("faccessat R", "secret", faccessat(AT_FDCWD, at("secret"), R_OK, AT_EACCESS));
	ASK("access R", "grouped", access(at("grouped"), R_OK));
	ASK("stat", "team/x", stat(at("team/x"), &st));
	ASK("access", "open/x", access(at("open/x"), F_OK));
}

static long drop_capabilities(int raw)
{
	struct __user_cap_header_struct h = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct d[2];
	extern int capset(void *, void *);

	memset(d, 0, sizeof d);
	return raw ? syscall(SYS_capset, &h, d) : capset(&h, d);
}

static void credentials(const char *how)
{
	gid_t none = 65534;
	long r = -1;

	chmod(".", 0755);
	mkdir("private", 0700), mkdir("open", 0755), mkdir("team", 0750);
	touch("private/f", 0644), touch("secret", 0500), touch("grouped", 0040);
	if (chown("team", 0, 1234) || chown("secret", 65533, 65533) ||
	    chown("grouped", 65533, 1234))
		printf("chown failed\n");
	if (!strcmp(how, "setgroups") || !strcmp(how, "initgroups") ||
	    !strcmp(how, "syscall-setgroups")) {
		gid_t g = 0;

		if (getgroups(1, &g) != 1 || g != 1234)
			printf("must be run in group 1234\n");
	}
	ask_private("before");
	if (!strcmp(how, "seteuid"))
		r = seteuid(65534);
	else if (!strcmp(how, "setuid"))
		r = setuid(65534);
	else if (!strcmp(how, "setreuid"))
		r = setreuid(-1, 65534);
	else if (!strcmp(how, "setresuid"))
		r = setresuid(65534, 65534, 0);
	else if (!strcmp(how, "setresuid-real"))
		r = setresuid(65534, 0, 0);
	else if (!strcmp(how, "setfsuid"))
		r = setfsuid(65534);
	else if (!strcmp(how, "setegid"))
		r = setegid(65534) + seteuid(65534);
	else if (!strcmp(how, "setgroups"))
		r = setgroups(1, &none) + drop_capabilities(0);
	else if (!strcmp(how, "syscall-setgroups"))
		r = syscall(SYS_setgroups, 1, &none) + drop_capabilities(1);
	else if (!strcmp(how, "initgroups"))
		r = initgroups("nobody", 65534) + drop_capabilities(0);
	else if (!strcmp(how, "capset"))
		r = drop_capabilities(0);
	else if (!strcmp(how, "syscall-capset"))
		r = drop_capabilities(1);
	else if (!strcmp(how, "syscall-setresuid"))
		r = syscall(SYS_setresuid, 65534, 65534, 0);
	else if (!strcmp(how, "syscall-setfsuid"))
		r = syscall(SYS_setfsuid, 65534);
	else if (!strcmp(how, "unshare-user"))
		r = unshare(CLONE_NEWUSER);
	else if (!strcmp(how, "syscall-unshare-user"))
		r = syscall(SYS_unshare, CLONE_NEWUSER);
	printf("%s: %ld\n", how, r);
	ask_private("after");
	if (!strcmp(how, "seteuid")) {
		printf("back: %d\n", seteuid(0));
		ask_private("back");
		printf("again: %d\n", seteuid(65534));
		ask_private("again");
	}
}

/* ---- roots and namespaces: the same string, another file ---- */

static void ask_root(const char *when, const char *p)
{
	struct stat st;

	printf("%s\n", when);
	ASK("access", "", access(p, F_OK));
	ASK("stat", "", stat(p, &st));
	ASK_FD("open", "", open(p, O_RDONLY));
	ASK("realpath", "", realpath(p, NULL) != NULL);
}

static void roots(const char *how)
{
	char p[PATH_MAX + 16];
	long r = -1;

	snprintf(p, sizeof p, "%s", at("d/x"));
	mkdir("d", 0755), mkdir("root", 0755), mkdir("s", 0755);
	touch("s/x", 0644);
	if (!strncmp(how, "unshare", 7) || !strcmp(how, "syscall-unshare")) {
		ask_root("before", p);
		r = !strcmp(how, "unshare") ? unshare(CLONE_NEWNS)
					    : syscall(SYS_unshare, CLONE_NEWNS);
		r |= mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
		r |= mount("s", "d", NULL, MS_BIND, NULL);
	} else if (!strcmp(how, "setns")) {
		/* a child with a namespace of its own, where d is another directory */
		int go[2], fd;
		char ns[64], c;
		pid_t pid;

		if (pipe(go))
			return;
		pid = fork();
		if (pid == 0) {
			r = unshare(CLONE_NEWNS) |
			    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) |
			    mount(at("s"), at("d"), NULL, MS_BIND, NULL);
			if (write(go[1], r ? "n" : "y", 1) == 1)
				pause();
			_exit(1);
		}
		if (read(go[0], &c, 1) != 1)
			return;
		snprintf(ns, sizeof ns, "/proc/%d/ns/mnt", pid);
		fd = open(ns, O_RDONLY);
		ask_root("before", p);
		r = setns(fd, CLONE_NEWNS);
		ask_root("after", p);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(fd);
	} else if (!strcmp(how, "bind-root")) { /* same st_dev and st_ino, another tree */
		r = mount("/", "root", NULL, MS_BIND, NULL);
		snprintf(p, sizeof p, "%s", at("d/x"));
		ask_root("before", p);
		/* the bind of / does not carry the mount made now on its own d */
		r |= mount(at("s"), at("root%s/d", here), NULL, MS_BIND, NULL);
		r |= chroot("root");
	} else {
		/* a root that holds the same path */
		char q[2 * PATH_MAX + 32], *c;

		snprintf(q, sizeof q, "%s%s/d", at("root"), here);
		for (c = q + strlen(here) + 6; *c; c++)
			if (*c == '/' || !c[1]) {
				char keep = *c;

				if (*c == '/')
					*c = 0;
				mkdir(q, 0755);
				*c = keep;
			}
		strcat(q, "/x");
		touch(q, 0644);
		/* the statistics of answers.sh can be written there too */
		snprintf(q, sizeof q, "%s%s/../stats", at("root"), here);
		if (link(at("../stats"), q))
			printf("no statistics\n");
		ask_root("before", p);
		if (!strcmp(how, "chroot"))
			r = chroot("root");
		else if (!strcmp(how, "syscall-chroot"))
			r = syscall(SYS_chroot, "root");
		else if (!strcmp(how, "pivot_root")) {
			r = unshare(CLONE_NEWNS) |
			    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) |
			    mount("root", "root", NULL, MS_BIND, NULL);
			ask_root("between", p);
			r |= chdir("root") | (int)syscall(SYS_pivot_root, ".", ".");
		}
	}
	printf("%s: %ld\n", how, r);
	ask_root("after", p);
}

int main(int argc, char **argv)
{
	const char *category = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (!getcwd(here, sizeof here))
		return 1;
	if (!strcmp(category, "creation"))
		creation();
	else if (!strcmp(category, "pointers"))
		pointers();
	else if (!strcmp(category, "relative"))
		relative();
	else if (!strcmp(category, "exec"))
		exec_();
	else if (!strcmp(category, "credentials") && argc == 3)
		credentials(argv[2]);
	else if (!strcmp(category, "roots") && argc == 3)
		roots(argv[2]);
	else
		family(category);
	fflush(stdout);
	return 0;
}

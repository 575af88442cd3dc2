/*
 * mechanics.c - what a process may do to a library that lives in it: mechanics.sh runs each case
 * under the library, in an empty directory. Every answer is compared with the raw system call's.
 * Exit status 0 and silence when all is well; 77 when the kernel lacks something.
 */
#define _GNU_SOURCE
#include "fastpath.h"
#include "raw.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char here[PATH_MAX], absent[PATH_MAX + 64], other[PATH_MAX + 64];
static volatile int wrong;

__attribute__((noinline)) static void complain(const char *format, ...)
{
	char line[2 * PATH_MAX];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(line, sizeof line - 1, format, ap);
	va_end(ap);
	line[n] = '\n';
	wrong = 1;
	raw3(SYS_write, 2, line, n + 1);
}

static long served(void)
{
	struct fastpath_stats s;
	long n = 0;

	memset(&s, 0, sizeof s);
	if (!fastpath_stats || fastpath_stats(&s, sizeof s))
		return 0;
	for (int i = 0; i < FASTPATH_CALLS; i++)
		n += (long)s.served[i];
	return n;
}

static int bell(void)
{
	struct fastpath_stats s;

	memset(&s, 0, sizeof s);
	if (!fastpath_stats || fastpath_stats(&s, sizeof s))
		return 0;
	return (int)s.bell;
}

/* Async-signal-safe; for answers that nobody is changing meanwhile. */
static bool check(const char *path, const char *when)
{
	struct stat a, b;
	long k, l;

	l = access(path, F_OK) ? -errno : 0;
	k = raw_access(path, F_OK);
	if (k != l)
		complain("%s: access(%s) is %ld, must be %ld", when, path, l, k);
	l = stat(path, &a) ? -errno : 0;
	k = raw_fstatat(AT_FDCWD, path, &b, 0);
	if (k != l || (k == 0 && a.st_ino != b.st_ino))
		complain("%s: stat(%s) is %ld, must be %ld", when, path, l, k);
	l = open(path, O_RDONLY | O_CLOEXEC);
	if (l >= 0)
		close((int)l), l = 0;
	else
		l = -errno;
	k = raw_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (k >= 0)
		raw_close((int)k), k = 0;
	if (k != l)
		complain("%s: open(%s) is %ld, must be %ld", when, path, l, k);
	return k == 0;
}

static void hot(const char *path)
{
	long before;

	for (int i = 0; i < 3; i++)
		check(path, "hot");
	before = served();
	check(path, "hot");
	if (served() == before)
		complain("nothing was served for %s", path);
}

static void creat_(const char *path)
{
	long fd = raw_openat(AT_FDCWD, path, O_CREAT | O_WRONLY, 0644);

	if (fd >= 0)
		raw_close((int)fd);
}

static void unlink_(const char *path)
{
	raw3(SYS_unlinkat, AT_FDCWD, path, 0);
}

/* Create, look, remove, look. */
static void cycle(const char *when)
{
	creat_(absent);
	if (!check(absent, when))
		complain("%s: the case is broken", when);
	unlink_(absent);
	check(absent, when);
	check(absent, when);
}

/* ---- signals ---- */

static volatile sig_atomic_t ticks;
static sigjmp_buf jump;
static volatile sig_atomic_t jump_is_set;

static void handler(int signal)
{
	int e = errno;

	(void)signal;
	check(other, "in a signal handler");
	check(here, "in a signal handler");
	ticks++;
	errno = e;
}

static void jumper(int signal)
{
	(void)signal;
	check(other, "in a signal handler");
	ticks++;
	if (jump_is_set)
		siglongjmp(jump, 1);
}

static void every_millisecond(void (*f)(int), int flags)
{
	struct sigaction a = {.sa_handler = f, .sa_flags = flags};
	struct itimerval t = {{0, 700}, {0, 700}};

	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

static void no_alarm(void)
{
	struct itimerval t = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &t, NULL);
}

static void signals(bool jumping)
{
	char p[PATH_MAX + 64] __attribute__((aligned(4096)));

	hot(absent);
	hot(other);
	every_millisecond(jumping ? jumper : handler, jumping ? SA_NODEFER : 0);
	for (volatile int i = 0; i < 3000 && ticks < 300; i++) {
		jump_is_set = 0; /* the signal may come before, or in the middle */
		if (jumping && sigsetjmp(jump, 1))
			continue;
		jump_is_set = 1;
		snprintf(p, sizeof p, "%s/n%d", here, i % 7);
		/* learning, draining and answering are all interrupted somewhere */
		check(p, "interrupted");
		mkdir(p, 0755);
		check(p, "interrupted");
		strcat(p, "/x");
		check(p, "interrupted");
		p[strlen(p) - 2] = 0;
		rmdir(p);
		check(p, "interrupted");
		check(absent, "interrupted");
	}
	no_alarm();
	if (ticks < 20)
		complain("only %d signals", (int)ticks);
	for (int i = 0; i < 7; i++) {
		snprintf(p, sizeof p, "%s/n%d", here, i);
		check(p, "after signals");
	}
	cycle("after signals");
	check(other, "after signals");
}

static void altstack(void)
{
	size_t frame = getauxval(AT_MINSIGSTKSZ), size, pages;
	char *m;
	stack_t s = {0};
	struct sigaction a = {.sa_handler = handler, .sa_flags = SA_ONSTACK};

	hot(absent);
	hot(other);
	hot(here); /* and every libc call of check() is bound by now */
	if (frame == 0)
		frame = 2048;
	size = frame + 512 + 1024; /* the frame, check() and handler(), the library */
	pages = (size + 4095) & ~4095ul;
	m = mmap(NULL, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(m, 4096, PROT_NONE);
	s.ss_sp = m + 4096;
	s.ss_size = size;
	if (sigaltstack(&s, NULL))
		complain("sigaltstack: %s", strerror(errno));
	sigaction(SIGUSR1, &a, NULL);
	for (int i = 0; i < 5; i++)
		raise(SIGUSR1);
	if (ticks != 5)
		complain("%d signals of 5", (int)ticks);
}

static void *small(void *unused)
{
	(void)unused;
	for (int i = 0; i < 5; i++) {
		check(absent, "in a small thread");
		check("/usr/include/none", "in a small thread");
	}
	cycle("in a small thread");
	return NULL;
}

static void smallstack(bool known)
{
	pthread_attr_t a;
	pthread_t t;

	if (known)
		hot(absent);
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, (size_t)sysconf(_SC_THREAD_STACK_MIN) + 4096);
	for (int i = 0; i < 3; i++) {
		if (pthread_create(&t, &a, small, NULL))
			complain("pthread_create");
		else
			pthread_join(t, NULL);
	}
}

static void *blocked(void *path)
{
	int fd = open(path, O_RDONLY); /* a fifo that nobody writes to */

	(void)fd;
	return NULL;
}

static void cancel(void)
{
	pthread_t t;
	void *how;

	hot(absent);
	snprintf(other, sizeof other, "%s/fifo", here);
	if (mkfifo(other, 0600))
		complain("mkfifo");
	pthread_create(&t, NULL, blocked, other);
	usleep(20000);
	pthread_cancel(t);
	alarm(20);
	pthread_join(t, &how);
	alarm(0);
	if (how != PTHREAD_CANCELED)
		complain("open is no cancellation point any more");
	cycle("after a cancellation");
}

/* ---- threads, fork, clone, vfork ---- */

static volatile bool stop;

static void *spinner(void *unused)
{
	(void)unused;
	while (!stop) {
		check(absent, "in a spinning thread");
		check("/usr/include/none.h", "in a spinning thread");
	}
	return NULL;
}

static void *churner(void *unused)
{
	char p[PATH_MAX + 64] __attribute__((aligned(4096)));

	(void)unused;
	for (int i = 0; !stop; i++) {
		snprintf(p, sizeof p, "%s/churn%d", here, i % 5);
		creat_(p);
		unlink_(p);
	}
	return NULL;
}

static void reap(pid_t pid, const char *what)
{
	int status;

	for (int i = 0; waitpid(pid, &status, 0) != pid; i++)
		if (errno != EINTR) {
			complain("%s: waitpid: %s", what, strerror(errno));
			return;
		}
	if (status)
		complain("%s: status %x", what, status);
}

static void in_child(const char *when)
{
	char mine[PATH_MAX + 64] __attribute__((aligned(4096)));

	alarm(20);
	if (served() != 0)
		complain("%s: %ld served already", when, served());
	snprintf(mine, sizeof mine, "%s/child%d", here, (int)raw3(SYS_getpid, 0, 0, 0));
	for (int i = 0; i < 3; i++) {
		check(absent, when);
		check(mine, when);
	}
	creat_(mine);
	check(mine, when);
	unlink_(mine);
	check(mine, when);
}

static void forks(bool raw)
{
	pthread_t t[3];

	hot(absent);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, i < 2 ? spinner : churner, NULL);
	for (int i = 0; i < 100 && !wrong; i++) {
		pid_t pid = raw ? (pid_t)raw5(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();

		if (pid == 0) {
			in_child(raw ? "in a raw clone" : "in a forked child");
			if (i % 2)
				raw_exit(wrong);
			_exit(wrong);
		}
		reap(pid, "child");
		check(absent, "the parent");
	}
	stop = true;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	cycle("the parent afterwards");
}

/* Children of children, who know and change the same names. */
static void generations(void)
{
	/* Aligned here and elsewhere: a path that goes on in the next page is the kernel's. */
	char p[4][2 * PATH_MAX] __attribute__((aligned(4096)));
	pid_t pid = 0;
	int depth;

	for (int i = 0; i < 4; i++)
		snprintf(p[i], sizeof p[i], "%s/depth%d", here, i);
	for (depth = 0; depth < 4; depth++) {
		hot(p[depth]);
		pid = fork();
		if (pid != 0)
			break;
		hot(p[depth]);
		creat_(p[depth]);
		if (!check(p[depth], "a younger"))
			complain("a younger: the case is broken");
	}
	if (depth < 4) {
		reap(pid, "a younger");
		if (!check(p[depth], "an elder"))
			complain("an elder does not see what its child made");
		unlink_(p[depth]);
		check(p[depth], "an elder");
	}
	cycle("a generation");
	if (depth > 0)
		_exit(wrong);
}

/* KiB in use of mappings that a forked child finds wiped ("wf" of proc_pid_smaps(5)). */
static long wiped_kib(void)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	char line[512];
	long rss = 0, sum = 0;

	while (smaps && fgets(line, sizeof line, smaps)) {
		sscanf(line, "Rss: %ld", &rss);
		if (!strncmp(line, "VmFlags:", 8) && strstr(line, " wf"))
			sum += rss;
	}
	if (smaps)
		fclose(smaps);
	return sum;
}

/* Names of a directory that is there, until the library answers. False: it never did. */
static bool lose_until_served(void)
{
	char p[64];

	for (int i = 0; i < 400000; i++) {
		snprintf(p, sizeof p, "/usr/include/none-of-these-%d", i % 5000);
		access(p, F_OK);
		if (i % 1000 == 0 && served())
			return true;
	}
	return false;
}

/* Not eager: what forked children of who caches pay, and when they cache. */
static void heirs(bool asks_much)
{
	pid_t pid;

	if (!lose_until_served())
		complain("nothing was served to the parent");
	if (!wiped_kib())
		complain("the case is broken: the parent has no memory that a child finds wiped");
	pid = fork();
	if (pid == 0) {
		alarm(60);
		if (asks_much) {
			if (!lose_until_served())
				complain("a child that loses much is served nothing");
		} else {
			close(1000);
			access("relative", F_OK);
			for (int i = 0; i < 50; i++)
				check("/usr/include/none", "a child");
			if (wiped_kib())
				complain("a child that asks little has %ld KiB of the cache's memory", wiped_kib());
		}
		_exit(wrong);
	}
	reap(pid, "child");
}

static void vforks(void)
{
	char *argv[] = {absent, NULL}, *good[] = {"/bin/true", NULL};

	hot(absent);
	for (volatile int i = 0; i < 100; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			execv(absent, argv);
			if (access(absent, F_OK) == 0 || access(here, F_OK) != 0)
				_exit(9);
			execv(good[0], good);
			_exit(8);
		}
		reap(pid, "a vfork child");
		if (i % 10 == 0)
			cycle("the parent of vfork");
	}
	/* The child changes what the parent knows, and asks for it too. */
	for (volatile int i = 0; i < 50; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			creat_(absent);
			if (access(absent, F_OK) != 0)
				raw_exit(7);
			raw_exit(0);
		}
		reap(pid, "a changing vfork child");
		check(absent, "after a changing vfork child");
		unlink_(absent);
		check(absent, "after a changing vfork child");
	}
}

/* A child in our memory, for which the same string is another file. */
static int elsewhere(void *unused)
{
	char name[PATH_MAX + 64] __attribute__((aligned(4096)));

	(void)unused;
	if (raw5(SYS_mount, "", "/", "", MS_REC | MS_PRIVATE, 0) ||
	    raw5(SYS_mount, "s", "d", "", MS_BIND, 0))
		complain("mount in a namespace");
	snprintf(name, sizeof name, "%s/d/x", here);
	if (!check(name, "a child in our memory and another namespace"))
		complain("the case is broken");
	raw_exit(wrong);
}

static void clone_apart(void)
{
	char *stack =
	    mmap(NULL, 1 << 18, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;

	mkdir("d", 0755), mkdir("s", 0755);
	creat_("s/x");
	snprintf(absent, sizeof absent, "%s/d/x", here);
	hot(absent);
	pid = clone(elsewhere, stack + (1 << 18), CLONE_VM | CLONE_VFORK | CLONE_NEWNS | SIGCHLD,
		    NULL);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		complain("clone: %s", pid < 0 ? strerror(errno) : "the child ended badly");
	check(absent, "the parent of a child in another namespace");
}

static void *short_lived(void *unused)
{
	(void)unused;
	for (int i = 0; i < 4; i++)
		check(absent, "the first thread to ask");
	cycle("the first thread to ask");
	return NULL;
}

/* The thread that set the cache up ends; so does the next one. */
static void owner_ends(void)
{
	pthread_t t;

	for (int i = 0; i < 4; i++) {
		pthread_create(&t, NULL, short_lived, NULL);
		pthread_join(t, NULL);
		check(absent, "after the owner's end");
		cycle("after the owner's end");
	}
	check("/usr/include/none.h", "after the owner's end");
}

static void *last_thread(void *unused)
{
	(void)unused;
	usleep(20000);
	for (int i = 0; i < 4; i++)
		check(absent, "after the main thread's end");
	cycle("after the main thread's end");
	exit(wrong);
}

static void main_ends(void)
{
	pthread_t t;

	hot(absent);
	pthread_create(&t, NULL, last_thread, NULL);
	pthread_exit(NULL);
}

/* ---- descriptors ---- */

static bool at_start[2048];

static bool is_open(int fd)
{
	return raw3(SYS_fcntl, fd, F_GETFD, 0) >= 0;
}

static int lowest(int after)
{
	do
		after++;
	while (at_start[after]);
	return after;
}

static void numbers(void)
{
	int fd[3], want;

	for (int round = 0; round < 3; round++) {
		check(absent, "numbers");
		fd[0] = open(here, O_RDONLY);
		fd[1] = open("/", O_RDONLY);
		fd[2] = dup(fd[0]);
		want = -1;
		for (int i = 0; i < 3; i++) {
			want = lowest(want);
			if (fd[i] != want)
				complain("round %d: descriptor %d is %d, must be %d", round, i,
					 fd[i], want);
		}
		for (int i = 0; i < 3; i++)
			close(fd[i]);
		hot(absent);
	}
	cycle("numbers");
	for (int i = 0; i < 2048; i++)
		if (is_open(i) != at_start[i] && (bell() == FASTPATH_BELL_PAGE || i < 800))
			complain("descriptor %d is %s", i,
				 at_start[i] ? "gone" : "not the program's");
}

static void spoil(const char *how)
{
	int pipes[2], replacement = -1;
	char b[64];
	bool replaced = false;

	hot(absent);
	hot(other);
	if (pipe(pipes) || write(pipes[1], "the program's own", 17) != 17)
		complain("pipe");
	if (!strcmp(how, "close_range"))
		close_range((unsigned)pipes[1] + 1, ~0u, 0);
	else if (!strcmp(how, "closefrom"))
		closefrom(pipes[1] + 1);
	else if (!strcmp(how, "raw-close_range"))
		syscall(SYS_close_range, pipes[1] + 1, ~0u, 0);
	else if (!strcmp(how, "close"))
		for (int i = pipes[1] + 1; i < 1200; i++)
			close(i);
	else if (!strcmp(how, "pipe"))
		replacement = pipes[0], replaced = true;
	else if (!strcmp(how, "inotify"))
		replacement = inotify_init1(IN_NONBLOCK), replaced = true;
	else if (!strcmp(how, "epoll"))
		replacement = epoll_create1(0), replaced = true;
	else if (!strcmp(how, "mountinfo"))
		replacement = open("/proc/self/mountinfo", O_RDONLY), replaced = true;
	for (int i = pipes[1] + 1; replaced && i < 1000; i++)
		if (i != replacement) {
			if (i % 2 ? dup2(replacement, i) < 0 : dup3(replacement, i, O_CLOEXEC) < 0)
				complain("dup2(%d, %d): %s", replacement, i, strerror(errno));
		}
	for (int i = 0; i < 5; i++) {
		cycle(how);
		creat_(other);
		check(other, how);
		check(absent, how);
		unlink_(other);
		check(other, how);
	}
	if (read(pipes[0], b, sizeof b) != 17 || memcmp(b, "the program's own", 17))
		complain("%s: the program's pipe was read", how);
	if (replaced) {
		struct pollfd p = {.fd = 850, .events = POLLIN};

		if (poll(&p, 1, 0) < 0 || p.revents & POLLNVAL)
			complain("%s: a descriptor of the program's was closed", how);
	}
}

/* ---- strings that go on in the next page ---- */

/* How often access() of `absent`, written across the end of a page at or after `room`, was served. */
static long served_across(char *room, const char *where)
{
	size_t length = strlen(absent) + 1;
	char *end = (char *)(((uintptr_t)room + length + 4095) & ~4095UL);
	long before = 0;

	for (size_t tail = 1; tail < length; tail++) {
		char *at = memcpy(end - length + tail, absent, length);

		if (tail == 1)
			access(at, F_OK), before = served();
		if (access(at, F_OK) != -1 || errno != ENOENT)
			complain("%s: a path with %zu bytes in the next page: %s", where, tail, strerror(errno));
	}
	return served() - before;
}

/* A string that ends nowhere before `end`, where nothing is mapped. */
static void runs_off(char *end, const char *where)
{
	for (int n = 1; n < 100; n += 7) {
		memset(end - n, 'x', n);
		end[-n] = '/';
		if (access(end - n, F_OK) != -1 || errno != EFAULT)
			complain("%s: %d bytes before nothing: %s", where, n, strerror(errno));
	}
}

static void *across_in_thread(void *unused)
{
	char room[16384];

	if (served_across(room, "a thread's stack"))
		complain("a thread's stack is not known to go on");
	return unused;
}

static void across(void)
{
	char on_stack[16384], *end;
	char *map = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *heap = malloc(65536);
	pthread_t t;

	hot(absent);
	if (!served_across(on_stack, "the stack"))
		complain("nothing was served from the stack");
	if (!served_across(heap, "the heap"))
		complain("nothing was served from the heap");
	munmap(map + 12288, 4096);
	runs_off(map + 12288, "a mapping");
	if (served_across(map, "a mapping"))
		complain("a mapping is not known to go on");
	/* The break in the middle of a page, and at its end: what is mapped ends with the page. */
	end = sbrk(0);
	if (sbrk(8192 - (intptr_t)((uintptr_t)end & 4095)) == (void *)-1)
		complain("sbrk: %s", strerror(errno));
	runs_off(sbrk(0), "the heap");
	if (sbrk(1) == (void *)-1)
		complain("sbrk: %s", strerror(errno));
	runs_off((char *)(((uintptr_t)sbrk(0) | 4095) + 1), "the heap in use");
	pthread_create(&t, NULL, across_in_thread, NULL);
	pthread_join(t, NULL);
	free(heap);
}

/* ---- exit ---- */

static void exits(const char *how)
{
	hot(absent);
	if (!strcmp(how, "_exit"))
		_exit(wrong);
	if (!strcmp(how, "_Exit"))
		_Exit(wrong);
	if (!strcmp(how, "quick_exit"))
		quick_exit(wrong);
	if (!strcmp(how, "exit"))
		exit(wrong);
	if (!strcmp(how, "pthread_exit"))
		pthread_exit(NULL);
	if (!strcmp(how, "exec") && !wrong) {
		char *argv[] = {"/bin/true", NULL};

		execv(argv[0], argv);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *how = argc > 2 ? argv[2] : "";

	for (int i = 0; i < 2047; i++)
		at_start[i] = is_open(i);
	if (!getcwd(here, sizeof here))
		return 2;
	snprintf(absent, sizeof absent, "%s/absent", here);
	snprintf(other, sizeof other, "%s/other", here);
	if (!strcmp(what, "signals"))
		signals(false);
	else if (!strcmp(what, "longjmp"))
		signals(true);
	else if (!strcmp(what, "altstack"))
		altstack();
	else if (!strcmp(what, "smallstack"))
		smallstack(how[0] != 0);
	else if (!strcmp(what, "cancel"))
		cancel();
	else if (!strcmp(what, "fork"))
		forks(false);
	else if (!strcmp(what, "clone"))
		forks(true);
	else if (!strcmp(what, "clone-apart"))
		clone_apart();
	else if (!strcmp(what, "generations"))
		generations();
	else if (!strcmp(what, "heirs"))
		heirs(!strcmp(how, "much"));
	else if (!strcmp(what, "vfork"))
		vforks();
	else if (!strcmp(what, "owner-ends"))
		owner_ends();
	else if (!strcmp(what, "main-ends"))
		main_ends();
	else if (!strcmp(what, "numbers"))
		numbers();
	else if (!strcmp(what, "spoil"))
		spoil(how);
	else if (!strcmp(what, "across"))
		across();
	else if (!strcmp(what, "exits"))
		exits(how);
	else
		return 2;
	return wrong;
}

/*
 * race.h - a changer and a looker at full speed, and the one thing that counts: a lookup that
 * starts after a change has returned to its maker must see it.
 *
 * The changer goes round a cycle of states, one step after the other, and says in shared memory
 * when a step begins and when it has returned. The looker asks through libc, under the library,
 * and holds each answer against the states possible between "returned before I asked" and "begun
 * before I had the answer". A test needs stale answers 0, and enough answers that were served
 * from the cache: one that never hits proves nothing. RACE_SCALE in the environment is the length.
 */
#ifndef RACE_H
#define RACE_H

#define _GNU_SOURCE
#include "fastpath.h"
#include "test.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { STATES = 12, ASKS = 16, PATH_BYTES = 256 };
enum {
	WAY_MS = 100,	 /* one way of one race at RACE_SCALE=1; goes on to OVERTIME times that */
	OVERTIME = 30,	 /* ... while it still has too few hits: a slow machine is not a failure */
	LOADED_MS = 5000, /* ... and that much longer, however short the race */
	HANG_MS = 20000, /* then whoever still runs is stuck */
	HITS = 300,	 /* what one way needs by default: answers out of the cache, and */
	HOT = 10,	 /* changes that met a cache which had just answered */
	WARM = 3,	 /* a change waits for so many hits after the last one ... */
	PATIENCE = 12,	 /* ... or so many sweeps, as most facts are not cached in every state */
};

/* How a race is run: who changes, and whether the looker forgets (so that learning races too). */
enum { BY_PROCESS, BY_THREAD, FORGETTING, WAYS };
#define ONLY(way) (1U << (way))

/* One lookup, and the right answer in each state: 0 or more, or -errno. */
struct ask {
	int (*call)(const char *path);
	const char *path; /* below the race's directory; '#' is the number of the cycle */
	int want[STATES];
};

struct race {
	unsigned states;
	void (*prepare)(void);				/* makes state 0; or NULL */
	void (*change)(unsigned state, unsigned cycle); /* one step; the last leads to state 0 */
	void (*look)(const struct race *r);		/* the looking process; NULL: race_look */
	void (*clean)(void);				/* undoes prepare()'s mounts; or NULL */
	unsigned ways;					/* ONLY() bits; 0: all */
	unsigned hits, hot;				/* needed in a way; 0: HITS, HOT */
	bool later; /* on a mount made after a session began, which then must not answer for it */
	struct ask asks[ASKS];
};

/* Begun and done are the changer's to write, the next line is the lookers', the rest is rare. */
struct race_shared {
	_Alignas(64) _Atomic unsigned begun, done;
	_Alignas(64) _Atomic unsigned served, sweeps;
	_Alignas(64) _Atomic int stop;
	_Atomic int hurry;    /* a looker asks for the next change now */
	_Atomic int looker;   /* pid of the looking process */
	_Atomic unsigned hot; /* changes that met a hot cache */
	_Atomic unsigned long hits, overlapping, stale;
	_Atomic unsigned bell;
	_Atomic int broken;
	_Atomic int told; /* somebody has complained */
	char why[400];
};

static struct race_shared *race_shared;
static char race_base[PATH_BYTES], race_dir[PATH_BYTES];
static int race_way;
static uint64_t race_inherited; /* hits counted before this process began: none, or a bug */
static double race_ends, race_gives_up;

static inline double race_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline double race_scale(void)
{
	const char *scale = getenv("RACE_SCALE");

	return scale && atof(scale) > 0 ? atof(scale) : 1;
}

/* The first complaint is the one to report. */
#define race_complain(...)                                                                     \
	do {                                                                                   \
		if (!atomic_exchange(&race_shared->told, 1))                                   \
			snprintf(race_shared->why, sizeof race_shared->why, __VA_ARGS__);      \
	} while (0)

/* The race cannot go on, or would prove nothing. */
#define race_break(...)                                                                        \
	do {                                                                                   \
		race_complain(__VA_ARGS__);                                                    \
		atomic_store(&race_shared->broken, 1);                                         \
		atomic_store(&race_shared->stop, 1);                                           \
	} while (0)

/* The changer's own calls have to succeed, or the race means something else. */
#define MUST(call) race_must((long)(call), #call, __LINE__)
static inline long race_must(long result, const char *what, int line)
{
	int err = errno;

	if (result < 0)
		race_break("line %d: %s: %s", line, what, strerror(err));
	return result;
}

/* ---- steps of a changer: raw system calls, relative to the race's directory ---- */

/* `name` with the cycle in place of '#'; two are valid at a time, in each thread. */
static inline const char *numbered(const char *name, unsigned cycle)
{
	static _Thread_local char ring[2][PATH_BYTES];
	static _Thread_local unsigned turn;
	const char *mark = strchr(name, '#');
	char *out = ring[turn++ & 1];

	if (!mark)
		return name;
	snprintf(out, PATH_BYTES, "%.*s%u%s", (int)(mark - name), name, cycle, mark + 1);
	return out;
}

static inline void make_file_mode(const char *name, unsigned mode)
{
	long fd = MUST(syscall(SYS_openat, AT_FDCWD, name, O_CREAT | O_EXCL | O_WRONLY, mode));

	syscall(SYS_close, fd);
}

static inline void make_file(const char *name)
{
	make_file_mode(name, 0644);
}

static inline void make_dir(const char *name)
{
	MUST(syscall(SYS_mkdirat, AT_FDCWD, name, 0755));
}

static inline void make_link(const char *target, const char *name)
{
	MUST(syscall(SYS_symlinkat, target, AT_FDCWD, name));
}

static inline void make_hard_link(const char *from, const char *to)
{
	MUST(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

static inline void drop_file(const char *name)
{
	MUST(syscall(SYS_unlinkat, AT_FDCWD, name, 0));
}

static inline void drop_dir(const char *name)
{
	MUST(syscall(SYS_unlinkat, AT_FDCWD, name, AT_REMOVEDIR));
}

static inline void move(const char *from, const char *to)
{
	MUST(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

static inline void exchange(const char *a, const char *b)
{
	MUST(syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2 /* RENAME_EXCHANGE */));
}

static inline void set_mode(const char *name, unsigned mode)
{
	MUST(syscall(SYS_fchmodat, AT_FDCWD, name, mode));
}

/* ---- lookups, all through libc ---- */

static inline int ask_access(const char *path)
{
	return access(path, F_OK) ? -errno : 0;
}

static inline int ask_read(const char *path)
{
	return access(path, R_OK) ? -errno : 0;
}

static inline int ask_exec(const char *path)
{
	return access(path, X_OK) ? -errno : 0;
}

static inline int ask_faccessat(const char *path)
{
	return faccessat(AT_FDCWD, path, F_OK, 0) ? -errno : 0;
}

static inline int ask_stat(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -errno : 0;
}

static inline int ask_lstat(const char *path)
{
	struct stat st;

	return lstat(path, &st) ? -errno : 0;
}

static inline int ask_statx(const char *path)
{
	struct statx st;

	return statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &st) ? -errno : 0;
}

/* Not blocking: the name may be a fifo. */
static inline int ask_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -errno : close(fd);
}

static inline int ask_fopen(const char *path)
{
	FILE *file = fopen(path, "re");

	return file ? fclose(file) : -errno;
}

/* Of a file that may not be executed: this process goes on in every case. */
static inline int ask_execve(const char *path)
{
	char *nothing[] = {NULL};

	return execve(path, nothing, nothing) ? -errno : 0;
}

/* The last character of the target, which tells two targets apart. */
static inline int ask_readlink(const char *path)
{
	char target[PATH_BYTES];
	ssize_t n = readlink(path, target, sizeof target);

	return n < 0 ? -errno : n > 0 ? target[n - 1] : 0;
}

/* The last character of the directory it is canonically in, which tells two directories apart. */
static inline int ask_realpath(const char *path)
{
	char canonical[PATH_MAX];

	if (!realpath(path, canonical))
		return -errno;
	return strrchr(canonical, '/')[-1];
}

/* The same answer in every state; and the name that is never there, which keeps the cache busy. */
#define ALWAYS(answer) {[0 ... STATES - 1] = (answer)}
#define NEVER(path)    {ask_access, path, ALWAYS(-ENOENT)}

/* A plain file that is absent in state 0 and present in state 1, its directory's name ending so. */
#define ASK_NEW_FILE(path, in)                                                                 \
	{ask_access, path, {-ENOENT, 0}}, {ask_stat, path, {-ENOENT, 0}},                      \
	    {ask_lstat, path, {-ENOENT, 0}}, {ask_open, path, {-ENOENT, 0}},                   \
	    {ask_realpath, path, {-ENOENT, in}}, {ask_execve, path, {-ENOENT, -EACCES}},       \
	    {ask_readlink, path, {-ENOENT, -EINVAL}}

/* ---- a race that has a bit of everything, for tests of who looks and when ---- */

/* A symlink's target changes by rename(): its name is never missing. */
static inline void point(const char *link, const char *target)
{
	make_link(target, "new");
	move("new", link);
}

static inline void mixed_prepare(void)
{
	make_dir("d");
	make_file_mode("d/p", 0755);
	make_dir("a");
	make_dir("o");
	make_file("o/two");
	make_dir("v1");
	make_dir("v2");
	make_file("v1/same");
	make_file("v2/same");
	make_file("v2/two");
	make_link("v1", "c");
}

static inline void mixed_change(unsigned state, unsigned cycle)
{
	switch (state) {
	case 0: make_file(numbered("d/f#", cycle)); break;
	case 1: exchange("a", "o"); break;
	case 2: set_mode("d/p", 0644); break;
	case 3: point("c", "v2"); break;
	case 4: drop_file(numbered("d/f#", cycle)); break;
	case 5: exchange("a", "o"); break;
	case 6: set_mode("d/p", 0755); break;
	case 7: point("c", "v1"); break;
	}
}

#define MIXED_ASKS                                                                             \
	{ask_access, "d/f#", {-ENOENT, 0, 0, 0, 0, -ENOENT, -ENOENT, -ENOENT}},                \
	    {ask_stat, "a/two", {-ENOENT, -ENOENT, 0, 0, 0, 0, -ENOENT, -ENOENT}},             \
	    {ask_exec, "d/p", {0, 0, 0, -EACCES, -EACCES, -EACCES, -EACCES, 0}},               \
	    {ask_stat, "c/two", {-ENOENT, -ENOENT, -ENOENT, -ENOENT, 0, 0, 0, 0}},             \
	    {ask_realpath, "c/same", {'1', '1', '1', '1', '2', '2', '2', '2'}},                \
	    NEVER("d/never")
#define MIXED .states = 8, .prepare = mixed_prepare, .asks = {MIXED_ASKS}

/* ---- the looker ---- */

static inline uint64_t race_served(void)
{
	struct fastpath_stats s;
	uint64_t sum = 0;

	if (!fastpath_stats || fastpath_stats(&s, offsetof(struct fastpath_stats, kernel)))
		return 0;
	for (int i = 0; i < FASTPATH_CALLS; i++)
		sum += s.served[i];
	return sum;
}

/* One thread's paths. Aligned so that none crosses a page: the library leaves those alone. */
struct looker {
	char path[ASKS][PATH_BYTES];
	const struct race *race;
	unsigned cycle;
	uint64_t served;
	uint32_t random;
} __attribute__((aligned(PATH_BYTES)));

static inline uint32_t race_random(uint32_t *state)
{
	*state = *state * 1664525U + 1013904223U;
	return *state >> 8;
}

static inline void looker_spell(struct looker *l, unsigned cycle)
{
	const struct ask *a = l->race->asks;

	for (int i = 0; i < ASKS && a[i].call; i++)
		snprintf(l->path[i], PATH_BYTES, "%.150s/%s", race_dir, numbered(a[i].path, cycle));
	l->cycle = cycle;
}

static inline void looker_start(struct looker *l, const struct race *r)
{
	l->race = r;
	l->served = race_served();
	l->random = (uint32_t)race_now();
	looker_spell(l, atomic_load(&race_shared->done) / r->states);
}

/* What is right after `step` steps. A numbered name is back in state 0 when its cycle is over. */
static inline int race_want(const struct looker *l, const struct ask *a, unsigned step)
{
	if (step / l->race->states != l->cycle && strchr(a->path, '#'))
		return a->want[0];
	return a->want[step % l->race->states];
}

static inline bool race_fits(const struct looker *l, const struct ask *a, int got, unsigned before,
			     unsigned after)
{
	unsigned last = after - before > 2 * STATES ? before + 2 * STATES : after;

	for (unsigned step = before; step <= last; step++)
		if (race_want(l, a, step) == got)
			return true;
	return false;
}

static inline void looker_ask(struct looker *l, int i)
{
	const struct ask *a = &l->race->asks[i];
	unsigned before = atomic_load_explicit(&race_shared->done, memory_order_acquire);
	int got = a->call(l->path[i]);

	/* begun must not be read before the answer was made: the answer would look impossible */
	atomic_thread_fence(memory_order_acquire);
	unsigned after = atomic_load_explicit(&race_shared->begun, memory_order_acquire);
	uint64_t served = race_served();
	bool hit = served != l->served;

	l->served = served;
	if (hit)
		atomic_fetch_add_explicit(&race_shared->served, 1, memory_order_relaxed);
	if (hit && before != after)
		atomic_fetch_add_explicit(&race_shared->overlapping, 1, memory_order_relaxed);
	if (race_fits(l, a, got, before, after))
		return;
	atomic_fetch_add(&race_shared->stale, 1);
	race_complain("ask %d of %s is %d, %s; must be %d (steps %u to %u, state %u of %u)", i,
		      l->path[i] + strlen(race_dir) + 1, got, hit ? "SERVED" : "not a hit",
		      race_want(l, a, before), before, after, before % l->race->states,
		      l->race->states);
}

/* Every question once. */
static inline void looker_sweep(struct looker *l)
{
	unsigned cycle = atomic_load(&race_shared->done) / l->race->states;

	if (cycle != l->cycle)
		looker_spell(l, cycle);
	if (race_way == FORGETTING && fastpath_flush && race_random(&l->random) % 8 == 0)
		fastpath_flush();
	for (int i = 0; i < ASKS && l->race->asks[i].call; i++)
		looker_ask(l, i);
	atomic_fetch_add_explicit(&race_shared->sweeps, 1, memory_order_relaxed);
}

/* Ends the race when it has lasted long enough; true once it has ended. Half as many hits again as
 * are needed: two threads may both take one for theirs. */
static inline bool race_over(const struct race *r)
{
	double now = race_now();
	unsigned hits = r->hits ? r->hits : HITS;
	bool enough = atomic_load(&race_shared->served) >= hits + hits / 2 &&
		      atomic_load(&race_shared->hot) >= (r->hot ? r->hot : HOT);

	if (now > race_gives_up || (now > race_ends && (enough || !fastpath_stats)))
		atomic_store(&race_shared->stop, 1);
	return atomic_load(&race_shared->stop);
}

/* Looks until the race is over, or for `ms` if that is not 0. */
static inline void race_look_for(const struct race *r, double ms)
{
	struct looker l;
	double until = ms > 0 ? race_now() + ms : 1e300;

	looker_start(&l, r);
	do
		for (int i = 0; i < 4; i++)
			looker_sweep(&l);
	while (!race_over(r) && race_now() < until);
}

static inline void race_look(const struct race *r)
{
	race_look_for(r, 0);
}

/* Nothing changes any more: what was raced must not have put the cache out of action. Names of
 * cycles that never come, as a filter may take any single one for a name that it holds. */
/* Must the cache not be hit, since everything lies on a mount that the session does not know? */
static inline bool race_is_refused(const struct race *r)
{
	return r->later && getenv("FASTPATH_SESSION");
}

static inline void race_still_answers(const struct race *r)
{
	struct looker l;
	double patience = race_now() + 10000; /* a broker may have to wait for its turn */
	uint64_t before = race_served();

	if (race_is_refused(r))
		return;
	looker_start(&l, r);
	while (fastpath_stats && race_served() < before + WARM) {
		looker_spell(&l, l.cycle + 1);
		for (int i = 0; i < ASKS && r->asks[i].call; i++)
			looker_ask(&l, i);
		if (race_now() < patience)
			continue;
		race_complain("the cache does not answer any more");
		break;
	}
}

/* Each looking process adds its own hits when it ends. */
static inline void race_book(void)
{
	struct fastpath_stats s = {0};

	atomic_fetch_add(&race_shared->hits, race_served() - race_inherited);
	if (fastpath_stats && !fastpath_stats(&s, sizeof s) && s.bell)
		atomic_store(&race_shared->bell, s.bell);
}

/* ---- the changer ---- */

/* Three changes of four wait for hits; the others come at any time, so as to meet an owner that
 * drains, re-arms or learns. Says whether the cache has answered since the last change. */
static inline bool race_await(uint32_t *random)
{
	unsigned served = atomic_load(&race_shared->served);
	unsigned sweeps = atomic_load(&race_shared->sweeps);
	uint32_t r = race_random(random);
	unsigned pause = r & 3 ? r >> 4 & 0x3ff : r >> 4 & 0x7fff;

	for (unsigned spins = 0; r & 3 && !atomic_load(&race_shared->stop); spins++) {
		if (atomic_load(&race_shared->served) - served >= WARM ||
		    atomic_load(&race_shared->sweeps) - sweeps >= PATIENCE ||
		    atomic_exchange(&race_shared->hurry, 0))
			break;
		if (spins > 20000)
			sched_yield();
	}
	while (pause--)
		__asm__ volatile("" ::: "memory");
	return atomic_load(&race_shared->served) != served;
}

/* Ends in state 0, so that nothing is left mounted or locked. */
static inline void race_change(const struct race *r)
{
	uint32_t random = (uint32_t)race_now();

	for (unsigned step = 0;; step++) {
		bool hot = race_await(&random);

		if (atomic_load(&race_shared->broken) ||
		    (atomic_load(&race_shared->stop) && step % r->states == 0))
			break;
		atomic_store(&race_shared->begun, step + 1); /* a full barrier, like the next */
		r->change(step % r->states, step / r->states);
		atomic_store(&race_shared->done, step + 1);
		atomic_fetch_add(&race_shared->hot, hot);
	}
}

static inline void *race_change_thread(void *race)
{
	race_change(race);
	return NULL;
}

/* Signals are the lookers' business: a handler may jump, into a stack that is not the changer's. */
static inline pthread_t race_start_changer(const struct race *r)
{
	sigset_t all, old;
	pthread_t changer;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&changer, NULL, race_change_thread, (void *)(uintptr_t)r))
		_exit(1);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return changer;
}

/* ---- places and processes ---- */

/* First from the top, so that what is left unreadable can be entered, then from the bottom. */
static inline int race_open_up(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)at;
	if (kind == FTW_DNR)
		chmod(path, 0700);
	return 0;
}

static inline int race_remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	remove(path);
	return 0;
}

static inline void race_remove_base(void)
{
	if (chdir("/"))
		return;
	nftw(race_base, race_open_up, 16, FTW_PHYS | FTW_MOUNT);
	nftw(race_base, race_remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* A directory of its own for each way, never sticky, with a short absolute name. */
static inline void race_enter_dir(void)
{
	static unsigned number;
	const char *tmp = getenv("TMPDIR");

	if (!race_base[0]) {
		snprintf(race_base, sizeof race_base, "%.100s/fastpath-race.XXXXXX",
			 tmp && tmp[0] == '/' ? tmp : "/var/tmp");
		CHECKF(mkdtemp(race_base), "mkdtemp %s: %s", race_base, strerror(errno));
		CHECK(chmod(race_base, 0755) == 0);
		atexit(race_remove_base);
	}
	snprintf(race_dir, sizeof race_dir, "%.150s/%u", race_base, number++);
	CHECK(mkdir(race_dir, 0755) == 0 && chdir(race_dir) == 0);
}

/* Dies with its parent: a test that is killed leaves no changer behind. */
static inline pid_t race_fork(void)
{
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		race_inherited = race_served();
	}
	return pid;
}

/* Waits for `pid`, and with `end` lets the race end with it. */
static inline void race_reap(pid_t pid, bool end, const char *who)
{
	int status = 0;
	bool killed = false;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (!killed && race_now() > race_gives_up + HANG_MS) {
			race_break("the %s hangs", who);
			kill(pid, SIGKILL);
			killed = true;
		}
		usleep(200);
	}
	if (!killed && (!WIFEXITED(status) || WEXITSTATUS(status)))
		race_break("the %s ended with wait status %#x", who, (unsigned)status);
	if (end)
		atomic_store(&race_shared->stop, 1);
}

/* One short life after the other, each a process that has never asked before. */
static inline void race_many_lives(const struct race *r, void (*life)(const struct race *r))
{
	while (!race_over(r)) {
		pid_t pid = race_fork();

		if (pid == 0) {
			life(r);
			race_book();
			_exit(0);
		}
		race_reap(pid, false, "life");
	}
}

static inline void *race_look_thread(void *race)
{
	race_look(race);
	return NULL;
}

static inline void *race_look_thread_ms(void *race)
{
	race_look_for(race, 3);
	return NULL;
}

/* A thread that looks on until the race is over, or for a moment. */
static inline pthread_t race_start(void *(*body)(void *), const struct race *r)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, (void *)(uintptr_t)r)) {
		race_break("no thread to be had");
		_exit(1);
	}
	return thread;
}

/* ---- one way of one race ---- */

static inline void race_looking_process(const struct race *r)
{
	pthread_t changer = 0;

	race_shared->looker = getpid();
	if (race_way == BY_THREAD)
		changer = race_start_changer(r);
	(r->look ? r->look : race_look)(r);
	race_book();
	if (race_way == BY_THREAD)
		pthread_join(changer, NULL);
	race_still_answers(r);
	_exit(0);
}

static inline void race_once(const struct race *r)
{
	double ms = WAY_MS * race_scale();
	pid_t changer = 0;

	race_enter_dir();
	if (r->prepare)
		r->prepare();
	race_ends = race_now() + ms;
	race_gives_up = race_now() + OVERTIME * ms + LOADED_MS;
	if (race_way != BY_THREAD && !(changer = race_fork())) {
		race_change(r);
		_exit(0);
	}
	pid_t looker = race_fork(); /* after the changer, which so inherits nothing of a cache */
	if (looker == 0)
		race_looking_process(r);
	race_reap(looker, true, "looker");
	if (changer)
		race_reap(changer, true, "changer");
	if (r->clean)
		r->clean();
}

/* ---- the verdict ---- */

/* Would the kernel have given a page bell? Then it is a failure not to have used it. */
static inline bool race_kernel_has_page_bell(void)
{
	enum { NO_MMAP = 1U << 14 }; /* newer than Debian 12's header */
	struct io_uring_params p = {.flags = NO_MMAP | IORING_SETUP_DEFER_TASKRUN |
					     IORING_SETUP_SINGLE_ISSUER |
					     IORING_SETUP_TASKRUN_FLAG};
	char *rings = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at[2] = {(uintptr_t)rings, (uintptr_t)rings + 4096};

	memcpy((char *)(&p.cq_off + 1) - 8, &at[0], 8);
	memcpy((char *)(&p.sq_off + 1) - 8, &at[1], 8);
	long fd = syscall(SYS_io_uring_setup, 4, &p);
	if (fd >= 0)
		close((int)fd);
	munmap(rings, 8192);
	return fd >= 0;
}

/* races.sh names the bell it asked for, which may not be the one that was to be had. */
static inline void race_check_bell(void)
{
	const char *want = getenv("RACE_BELL");
	bool page = want && !strcmp(want, "page");
	unsigned got = race_shared->bell;

	if (!want || !got || got == (page ? FASTPATH_BELL_PAGE : FASTPATH_BELL_EPOLL))
		return;
	if (page && !race_kernel_has_page_bell())
		SKIP("io_uring with NO_MMAP (Linux 6.5): no page bell here");
	CHECKF(false, "bell %u was used instead of %s", got, want);
}

/* Each way by itself: a cache that answers in one of them only has a fault in the others. */
static inline void race_check_hits(const struct race *r)
{
	unsigned long hits = r->hits ? r->hits : HITS, hot = r->hot ? r->hot : HOT;

	if (race_is_refused(r)) {
		if (race_shared->hits)
			race_complain("a mount made after the session began was answered for");
		return;
	}
	if (race_shared->hits < hits)
		race_complain("the cache was not hit enough: %lu times", race_shared->hits);
	if (race_shared->hot < hot)
		race_complain("the cache was hot in too few rounds: %u", race_shared->hot);
}

/* Runs a race in every way it names, prints its numbers, and fails the test if one is bad. */
static inline void race_run(const struct race *r)
{
	static const char *const names[WAYS] = {"process", "thread", "forgetting"};
	unsigned long rounds = 0, hits = 0, stale = 0, hot = 0, overlapping = 0;

	for (race_way = 0; race_way < WAYS; race_way++) {
		if (r->ways && !(r->ways & ONLY(race_way)))
			continue;
		if (!race_shared)
			race_shared = mmap(NULL, sizeof *race_shared, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		memset(race_shared, 0, sizeof *race_shared);
		race_once(r);
		rounds += race_shared->done, hits += race_shared->hits, hot += race_shared->hot;
		stale += race_shared->stale, overlapping += race_shared->overlapping;
		race_check_hits(r);
		if (race_shared->told)
			break; /* race_way and why are of this one */
	}
	printf("     rounds %lu, hits %lu, stale %lu (%lu rounds met a hot cache, %lu hits "
	       "overlapped a change)\n",
	       rounds, hits, stale, hot, overlapping);
	CHECKF(fastpath_stats, "the cache was not hit: no library is loaded");
	CHECKF(!race_shared->told, "%s: %s", names[race_way], race_shared->why);
	race_check_bell();
}

#endif

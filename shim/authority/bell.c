/*
 * bell.c - the two kinds of bell, behind one set of functions.
 *
 * One ring per polled file and nothing else ever in it: two polls in one ring lose bells.
 */
#include "authority/bell.h"

#include "base/atomic.h"
#include "base/thread.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/inotify.h>

enum {
	FD_FIRST = 800,	   /* our visible descriptors: above what applications number themselves */
	KEPT_OUT_MAX = 64, /* times that the owner meets another checker before it takes over */
};

/* The mount table of the calling thread's namespace, from a real procfs. */
static int mounts_open(void)
{
	int fd = (int)sys_openat(SYS_AT_FDCWD, "/proc/thread-self/mountinfo", O_RDONLY | O_CLOEXEC);
	struct statfs64 fs;

	if (fd < 0)
		return fd;
	if (sys_fstatfs(fd, &fs) || fs.f_type != PROC_SUPER_MAGIC) {
		sys_close(fd);
		return -ENODEV;
	}
	return fd;
}

void bell_await_mounts(void)
{
	int fd = mounts_open();
	char byte;

	if (fd < 0)
		return; /* without procfs nothing can be learned either */
	sys_read(fd, &byte, 1);
	sys_close(fd);
}

/* The rings, without their files: whether they can be had is known before anything else is made. */
static int rings_make(struct bell *b, char *shown, char *hidden)
{
	enum { PAGE = RING_PAGE_BYTES };
	int error;

	if ((error = ring_make(&b->inotify, shown, hidden, true)) ||
	    (error = ring_make(&b->mounts, shown + PAGE, hidden + PAGE, true)))
		return error;
	return ring_make(&b->exchange, hidden + (size_t)2 * PAGE, hidden + (size_t)3 * PAGE, false);
}

static int rings_arm(struct bell *b, struct segment *s, int inotify, int mounts)
{
	int error;

	if ((error = ring_keep(&b->inotify, inotify)) || (error = ring_keep(&b->mounts, mounts)) ||
	    (error = ring_keep(&b->exchange, inotify)) ||
	    (error = ring_arm(&b->inotify, POLLIN)) || (error = ring_arm(&b->mounts, POLLPRI)))
		return error;
	error = ring_install(&b->exchange); /* Linux >= 6.8 */
	if (error < 0)
		return error;
	sys_close(error);
	ring_words(&b->inotify, s, &s->bells[0]);
	ring_words(&b->mounts, s, &s->bells[1]);
	b->kind = BELL_PAGE;
	return 0;
}

/* Moves *fd above FD_FIRST. */
static int raise_fd(int *fd)
{
	int high = (int)sys3(SYS_fcntl, *fd, F_DUPFD_CLOEXEC, FD_FIRST);

	sys_close(*fd);
	*fd = high;
	return high < 0 ? high : 0;
}

static int epoll_add(int epoll, int fd, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.u32 = events};

	return (int)sys4(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, fd, &e);
}

static int epoll_make(struct bell *b, int inotify, int mounts)
{
	int epoll = (int)sys1(SYS_epoll_create1, EPOLL_CLOEXEC), error;

	if (epoll < 0)
		return epoll;
	error = raise_fd(&epoll);
	if (error)
		return error;
	b->inotify_fd = (int)sys3(SYS_fcntl, inotify, F_DUPFD_CLOEXEC, FD_FIRST);
	b->mounts_fd = (int)sys3(SYS_fcntl, mounts, F_DUPFD_CLOEXEC, FD_FIRST);
	if (b->inotify_fd < 0 || b->mounts_fd < 0)
		error = -EMFILE;
	else if (!(error = epoll_add(epoll, b->inotify_fd, EPOLLIN)))
		error = epoll_add(epoll, b->mounts_fd, EPOLLPRI);
	if (error) {
		if (b->inotify_fd >= 0)
			sys_close(b->inotify_fd);
		if (b->mounts_fd >= 0)
			sys_close(b->mounts_fd);
		sys_close(epoll);
		return error;
	}
	b->epoll_fd = epoll;
	b->kind = BELL_EPOLL;
	return 0;
}

int bell_make(struct bell *b, struct segment *s, void *shown, void *hidden, unsigned kinds)
{
	int rings = kinds & BELL_TRY_PAGE ? rings_make(b, shown, hidden) : -ENOSYS;
	int inotify, mounts, error = rings;

	for (int i = 0; i < BELLS; i++)
		store_relaxed(&s->bells[i].flags, 0);
	/* An inotify instance that was made and closed for nothing can take milliseconds. */
	if (rings && !(kinds & BELL_TRY_EPOLL))
		return -EAGAIN;
	mounts = mounts_open();
	if (mounts < 0)
		return mounts;
	inotify = (int)sys1(SYS_inotify_init1, IN_NONBLOCK | IN_CLOEXEC);
	if (inotify < 0) {
		sys_close(mounts);
		return inotify;
	}
	if (!rings)
		error = rings_arm(b, s, inotify, mounts);
	/* Whatever the reason, the other bell may work. Rings half made end with their thread. */
	if (error)
		error = epoll_make(b, inotify, mounts);
	sys_close(inotify);
	sys_close(mounts);
	return error;
}

/* Sets mounts_moved and lost; true when an event is waiting. Of the checker. */
static bool epoll_look(struct bell *b)
{
	struct epoll_event e[2];
	long n = sys6(SYS_epoll_pwait, b->epoll_fd, e, 2, 0, NULL, 8);

	if (n < 0)
		store_relaxed(&b->lost, 1);
	for (long i = 0; i < n; i++)
		if (e[i].data.u32 == EPOLLPRI)
			store_relaxed(&b->mounts_moved, 1);
	return n != 0;
}

/* Ends this thread's check. False: the owner took it over meanwhile, and what was seen is void. */
static bool checker_leave(struct bell *b, uint64_t self)
{
	return __atomic_compare_exchange_n(&b->checker, &self, 0, false, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED);
}

bool bell_pending(struct bell *b)
{
	uint64_t self = thread_pointer();
	bool news;

	if (!try_claim(&b->checker, self)) {
		/* A signal handler above a check of this thread, which may never go on: it may have
		 * consumed the mount table's event. */
		if (load_relaxed(&b->checker) == self)
			store_relaxed(&b->mounts_moved, 1);
		return false;
	}
	news = epoll_look(b);
	return checker_leave(b, self) && !news && !load_relaxed(&b->mounts_moved) &&
	       !load_relaxed(&b->lost);
}

/* The owner's, with signals blocked: a check that was abandoned by a longjmp() is taken over. */
static bool checker_enter(struct bell *b, uint64_t self, bool *taken)
{
	uint64_t other = 0;

	*taken = false;
	if (__atomic_compare_exchange_n(&b->checker, &other, self, false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		return true;
	if (other != self && ++b->kept_out < KEPT_OUT_MAX)
		return false;
	*taken = true;
	return __atomic_compare_exchange_n(&b->checker, &other, self, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static unsigned epoll_answer(struct bell *b)
{
	uint64_t self = thread_pointer();
	unsigned rang = 0;
	bool taken;

	if (!checker_enter(b, self, &taken))
		return 0; /* whoever checks will find the news again: they are not read */
	b->kept_out = 0;
	if (epoll_look(b))
		rang = RANG_EVENTS;
	if (load_relaxed(&b->mounts_moved))
		rang |= RANG_MOUNTS;
	if (taken) /* what the other saw is not known */
		rang = RANG_EVENTS | RANG_MOUNTS;
	store_relaxed(&b->mounts_moved, 0);
	checker_leave(b, self);
	return load_relaxed(&b->lost) ? RANG_BROKEN : rang;
}

static unsigned ring_collect(struct ring *r, unsigned bit)
{
	int result;

	if (!ring_rung(r))
		return 0;
	if (ring_answer(r) < 0)
		return RANG_BROKEN;
	if (!ring_take(r, &result))
		return 0; /* a wake-up for other events: the poll is still armed */
	return result < 0 ? RANG_BROKEN : bit;
}

unsigned bell_answer(struct bell *b)
{
	if (b->kind == BELL_PAGE)
		return ring_collect(&b->inotify, RANG_EVENTS) | ring_collect(&b->mounts, RANG_MOUNTS);
	return epoll_answer(b);
}

int bell_rearm(struct bell *b, unsigned rang)
{
	int error = 0;

	if (b->kind != BELL_PAGE)
		return 0;
	if (rang & RANG_EVENTS)
		error = ring_arm(&b->inotify, POLLIN);
	if (!error && (rang & RANG_MOUNTS))
		error = ring_arm(&b->mounts, POLLPRI);
	return error;
}

bool bell_rung(struct bell *b)
{
	if (b->kind == BELL_PAGE)
		return ring_rung(&b->inotify) || ring_rung(&b->mounts);
	return !bell_pending(b);
}

int bell_read(struct bell *b, void *buffer, unsigned size)
{
	if (b->kind == BELL_PAGE && !b->kept)
		return ring_read(&b->exchange, buffer, size);
	return (int)sys_read(b->inotify_fd, buffer, size);
}

void bell_keep(struct bell *b)
{
	if (b->kind != BELL_PAGE)
		return;
	b->inotify_fd = ring_install(&b->exchange);
	b->kept = b->inotify_fd >= 0;
}

int bell_borrow(struct bell *b)
{
	return b->kind == BELL_PAGE && !b->kept ? ring_install(&b->exchange) : b->inotify_fd;
}

void bell_return(struct bell *b, int fd)
{
	if (b->kind == BELL_PAGE && !b->kept)
		sys_close(fd);
}

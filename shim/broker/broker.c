/*
 * broker.c - starting a session's authority process, and its loop.
 *
 * The broker believes nothing that comes from the inbox: a post is a hint at what to look at, copied
 * before it is read. What it publishes, it has asked the kernel itself.
 */
#include "broker/broker.h"

#include "authority/authority.h"
#include "authority/bill.h"
#include "authority/place.h"
#include "authority/watch.h"
#include "base/bytes.h"
#include "base/path.h"
#include "base/sys.h"
#include "broker/programs.h"
#include "broker/report.h"
#include "cache/session.h"
#include "cache/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/memfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	/* Between two rounds with posts. Waking up costs 20 to 40 us of CPU time: as many lookups. */
	TICK_MIN_NS = 50000,
	TICK_MAX_NS = 4000000,
	LOSSES_A_ROUND = 40,
	VAIN_MAX = 7,
	ANSWER_NS = 500000,	  /* between two answers to the bell */
	IDLE_NS = 100000000,	  /* the longest sleep: posts wait, and events nobody asks about must not overflow */
	SWEEP_NS = 1000000000,	  /* between two looks for posts whose writers have ended */
	BOLDNESS = 8,		  /* a session is long, and what one process lost others will lose */
	BOLDNESS_POSITIVE = 2,	  /* of a file's own facts, each of which takes a watch */
	CAUTION_XATTR = 16,	  /* who lists a directory asks once of hundreds of files: all would be learned */
	PRICE_MIN_NS = 50,
	PRICE_MAX_NS = 1000000,
	CATCH_UP_SHARE = 50,	  /* of the time, catching up may take one part of so many */
};

struct state {
	char bells[BELL_HIDDEN_BYTES] __attribute__((aligned(PAGE_MOST)));
	struct session *session;
	struct inbox *inbox;
	struct authority authority;
	struct programs programs;
	struct loss losses[BROKER_LOSSES];
	uint32_t lost_at[PLACES];
	uint64_t busy[POST_SLOTS / 64];
	uint64_t swept_ns, caught_up_ns;
	uint64_t round_ns; /* when the last one began; 0: it was followed by a sleep */
	uint32_t vain;	   /* rounds in a row whose posts taught nothing */
	uint64_t device, inode; /* of the session's memory */
	pid_t pid;
	uint32_t lost_posts; /* when it was looked for slots to free */
	struct broker_options options;
	int session_fd, inbox_fd, control, until;
	bool stays; /* a child of the caller's */
	bool ending; /* set by the other thread */
};

static struct state broker = {.session_fd = -1, .inbox_fd = -1};

/* ftruncate(2) without the signal of a limit on the size of files. */
static int set_size(int fd, size_t size)
{
	const struct timespec now = {0, 0};
	sigset_t limit, old;
	int error;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &limit, &old);
	error = ftruncate(fd, (off_t)size);
	if (error)
		sigtimedwait(&limit, NULL, &now);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return error;
}

static int memory_fd(const char *name, size_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | 0x8U /* MFD_NOEXEC_SEAL */);

	if (fd < 0)
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && set_size(fd, size)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void *memory_map(int fd, size_t size)
{
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Why io_uring cannot be had in the way that the page bell needs. */
static const char *why_no_bell(void)
{
	struct io_uring_params p;
	long fd;

	memset(&p, 0, sizeof p);
	fd = sys2(SYS_io_uring_setup, 1, &p);
	if (fd >= 0)
		sys_close((int)fd);
	switch (fd) {
	case -ENOSYS:
		return "this kernel has no io_uring";
	case -EPERM:
	case -EACCES:
		return "io_uring is forbidden here (kernel.io_uring_disabled, or a seccomp filter)";
	case -ENOMEM:
		return "io_uring may lock no memory (ulimit -l)";
	default:
		return "the page bell needs io_uring of Linux 6.8 or newer";
	}
}

/* The other thread: waits for the command's end. */
static void *watch_command(void *unused)
{
	struct pollfd p[] = {{.fd = broker.until, .events = POLLIN}, {.fd = broker.control, .events = POLLIN}};

	(void)unused;
	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	store_relaxed(&broker.ending, true);
	sys3(SYS_futex, &broker.session->sleeping, FUTEX_WAKE, 1);
	return NULL;
}

static int start_watching(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error = pthread_attr_init(&attributes);

	if (!error)
		error = pthread_attr_setstacksize(&attributes, (size_t)64 * 1024);
	if (!error)
		error = pthread_create(&thread, &attributes, watch_command, NULL);
	return -error;
}

static uint64_t device_of(const struct statx *found)
{
	return (uint64_t)found->stx_dev_major << 32 | found->stx_dev_minor;
}

/* The caller's part: the memory, and its address for everybody. */
static int make_memory(void)
{
	struct statx memory, inbox;
	struct session *s;

	broker.session_fd = memory_fd("fastpath-session", SESSION_BYTES);
	broker.inbox_fd = memory_fd("fastpath-inbox", sizeof *broker.inbox);
	broker.session = s = memory_map(broker.session_fd, SESSION_BYTES);
	broker.inbox = memory_map(broker.inbox_fd, sizeof *broker.inbox);
	if (!s || !broker.inbox || sys_statx(broker.session_fd, "", AT_EMPTY_PATH, STATX_INO, &memory) ||
	    sys_statx(broker.inbox_fd, "", AT_EMPTY_PATH, STATX_INO, &inbox) ||
	    getrandom(&s->nonce, sizeof s->nonce, 0) != sizeof s->nonce)
		return -ENOMEM;
	/* What is mapped stays writable for us, and will be inherited by the broker alone. */
	if (fcntl(broker.session_fd, F_ADD_SEALS, SESSION_SEALS | F_SEAL_SEAL) ||
	    fcntl(broker.inbox_fd, F_ADD_SEALS, INBOX_SEALS | F_SEAL_SEAL))
		return -errno;
	s->inbox_fd = (uint32_t)broker.inbox_fd;
	s->inbox_dev = device_of(&inbox);
	s->inbox_ino = inbox.stx_ino;
	broker.device = device_of(&memory);
	broker.inode = memory.stx_ino;
	return 0;
}

/* The broker's part. NULL, or why there is no tree scope here. */
static const char *set_up(void)
{
	struct session *s = broker.session;
	struct authority_options o = {
		.bells = BELL_TRY_PAGE,
		.eager = broker.options.eager,
		.skip = broker.options.skip,
		.trust = broker.options.trust,
		.reserved = sizeof(struct session),
		.limit = SESSION_BYTES - SEGMENT_SLACK,
		.bells_shown = s->bells,
		.bells_hidden = broker.bells,
		.alone = true,
	};
	int error;

	s->labelled = subject_is_labelled();
	s->user_ns = subject_user_namespace();
	if (!s->user_ns || !subject_read(&s->subject) ||
	    (s->labelled && !subject_read_label(&s->subject)))
		return "real and effective ids or capabilities differ, or cannot be known";
	s->rules = session_rules(o.skip, o.trust);
	error = authority_start(&broker.authority, &s->segment, &o);
	if (error == -EAGAIN)
		return why_no_bell();
	if (error == -EMFILE)
		return "no inotify instance (fs.inotify.max_user_instances) or no descriptor is left";
	if (error)
		return "inotify or the mount table cannot be had";
	if (subject_is_filtered())
		return "a seccomp filter is in place: who attaches would make calls that it may not expect";
	if (start_watching())
		return "there is no thread to be had";
	programs_start(&broker.programs, s);
	broker.swept_ns = broker.caught_up_ns = sys_clock_ns();
	return NULL;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* Is it a question whose answer may be published? */
static bool is_question(const struct note *n)
{
	switch ((enum question)n->question) {
	case QUESTION_NONE:
	case QUESTION_PATH:
	case QUESTION_LINK:
		return !n->detail;
	case QUESTION_ACCESS:
		return !(n->detail & ~(R_OK | X_OK)); /* never W_OK: see the README */
	case QUESTION_XATTR:
	case QUESTION_LXATTR:
		return n->detail < XATTR_NAMES;
	}
	return false;
}

static bool is_due(const struct bill *b, const struct note *n)
{
	uint64_t learn_ns = broker.authority.learn_ns;
	bool xattr = n->question == QUESTION_XATTR || n->question == QUESTION_LXATTR;

	return bill_is_due(b, clamp(n->price_ns, PRICE_MIN_NS, PRICE_MAX_NS),
			   xattr ? CAUTION_XATTR * learn_ns : learn_ns,
			   xattr         ? 1
			   : n->question ? BOLDNESS_POSITIVE
					 : BOLDNESS);
}

/* A loss that somebody reports. True: something was learned. */
static bool note_loss(const struct note *n, const char *text)
{
	struct authority *a = &broker.authority;
	enum learned learned;
	struct path path;
	struct bill b;
	uint32_t place;

	/* In its normal form, or it is not what a client would have written. */
	if (!is_question(n) || path_parse(&path, text) != PATH_ABSOLUTE || path.text != text ||
	    path.length != n->length || !path.length)
		return false;
	bill_charge(&b, broker.losses, BROKER_LOSSES - 1, text, path.length, path.directory, n->question,
		    n->count);
	if (!a->eager && !is_due(&b, n))
		return false;
	if (n->question)
		learned = authority_learn_present(a, text, path.length, (enum question)n->question,
						  n->detail);
	else
		learned = authority_learn_absent(a, text, path.length);
	bill_settle(&b, learned == LEARNED_FACT);
	place = place_find(a, text, n->question ? path.length : path.directory);
	broker.lost_at[place] += n->count;
	return learned == LEARNED_FACT;
}

/* What a round found in the inbox. */
struct haul {
	unsigned posts;
	uint64_t losses;
	bool useful; /* something came of them */
};

static struct haul read_inbox(void)
{
	/* In one page, as path_parse() wants it. */
	static char text[POST_TEXT] __attribute__((aligned(512)));
	uint32_t slot = 0;
	struct haul h = {0, 0, false};
	struct note n;

	while (inbox_take(broker.inbox, &slot, &n, text)) {
		h.posts++;
		if (bytes_length(text) != n.length)
			continue;
		if (n.kind == POST_LOST) {
			h.losses += n.count;
			h.useful |= note_loss(&n, text);
		} else if (n.kind == POST_RUN || n.kind == POST_EXEC) {
			programs_note(&broker.programs, &n, text, sys_clock_ns());
		}
	}
	return h;
}

static void catch_up(void)
{
	uint64_t now = sys_clock_ns();

	/* What its answers save is not known here: it may take a share of the time. */
	authority_catch_up(&broker.authority, (now - broker.caught_up_ns) / CATCH_UP_SHARE);
	broker.caught_up_ns = now;
}

static void nap(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000U), .tv_nsec = (long)(ns % 1000000000U)};

	sys4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
}

static bool has_news(void)
{
	uint64_t news = 0;

	for (unsigned i = 0; i < array_size(broker.inbox->news); i++)
		news |= load_relaxed(&broker.inbox->news[i]);
	return news;
}

/* For a while, or until somebody wakes us for one of `reasons` (SLEEPS_ bits). A bell that nobody minds may go
 * on ringing. */
static void sleep_until_woken(uint64_t ns, uint32_t reasons)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000U), .tv_nsec = (long)(ns % 1000000000U)};
	uint32_t *word = &broker.session->sleeping, asleep = load_relaxed(word) + SLEEPS_COUNT + reasons;

	store_relaxed(word, asleep);
	/* Who posts after this look sees the word, and wakes; a wake-up that comes before the futex waits
	 * is lost, and the post waits for the next one or the end of the sleep. */
	fence_full();
	if (!load_relaxed(&broker.ending) && !((reasons & SLEEPS_TO_POSTS) && has_news()))
		sys4(SYS_futex, word, FUTEX_WAIT, asleep, &t);
	store_relaxed(word, asleep - reasons);
}

static void sleep_well(void)
{
	sleep_until_woken(IDLE_NS, SLEEPS_TO_POSTS | SLEEPS_TO_BELL);
}

static void end_now(void)
{
	/* Nobody is to believe what rings say while they go. */
	segment_begin(&broker.session->segment);
	if (broker.control >= 0)
		report_write(broker.control, &broker.authority, broker.inbox, &broker.programs,
			     broker.lost_at);
	_exit(0);
}

/* Slots whose writers have ended are looked for only where there is no room. */
static void sweep(void)
{
	uint32_t lost = load_relaxed(&broker.inbox->lost);

	if (lost == broker.lost_posts)
		return;
	broker.lost_posts = lost;
	inbox_sweep(broker.inbox, broker.busy);
}

/* A long session sees many directories come and go. */
static void renew_if_full(void)
{
	if (!authority_is_full(&broker.authority))
		return;
	authority_renew(&broker.authority);
	memset(broker.losses, 0, sizeof broker.losses);
	memset(broker.lost_at, 0, sizeof broker.lost_at);
}

/*
 * Until the next round, in which as many lookups are to be lost as it costs: by the rate at which they are lost
 * now. Where that teaches nothing, longer and longer. After a sleep somebody has just lost much.
 */
static uint64_t tick_of(const struct haul *h, uint64_t began_ns)
{
	uint64_t since = broker.round_ns ? began_ns - broker.round_ns : 0;
	uint64_t tick = clamp(since * LOSSES_A_ROUND / (h->losses + 1), TICK_MIN_NS, TICK_MAX_NS);

	broker.vain = h->useful ? 0 : (uint32_t)clamp(broker.vain + 1, 0, VAIN_MAX);
	return clamp(tick << broker.vain, TICK_MIN_NS, TICK_MAX_NS);
}

static void rest(const struct haul *h, bool rung, uint64_t began_ns)
{
	uint64_t tick;

	if (broker.options.tick_us && (rung || h->posts)) {
		nap((uint64_t)broker.options.tick_us * 1000);
	} else if (!broker.options.tick_us && h->losses) {
		tick = tick_of(h, began_ns);
		nap(clamp(tick, 0, ANSWER_NS));
		if (tick > ANSWER_NS)
			sleep_until_woken(tick - ANSWER_NS, SLEEPS_TO_BELL);
		broker.round_ns = began_ns;
	} else {
		if (rung)
			nap(ANSWER_NS);
		sleep_well();
		broker.round_ns = 0;
		broker.vain /= 2;
	}
}

static void serve(void)
{
	while (!load_relaxed(&broker.ending) && !broker.authority.broken) {
		uint64_t now = sys_clock_ns();
		bool rung = bell_rung(&broker.authority.bell);
		struct haul haul;

		if (rung)
			catch_up();
		haul = read_inbox();
		store_relaxed(&broker.session->rounds, broker.session->rounds + 1);
		if (now - broker.swept_ns > SWEEP_NS) {
			sweep();
			renew_if_full();
			programs_retry(&broker.programs, now);
			broker.swept_ns = now;
		}
		rest(&haul, rung, now);
	}
	end_now();
}

/* Nothing of the caller's is kept: a pipe held open here would never end. What it ignores may stay so. */
static bool is_kept(const int *keep, unsigned n, unsigned fd)
{
	for (unsigned i = 0; i < n; i++)
		if (keep[i] >= 0 && (unsigned)keep[i] == fd)
			return true;
	return false;
}

static void let_go(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), keep[] = {broker.control, broker.until, broker.session_fd,
							  broker.inbox_fd};
	sigset_t none;

	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (unsigned fd = 0; fd < 3; fd++)
		if (!is_kept(keep, array_size(keep), fd))
			dup2(null, (int)fd);
	for (unsigned first = 3, next; first; first = next + 1) {
		next = ~0U;
		for (unsigned i = 0; i < array_size(keep); i++)
			if (keep[i] >= 0 && (unsigned)keep[i] >= first && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (first < next)
			close_range(first, next == ~0U ? next : next - 1, 0);
	}
	if (chdir("/"))
		_exit(1);
}

/* However this thread ends, the kernel says so in the segment first: see get_robust_list(2). */
static void leave_word_of_death(void)
{
	static struct robust_list entry;
	static struct robust_list_head list = {.list = {&entry}};

	entry.next = &list.list;
	list.futex_offset = (long)((uintptr_t)&broker.session->segment.owner - (uintptr_t)&entry);
	if (!sys2(SYS_set_robust_list, &list, sizeof list))
		store_relaxed(&broker.session->segment.owner, (uint32_t)sys_gettid());
}

static _Noreturn void run_broker(void)
{
	const char *why;

	prctl(PR_SET_NAME, "fastpath-broker");
	leave_word_of_death();
	why = set_up();
	store_release(&broker.session->state, why ? SESSION_FAILED : SESSION_READY); /* pairs with is_ready() */
	if (!why)
		serve();
	if (broker.control >= 0)
		report_failure(broker.control, why);
	_exit(1);
}

/*
 * The one between: it shares the caller's memory, which waits for its end. The broker becomes the child of
 * whoever adopts orphans. Where that would be the caller itself, it stays a child without an end signal,
 * which wait(2) does not see.
 */
static int fork_from_between(void *unused)
{
	pid_t pid;

	(void)unused;
	/* Here, since the caller waits: whatever the command closes, or unmounts, must be free then. */
	setsid();
	let_go();
	pid = broker.stays ? (pid_t)syscall(SYS_clone, CLONE_PARENT, NULL, NULL, NULL, NULL) : _Fork();
	if (pid == 0)
		run_broker();
	broker.pid = pid;
	return 0;
}

static int fork_broker(void)
{
	static char stack[32768] __attribute__((aligned(16)));
	/* Without an end signal: SIGCHLD, and what wait(2) finds, are the command's. */
	pid_t between = clone(fork_from_between, stack + sizeof stack, CLONE_VM | CLONE_VFORK, NULL);

	if (between < 0)
		return -errno;
	while (waitpid(between, NULL, __WCLONE) < 0 && errno == EINTR)
		;
	return broker.pid > 0 ? 0 : -EAGAIN;
}

/* The caller may be one who adopts orphans: then the command's wait() would find the broker. */
static int fork_unadopted(void)
{
	int adopts = 0, error;

	broker.stays = getpid() == 1;
	prctl(PR_GET_CHILD_SUBREAPER, &adopts);
	if (adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	error = fork_broker();
	if (adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	return error;
}

static void describe(struct broker *out, int control)
{
	out->pid = broker.pid;
	out->control = control;
	(void)snprintf(out->variable, sizeof out->variable, "%c%x:%x:%llx:%llx:%llx",
		 SESSION_MARK, (unsigned)broker.pid, (unsigned)broker.session_fd,
		 (unsigned long long)broker.device, (unsigned long long)broker.inode,
		 (unsigned long long)broker.session->nonce);
}

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

int broker_start(const struct broker_options *o, pid_t until, struct broker *out)
{
	int pair[2] = {-1, -1}, error;

	broker.options = *o;
	if (o->controlled && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	broker.control = pair[1];
	broker.until = (int)sys2(SYS_pidfd_open, until, 0);
	error = broker.until < 0 ? broker.until : make_memory();
	if (!error)
		error = fork_unadopted();
	if (!error)
		describe(out, pair[0]);
	else
		close_if(pair[0]);
	close_if(pair[1]);
	close_if(broker.until);
	close_if(broker.session_fd);
	close_if(broker.inbox_fd);
	return error;
}

/*
 * session.c - the client's side of a session.
 *
 * Whatever does not fit, from the variable's text to the last id, means: no session.
 */
#include "preload/session.h"

#include "base/bytes.h"
#include "base/elf.h"
#include "base/hash.h"
#include "base/sys.h"
#include "cache/session.h"
#include "preload/next.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/signals.h"

enum {
	TEACH_FIRST = 3,    /* losses before anything is told: most processes have no more */
	WAKE_FIRST = 32,    /* losses before the broker is woken to listen: that costs as much */
	REFUSED_EVERY = 64, /* losses in refused directories between two that are told */
	XATTR_DRAW_POWER = 3, /* one in 8 losses of xattrs is told */
	REPORT_LOT = 3,	    /* of so many runs and one, one reports itself */
	REPORT_KNOWN_LOT = 31,
	PROC_PATH = 48,
	AWAIT_TRIES = 20000,
};

/* "pid:fd:dev:ino:nonce", in hexadecimal; the pid's first digit is a mark or nothing. */
struct address {
	uint64_t pid, fd, dev, ino, nonce;
};

static const char *read_hex(const char *s, uint64_t *out)
{
	unsigned digits = 0;

	for (*out = 0; digits <= 16; s++, digits++) {
		if (*s >= '0' && *s <= '9')
			*out = *out << 4 | (uint64_t)(*s - '0');
		else if (*s >= 'a' && *s <= 'f')
			*out = *out << 4 | (uint64_t)(*s - 'a' + 10);
		else
			break;
	}
	return digits && digits <= 16 ? s : NULL;
}

static bool address_read(struct address *a)
{
	uint64_t *part[] = {&a->pid, &a->fd, &a->dev, &a->ino, &a->nonce};
	const char *s = scope.settings.session;

	s += *s == SESSION_MARK || *s == SESSION_ASKED;
	for (unsigned i = 0; i < array_size(part); i++) {
		s = read_hex(s, part[i]);
		if (!s || *s != (i + 1 < array_size(part) ? ':' : 0))
			return false;
		s++;
	}
	return true;
}

static char *put_decimal(char *to, uint64_t n)
{
	char digits[24];
	int at = 0;

	do
		digits[at++] = (char)('0' + n % 10);
	while (n /= 10);
	while (at)
		*to++ = digits[--at];
	return to;
}

static void proc_path(char out[PROC_PATH + 24], uint64_t pid, uint64_t fd)
{
	bytes_copy(out, "/proc/", 6);
	out = put_decimal(out + 6, pid);
	bytes_copy(out, "/fd/", 4);
	out = put_decimal(out + 4, fd);
	*out = 0;
}

/* Is it the file that was meant, and ours? A pid may be another's by now, and its descriptor a fifo. */
static bool is_meant(const char *path, uint64_t dev, uint64_t ino, size_t size)
{
	struct statx found;

	return !sys_statx(SYS_AT_FDCWD, path, 0, STATX_INO | STATX_UID | STATX_TYPE | STATX_SIZE, &found) &&
	       S_ISREG(found.stx_mode) && found.stx_size == size && found.stx_uid == scope.uid && found.stx_ino == ino &&
	       ((uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor) == dev;
}

/* Maps a memfd of the broker's. NULL: it is not what it should be. */
static void *map_shared(const struct address *a, uint64_t fd_there, uint64_t dev, uint64_t ino, long seals,
			size_t size, bool writable)
{
	char path[PROC_PATH + 24];
	long at = -1;
	int fd;

	proc_path(path, a->pid, fd_there);
	if (!is_meant(path, dev, ino, size))
		return NULL;
	fd = (int)sys_openat(SYS_AT_FDCWD, path,
			     (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	if ((sys2(SYS_fcntl, fd, F_GET_SEALS) & seals) == seals)
		at = sys_mmap(size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd);
	sys_close(fd);
	return sys_is_error(at) ? NULL : (void *)at;
}

/*
 * Is it for this process? User namespaces need no look: to open the broker's descriptor takes the same one,
 * or power over it (ptrace(2), "access mode checking"); and who has that may do more than the broker, so
 * that its facts hold there too.
 */
static bool is_ours(const struct session *s)
{
	struct subject own = scope.subject;

	return s->rules == session_rules(scope.settings.skip, scope.settings.trust) &&
	       (!s->labelled || subject_read_label(&own)) && subject_equal(&own, &s->subject);
}

/*
 * Another file may have taken the descriptor's place between the look and the opening: it has no nonce. Who
 * this process is, is asked here: its forked children need not ask again.
 */
static const struct session *expect(void)
{
	const struct session *s = NULL;
	struct address a;
	bool meant;

	/* A filter that was there at start may not like the calls that follow. */
	scope.filtered = subject_is_filtered();
	if (address_read(&a) && !scope.filtered && !next_is_foreign())
		s = map_shared(&a, a.fd, a.dev, a.ino, SESSION_SEALS, SESSION_BYTES, false);
	meant = s && load_relaxed(&s->nonce) == a.nonce && subject_read(&scope.subject);
	store_relaxed(&scope.session_decided, !meant);
	store_release(&scope.expected, s); /* pairs with session_attach() */
	return meant ? s : NULL;
}

/* Every access is relative to these: a header that leads out of the mapping is no broker's. */
static bool is_sound(const struct segment *s)
{
	const uint32_t last = sizeof(struct session) - sizeof(uint32_t);

	if (load_relaxed(&s->limit) > SESSION_BYTES - SEGMENT_SLACK)
		return false;
	for (int i = 0; i < BELLS; i++) {
		const struct bell_words *w = &s->bells[i];
		uint32_t flags = load_relaxed(&w->flags), head = load_relaxed(&w->head), tail = load_relaxed(&w->tail);

		if (!flags || flags > last || head > last || tail > last || (flags | head | tail) % sizeof(uint32_t))
			return false;
	}
	return true;
}

static void decide(const struct session *s, uint32_t state)
{
	/* Where it is not for us, it stays mapped: another thread may be looking at its state. */
	if (state == SESSION_READY && is_sound(&s->segment) && is_ours(s)) {
		if (!load_relaxed(&scope.counters))
			store_release(&scope.counters, (counters_set)&scope.slot);
		store_release(&scope.session, s); /* pairs with the load of scope_session() */
	}
	store_relaxed(&scope.session_decided, 1);
}

/* The session's state; tests, whose every second question must find an answer in it, wait for the broker to start. */
static uint32_t state_of(const struct session *s)
{
	struct timespec moment = {.tv_nsec = 20000};

	for (int i = 0; i < AWAIT_TRIES && scope.settings.eager && !load_relaxed(&s->state); i++)
		sys2(SYS_nanosleep, &moment, NULL);
	return load_acquire(&s->state); /* pairs with run_broker() */
}

FP_COLD bool session_attach(void)
{
	const struct session *s = load_acquire(&scope.expected); /* pairs with expect() */
	uint32_t state;
	uint64_t mask;

	/* The broker may be starting still. */
	if (scope.quiet || scope.detached || (s && !load_relaxed(&s->state)))
		return false;
	signals_block(&mask); /* a handler may longjmp() away for good */
	if (try_claim(&scope.session_mapping, 1)) {
		if (!s && !scope.session_decided)
			s = expect();
		state = s ? state_of(s) : 0;
		if (state && !scope.session_decided)
			decide(s, state);
		store_release(&scope.session_mapping, 0);
	}
	signals_restore(&mask);
	return scope_session() != NULL;
}

void session_flush(void)
{
	const struct session *s = scope_session();
	struct subject own;

	if (!scope.quiet &&
	    (!subject_read(&own) || (s->labelled && !subject_read_label(&own)) ||
	     !subject_equal(&own, &s->subject) || s->user_ns != subject_user_namespace()))
		scope_detach();
}

/* What children cost that were waited for, in page faults: each costs some. */
static uint64_t faults_of_children(void)
{
	struct rusage used;

	return sys2(SYS_getrusage, RUSAGE_CHILDREN, &used) ? 0 : (uint64_t)used.ru_minflt;
}

void session_start(void)
{
	char *mark = (char *)scope.settings.session;

	scope.marked = *mark == SESSION_MARK;
	scope.asked = *mark == SESSION_ASKED;
	if (scope.marked || scope.asked)
		*mark = SESSION_NO_MARK; /* it is this program's, and not for all that inherit its environment */
	if (scope.marked)
		session_attach();
	/* A shell that has had children may go on as cat(1), which has none. Who asked was under no filter. */
	if (scope.asked)
		scope.children = faults_of_children();
	scope.pid = scope.marked ? scope_note_first_thread() : (uint32_t)sys_getpid();
}

bool session_attach_to_exec(void)
{
	return !scope_is_borrowing() && session_attach();
}

static struct inbox *inbox(void)
{
	struct inbox *in = load_relaxed(&scope.inbox), *none = NULL;
	const struct session *s = scope_session();
	struct address a;
	uint64_t mask;

	if (in || scope.inbox_tried || scope.quiet || !address_read(&a))
		return in;
	signals_block(&mask); /* a handler may longjmp() away for good */
	scope.inbox_tried = 1;
	in = map_shared(&a, s->inbox_fd, s->inbox_dev, s->inbox_ino, INBOX_SEALS, sizeof *in, true);
	if (in && !__atomic_compare_exchange_n(&scope.inbox, &none, in, false, __ATOMIC_RELEASE,
					       __ATOMIC_RELAXED)) {
		sys2(SYS_munmap, in, sizeof *in);
		in = none;
	}
	signals_restore(&mask);
	return in;
}

/* For tests, whose every second question must find an answer: waits for the broker, if there still is
 * one. */
static bool await_broker(const struct session *s)
{
	uint32_t began = load_relaxed(&s->rounds);
	struct timespec moment = {.tv_nsec = 20000};

	for (int i = 0; i < AWAIT_TRIES; i++) {
		if (load_relaxed(&s->sleeping) & SLEEPS_TO_POSTS)
			sys3(SYS_futex, &s->sleeping, FUTEX_WAKE, 1);
		sys2(SYS_nanosleep, &moment, NULL);
		if (load_acquire(&s->rounds) - began >= 2)
			return true;
	}
	store_relaxed(&scope.settings.eager, false);
	return false;
}

/* For one of the SLEEPS_ bits. */
static bool wake(uint32_t why)
{
	const struct session *s = scope_session();
	uint32_t sleeping = load_relaxed(&s->sleeping);

	if (scope.settings.eager && !scope.quiet)
		return await_broker(s);

	/* Once for each of its sleeps: it may have been killed in one. */
	if (!(sleeping & why) || sleeping == load_relaxed(&scope.woken) || scope.quiet)
		return false;
	store_relaxed(&scope.woken, sleeping);
	sys3(SYS_futex, &s->sleeping, FUTEX_WAKE, 1);
	return false;
}

FP_COLD bool session_rang(void)
{
	return wake(SLEEPS_TO_BELL);
}

FP_COLD void session_teach(const struct path *p, unsigned question, unsigned detail, uint32_t weight,
			   bool refused)
{
	struct inbox *in;
	struct note n = {
		.count = weight,
		.price_ns = (uint32_t)ledger_saving(),
		.length = (uint16_t)p->length,
		.kind = POST_LOST,
		.question = (uint8_t)question,
		.detail = (uint8_t)detail,
	};

	count_owned(&scope.ledger.lost, weight);
	if (p->length >= POST_TEXT || scope.quiet ||
	    (scope.ledger.lost < TEACH_FIRST && !scope.settings.eager))
		return;
	/* Now and then the broker tries again what it refused. */
	if (refused && scope.ledger.lost % REFUSED_EVERY && !scope.settings.eager)
		return;
	/* Losses in one directory are one request. */
	n.key = hash_string(p->text, question ? p->length : p->directory) + (uint64_t)question * 16 + detail;
	if (question == QUESTION_XATTR || question == QUESTION_LXATTR) {
		/* Asked of hundreds of files: other ones are drawn in each process, and stand for all. */
		if (!scope.settings.eager && hash_mix(n.key, scope.lot) >> (64 - XATTR_DRAW_POWER))
			return;
		n.count <<= scope.settings.eager ? 0 : XATTR_DRAW_POWER;
	}
	in = inbox();
	if (!in)
		return;
	inbox_post(in, &n, p->text);
	if (scope.ledger.lost >= WAKE_FIRST || scope.settings.eager)
		wake(SLEEPS_TO_POSTS);
}

/* One in `of` + 1 of programs and their forked children. */
static bool is_drawn(uint32_t of, uint32_t pid)
{
	return scope.settings.eager || !(hash_mix(scope.lot, pid) >> 32 & of);
}

static uint64_t own_key(void)
{
	struct statx found;

	return sys_statx(SYS_AT_FDCWD, "/proc/self/exe", 0, STATX_BASIC_STATS, &found) ? 0
										       : program_key(&found);
}

/* What was answered, in lookups. */
static uint32_t lookups_served(void)
{
	uint64_t sum = 0;

	for (int k = 0; k < FASTPATH_CALLS; k++)
		sum += scope_served_of(k) * ledger_weight((enum fastpath_call)k);
	return sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* Programs known to execute others are never dropped: they report seldom. */
static FP_COLD void report(enum post_kind kind, uint32_t pid)
{
	struct note n = {.count = scope.ledger.lost, .kind = (uint8_t)kind};
	char path[POST_TEXT];
	struct inbox *in;
	uint32_t known;
	long length;

	if (!scope_session() && !session_attach())
		return;
	n.key = own_key();
	known = session_program(scope_session(), n.key);
	if ((known & PROGRAM_EXECS) && !is_drawn(REPORT_KNOWN_LOT, pid))
		return;
	in = inbox();
	length = sys_readlinkat(SYS_AT_FDCWD, "/proc/self/exe", path, sizeof path);
	if (!in || length <= 0 || length >= POST_TEXT)
		return;
	n.key = hash_mix(n.key + kind, pid); /* each run for itself */
	n.length = (uint16_t)length;
	n.price_ns = load_relaxed(&scope.ledger.price); /* 0: nothing was asked of the kernel */
	n.served = lookups_served();
	/* What its children were is not known: they may have executed something. */
	n.execs = scope.execs || faults_of_children() != scope.children;
	inbox_post(in, &n, path);
	if (scope.settings.eager || scope.asked)
		wake(SLEEPS_TO_POSTS); /* it is to be judged before it runs again */
}

void session_report_end(void)
{
	uint32_t pid;

	/* A filter may kill for getpid(). A forked child's end is no run of the program. */
	if (scope.quiet || scope.detached || scope_is_forked())
		return;
	pid = (uint32_t)sys_getpid();
	if (pid == scope.pid && (scope.asked || is_drawn(REPORT_LOT, pid)))
		report(POST_RUN, pid);
}

void session_report_exec(bool for_good)
{
	uint32_t pid;

	/* A forked child need not tell: its parent will have had a child. One that shares its parent's memory
	 * leaves word there. */
	if (scope.quiet || scope.detached || scope_is_forked())
		return;
	pid = (uint32_t)sys_getpid();
	if (pid == scope.pid && for_good && (scope.asked || is_drawn(REPORT_LOT, pid)))
		report(POST_EXEC, pid);
	else if (pid == scope.pid || scope_is_borrowing())
		store_relaxed(&scope.execs, 1);
}

/* Of a program that can take the preload. Who goes on as another program (env, nice) hands its mark on. */
static enum injection inject(void)
{
	return scope.marked && (uint32_t)sys_getpid() == scope.pid ? INJECT_MARKED : INJECT;
}

/* The same, where the broker knows too little to judge it: each run costs more than to tell of it. */
static enum injection ask(void)
{
	enum injection how = inject();

	return how == INJECT ? INJECT_ASKED : how;
}

enum injection session_injects(int dir, const char *path, int flags)
{
	const struct session *s = scope_session();
	struct statx found;
	struct path p;
	uint32_t known;
	bool takes;
	long error;
	int fd;

	if (scope.quiet || scope.filtered)
		return INJECT;
	/* By name alone: to be wrong costs a gain, at worst. Who gets the preload is looked at. */
	if (s && !scope.detached && path_parse(&p, path) == PATH_ABSOLUTE && session_drops(s, p.text, p.length))
		return INJECT_NOT;
	error = sys_statx(dir, path, flags, STATX_BASIC_STATS, &found);
	if (error == -ENOENT && *path == '/' && !flags)
		return INJECT_NONE;
	if (error || !S_ISREG(found.stx_mode))
		return inject();
	if (found.stx_mode & (S_ISUID | S_ISGID))
		return INJECT_NOT;
	known = s ? session_program(s, program_key(&found)) : 0;
	if (known)
		return (known & (PROGRAM_CANNOT | PROGRAM_DROP)) ? INJECT_NOT
		       : (known & PROGRAM_EXECS)		 ? INJECT_MARKED
		       : (known & PROGRAM_JUDGED)		 ? inject()
								 : ask();
	if (flags & AT_EMPTY_PATH)
		return elf_takes_preload(dir) ? inject() : INJECT_NOT;
	fd = (int)sys_openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return inject();
	takes = elf_takes_preload(fd);
	sys_close(fd);
	return !takes ? INJECT_NOT : s && session_has_room(s, program_key(&found)) ? ask() : inject();
}

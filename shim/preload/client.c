/*
 * client.c - the verdict.
 *
 * Facts are read first, then the bell, then seq again: the answer is true at the moment of the
 * bell's check. Whatever is not surely known is the kernel's.
 */
#include "preload/client.h"

#include "base/bytes.h"
#include "cache/reader.h"
#include "preload/memory.h"
#include "preload/next.h"
#include "preload/profile.h"
#include "preload/report.h"
#include "preload/session.h"
#include "preload/verify.h"

#include <errno.h>
#include <time.h>


static void count_served(enum fastpath_call family)
{
	bool shared;
	struct counters *c = counters_mine(&scope.counters, &shared);

	if (unlikely(!c))
		return;
	if (unlikely(shared && !counters_last(scope.counters))) {
		scope_spread();
		c = counters_mine(&scope.counters, &shared);
	}
	counters_add(&c->calls[family], shared);
	counters_add(&c->served[family], shared);
}

static enum verdict count_kernel(const struct lookup *q, enum fastpath_kernel why)
{
	bool shared;
	struct counters *c;

	/* A forked child that only goes on to exec must not pay for a page to count in, its caching parent's
	 * counters being wiped either. */
	if (!counters_last(scope.counters) || (!scope.observed && !scope_segment()) ||
	    !(c = counters_mine(&scope.counters, &shared)))
		return ASK_KERNEL;
	counters_add(&c->calls[q->family], shared);
	counters_add(&c->kernel[why], shared);
	return ASK_KERNEL;
}

void client_argument(enum fastpath_call family)
{
	const struct lookup q = {.family = (uint8_t)family};

	if (scope.on)
		count_kernel(&q, FASTPATH_ARGUMENT);
}

static uint64_t clock_ns(void)
{
	struct timespec t = {0, 0};

	NEXT(clock_gettime, int (*)(clockid_t, struct timespec *))(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* Nothing was announced that the facts just read do not know of. */
FP_INLINE bool is_quiet(const struct segment *s)
{
	struct region *r;

	if (likely(s->bells[0].flags))
		return segment_quiet(s);
	r = load_relaxed(&scope.region);
	return r && r->authority.bell.kind == BELL_EPOLL && !scope.quiet &&
	       bell_pending(&r->authority.bell);
}

FP_INLINE bool holds(const struct record *r, enum question question, unsigned detail)
{
	uint8_t ok = load_relaxed(&r->access_ok), none = load_relaxed(&r->xattr_absent);

	switch (question) {
	case QUESTION_ACCESS:
		return (ok & ACCESS_EXISTS) && (ok & detail) == detail;
	case QUESTION_LINK:
		return load_relaxed(&r->flags) & RECORD_NOT_LINK;
	case QUESTION_PATH:
		return true; /* copy_canonical() tells */
	case QUESTION_XATTR:
		return none >> detail & 1;
	case QUESTION_LXATTR:
		return none >> (detail + XATTR_NAMES) & 1;
	default:
		return false;
	}
}

/* Appends; false when it does not fit. */
static bool append(struct lookup *q, const char *from, uint32_t n)
{
	if (n >= CANONICAL_BYTES - q->canonical_length)
		return false;
	for (uint32_t i = 0; i < n; i++)
		q->canonical[q->canonical_length + i] = load_relaxed(&from[i]);
	q->canonical_length += n;
	q->canonical[q->canonical_length] = 0;
	return true;
}

/* The canonical name of a record's directory or file, as far as it is known. */
static bool copy_canonical(const struct segment *s, struct lookup *q, const struct record *r)
{
	uint32_t at = load_relaxed(&r->canonical), n = load_relaxed(&r->length);
	const struct text *t;

	q->canonical_length = 0;
	q->canonical[0] = 0;
	if (load_relaxed(&r->flags) & RECORD_SAME)
		return append(q, (const char *)r->path, n);
	t = at ? segment_object(s, at) : NULL;
	return t && append(q, t->bytes, load_relaxed(&t->length));
}

/* The verdict of the facts alone, and why it is ASK_KERNEL. */
static enum verdict look(const struct segment *s, struct lookup *q, enum found *found)
{
	enum question question = (enum question)q->question;
	const struct record *r;
	uint32_t at;

	*found = FOUND_UNKNOWN;
	/* With a trailing slash the kernel may say ENOTDIR. */
	if (question && load_relaxed(&s->positives) && !q->path.trailing) {
		r = reader_find(s, q->path.text, q->path.length);
		if (r && (load_relaxed(&r->flags) & RECORD_POSITIVE) &&
		    holds(r, question, q->detail) &&
		    (!q->canonical || copy_canonical(s, q, r)))
			return KNOWN_PRESENT;
	}
	*found = reader_absent(s, &q->path, &r, &at);
	if (*found != FOUND_ABSENT)
		return ASK_KERNEL;
	if (q->canonical) {
		uint32_t n = path_component(q->path.text, at + 1, q->path.length);

		if (!copy_canonical(s, q, r) || !append(q, q->path.text + at, n + 1)) {
			*found = FOUND_PERHAPS;
			return ASK_KERNEL;
		}
	}
	return KNOWN_ABSENT;
}

bool client_still(struct lookup *q, enum verdict verdict)
{
	const struct segment *s = scope_segment();
	uint64_t seq = s ? segment_seq(s) : 0;
	enum found found;

	return s && seq == q->seq && look(s, q, &found) == verdict && is_quiet(s) &&
	       segment_settled(s, seq);
}

/* Looks, and looks again after the owner took note of what was announced. */
static enum verdict consult(const struct segment *s, struct lookup *q, enum found *found, bool *pending)
{
	for (int i = 0;; i++) {
		uint64_t seq = segment_seq(s);
		enum verdict verdict;

		*pending = true;
		if (!(seq & 1) && seq) {
			verdict = look(s, q, found);
			*pending = verdict != ASK_KERNEL;
			q->seq = seq;
			if (!*pending || (is_quiet(s) && segment_settled(s, seq)))
				return verdict;
		}
		if (i || !scope_catch_up())
			return ASK_KERNEL;
	}
}

static enum verdict ask_kernel(struct lookup *q, enum found found, bool pending)
{
	enum fastpath_kernel why = pending		    ? FASTPATH_PENDING
				   : found == FOUND_PERHAPS ? FASTPATH_PERHAPS
				   : found == FOUND_REFUSED ? FASTPATH_REFUSED
							    : FASTPATH_UNKNOWN;

	q->may_learn = !pending && found != FOUND_PERHAPS;
	q->refused = found == FOUND_REFUSED;
	q->watched = q->may_learn || q->question;
	/* Not of an exec: a forked child would fault in the vDSO for it. */
	if (q->family != FASTPATH_EXEC && ledger_samples())
		q->began_ns = clock_ns();
	return count_kernel(q, why);
}

/* A path that goes on in the next page: one in fifty or a hundred. */
static FP_COLD enum path_kind parse_on(struct path *p, const char *spelled)
{
	const char *page = spelled + (PATH_PAGE - (uintptr_t)spelled % PATH_PAGE);

	return memory_goes_on(page) ? path_parse_on(p, spelled) : PATH_GOES_ON;
}

FP_INLINE bool is_answerable(struct lookup *q, const char *path)
{
	enum fastpath_kernel why = FASTPATH_DETACHED;

	if (likely(!scope.detached && !load_relaxed(&scope.paused))) {
		enum path_kind kind = path_parse(&q->path, path);

		if (unlikely(kind == PATH_GOES_ON))
			kind = parse_on(&q->path, path);
		switch (kind) {
		case PATH_ABSOLUTE:
			return true;
		case PATH_RELATIVE:
			why = FASTPATH_RELATIVE;
			break;
		default:
			why = FASTPATH_ARGUMENT;
		}
	}
	count_kernel(q, why);
	return false;
}

/* What was asked for besides the answer: verification, a profile. */
static bool is_confirmed(struct lookup *q, enum verdict verdict)
{
	if (scope.settings.verify && !verify_agrees(q, verdict))
		return false;
	if (scope.settings.profile)
		profile_note((enum fastpath_call)q->family);
	return true;
}

/*
 * A session is attached to after the second loss; but before programs are executed, which it may judge, and
 * at the second look for a file by who may be a shell: its children would each have to attach.
 */
static bool attach_early(const struct lookup *q)
{
	if (q->family == FASTPATH_EXEC)
		return session_attach_to_exec();
	if (q->family == FASTPATH_STAT || q->family == FASTPATH_ACCESS)
		count_owned(&scope.looks, 1);
	return (scope.looks >= 2 || scope.settings.eager) && session_attach();
}

enum verdict client_verdict_active(struct lookup *q, const char *path)
{
	enum found found = FOUND_UNKNOWN;
	enum verdict verdict = ASK_KERNEL;
	const struct segment *s;
	bool pending = false;

	q->began_ns = 0;
	if (unlikely(scope.observed))
		report_began();
	if (!is_answerable(q, path))
		return ASK_KERNEL;
	s = scope_segment();
	if (unlikely(!s && session_offered()) && attach_early(q))
		s = scope_segment();
	if (likely(s))
		verdict = consult(s, q, &found, &pending);
	if (unlikely(verdict == ASK_KERNEL))
		return ask_kernel(q, found, pending);
	if (unlikely(scope.observed) && !is_confirmed(q, verdict))
		return count_kernel(q, FASTPATH_PENDING);
	count_served((enum fastpath_call)q->family);
	return verdict;
}

/* Did the kernel say what a positive fact would have said? */
static bool is_positive(const struct lookup *q, int error)
{
	switch ((enum question)q->question) {
	case QUESTION_ACCESS:
	case QUESTION_PATH:
		return !error;
	case QUESTION_LINK:
		return error == EINVAL;
	case QUESTION_XATTR:
	case QUESTION_LXATTR:
		return error == ENODATA;
	default:
		return false;
	}
}

/* The kernel said what a fact would have. */
static void lose(struct lookup *q, bool absent)
{
	if (unlikely(scope.settings.profile))
		profile_note((enum fastpath_call)q->family);
	if (scope.quiet || scope.detached)
		return;
	if (session_offered() && !session_waits())
		session_attach();
	if (scope_session())
		session_teach(&q->path, absent ? QUESTION_NONE : q->question, q->detail,
			      ledger_weight((enum fastpath_call)q->family), q->refused);
	else
		ledger_loss(&q->path, absent ? QUESTION_NONE : q->question, q->detail);
}

int client_done_active(struct lookup *q, int result)
{
	int *(*location)(void) = NEXT(errno_location, int *(*)(void));
	int error = result < 0 && location ? *location() : 0;
	bool absent = error == ENOENT && q->may_learn;

	if (q->began_ns)
		ledger_price(clock_ns() - q->began_ns);
	if (absent || (!q->path.trailing && is_positive(q, error)))
		lose(q, absent);
	return result;
}

void client_missed(struct lookup *q)
{
	/* What a vfork child sets up would be its parent's; what it tells a session, anybody may. */
	if (q->may_learn && (scope_session() || !scope_is_borrowing()))
		lose(q, true);
}

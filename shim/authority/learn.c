/*
 * learn.c - finding facts, and ending them when a bell rang.
 *
 * Order: walk and watch the chain, ask, publish, take note of what was announced meanwhile. seq is odd
 * only while bytes change: readers go on during the system calls, since whatever happens to a fact
 * after its watches were added rings the bell that they look at. Signals are blocked: a handler may
 * longjmp out, and must not come in.
 */
#include "authority/authority.h"

#include "authority/listing.h"
#include "authority/place.h"
#include "authority/refuse.h"
#include "authority/walk.h"
#include "authority/watch.h"
#include "authority/worth.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/signals.h"
#include "base/sys.h"
#include "cache/reader.h"
#include "cache/writer.h"

#include <errno.h>
#include <fcntl.h>

enum { CATCH_UP_TRIES = 16, WALK_TRIES = 3 };

void authority_adopt(struct authority *a)
{
	a->pid = (uint32_t)sys_getpid();
	a->first_thread = (uint32_t)sys_gettid() == a->pid;
	store_release(&a->owner, (uint32_t)sys_gettid()); /* pairs with authority_is_mine() */
}

int authority_start(struct authority *a, struct segment *s, const struct authority_options *o)
{
	uint64_t began = sys_clock_ns();
	int error;

	a->segment = s;
	a->eager = o->eager;
	a->skip = o->skip;
	a->trust = o->trust;
	a->learn_ns = WORTH_FIRST_LEARN_NS;
	a->reserved = o->reserved;
	segment_begin(s);
	segment_reset(s, o->reserved, o->limit);
	error = bell_make(&a->bell, s, o->bells_shown, o->bells_hidden, o->bells);
	if (error) {
		a->broken = error != -EAGAIN;
		return error;
	}
	a->alone = o->alone;
	if (a->alone) {
		bell_keep(&a->bell);
		identity_of(a, &a->root, SYS_AT_FDCWD, "/");
	}
	refuse_start(a);
	authority_adopt(a);
	a->start_ns = a->spent_ns = sys_clock_ns() - began;
	segment_end(s);
	return 0;
}

bool authority_is_mine(const struct authority *a)
{
	uint32_t owner = load_acquire(&a->owner);

	/* Only the owner may look at the rest. */
	return owner && owner == (uint32_t)sys_gettid() && !a->broken;
}

/* One event's consequences; see the table in the README's architecture section. */
static void apply(struct authority *a, const struct inotify_event *e)
{
	struct watch *w = watch_find(a, e->wd);
	size_t n = e->len ? bytes_length(e->name) : 0;
	uint64_t name;

	if (e->mask & IN_Q_OVERFLOW) {
		place_end_all(a);
		return;
	}
	if (!w)
		return; /* of a watch that was removed: nothing rests on it */
	watch_note(a, w);
	if (!n) {
		if (event_ends_self(e->mask)) {
			place_end_watched(a, e->wd);
			watch_unlist(a, w);
		}
		if (e->mask & IN_IGNORED)
			watch_forget(a, w);
		return;
	}
	name = event_name(e->name, n);
	/* A child's ATTRIB concerns files: on overlayfs their own watch can be silent. */
	if (w->named)
		place_end_named(a, e->wd, name);
	if (w->filter && event_brings_name(e->mask)) {
		/* Event names are padded with NULs, and the buffer has room behind. */
		uint64_t hash = hash_name(e->name, n);

		/* A name that comes and goes and comes (conftest.c) fills nothing. */
		w->added += !filter_perhaps(a->segment, w->filter, hash);
		filter_add(a->segment, w->filter, hash);
		if (listing_outgrown(w))
			worth_relist(a, w);
	}
}

/* Reads and applies events until there are none. False: the queue cannot be read. */
static bool apply_events(struct authority *a)
{
	for (;;) {
		int size = bell_read(&a->bell, a->events, sizeof a->events - 8);

		if (size == -EAGAIN)
			return true;
		if (size <= 0)
			return false;
		for (int at = 0; at < size;) {
			const struct inotify_event *e = (const void *)(a->events + at);

			at += (int)(sizeof *e + e->len);
			apply(a, e);
		}
		/* A queue that was emptied, as far as one can tell: arming it again looks anyway. */
		if (size < (int)sizeof a->events - 8 - 300)
			return true;
	}
}

/*
 * pivot_root(2) changes the root of every process but one that is being forked at that moment: a child
 * that goes on reading a session's facts would have another root than the session. A process that is its
 * own authority starts anew in its children.
 */
static bool is_elsewhere(struct authority *a)
{
	struct identity root;

	return a->alone && !(identity_of(a, &root, SYS_AT_FDCWD, "/") && identity_equal(&root, &a->root));
}

/* Within an odd seq. False: the bell cannot be trusted; seq must stay odd for good. */
static bool catch_up(struct authority *a)
{
	for (int i = 0; i < CATCH_UP_TRIES; i++) {
		unsigned rang = bell_answer(&a->bell);

		if (rang & RANG_BROKEN)
			return false;
		if (rang & RANG_MOUNTS) {
			/* pivot_root(2) rings first and then changes our root, under a lock that
			 * reading the table waits for. */
			bell_await_mounts();
			if (is_elsewhere(a))
				return false;
			refuse_mounts_changed(a);
			place_end_all(a);
		}
		if ((rang & RANG_EVENTS) && !apply_events(a))
			return false;
		if (bell_rearm(&a->bell, rang))
			return false;
		if (!bell_rung(&a->bell))
			return true;
	}
	return true; /* still ringing: readers see that for themselves */
}

/* What was announced, within an odd seq. False: it stays odd for good. */
static bool take_note(struct authority *a)
{
	/* Broken once is broken for good: a ring that was not armed again is silent. */
	if (!a->broken && (!bell_rung(&a->bell) || catch_up(a)))
		return true;
	place_end_all(a);
	a->broken = true;
	return false;
}

static void end_seq(struct authority *a)
{
	watch_sweep(a);
	segment_end(a->segment);
}

/* Takes note of what was announced. False: the bell is broken, and seq stays odd. */
static bool conclude(struct authority *a)
{
	bool good;

	segment_begin(a->segment);
	good = take_note(a);
	if (good)
		end_seq(a);
	return good;
}

bool authority_catch_up(struct authority *a, uint64_t gain_ns)
{
	uint64_t mask, began;
	bool good;

	signals_block(&mask);
	began = sys_clock_ns();
	segment_begin(a->segment);
	good = take_note(a);
	if (good) {
		worth_reckon(a, gain_ns, sys_clock_ns() - began); /* may end facts: seq is odd */
		end_seq(a);
	}
	signals_restore(&mask);
	return good;
}

/* The name asked for is absent, as the kernel sees it, by the whole spelled path. */
static bool probe_absent(struct authority *a, const char *text, uint32_t length, uint32_t end)
{
	char *path = a->link[0];

	if (end >= LINK_BYTES || end > length)
		return false;
	bytes_copy(path, text, end);
	path[end] = 0;
	return sys_statx(SYS_AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE,
			 &a->found) == -ENOENT;
}

/* Lists the directory where the walk ended, for the spelled prefix that led there. */
static enum learned list_there(struct walk *w, const char *text, uint32_t length)
{
	struct authority *a = w->a;
	struct record *r = place_record(a, w->place);
	uint32_t target = place_target(a, w->place), end;
	struct watch *watch;

	if (r->filter || !target || a->places[target].kind != PLACE_DIRECTORY || !walk_open(w))
		return LEARNED_NOTHING;
	watch = listing_make(w);
	if (!watch)
		return LEARNED_NOTHING;
	end = r->length + 1 + path_component(text, r->length + 1, length);
	if (!probe_absent(a, text, length, end))
		return LEARNED_NOTHING;
	segment_begin(a->segment); /* until conclude() */
	store_relaxed(&r->filter, watch->filter);
	a->learned++;
	return LEARNED_FACT;
}

static const char xattr_names[XATTR_NAMES][26] = {"security.selinux", "security.capability",
						  "system.posix_acl_access", "system.posix_acl_default"};

/* Which of them are absent: who asks for one asks for the others next. As record.xattr_absent. */
static unsigned ask_xattrs(struct authority *a, uint32_t place)
{
	const char *path = (const char *)place_record(a, place)->path;
	/* ACLs that a remount can hide are not remembered. */
	unsigned names = refuse_changeable_acl(a, place) ? 2 : XATTR_NAMES, absent = 0;

	for (unsigned i = 0; i < names; i++)
		if (sys4(SYS_getxattr, path, xattr_names[i], NULL, 0) == -ENODATA)
			absent |= 1U << i;
	/* Where nothing is followed, lgetxattr() asks the same. */
	return a->places[place].kind == PLACE_LINK ? absent : absent | absent << XATTR_NAMES;
}

/* Asks the kernel the question of a positive fact, and writes its answer down. */
static enum learned ask(struct authority *a, struct record *r, uint32_t place,
			enum question question, unsigned detail)
{
	const char *path = (const char *)r->path;
	const struct place *p = &a->places[place];
	uint8_t access_ok = r->access_ok, absent = r->xattr_absent;

	switch (question) {
	case QUESTION_ACCESS:
		if (refuse_by_label(a) ||
		    sys3(SYS_faccessat, SYS_AT_FDCWD, path, detail) != 0 ||
		    (refuse_changeable_acl(a, place) &&
		     sys4(SYS_getxattr, path, xattr_names[2], NULL, 0) != -ENODATA))
			return LEARNED_NOTHING;
		access_ok = (uint8_t)(access_ok | ACCESS_EXISTS | detail);
		break;
	case QUESTION_XATTR:
	case QUESTION_LXATTR:
		/* Of a symlink itself nothing is remembered. */
		if ((p->kind == PLACE_LINK && question == QUESTION_LXATTR) || refuse_racy_xattrs(a, place))
			return LEARNED_NOTHING;
		absent = (uint8_t)(absent | ask_xattrs(a, place));
		if (!(absent >> (detail + (question == QUESTION_XATTR ? 0 : XATTR_NAMES)) & 1))
			return LEARNED_NOTHING;
		break;
	default:
		break; /* the walk answered it */
	}
	segment_begin(a->segment); /* until conclude() */
	store_relaxed(&r->access_ok, access_ok);
	store_relaxed(&r->xattr_absent, absent);
	if (!(r->flags & RECORD_POSITIVE))
		store_relaxed(&a->segment->positives, a->segment->positives + 1);
	store_relaxed(&r->flags, (uint8_t)(r->flags | RECORD_POSITIVE));
	a->learned++;
	return LEARNED_FACT;
}

/* One try: the walk, and what is learned at its end. */
static enum walked attempt(struct authority *a, const char *text, uint32_t length, bool absent,
			   enum question question, unsigned detail, enum learned *learned)
{
	struct walk w;
	enum walked how;
	struct place *p;

	if (walk_begin(&w, a, absent) < 0)
		return WALK_REFUSED;
	how = walk_path(&w, text, length);
	p = &a->places[w.place];
	if (w.place && p->skip) {
		p->skip--;
	} else if (absent && how == WALK_MISSING) {
		*learned = list_there(&w, text, length);
		if (*learned == LEARNED_NOTHING && !place_record(a, w.place)->filter)
			place_strike(a, w.place);
	} else if (!absent && how == WALK_WHOLE) {
		*learned = ask(a, place_record(a, w.place), w.place, question, detail);
	}
	walk_end(&w);
	return how;
}

static enum learned learn(struct authority *a, const char *text, uint32_t length, bool absent,
			  enum question question, unsigned detail)
{
	enum learned learned = LEARNED_NOTHING;
	/* Every fourth is timed, and the first ones. */
	bool timed = a->learnings < 4 || a->learnings % 4 == 0;
	uint64_t mask, began;

	if (length >= LINK_BYTES || a->broken)
		return LEARNED_NOTHING;
	a->learnings++;
	signals_block(&mask);
	began = timed ? sys_clock_ns() : 0;
	for (int i = 0; i < WALK_TRIES; i++)
		if (attempt(a, text, length, absent, question, detail, &learned) != WALK_RACED)
			break;
	if (!conclude(a))
		learned = LEARNED_NOTHING;
	worth_learned(a, learned, timed ? sys_clock_ns() - began : a->learn_ns);
	signals_restore(&mask);
	return learned;
}

enum learned authority_learn_absent(struct authority *a, const char *text, uint32_t length)
{
	return learn(a, text, length, true, QUESTION_NONE, 0);
}

enum learned authority_learn_present(struct authority *a, const char *text, uint32_t length,
				     enum question question, unsigned detail)
{
	return learn(a, text, length, false, question, detail);
}

/* Every fact ends; with `anew`, so do the tables. */
static void end_all(struct authority *a, bool anew)
{
	uint64_t mask;

	signals_block(&mask);
	segment_begin(a->segment);
	place_end_all(a);
	if (anew) {
		watch_sweep(a);
		a->places_used = 0;
		for (unsigned i = 0; i < SPARE_FILTERS; i++)
			a->spare_filters[i] = 0;
		segment_reset(a->segment, a->reserved, load_relaxed(&a->segment->limit));
	}
	conclude(a);
	signals_restore(&mask);
}

void authority_forget(struct authority *a)
{
	end_all(a, false);
}

bool authority_is_full(const struct authority *a)
{
	const struct segment *s = a->segment;

	return a->places_used > PLACES / 16 * 15 || load_relaxed(&s->used) > load_relaxed(&s->limit) / 16 * 15;
}

void authority_renew(struct authority *a)
{
	end_all(a, true);
}

/*
 * session.h - an authority in this process, without the preload library: a directory to change
 * things in, and what a client would be told about it.
 *
 * A thread can register rings for few page bells: each executable has one session for each kind of
 * bell, whose facts and directory are forgotten before every test. Other processes may ring at any
 * time; so what must still hold is asked again after catching up, and what must not is asked once.
 */
#ifndef UNIT_SESSION_H
#define UNIT_SESSION_H

#include "test.h"

#include "authority/authority.h"
#include "authority/place.h"
#include "authority/watch.h"
#include "base/path.h"
#include "cache/reader.h"
#include "cache/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>

enum { SESSION_BYTES = 1024 * 1024, SESSION_TRIES = 100 };

struct session {
	struct segment *segment;
	struct authority *authority;
	bool started;
	int error;
};

static struct session sessions[2]; /* by page bell */
static struct session *now;
static char session_base[64];
static bool session_private; /* a mount namespace of our own */

static int session_remove_one(const char *path, const struct stat *st, int type, struct FTW *w)
{
	(void)st;
	(void)type;
	return w->level ? remove(path) : 0;
}

/* Empties the directory. */
static void session_empty(void)
{
	nftw(session_base, session_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void session_remove_base(void)
{
	session_empty();
	umount2(session_base, MNT_DETACH);
	rmdir(session_base);
}

static void session_make_base(void)
{
	const char *dir = getenv("TMPDIR");

	if (*session_base)
		return;
	/* Mounts of others would end our facts; and we want to make some. */
	session_private =
	    unshare(CLONE_NEWNS) == 0 && mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0;
	snprintf(session_base, sizeof session_base, "%.32s/fastpath-unit.XXXXXX",
		 dir && *dir == '/' ? dir : "/var/tmp");
	CHECK(mkdtemp(session_base));
	chmod(session_base, 0755);
	atexit(session_remove_base);
	/* Making a file takes a disk's file system a hundred times as long. */
	if (session_private)
		mount("none", session_base, "tmpfs", 0, "mode=755");
}

/* "BASE/..." in one of several buffers. */
__attribute__((unused, format(printf, 1, 2))) static const char *at(const char *form, ...)
{
	static char buffers[8][1024];
	static unsigned turn;
	char *out = buffers[turn++ % 8];
	va_list args;
	int n = snprintf(out, 64, "%s/", session_base);

	memset(out + n, 0, sizeof buffers[0] - (size_t)n);
	va_start(args, form);
	n += vsnprintf(out + n, 900, form, args);
	va_end(args);
	if (out[n - 1] == '/')
		out[n - 1] = 0;
	return out;
}

/* Under qemu-user, as tests/cross.sh says: its statx(2) does not tell which mount a file is on. */
__attribute__((unused)) static bool session_is_emulated(void)
{
	return getenv("UNIT_EMULATED") != NULL;
}

/* A session of one's own; o as in authority_start(), but for the memory. */
__attribute__((unused)) static void session_open(struct session *s, struct authority_options o)
{
	char *memory = mmap(NULL, SESSION_BYTES + BELL_SHOWN_BYTES + BELL_HIDDEN_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	session_make_base();
	if (!s->authority)
		s->authority = mmap(NULL, sizeof *s->authority, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s->segment = (struct segment *)memory;
	if (!o.bells)
		o.bells = BELL_TRY_EPOLL;
	if (!o.reserved)
		o.reserved = sizeof(struct segment);
	if (!o.limit)
		o.limit = SESSION_BYTES;
	if (!o.trust && session_is_emulated())
		o.trust = "/";
	o.bells_shown = memory + SESSION_BYTES;
	o.bells_hidden = memory + SESSION_BYTES + BELL_SHOWN_BYTES;
	s->error = authority_start(s->authority, s->segment, &o);
	s->started = true;
}

/* Gives the descriptors of a pending-check back; a page bell ends with its thread. */
__attribute__((unused)) static void session_close(struct session *s)
{
	struct bell *b = &s->authority->bell;

	if (b->kind == BELL_EPOLL) {
		close(b->epoll_fd);
		close(b->inotify_fd);
		close(b->mounts_fd);
	}
	munmap(s->segment, SESSION_BYTES + BELL_SHOWN_BYTES + BELL_HIDDEN_BYTES);
	munmap(s->authority, sizeof *s->authority);
	*s = (struct session){0};
}

/* The session of a kind, with nothing known and nothing there. */
__attribute__((unused)) static void session_use(bool page_bell, bool eager)
{
	now = &sessions[page_bell];
	if (!now->started)
		session_open(now,
			     (struct authority_options){.bells = page_bell ? BELL_TRY_PAGE | BELL_TRY_EPOLL : BELL_TRY_EPOLL, .eager = eager});
	CHECKF(!now->error, "authority_start: %s", strerror(-now->error));
	if (page_bell && now->authority->bell.kind != BELL_PAGE)
		SKIP("page bell (io_uring of Linux 6.8)");
	umask(022);
	session_empty();
	authority_forget(now->authority);
}

__attribute__((unused)) static bool quiet(void)
{
	if (now->segment->bells[0].flags)
		return segment_quiet(now->segment);
	return bell_pending(&now->authority->bell);
}

__attribute__((unused)) static bool catch_up(void)
{
	return authority_catch_up(now->authority, 0);
}

/* Once, as a client asks. */
__attribute__((unused)) static enum found ask(const char *path)
{
	static char text[4096] __attribute__((aligned(4096)));
	static struct path p;
	const struct record *by;
	enum found found;
	uint32_t where;

	memset(text, 0, 2048);
	strcpy(text, path);
	if (path_parse(&p, text) != PATH_ABSOLUTE)
		return FOUND_UNKNOWN;
	uint64_t seq = segment_seq(now->segment);

	if (!seq || (seq & 1))
		return FOUND_UNKNOWN;
	found = reader_absent(now->segment, &p, &by, &where);
	return quiet() && segment_settled(now->segment, seq) ? found : FOUND_UNKNOWN;
}

__attribute__((unused)) static bool is_absent(const char *path)
{
	return ask(path) == FOUND_ABSENT;
}

/* Without learning anything new. */
__attribute__((unused)) static bool still_absent(const char *path)
{
	for (int i = 0; i < SESSION_TRIES; i++, catch_up())
		if (is_absent(path))
			return true;
	return false;
}

__attribute__((unused)) static enum learned learn(const char *path)
{
	char text[1024] = {0};

	strcpy(text, path);
	return authority_learn_absent(now->authority, text, (uint32_t)strlen(path));
}

/* Learns until it is known. */
__attribute__((unused)) static bool learned(const char *path)
{
	for (int i = 0; i < SESSION_TRIES; i++, catch_up())
		if (is_absent(path) || (learn(path), is_absent(path)))
			return true;
	return false;
}

/* The record that a positive question about the path would be answered from, or NULL. */
static const struct record *record_of(const char *path)
{
	char text[1024] = {0};

	strcpy(text, path);
	const struct record *r = reader_find(now->segment, text, (uint32_t)strlen(path));

	return r && (r->flags & RECORD_POSITIVE) ? r : NULL;
}

static bool holds(const struct record *r, enum question question, unsigned detail)
{
	switch (question) {
	case QUESTION_ACCESS:
		return (r->access_ok & ACCESS_EXISTS) && (r->access_ok & detail) == detail;
	case QUESTION_PATH:
		return r->canonical || (r->flags & RECORD_SAME);
	case QUESTION_LINK:
		return r->flags & RECORD_NOT_LINK;
	case QUESTION_XATTR:
		return r->xattr_absent >> detail & 1;
	case QUESTION_LXATTR:
		return r->xattr_absent >> (detail + XATTR_NAMES) & 1;
	default:
		return false;
	}
}

/* Once, as a client asks. */
__attribute__((unused)) static bool is_present(const char *path, enum question question,
					       unsigned detail)
{
	uint64_t seq = segment_seq(now->segment);
	const struct record *r = record_of(path);

	return seq && !(seq & 1) && r && holds(r, question, detail) && quiet() &&
	       segment_settled(now->segment, seq);
}

__attribute__((unused)) static enum learned learn_present(const char *path, enum question question,
							  unsigned detail)
{
	char text[1024] = {0};

	strcpy(text, path);
	return authority_learn_present(now->authority, text, (uint32_t)strlen(path), question,
				       detail);
}

__attribute__((unused)) static bool known_present(const char *path, enum question question,
						  unsigned detail)
{
	for (int i = 0; i < SESSION_TRIES; i++, catch_up())
		if (is_present(path, question, detail) ||
		    (learn_present(path, question, detail), is_present(path, question, detail)))
			return true;
	return false;
}

/* What realpath() would be told; "" when nothing. */
__attribute__((unused)) static const char *canonical(const char *path)
{
	static char out[1024];
	const struct record *r = record_of(path);
	const struct text *t;

	if (!r || !holds(r, QUESTION_PATH, 0))
		return "";
	t = (const struct text *)((const char *)now->segment + r->canonical);
	if (r->flags & RECORD_SAME)
		snprintf(out, sizeof out, "%s", (const char *)r->path);
	else
		snprintf(out, sizeof out, "%.*s", (int)t->length, t->bytes);
	return out;
}

__attribute__((unused)) static void make_file(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	CHECKF(fd >= 0, "%s: %s", path, strerror(errno));
	close(fd);
}

__attribute__((unused)) static void make_dir(const char *path)
{
	CHECKF(mkdir(path, 0755) == 0, "%s: %s", path, strerror(errno));
}

#define MUST(call) CHECKF((call) == 0, "%s: %s", #call, strerror(errno))

/* One body, one test for each kind of bell. */
#define TEST_BELLS(id)                                                                             \
	static void id##_body(void);                                                               \
	TEST(id##_with_page_bell)                                                                  \
	{                                                                                          \
		session_use(true, true);                                                           \
		id##_body();                                                                       \
	}                                                                                          \
	TEST(id##_with_pending_check)                                                              \
	{                                                                                          \
		session_use(false, true);                                                          \
		id##_body();                                                                       \
	}                                                                                          \
	static void id##_body(void)

/* After a change has returned: it was announced, and nothing wrong is believed. */
#define CHANGED(what)                                                                              \
	do {                                                                                       \
		CHECKF(!quiet(), "%s did not ring", what);                                         \
		CHECKF(catch_up(), "%s ended it all", what);                                       \
	} while (0)

#endif

/*
 * doctor_places.c - would lookups in a directory be answered, and if not, why? An authority of our
 * own is asked; and a change is made, to see the bell ring and the answer change.
 */
#include "cli/doctor.h"

#include "authority/authority.h"
#include "authority/refuse.h"
#include "authority/walk.h"
#include "base/path.h"
#include "base/sys.h"
#include "cache/reader.h"
#include "cli/doctor_refusal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STUDY_BYTES = 1 << 20, TRIES = 5 };

/* What a process in process scope has. */
struct study {
	char segment[PAGE_ROUND(STUDY_BYTES + SEGMENT_SLACK)];
	char shown[BELL_SHOWN_BYTES];
	char hidden[BELL_HIDDEN_BYTES];
	char text[2 * PATH_MAX];
	struct authority authority;
};

/* NULL: there is none to be had. */
static struct study *begin(const struct doctor *d)
{
	struct study *y =
	    mmap(NULL, sizeof *y, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct authority_options o = {
	    .bells = d->page_bell ? BELL_TRY_PAGE | BELL_TRY_EPOLL : BELL_TRY_EPOLL,
	    .eager = true,
	    .skip = d->skip,
	    .trust = d->trust,
	    .reserved = sizeof(struct segment),
	    .limit = STUDY_BYTES,
	};

	if (y == MAP_FAILED)
		return NULL;
	o.bells_shown = y->shown;
	o.bells_hidden = y->hidden;
	return authority_start(&y->authority, (struct segment *)y->segment, &o) ? NULL : y;
}

static bool is_quiet(struct study *y)
{
	return y->authority.bell.kind == BELL_PAGE ? segment_quiet(y->authority.segment)
						   : bell_pending(&y->authority.bell);
}

/* As a client asks; FOUND_UNKNOWN also while the bell rings. */
static enum found ask(struct study *y, const char *path, struct path *p)
{
	const struct segment *s = y->authority.segment;
	const struct record *by;
	enum found found;
	uint64_t seq = segment_seq(s);
	uint32_t at;

	memset(y->text, 0, sizeof y->text);
	(void)snprintf(y->text, PATH_MAX, "%s", path);
	if (path_parse(p, y->text) != PATH_ABSOLUTE || !seq || (seq & 1))
		return FOUND_UNKNOWN;
	found = reader_absent(s, p, &by, &at);
	return is_quiet(y) && segment_settled(s, seq) ? found : FOUND_UNKNOWN;
}

/* The same, until it is learned: others' changes may come between. */
static enum found learn(struct study *y, const char *path)
{
	struct path p;
	enum found found = ask(y, path, &p);

	for (int i = 0; i < TRIES && found != FOUND_ABSENT && p.text; i++) {
		if (found == FOUND_PERHAPS)
			break;
		(void)authority_learn_absent(&y->authority, p.text, p.length);
		(void)authority_catch_up(&y->authority, 0);
		found = ask(y, path, &p);
	}
	return found;
}

static void check_directory(struct doctor *d, struct study *y, const char *check, const char *path)
{
	char name[PATH_MAX + 32], type[64];
	struct reason why;

	if (strlen(path) > PATH_MAX - 32) {
		doctor_say(d, VERDICT_NOTE, check, path, NULL, "too long to be answered");
		return;
	}
	if (access(path, F_OK)) {
		doctor_say(d, VERDICT_NOTE, check, path, NULL, "%s", strerror(errno));
		return;
	}
	(void)snprintf(name, sizeof name, "%s/fastpath-doctor-%d", path, (int)getpid());
	refusal_file_system(path, type, sizeof type);
	switch (learn(y, name)) {
	case FOUND_ABSENT:
		doctor_say(d, VERDICT_OK, check, path, NULL, "%s, served", type);
		break;
	case FOUND_PERHAPS:
		doctor_say(d, VERDICT_NOTE, check, path, NULL,
			   "%s, listed, but nothing in it is answered: a name in it is not ASCII",
			   type);
		break;
	default:
		refusal_explain(&why, &y->authority, path);
		doctor_say(d, *why.fix ? VERDICT_PROBLEM : VERDICT_NOTE, check, path,
			   *why.fix ? why.fix : NULL, "%s, refused: %s", type, why.text);
		break;
	}
}

static void check_path(struct doctor *d, struct study *y)
{
	const char *path = getenv("PATH");
	char *copy = strdup(path ? path : ""), *rest = copy, *at;

	while (rest && (at = strsep(&rest, ":"))) {
		size_t length = strlen(at);
		bool again = false;

		for (const char *p = path; p < path + (at - copy) && !again;
		     p += strcspn(p, ":") + 1)
			again = strcspn(p, ":") == length && !memcmp(p, at, length);
		if (again)
			continue;
		if (*at == '/')
			check_directory(d, y, "PATH", at);
		else
			doctor_say(d, VERDICT_NOTE, "PATH", *at ? at : ".", NULL,
				   "relative paths always go to the kernel");
	}
	free(copy);
}

/* A new directory below one that is there, which `out` names then. */
static bool make_directory(char out[PATH_MAX], const char *below)
{
	if (!below || *below != '/' ||
	    snprintf(out, PATH_MAX, "%s/fastpath-doctor.XXXXXX", below) >= PATH_MAX - 16)
		return false;
	return mkdtemp(out);
}

/* False: nothing is answered there. */
static bool try_change(struct doctor *d, struct study *y, const char *directory)
{
	char name[PATH_MAX + 16];
	struct path p;
	bool rang, changed;
	int fd;

	(void)snprintf(name, sizeof name, "%s/name", directory);
	if (learn(y, name) != FOUND_ABSENT)
		return false;
	fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	rang = !is_quiet(y); /* before anything else is done */
	(void)close(fd);
	(void)authority_catch_up(&y->authority, 0);
	changed = ask(y, name, &p) != FOUND_ABSENT;
	(void)unlink(name);
	if (rang && changed)
		doctor_say(d, VERDICT_OK, "event", NULL, NULL,
			   "a file made in %s rang the bell before open() returned, and the answer "
			   "changed",
			   directory);
	else
		doctor_say(d, VERDICT_PROBLEM, "event", NULL, "export FASTPATH=0",
			   "a file made in %s %s: do not use fastpath here, and report this",
			   directory, rang ? "changed no answer" : "did not ring the bell");
	return true;
}

static void check_event(struct doctor *d, struct study *y)
{
	const char *const places[] = {getenv("TMPDIR"), "/var/tmp", "/tmp", getenv("HOME"), "/run"};
	char directory[PATH_MAX];
	bool tried = false;

	for (size_t i = 0; i < array_size(places) && !tried; i++) {
		if (!make_directory(directory, places[i]))
			continue;
		tried = try_change(d, y, directory);
		(void)rmdir(directory);
	}
	if (!tried)
		doctor_say(
		    d, VERDICT_NOTE, "event", NULL, "export TMPDIR=DIRECTORY",
		    "none was tried: there is no directory that is served and can be written");
}

void doctor_places(struct doctor *d, char *const *directories)
{
	struct study *y = d->any_bell ? begin(d) : NULL;
	char path[PATH_MAX];

	if (!y) {
		doctor_say(d, VERDICT_NOTE, "directories", NULL, NULL,
			   "not looked at: there is no bell");
		return;
	}
	check_event(d, y);
	check_path(d, y);
	if (getcwd(path, sizeof path))
		check_directory(d, y, "cwd", path);
	for (; *directories; directories++)
		if (realpath(*directories, path))
			check_directory(d, y, "directory",
					**directories == '/' ? *directories : path);
}

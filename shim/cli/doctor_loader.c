/*
 * doctor_loader.c - does the loader load libfastpath.so, silently, into a program? What else is
 * preloaded, and which programs can it not be loaded into?
 */
#include "cli/doctor.h"

#include "base/attributes.h"
#include "base/settings.h"
#include "cli/environment.h"
#include "cli/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void doctor_settings(struct doctor *d)
{
	struct environment e;
	struct settings settings;
	const char *malformed, *on = getenv("FASTPATH");
	char fix[64];

	if (environment_copy(&e, environ))
		return;
	malformed = settings_read(&settings, e.entries);
	if (malformed) {
		(void)snprintf(fix, sizeof fix, "unset %s", malformed);
		doctor_say(d, VERDICT_PROBLEM, "environment", malformed, fix,
			   "malformed: fastpath is off");
		return;
	}
	if (on && *on && settings.mode == MODE_INERT)
		doctor_say(d, VERDICT_PROBLEM, "environment", "FASTPATH", "unset FASTPATH",
			   "is %s: fastpath is off", on);
	else if (settings.mode == MODE_PROCESS_ONLY)
		doctor_say(d, VERDICT_NOTE, "environment", "FASTPATH", "unset FASTPATH",
			   "is process: no sessions");
	else
		doctor_say(d, VERDICT_OK, "environment", NULL, NULL, "no variable is malformed");
	/* The others count only where FASTPATH is on, as it will be. */
	if (!environment_set(&e, "FASTPATH", "1") && !settings_read(&settings, e.entries)) {
		d->skip = settings.skip;
		d->trust = settings.trust;
	}
}

/* In the child: becomes true(1) with the library, all that it says in `said`. */
static _Noreturn void become_true(const char *library, int said, int lines)
{
	char name[] = "true", stats[64], *argv[] = {name, NULL};
	struct environment e;
	char *list = library_preload(getenv("LD_PRELOAD"), library);

	(void)snprintf(stats, sizeof stats, "json:/proc/%d/fd/%d", (int)getppid(), lines);
	if (list && !environment_copy(&e, environ) && !environment_set(&e, "LD_PRELOAD", list) &&
	    !environment_set(&e, "FASTPATH", "1") &&
	    !environment_set(&e, "FASTPATH_STATS", stats) && dup2(said, 1) >= 0 &&
	    dup2(said, 2) >= 0)
		(void)execvpe(name, argv, e.entries);
	_exit(127);
}

static void say_loaded(struct doctor *d, const char *library, int said, int lines)
{
	char text[256] = "";
	struct stat s;
	int status = 0;
	pid_t child = fork();

	if (!child)
		become_true(library, said, lines);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child < 0 || pread(said, text, sizeof text - 1, 0) < 0)
		return;
	text[strcspn(text, "\n")] = 0;
	if (*text)
		doctor_say(d, VERDICT_PROBLEM, "loader", library, "unset LD_PRELOAD",
			   "true(1) with it is not silent: %s", text);
	else if (WIFSIGNALED(status) || WEXITSTATUS(status))
		doctor_say(d, VERDICT_PROBLEM, "loader", library, "make clean all install",
			   "true(1) fails with it");
	else if (fstat(lines, &s) || !s.st_size)
		doctor_say(d, VERDICT_PROBLEM, "loader", library, "make clean all install",
			   "true(1) runs without it");
	else
		doctor_say(d, VERDICT_OK, "loader", library, NULL,
			   "is loaded into true(1), silently");
}

static void check_library(struct doctor *d)
{
	char path[PATH_MAX];
	int said, lines;

	switch (library_find(path)) {
	case LIBRARY_MISSING:
		doctor_say(
		    d, VERDICT_PROBLEM, "library", NULL, "make install",
		    "libfastpath.so is not found beside this program, nor where it was to be "
		    "installed");
		return;
	case LIBRARY_UNFIT:
		doctor_say(d, VERDICT_PROBLEM, "library", path, "make install PREFIX=/usr/local",
			   "a path with a space, a colon or $ cannot be preloaded");
		return;
	case LIBRARY_FOUND:
		library_spell(path);
		break;
	}
	said = memfd_create("said", MFD_CLOEXEC);
	lines = memfd_create("lines", MFD_CLOEXEC);
	if (said >= 0 && lines >= 0)
		say_loaded(d, path, said, lines);
	if (said >= 0)
		(void)close(said);
	if (lines >= 0)
		(void)close(lines);
}

static bool is_fastpath(const char *entry)
{
	static const char name[] = "libfastpath.so";
	size_t n = strlen(entry);

	return n >= sizeof name - 1 && !strcmp(entry + n - (sizeof name - 1), name);
}

/* Each entry of a list as ld.so(8) splits it. Returns how many are not ours. */
static int check_preloads(struct doctor *d, const char *from, const char *list, const char *fix)
{
	char *copy = strdup(list), *save = NULL;
	int others = 0;

	for (char *entry = copy ? strtok_r(copy, " :\t\n", &save) : NULL; entry;
	     entry = strtok_r(NULL, " :\t\n", &save)) {
		if (is_fastpath(entry))
			continue;
		others++;
		if (strchr(entry, '/') && !strchr(entry, '$') && access(entry, R_OK))
			doctor_say(d, VERDICT_PROBLEM, from, entry, fix,
				   "%s: every program will complain", strerror(errno));
		else
			doctor_say(d, VERDICT_NOTE, from, entry, fix,
				   "another preload: calls that it wraps go through it, and are "
				   "not answered");
	}
	free(copy);
	return others;
}

void doctor_loader(struct doctor *d)
{
	const char *list = getenv("LD_PRELOAD");
	char line[4096] = "";
	int others = 0;

	check_library(d);
	if (list)
		others = check_preloads(d, "LD_PRELOAD", list, "unset LD_PRELOAD");
	if (doctor_read("/etc/ld.so.preload", line, sizeof line))
		others += check_preloads(d, "/etc/ld.so.preload", line,
					 "sudo mv /etc/ld.so.preload{,.off}");
	if (!others)
		doctor_say(d, VERDICT_OK, "preloads", NULL, NULL, "no others");
}

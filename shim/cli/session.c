/*
 * session.c - the scope and the environment that a command is run with.
 *
 * Nothing that goes wrong with fastpath keeps the command from running: it runs without, and a line
 * says so.
 */
#include "cli/session.h"

#include "base/settings.h"
#include "cli/cli.h"
#include "cli/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

static int set_profile(struct environment *e, const char *file)
{
	char *directory, *path;
	int error;

	if (*file == '/')
		return environment_set(e, "FASTPATH_PROFILE", file);
	directory = getcwd(NULL, 0);
	if (!directory)
		return -errno;
	error = asprintf(&path, "%s/%s", directory, file) < 0 ? -ENOMEM : 0;
	free(directory);
	if (!error) {
		error = environment_set(e, "FASTPATH_PROFILE", path);
		free(path);
	}
	return error;
}

/* What the options put in the place of variables. Returns 0 or -errno. */
static int set_options(struct environment *e, const struct session_options *o)
{
	const char *verify = environment_get(e->entries, "FASTPATH_VERIFY");
	const char *on = environment_get(e->entries, "FASTPATH");
	int error = 0;

	if (!on || !*on)
		error = environment_set(e, "FASTPATH", "1");
	if (!error && o->observed)
		error = environment_set(e, "FASTPATH_STATS", ""); /* until there is a file */
	if (!error && o->verify && (!verify || strcmp(verify, "abort") != 0))
		error = environment_set(e, "FASTPATH_VERIFY", "1");
	if (!error && o->profile)
		error = set_profile(e, o->profile);
	return error;
}

static int set_library(struct environment *e, const char *path)
{
	char *list = library_preload(environment_get(e->entries, "LD_PRELOAD"), path);
	int error = list ? environment_set(e, "LD_PRELOAD", list) : -ENOMEM;

	free(list);
	return error;
}

/* Without fastpath, and the library, if another preload brings it, silent. */
static int run_without(struct session *s, const char *why)
{
	int error = environment_copy(&s->environment, environ);

	s->scope = "off";
	s->why = why;
	return error ? error : environment_set(&s->environment, "FASTPATH", "0");
}

/* Returns -1 when there is none to be had: then nothing is counted. */
static int make_lines(void)
{
	int fd = memfd_create("fastpath-stats", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0) /* EINVAL before Linux 6.3 */
		fd = memfd_create("fastpath-stats", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0)
		(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK); /* it will be read as memory */
	return fd;
}

/* Tree scope, as far as is known by now: whether it can be had is in the broker's report. Else s->why
 * says why not. */
static void start_broker(struct session *s, const struct settings *settings,
			 const struct session_options *o)
{
	struct broker_options b = {
		.eager = settings->eager,
		.tick_us = settings->tick_us,
		.skip = settings->skip,
		.trust = settings->trust,
		.controlled = o->reported,
	};

	if (settings->mode == MODE_PROCESS_ONLY)
		s->why = "FASTPATH=process";
	else if (settings->no_page_bell)
		s->why = "FASTPATH_TEST=bell=epoll";
	else if (broker_start(&b, getpid(), &s->broker))
		s->why = "the broker could not be started";
	else
		s->scope = "tree"; /* unless the broker's report says otherwise */
}

static int set_session(struct session *s)
{
	struct environment *e = &s->environment;
	char value[80];
	int error = 0;

	if (!strcmp(s->scope, "tree"))
		error = environment_set(e, "FASTPATH_SESSION", s->broker.variable);
	else
		environment_remove(e, "FASTPATH_SESSION");
	if (error || s->lines < 0)
		return error;
	(void)snprintf(value, sizeof value, "json:/proc/%d/fd/%d", (int)getpid(), s->lines);
	return environment_set(e, "FASTPATH_STATS", value);
}

/* With the library, in tree scope if that is to be had. */
static int run_with(struct session *s, const struct session_options *o,
		    const struct settings *settings)
{
	char path[PATH_MAX];
	enum library_found found = library_find(path);
	int error = 0;

	if (found == LIBRARY_MISSING) {
		cli_complain("libfastpath.so is not found: caching is off");
		return run_without(s, "libfastpath.so is not found");
	}
	if (found == LIBRARY_UNFIT) {
		cli_complain(
			"%s: a path with a space, a colon or $ cannot be preloaded: caching is off",
			path);
		return run_without(s, "libfastpath.so cannot be preloaded");
	}
	if (settings->mode == MODE_ON)
		error = environment_set(&s->environment, "FASTPATH", "1");
	library_spell(path);
	/* Not where the command would refuse it: then only for what it executes with a preload of its own. */
	if (!error && library_fits(o->command))
		error = set_library(&s->environment, path);
	if (error)
		return error;
	if (o->observed)
		s->lines = make_lines();
	start_broker(s, settings, o);
	return set_session(s);
}

int session_prepare(struct session *s, const struct session_options *o)
{
	struct settings settings;
	const char *malformed;
	int error;

	*s = (struct session){.scope = "process", .lines = -1, .broker.control = -1};
	error = environment_copy(&s->environment, environ);
	if (!error)
		error = set_options(&s->environment, o);
	if (error)
		return error;
	malformed = settings_read(&settings, s->environment.entries);
	if (malformed) {
		cli_complain("malformed value of %s: caching is off", malformed);
		return run_without(s, "a variable is malformed");
	}
	if (settings.mode == MODE_INERT) {
		s->scope = "off";
		s->why = "FASTPATH is off";
		return environment_copy(&s->environment, environ);
	}
	return run_with(s, o, &settings);
}

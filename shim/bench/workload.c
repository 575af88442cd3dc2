/*
 * workload.c - what can be measured: the executable files of a directory.
 */
#include "bench/workload.h"

#include "bench/child.h"
#include "bench/text.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DESCRIPTION = 8192 };

/* For people: a name may hold anything. */
static char *shown(char *text)
{
	for (char *c = text; c && *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return text;
}

/* Strings live until exit. Returns 0 or -ENOMEM. */
static int add(struct suite *s, const char *path, const char *variant, enum workload_kind kind,
	       const char *what)
{
	const char *file = strrchr(path, '/') + 1;
	struct workload *w;

	if (s->used == s->room) {
		size_t more = s->room ? 2 * s->room : 32;

		w = reallocarray(s->workloads, more, sizeof *w);
		if (!w)
			return -ENOMEM;
		s->workloads = w;
		s->room = more;
	}
	w = &s->workloads[s->used];
	*w = (struct workload){.path = strdup(path),
			       .file = strdup(file),
			       .variant = strdup(variant),
			       .what = shown(strdup(what)),
			       .kind = kind};
	if (asprintf(&w->name, strcmp(variant, "-") != 0 ? "%s.%s" : "%s", file, variant) < 0 ||
	    !w->path || !w->file || !w->variant || !w->what)
		return -ENOMEM;
	(void)shown(w->name);
	s->used++;
	return 0;
}

static enum workload_kind kind_of(const char *word)
{
	if (!strcmp(word, "command"))
		return WORKLOAD_COMMAND;
	if (!strcmp(word, "loop"))
		return WORKLOAD_LOOP;
	return !strcmp(word, "sides") ? WORKLOAD_SIDES : WORKLOAD_BROKEN;
}

static int add_described(struct suite *s, const char *path, char *description)
{
	char *rest, *line = strtok_r(description, "\n", &rest);
	int error = line ? 0 : add(s, path, "-", WORKLOAD_BROKEN, "describe prints nothing");

	for (; line && !error; line = strtok_r(NULL, "\n", &rest)) {
		char variant[64], kind[16];
		int at = 0;

		if (sscanf(line, "%63s %15s %n", variant, kind, &at) < 2 || !at || !kind_of(kind))
			error = add(s, path, "-", WORKLOAD_BROKEN,
				    "a line of describe is not VARIANT command|loop|sides WHAT");
		else
			error = add(s, path, variant, kind_of(kind), line + at);
	}
	return error;
}

/* One of the three calls. Returns 0, or what child_run() does. */
static int call(const char *path, const char *verb, const char *variant, const char *directory,
		char *const *environment, int output, int *status)
{
	char *argv[] = {(char *)path, (char *)verb, (char *)variant, NULL};
	struct child_used used;
	int error =
	    child_run(&(struct child_command){argv, environment, directory, output, output}, &used);

	*status = used.status;
	return error ? error : -used.exec_error;
}

static int describe(struct suite *s, const char *path, char *const *environment)
{
	char description[DESCRIPTION], why[64];
	int fd = text_open(), status, error;

	if (fd < 0)
		return fd;
	error = call(path, "describe", NULL, NULL, environment, fd, &status);
	text_read(fd, description, sizeof description);
	(void)close(fd);
	if (error == -EINTR)
		return error;
	if (error)
		return add(s, path, "-", WORKLOAD_BROKEN, strerror(-error));
	if (!status)
		return add_described(s, path, description);
	text_of_status(status, why, sizeof why);
	return add(s, path, "-", WORKLOAD_BROKEN, why);
}

/* A later directory's file replaces one of the same name. */
static void forget(struct suite *s, const char *file)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->used; i++)
		if (strcmp(s->workloads[i].file, file) != 0)
			s->workloads[kept++] = s->workloads[i];
	s->used = kept;
}

static bool is_program(const char *path)
{
	struct stat file;

	return !stat(path, &file) && S_ISREG(file.st_mode) && !access(path, X_OK);
}

int suite_add(struct suite *s, const char *directory, char *const *environment)
{
	struct dirent **entries;
	int n = scandir(directory, &entries, NULL, alphasort), error = 0;

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		char path[PATH_MAX];
		int length = snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);

		if (!error && entries[i]->d_name[0] != '.' && length < PATH_MAX &&
		    is_program(path)) {
			forget(s, entries[i]->d_name);
			error = describe(s, path, environment);
		}
		free(entries[i]);
	}
	free((void *)entries);
	return error;
}

bool suite_select(struct suite *s, const char *pattern)
{
	bool found = false;

	for (size_t i = 0; i < s->used; i++) {
		struct workload *w = &s->workloads[i];

		if (fnmatch(pattern, w->name, 0) && fnmatch(pattern, w->file, 0))
			continue;
		w->wanted = found = true;
	}
	return found;
}

int workload_prepare(const struct workload *w, const char *directory, char *const *environment,
		     char *why, size_t why_size, bool *missing)
{
	int fd = text_open(), status, error;

	*missing = false;
	if (fd < 0)
		return fd;
	error = call(w->path, "prepare", w->variant, directory, environment, fd, &status);
	text_last_line(fd, why, why_size);
	(void)close(fd);
	if (error == -EINTR)
		return error;
	if (error)
		(void)snprintf(why, why_size, "prepare: %s", strerror(-error));
	else if (WIFEXITED(status) && WEXITSTATUS(status) == WORKLOAD_CANNOT)
		*missing = true;
	else if (status && !why[0])
		text_of_status(status, why, why_size);
	return error || status;
}

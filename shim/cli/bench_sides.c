/*
 * bench_sides.c - fastpath bench: how its two sides are run.
 *
 * Without: the user's environment, with nothing of fastpath in it. With: as the user would do it,
 * by `fastpath run` or LD_PRELOAD.
 */
#include "cli/bench.h"

#include "base/attributes.h"
#include "bench/child.h"
#include "cli/environment.h"
#include "cli/library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *const nothing[] = {NULL};
/* This executable, wherever it is and whatever is put in its place meanwhile. */
static char *const session[] = {"/proc/self/exe", "run", "--", NULL};

/* FASTPATH_SKIP, _TRUST and _TEST stay: without FASTPATH they are nothing. */
static const char *const ours[] = {"FASTPATH",         "FASTPATH_STATS",   "FASTPATH_VERIFY",
				   "FASTPATH_PROFILE", "FASTPATH_SESSION", "FASTPATH_BENCH_SIDE"};

static int set_clean(struct environment *e, const struct bench_options *o, const char *library)
{
	const char *was = getenv("LD_PRELOAD");
	char *list = was ? library_preload(was, NULL) : NULL;
	int error = environment_copy(e, environ);

	for (size_t i = 0; !error && i < array_size(ours); i++)
		environment_remove(e, ours[i]);
	if (!error && was && !list)
		error = -ENOMEM;
	if (!error && list && *list)
		error = environment_set(e, "LD_PRELOAD", list);
	else if (!error)
		environment_remove(e, "LD_PRELOAD");
	free(list);
	if (!error)
		error = environment_set(e, "FASTPATH_BENCH_LIBRARY", library);
	if (!error)
		error = environment_set(e, "FASTPATH_BENCH_MS", o->quick ? "60" : "200");
	return error;
}

static int set_process(struct environment *e, const char *library)
{
	char *list = library_preload(environment_get(e->entries, "LD_PRELOAD"), library);
	int error = list ? environment_set(e, "LD_PRELOAD", list) : -ENOMEM;

	free(list);
	return error ? error : environment_set(e, "FASTPATH", "process");
}

int bench_make_sides(struct bench_sides *s, const struct bench_options *o)
{
	enum library_found found = library_find(s->library);
	struct environment before, after, apart;
	int error;

	if (found != LIBRARY_FOUND)
		return found == LIBRARY_MISSING ? -ENOENT : -EINVAL;
	error = set_clean(&before, o, s->library);
	if (!error)
		error = environment_copy(&apart, before.entries);
	if (!error)
		error = environment_set(&before, "FASTPATH_BENCH_SIDE", "before");
	if (!error)
		error = environment_set(&apart, "FASTPATH_BENCH_SIDE", "after");
	if (!error)
		error = environment_copy(&after, apart.entries);
	if (!error && o->process)
		error = set_process(&after, s->library);
	if (error)
		return error;
	s->before = (struct side){nothing, before.entries};
	s->after = (struct side){o->process ? nothing : session, after.entries};
	s->apart = (struct side){nothing, apart.entries};
	return 0;
}

/* A shell that asks for missing files, when a session has had time to begin; its statistics are
 * written to `path`. */
static int ask(const struct bench_sides *s, const char *directory, const char *path)
{
	static const char script[] =
	    "sleep 0.05; for i in 1 2 3 4 5 6 7 8; do [ -e \"$0/missing\" ]; done; :";
	const char *test = environment_get(s->after.environment, "FASTPATH_TEST");
	char *argv[] = {"/proc/self/exe",  "run", "--", "/bin/sh", "-c", (char *)script,
			(char *)directory, NULL};
	char file[PATH_MAX + 16], eager[256];
	struct environment e;
	struct child_used used;
	int error = environment_copy(&e, s->after.environment);

	(void)snprintf(file, sizeof file, "json:%s", path);
	(void)snprintf(eager, sizeof eager, "eager%s%s", test && *test ? "," : "",
		       test ? test : "");
	if (!error)
		error = environment_set(&e, "FASTPATH_STATS", file);
	if (!error)
		error = environment_set(&e, "FASTPATH_TEST", eager);
	if (error)
		return error;
	return child_run(
	    &(struct child_command){s->after.prefix[0] ? argv : argv + 3, e.entries, NULL, -1, -1},
	    &used);
}

/* A line for each process: one that had nothing to ask says that it is off. */
static void read_bell(const char *path, char scope[16], char bell[16])
{
	FILE *f = fopen(path, "re");
	json_t *line;

	while (f && (line = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL)) != NULL) {
		const char *found = json_string_value(json_object_get(line, "scope"));
		const char *rang = json_string_value(json_object_get(line, "bell"));

		if (found && rang && strcmp(found, "off") != 0 && strcmp(scope, "tree") != 0) {
			(void)snprintf(scope, 16, "%s", found);
			(void)snprintf(bell, 16, "%s",
				       strcmp(rang, "epoll") != 0 ? rang : "pending-check");
		}
		json_decref(line);
	}
	if (f)
		(void)fclose(f);
}

void bench_look_at_bell(const struct bench_sides *s, const char *directory, char scope[16],
			char bell[16])
{
	char path[PATH_MAX];

	(void)snprintf(scope, 16, "off");
	(void)snprintf(bell, 16, "none");
	if (snprintf(path, sizeof path, "%s/bell", directory) < PATH_MAX &&
	    !ask(s, directory, path))
		read_bell(path, scope, bell);
}

/*
 * bench.c - fastpath bench: workloads, or a command of the user's, without and with fastpath.
 *
 * What is said on standard output is the report; a signal that asks to stop ends the measuring, and
 * then this process, after the report of what there was.
 */
#include "cli/bench.h"

#include "base/attributes.h"
#include "bench/child.h"
#include "cli/cli.h"
#include "cli/environment.h"
#include "cli/page.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLI_WORKLOAD_FAILED = 1 };

/* The workloads that came with this executable: where it was built, or where it is installed. */
static bool find_suite(char path[PATH_MAX])
{
	static const struct {
		int levels;
		const char *below;
	} places[] = {{1, "bench-suite"}, {2, "libexec/fastpath/bench"}};
	char self[PATH_MAX];

	for (size_t i = 0; i < array_size(places); i++) {
		ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

		self[n > 0 ? n : 0] = 0;
		for (int k = 0; k < places[i].levels && strrchr(self, '/'); k++)
			*strrchr(self, '/') = 0;
		if (snprintf(path, PATH_MAX, "%s/%s", self, places[i].below) < PATH_MAX &&
		    !access(path, R_OK | X_OK))
			return true;
	}
	return false;
}

/* Returns 0 or the exit status. */
static int read_suite(struct suite *s, const struct bench_options *o, char *const *environment)
{
	char path[PATH_MAX];
	int error = 0;

	if (find_suite(path))
		error = suite_add(s, path, environment);
	else if (!o->suite)
		return cli_complain(
			   "the workloads are not found: neither bench-suite beside this program "
			   "nor ../libexec/fastpath/bench"),
		       CLI_FAILED;
	if (error == -EINTR || error == -ENOMEM)
		return CLI_FAILED;
	if (!error && o->suite && realpath(o->suite, path))
		error = suite_add(s, path, environment);
	else if (o->suite)
		error = -errno;
	if (error)
		cli_complain("%s: %s", o->suite ? o->suite : path, strerror(-error));
	return error ? CLI_FAILED : 0;
}

static int select_workloads(struct suite *s, const struct bench_options *o)
{
	const char **names;
	size_t n = 0;

	if (!*o->patterns)
		return suite_select(s, "*") ? 0 : CLI_FAILED;
	for (char *const *p = o->patterns; *p; p++) {
		if (suite_select(s, *p))
			continue;
		names = (const char **)calloc(2 * s->used + 1, sizeof *names);
		for (size_t i = 0; names && i < s->used; i++) {
			names[n++] = s->workloads[i].file;
			names[n++] = s->workloads[i].name;
		}
		return names ? cli_unknown("workload", *p, names) : CLI_FAILED;
	}
	return 0;
}

static int print_list(const struct suite *s)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	int status;

	for (size_t i = 0; f && i < s->used; i++)
		if (s->workloads[i].wanted)
			(void)fprintf(f, "%-26s %s%s\n", s->workloads[i].name,
				      s->workloads[i].kind == WORKLOAD_BROKEN ? "broken: " : "",
				      s->workloads[i].what);
	if (!f || fclose(f)) {
		cli_complain("no memory for the list");
		return CLI_FAILED;
	}
	status = cli_print(text);
	free(text);
	return status;
}

static int say(const char *what, int error)
{
	cli_complain("%s: %s", what, strerror(-error));
	return CLI_FAILED;
}

/* The file for --json: opened before anything is measured, so that nothing is measured in vain. */
static FILE *open_json(const struct bench_options *o)
{
	FILE *f = !strcmp(o->json, "-") ? stdout : fopen(o->json, "we");

	if (!f)
		cli_complain("%s: %s", o->json, strerror(errno));
	return f;
}

static int write_reports(const struct bench_report *r, FILE *text, FILE *json)
{
	int error = 0, status = 0;

	if (text) {
		bench_put_end(text, r);
		if (fflush(text) || ferror(text))
			status = say("standard output", -errno);
	}
	if (json)
		error = bench_write_json(json, r);
	if (json && json != stdout && fclose(json))
		error = -errno;
	if (error)
		status = say(r->options->json, error);
	error = r->options->html ? bench_write_html(r->options->html, r) : 0;
	return error ? say(r->options->html, error) : status;
}

static void look_around(struct bench_report *r, const struct bench_sides *sides)
{
	static const char *const names[] = {"FASTPATH_TEST", "FASTPATH_TRUST", "FASTPATH_SKIP"};

	machine_look(&r->machine, sides->before.environment);
	bench_look_at_bell(sides, r->directory.path, r->scope, r->bell);
	for (size_t i = 0; i < array_size(names); i++) {
		const char *value = environment_get(environ, names[i]);
		size_t used = strlen(r->trust);

		if (value && *value)
			(void)snprintf(r->trust + used, sizeof r->trust - used, "%s%s=%s",
				       used ? " " : "", names[i], value);
	}
}

/* The directory is there. */
static int measure_in(struct bench_report *r, const struct bench_sides *sides,
		      const struct suite *s)
{
	const struct bench_options *o = r->options;
	FILE *json = o->json ? open_json(o) : NULL, *text = json == stdout ? NULL : stdout;
	int error = o->html ? page_check(o->html) : 0, status;

	if (error)
		return say(o->html, error);
	if (o->json && !json)
		return CLI_FAILED;
	look_around(r, sides);
	if (text)
		bench_put_head(text, r);
	error = bench_measure(r, sides, s, text);
	status = write_reports(r, text, json);
	if (error && error != -EINTR)
		return say("measuring", error);
	if (r->not_run)
		return cli_not_run(o->command[0], r->not_run);
	return status ? status : r->failed ? CLI_WORKLOAD_FAILED : 0;
}

/* As whoever sent the signal expects. */
static void end_as_asked(void)
{
	struct sigaction default_action = {.sa_handler = SIG_DFL};
	int sig = child_stop_signal();
	sigset_t one;

	if (!sig)
		return;
	(void)sigaction(sig, &default_action, NULL);
	(void)kill(getpid(), sig);
	sigemptyset(&one);
	sigaddset(&one, sig);
	(void)sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static int run(const struct bench_options *o, const struct bench_sides *sides,
	       const struct suite *s)
{
	struct bench_report r = {.options = o};
	int error = directory_make(&r.directory), status;

	if (error)
		return say(r.directory.path, error);
	status = measure_in(&r, sides, s);
	directory_remove(r.directory.path);
	return status;
}

/* No file that is opened here may become standard output or error. Returns 0 or -errno. */
static int fill_descriptors(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (fd == STDOUT_FILENO || open("/dev/null", O_RDWR) != fd)
			return -errno;
	}
	return 0;
}

int bench_main(int argc, char **argv)
{
	struct bench_options o;
	struct bench_sides sides;
	struct suite suite = {NULL, 0, 0};
	int status = 0, error;

	if (!bench_parse(&o, argc, argv))
		return CLI_FAILED;
	if (o.help)
		return cli_print(bench_usage);
	error = fill_descriptors();
	if (error)
		return say("standard output", error);
	error = bench_make_sides(&sides, &o);
	if (error)
		return say(error == -EINVAL ? sides.library : "libfastpath.so", error);
	child_prepare();
	if (!o.command)
		status = read_suite(&suite, &o, sides.before.environment);
	if (!status && !o.command)
		status = select_workloads(&suite, &o);
	if (!status)
		status = o.list ? print_list(&suite) : run(&o, &sides, &suite);
	end_as_asked();
	return status;
}

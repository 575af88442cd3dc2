/*
 * audit.c - fastpath audit: a command without caching, and a report of every path lookup of its
 * tree that reached the kernel.
 */
#include "cli/audit.h"

#include "cli/auditor.h"
#include "cli/cli.h"
#include "cli/environment.h"
#include "cli/page.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: fastpath audit [OPTION...] [--] CMD [ARG...]\n\n"
    "Runs CMD without caching, and reports every path lookup of it and all it starts\n"
    "that reached the kernel: which were repeated, who made them, what answering them\n"
    "here could have saved.\n\n"
    "  --json         one JSON object instead of text\n"
    "  -o FILE        the report goes there, not to standard error\n"
    "  --html FILE    and as a page\n"
    "  -k             call stacks of lookups that fail: the functions that make most\n"
    "  --folded FILE  these stacks, one a line, for flame graphs (implies -k)\n"
    "  -h, --help     this text\n";

static const char *const option_names[] = {"--json", "--html", "--folded", "--help",
					   "-k",     "-o",     NULL};

/* The auditor leaves this directory. NULL: no memory, or no directory. */
static const char *absolute(const char *file)
{
	char *directory, *path;

	if (*file == '/')
		return file;
	directory = getcwd(NULL, 0);
	if (!directory || asprintf(&path, "%s/%s", directory, file) < 0)
		path = NULL;
	free(directory);
	return path;
}

/* Before CMD is run for an hour. Returns 0 or -errno. */
static int prepare_page(const char **file)
{
	const char *path = absolute(*file);
	int error = path ? page_check(path) : -ENOMEM;

	if (error)
		cli_complain("%s: %s", *file, strerror(-error));
	*file = path;
	return error;
}

static int prepare_file(const char *file)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);

	if (fd < 0)
		cli_complain("%s: %s", file, strerror(errno));
	return fd;
}

/* Takes the option `found`. False: after a line that says what is wrong. */
static bool take(struct audit_options *o, int found)
{
	switch (found) {
	case 'j':
		o->json = true;
		return true;
	case 'o':
		o->out = prepare_file(optarg);
		return o->out >= 0;
	case 'k':
		o->callers = true;
		return true;
	case 'f':
		o->callers = true;
		o->folded = prepare_file(optarg);
		return o->folded >= 0;
	default:
		o->html = optarg;
		return !prepare_page(&o->html);
	}
}

/* Returns true when there is something to be run, else *status is the exit status. */
static bool parse(struct audit_options *o, int argc, char **argv, int *status)
{
	static const struct option table[] = {{"json", no_argument, NULL, 'j'},
					      {"html", required_argument, NULL, 'w'},
					      {"folded", required_argument, NULL, 'f'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	int found, before;

	*o = (struct audit_options){.out = -1, .folded = -1};
	*status = CLI_FAILED;
	while (before = optind, (found = getopt_long(argc, argv, "+:hko:", table, NULL)) != -1) {
		if (found == 'h') {
			*status = cli_print(usage);
			return false;
		}
		if (found == '?' || found == ':') {
			cli_misused(argv, found, before, option_names);
			return false;
		}
		if (!take(o, found))
			return false;
	}
	o->command = argv + optind;
	if (*o->command)
		return true;
	cli_complain("a command is missing: see fastpath audit --help");
	return false;
}

int audit_main(int argc, char **argv)
{
	struct audit_options o;
	struct auditor a;
	struct environment environment;
	struct outcome outcome = {0};
	int status, error;

	if (!parse(&o, argc, argv, &status))
		return status;
	error = environment_copy(&environment, environ);
	if (!error)
		error = environment_set(&environment, "FASTPATH", "0");
	if (!error)
		error = auditor_start(&a, &o);
	if (error) {
		cli_complain("%s is not run: %s", o.command[0], strerror(-error));
		return CLI_FAILED;
	}
	error =
	    supervise(o.command, environment.entries, (const int[SUPERVISE_KEPT]){a.control, -1},
		      &(struct supervise_before){auditor_enter, &a}, &outcome);
	if (error && outcome.status != CLI_FAILED) /* which auditor_enter() told of */
		cli_complain("no process for %s: %s", o.command[0], strerror(-error));
	if (error)
		return CLI_FAILED;
	if (outcome.exec_error)
		return cli_not_run(o.command[0], outcome.exec_error);
	if (auditor_finish(&a, &outcome))
		cli_complain("the auditor was killed: there is no report");
	supervise_end_as(&outcome);
}

/*
 * run.c - fastpath run: a command with a session of its own.
 *
 * Without --stats and --verify it is exec'd in place: all that can be seen of it is its own.
 */
#include "cli/cli.h"

#include "cli/session.h"
#include "cli/summary.h"
#include "cli/supervise.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

struct options {
	bool stats, json, verify;
	const char *profile; /* as given */
	char **command;
};

static const char usage[] =
    "usage: fastpath run [OPTION...] [--] CMD [ARG...]\n\n"
    "Runs CMD with one cache for it and all that it starts; ends as CMD does.\n\n"
    "  --stats[=text|json]  when CMD has ended, what the whole tree of processes did\n"
    "  --verify             ask the kernel too on every answer; count what differs\n"
    "  --profile FILE       append the callers of avoidable lookups, as folded stacks\n"
    "  -h, --help           this text\n\n"
    "With FASTPATH=process in the environment each process caches for itself; with\n"
    "FASTPATH=0 CMD is run and nothing else.\n"
    "Exit status: CMD's; 125 when fastpath failed; 126, 127 when CMD cannot be run,\n"
    "or is not found.\n";

static const char *const option_names[] = {"--stats", "--verify", "--profile", "--help", NULL};

static bool read_stats(struct options *o, const char *format)
{
	o->stats = true;
	o->json = format && !strcmp(format, "json");
	return !format || o->json || !strcmp(format, "text");
}

/* Returns true when there is something to be run, else *status is the exit status. */
static bool parse(struct options *o, int argc, char **argv, int *status)
{
	static const struct option table[] = {{"stats", optional_argument, NULL, 's'},
					      {"verify", no_argument, NULL, 'v'},
					      {"profile", required_argument, NULL, 'p'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	int found, before;

	*o = (struct options){0};
	*status = CLI_FAILED;
	while (before = optind, (found = getopt_long(argc, argv, "+:h", table, NULL)) != -1) {
		if (found == 'h') {
			*status = cli_print(usage);
			return false;
		}
		if (found == 'v') {
			o->verify = true;
		} else if (found == 'p') {
			o->profile = optarg;
		} else if (found != 's') {
			cli_misused(argv, found, before, option_names);
			return false;
		} else if (!read_stats(o, optarg)) {
			cli_complain("--stats=%s: text or json", optarg);
			return false;
		}
	}
	o->command = argv + optind;
	if (o->profile && !*o->profile)
		cli_complain("--profile needs the name of a file");
	else if (!*o->command)
		cli_complain("a command is missing: see fastpath run --help");
	else
		return true;
	return false;
}

static int run_observed(struct session *s, const struct options *o)
{
	struct outcome outcome;
	struct summary summary;
	const int keep[SUPERVISE_KEPT] = {s->lines, s->broker.control};
	int error = supervise(o->command, s->environment.entries, keep, NULL, &outcome);

	if (error) {
		cli_complain("no process for %s: %s", o->command[0], strerror(-error));
		return CLI_FAILED;
	}
	if (outcome.exec_error)
		return cli_not_run(o->command[0], outcome.exec_error);
	error = summary_collect(&summary,
				&(struct summary_sources){s->lines, s->broker.control, &outcome,
							  s->scope, s->why, o->verify});
	if (error)
		cli_complain("statistics: %s", strerror(-error));
	if (o->stats && o->json)
		summary_write_json(&summary);
	else if (o->stats)
		summary_write_text(&summary);
	else
		summary_write_verified(&summary);
	supervise_end_as(&outcome);
}

int run_main(int argc, char **argv)
{
	struct options o;
	struct session s;
	int status, error;

	if (!parse(&o, argc, argv, &status))
		return status;
	error = session_prepare(&s, &(struct session_options){.command = o.command[0],
							      .observed = o.stats || o.verify,
							      .reported = o.stats,
							      .verify = o.verify,
							      .profile = o.profile});
	if (error) {
		cli_complain("%s is not run: %s", o.command[0], strerror(-error));
		return CLI_FAILED;
	}
	if (o.stats || o.verify)
		return run_observed(&s, &o);
	(void)execvpe(o.command[0], o.command, s.environment.entries);
	return cli_not_run(o.command[0], errno);
}

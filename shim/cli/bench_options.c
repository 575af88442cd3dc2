/*
 * bench_options.c - fastpath bench: its command line.
 */
#include "cli/bench.h"

#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_LIMIT = 100000 };

const char bench_usage[] =
    "usage: fastpath bench [OPTION...] [NAME|GLOB...] | [OPTION...] -- CMD [ARG...]\n\n"
    "Runs workloads, or CMD without input, without and with fastpath by turns.\n\n"
    "  --list         the workloads\n"
    "  --quick        fewer pairs: all workloads in under two minutes, less sure\n"
    "  --pairs N      pairs of runs for each workload; fewer than 6 give no verdict\n"
    "  --scope SCOPE  tree (as fastpath run does; the default) or process\n"
    "  --suite DIR    the workloads in DIR too\n"
    "  --json FILE    all that was measured; - is standard output, without the table\n"
    "  --html FILE    a page\n"
    "  --output       let CMD's output through; without, it is discarded\n"
    "  -h, --help     this text\n\n"
    "The table: medians without (before) and with fastpath (after), their standard\n"
    "deviations; the median change over the pairs, its 95 % interval; how far runs\n"
    "of the same thing lie apart (noise). faster, slower: the interval excludes no\n"
    "change. cpu ms: CPU time of all processes, the broker's too; ops/cpu-s:\n"
    "operations a second of CPU time. Directories are made in $TMPDIR, /var/tmp or\n"
    "/tmp, the first that is no tmpfs. Exit status: 0; 1 when something that was run\n"
    "failed; 125 when fastpath did; 126, 127 when CMD cannot be run, is not found.\n";

static const char *const option_names[] = {"--list", "--quick", "--pairs",  "--scope", "--suite",
					   "--json", "--html",  "--output", "--help",  NULL};

static bool read_pairs(struct bench_options *o, const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || *end || end == text || n < 1 || n > PAIRS_LIMIT) {
		cli_complain("--pairs %s: a number from 1 to %d", text, PAIRS_LIMIT);
		return false;
	}
	o->pairs = (size_t)n;
	return true;
}

static bool read_scope(struct bench_options *o, const char *text)
{
	o->process = !strcmp(text, "process");
	if (o->process || !strcmp(text, "tree"))
		return true;
	cli_complain("--scope %s: tree or process", text);
	return false;
}

static bool take(struct bench_options *o, int found)
{
	switch (found) {
	case 'l':
		o->list = true;
		return true;
	case 'q':
		o->quick = true;
		return true;
	case 'o':
		o->output = true;
		return true;
	case 'h':
		o->help = true;
		return true;
	case 'p':
		return read_pairs(o, optarg);
	case 's':
		return read_scope(o, optarg);
	case 'S':
		o->suite = optarg;
		return true;
	case 'j':
		o->json = optarg;
		return true;
	default:
		o->html = optarg;
		return true;
	}
}

static bool is_sound(const struct bench_options *o)
{
	if (o->command && !*o->command)
		cli_complain("a command is missing: see fastpath bench --help");
	else if (o->command && *o->patterns)
		cli_complain("'%s' and a command: either workloads or a command", *o->patterns);
	else if (o->command && o->list)
		cli_complain("--list and a command: one or the other");
	else if (o->output && !o->command)
		cli_complain("--output is for a command of yours");
	else if ((o->json && !*o->json) || (o->html && !*o->html))
		cli_complain("%s needs the name of a file",
			     o->json && !*o->json ? "--json" : "--html");
	else
		return true;
	return false;
}

bool bench_parse(struct bench_options *o, int argc, char **argv)
{
	static const struct option table[] = {
	    {"list", no_argument, NULL, 'l'},        {"quick", no_argument, NULL, 'q'},
	    {"pairs", required_argument, NULL, 'p'}, {"scope", required_argument, NULL, 's'},
	    {"suite", required_argument, NULL, 'S'}, {"json", required_argument, NULL, 'j'},
	    {"html", required_argument, NULL, 'H'},  {"output", no_argument, NULL, 'o'},
	    {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0}};
	int found, before, words = 1;

	*o = (struct bench_options){0};
	while (words < argc && strcmp(argv[words], "--") != 0)
		words++;
	if (words < argc) {
		o->command = argv + words + 1;
		argv[words] = NULL;
	}
	while (before = optind, (found = getopt_long(words, argv, ":h", table, NULL)) != -1) {
		if (found == '?' || found == ':') {
			cli_misused(argv, found, before, option_names);
			return false;
		}
		if (!take(o, found))
			return false;
	}
	o->patterns = argv + optind;
	return o->help || is_sound(o);
}

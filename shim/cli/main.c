/*
 * main.c - the command `fastpath`: finds the subcommand and becomes it.
 *
 * A new subcommand is a row of the table and a file of its own.
 */
#include "cli/cli.h"

#include "base/attributes.h"
#include <fastpath.h>

#include <stdio.h>
#include <string.h>

static int help_main(int argc, char **argv);

static const struct cli_command commands[] = {
	{"run", "[OPTION...] [--] CMD [ARG...]", "run CMD and all it starts with cached lookups",
     run_main},
	{"audit", "[OPTION...] [--] CMD [ARG...]", "what CMD and all it starts ask the kernel of paths",
	 audit_main},
	{"report", "[--json] [--html FILE] [--top N] FILE...",
     "add up the statistics of many processes and runs", report_main},
	{"doctor", "[--json] [DIR...]", "what works here, and what to do about what does not",
     doctor_main},
	{"bench", "[OPTION...] [NAME|GLOB...] | [OPTION...] -- CMD [ARG...]",
	 "measure workloads, or CMD, without and with cached lookups", bench_main},
	{"help", "[SUBCOMMAND]", "this text, or a subcommand's", help_main},
};

static const struct cli_command *find(const char *name)
{
	for (size_t i = 0; i < array_size(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int unknown(const char *typed)
{
	const char *names[array_size(commands) + 3] = {NULL};

	if (typed[0] == '-') {
		names[0] = "--help";
		names[1] = "--version";
		return cli_unknown("option", typed, names);
	}
	for (size_t i = 0; i < array_size(commands); i++)
		names[i] = commands[i].name;
	return cli_unknown("subcommand", typed, names);
}

static int print_help(void)
{
	char text[4096];
	size_t used = 0;

	used += (size_t)snprintf(
		text, sizeof text,
		"usage: fastpath SUBCOMMAND [ARGUMENT...]\n\n"
		"Answers failing path lookups without a system call, and never stale.\n\n");
	for (size_t i = 0; i < array_size(commands); i++)
		used += (size_t)snprintf(text + used, sizeof text - used,
					 "  fastpath %s %s\n      %s\n", commands[i].name,
					 commands[i].arguments, commands[i].does);
	(void)snprintf(
		text + used, sizeof text - used,
		"\n  fastpath SUBCOMMAND --help\n  fastpath --version\n\n"
		"Exit status: the command's own; 125: fastpath failed; 126: the command cannot be\n"
		"run; 127: it is not found. FASTPATH=0 in the environment switches fastpath off.\n");
	return cli_print(text);
}

static int help_main(int argc, char **argv)
{
	const struct cli_command *c;
	char name[16], option[] = "--help";
	char *arguments[] = {name, option, NULL};

	if (argc < 2 || argv[1][0] == '-')
		return print_help();
	c = find(argv[1]);
	if (!c)
		return unknown(argv[1]);
	if (c->run == help_main)
		return print_help();
	(void)snprintf(name, sizeof name, "%s", c->name);
	return c->run(2, arguments);
}

int main(int argc, char **argv)
{
	const struct cli_command *c;

	cli_start();
	if (argc < 2) {
		cli_complain("a subcommand is missing: see fastpath --help");
		return CLI_FAILED;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return print_help();
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return cli_print("fastpath " FASTPATH_VERSION "\n");
	c = find(argv[1]);
	return c ? c->run(argc - 1, argv + 1) : unknown(argv[1]);
}

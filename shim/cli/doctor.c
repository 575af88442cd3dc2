/*
 * doctor.c - fastpath doctor: tries for real what fastpath needs, and says what to do about what
 * does not work. Changes nothing but a temporary directory of its own.
 */
#include "cli/doctor.h"

#include "cli/cli.h"
#include "cli/member.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "usage: fastpath doctor [--json] [DIR...]\n\n"
    "Says whether fastpath works here, how well, and what to do about it: the bells,\n"
    "the limits of inotify, the loader, tracing, and of each directory of PATH, the\n"
    "current one and DIRs whether lookups in it are answered, or why not.\n\n"
    "  --json      one JSON object instead of text\n"
    "  -h, --help  this text\n\n"
    "Exit status: 0: all is well; 1: there is a problem; 125: fastpath failed.\n";

static const char *const option_names[] = {"--json", "--help", NULL};
static const char *const verdicts[] = {"ok", "note", "problem"};

/* JSON is UTF-8, a path any bytes: a question mark for each that is not ASCII if it is not. */
static json_t *text_of(const char *text)
{
	json_t *s = json_string(text);
	char *ascii = s ? NULL : strdup(text);

	if (!ascii)
		return s;
	for (char *c = ascii; *c; c++)
		if (*c & 0x80)
			*c = '?';
	s = json_string(ascii);
	free(ascii);
	return s;
}

void doctor_say(struct doctor *d, enum verdict verdict, const char *check, const char *subject,
		const char *fix, const char *format, ...)
{
	json_t *finding = json_object();
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	member_set_string(finding, "check", check);
	if (subject)
		(void)member_set_new(finding, "subject", text_of(subject));
	member_set_string(finding, "verdict", verdicts[verdict]);
	(void)member_set_new(finding, "text", text_of(text ? text : ""));
	if (fix)
		(void)member_set_new(finding, "fix", text_of(fix));
	(void)json_array_append_new(d->findings, finding);
	d->count[verdict]++;
	free(text);
}

bool doctor_read(const char *file, char *out, size_t size)
{
	FILE *f = fopen(file, "re");
	bool good = f && fgets(out, (int)size, f);

	if (f)
		(void)fclose(f);
	if (good)
		out[strcspn(out, "\n")] = 0;
	return good;
}

long doctor_read_number(const char *file)
{
	char text[32];

	return doctor_read(file, text, sizeof text) && isdigit((unsigned char)*text)
		   ? strtol(text, NULL, 10)
		   : -1;
}

const char *doctor_quote(char *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._+-,@%=:";
	char *end = out;

	if (*text && !text[strspn(text, plain)]) {
		(void)stpcpy(out, text);
		return out;
	}
	*end++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			end = stpcpy(end, "'\\'");
		*end++ = *text;
	}
	(void)stpcpy(end, "'");
	return out;
}

static void put_finding(FILE *f, const json_t *finding)
{
	const char *subject = member_string(finding, "subject"),
		   *fix = member_string(finding, "fix");

	(void)fprintf(f, "%-7s  %s", member_string(finding, "verdict"),
		      member_string(finding, "check"));
	if (*subject)
		(void)fputc(' ', f), cli_put_path(f, subject);
	(void)fputs(": ", f);
	cli_put_path(f, member_string(finding, "text"));
	if (*fix)
		(void)fputs("\n         fix: ", f), cli_put_path(f, fix);
	(void)fputc('\n', f);
}

static int print_text(const struct doctor *d)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	int status = CLI_FAILED;

	for (size_t i = 0; f && i < json_array_size(d->findings); i++)
		put_finding(f, json_array_get(d->findings, i));
	if (f)
		(void)fprintf(f, "%d ok, %d notes, %d problems\n", d->count[VERDICT_OK],
			      d->count[VERDICT_NOTE], d->count[VERDICT_PROBLEM]);
	if (!f || fclose(f))
		cli_complain("no memory for the findings");
	else
		status = cli_print(text);
	free(text);
	return status;
}

static int print_json(const struct doctor *d)
{
	json_t *all = json_object(), *sums;
	int status;

	member_set_number(all, "fastpath", 1);
	sums = member_set_new(all, "doctor", json_object());
	for (int i = 0; i < 3; i++)
		member_set_number(sums, verdicts[i], d->count[i]);
	member_set_string(sums, "bell", d->page_bell ? "page" : d->any_bell ? "epoll" : "none");
	(void)json_object_set(all, "findings", d->findings);
	status = member_print(all);
	json_decref(all);
	return status;
}

/* Returns true when there is something to be checked, else *status is the exit status. */
static bool parse(bool *json, int argc, char **argv, int *status)
{
	static const struct option table[] = {
	    {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	int found, before;
	struct stat s;

	*status = CLI_FAILED;
	while (before = optind, (found = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
		if (found == 'h') {
			*status = cli_print(usage);
			return false;
		}
		if (found != 'j') {
			cli_misused(argv, found, before, option_names);
			return false;
		}
		*json = true;
	}
	for (char **directory = argv + optind; *directory; directory++) {
		int error = stat(*directory, &s) ? errno : S_ISDIR(s.st_mode) ? 0 : ENOTDIR;

		if (error) {
			cli_complain("%s: %s", *directory, strerror(error));
			return false;
		}
	}
	return true;
}

int doctor_main(int argc, char **argv)
{
	struct doctor d = {.findings = json_array()};
	bool json = false;
	int status;

	if (!parse(&json, argc, argv, &status))
		return status;
	doctor_settings(&d);
	doctor_kernel(&d);
	doctor_bells(&d);
	doctor_limits(&d);
	doctor_loader(&d);
	doctor_programs(&d);
	doctor_tracing(&d);
	doctor_places(&d, argv + optind);
	status = json ? print_json(&d) : print_text(&d);
	json_decref(d.findings);
	return status ? status : d.count[VERDICT_PROBLEM] != 0;
}

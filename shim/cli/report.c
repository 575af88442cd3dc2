/*
 * report.c - fastpath report: adds up the statistics in files.
 */
#include "cli/report.h"

#include "cli/cli.h"
#include "cli/page.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_ROWS = 10, PAGE_ROWS = 200, NAMED_LINES = 20 };

struct options {
	bool json;
	const char *html;
	size_t top; /* 0: not given */
	char **files;
};

static const char usage[] =
    "usage: fastpath report [OPTION...] FILE...\n\n"
    "Adds up the statistics in FILEs, by program and by directory: lines of\n"
    "FASTPATH_STATS, of fastpath run --stats=json and of fastpath report --json.\n"
    "FILE - is standard input.\n\n"
    "  --json       one JSON object instead of text\n"
    "  --html FILE  an HTML page instead of text; - is standard output\n"
    "  --top N      rows of each table; by default 10, of a page 200, of JSON all\n"
    "  -h, --help   this text\n\n"
    "Exit status: 0; 1 when lines that are no statistics were named and skipped; 125\n"
    "when fastpath failed.\n";

static const char *const option_names[] = {"--json", "--html", "--top", "--help", NULL};

/* Returns 0: that is no number of rows. */
static size_t read_top(const char *text)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	return *text < '0' || *text > '9' || *end || errno || n > 1000000000 ? 0 : n;
}

/* Returns true when there is something to be read, else *status is the exit status. */
static bool parse(struct options *o, int argc, char **argv, int *status)
{
	static const struct option table[] = {{"json", no_argument, NULL, 'j'},
					      {"html", required_argument, NULL, 'H'},
					      {"top", required_argument, NULL, 't'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	int found, before;

	*o = (struct options){0};
	*status = CLI_FAILED;
	while (before = optind, (found = getopt_long(argc, argv, ":h", table, NULL)) != -1) {
		switch (found) {
		case 'h':
			*status = cli_print(usage);
			return false;
		case 'j':
			o->json = true;
			break;
		case 'H':
			o->html = optarg;
			break;
		case 't':
			o->top = read_top(optarg);
			if (o->top)
				break;
			cli_complain("--top %s: how many rows? 1 or more", optarg);
			return false;
		default:
			cli_misused(argv, found, before, option_names);
			return false;
		}
	}
	o->files = argv + optind;
	if (o->html && !*o->html)
		cli_complain("--html needs the name of a file");
	else if (o->html && o->json && !strcmp(o->html, "-"))
		cli_complain("--json and --html - both go to standard output");
	else if (!*o->files)
		cli_complain("a file is missing: see fastpath report --help");
	else
		return true;
	return false;
}

static bool is_blank(const char *line)
{
	return !line[strspn(line, " \t\r\n")];
}

/* Returns 0 or -errno. */
static int read_lines(struct report *r, FILE *f, const char *name)
{
	char *line = NULL;
	size_t room = 0;
	uint64_t number = 0, skipped = 0;
	ssize_t n;
	int error = 0;

	while (!error && (errno = 0, n = getline(&line, &room, f)) >= 0) {
		number++;
		if (is_blank(line) && (size_t)n == strlen(line))
			continue;
		if (line[n - 1] == '\n')
			n--;
		error = statistics_add(&r->all, (uint32_t)r->files, line, (size_t)n);
		if (error != -EINVAL)
			continue;
		error = 0;
		if (++skipped <= NAMED_LINES)
			cli_complain("%s:%llu: not a line of statistics, skipped", name,
				     (unsigned long long)number);
	}
	if (!error && !feof(f))
		error = errno ? -errno : -EIO;
	if (skipped > NAMED_LINES)
		cli_complain("%s: and %llu more lines, skipped", name,
			     (unsigned long long)(skipped - NAMED_LINES));
	r->skipped += skipped;
	free(line);
	return error;
}

/* Returns 0 or -errno. */
static int read_file(struct report *r, const char *name)
{
	bool is_stdin = !strcmp(name, "-");
	FILE *f = is_stdin ? stdin : fopen(name, "re");
	int error;

	if (!f)
		return -errno;
	(void)setvbuf(f, NULL, _IOFBF, 1 << 18); /* else in small pieces */
	error = read_lines(r, f, is_stdin ? "standard input" : name);
	if (!is_stdin)
		(void)fclose(f);
	r->files++;
	return error;
}

static int write_page(struct report *r, const struct options *o)
{
	int error;

	r->top = o->top ? o->top : PAGE_ROWS;
	error = report_write_page(r, o->html);
	if (error)
		cli_complain("%s: %s", o->html, strerror(-error));
	return error ? CLI_FAILED : 0;
}

static int print(struct report *r, const struct options *o)
{
	r->top = o->top ? o->top : o->json ? SIZE_MAX : TEXT_ROWS;
	return o->json ? report_print_json(r) : report_print_text(r);
}

int report_main(int argc, char **argv)
{
	struct options o;
	struct report r = {0};
	int status, error;

	if (!parse(&o, argc, argv, &status))
		return status;
	error = o.html ? page_check(o.html) : 0;
	if (error) {
		cli_complain("%s: %s", o.html, strerror(-error));
		return CLI_FAILED;
	}
	for (char **file = o.files; *file; file++) {
		error = read_file(&r, *file);
		if (error) {
			cli_complain("%s: %s", *file, strerror(-error));
			return CLI_FAILED;
		}
	}
	statistics_end(&r.all);
	status = o.html ? write_page(&r, &o) : 0;
	if (!status && (o.json || !o.html))
		status = print(&r, &o);
	return status ? status : r.skipped != 0;
}

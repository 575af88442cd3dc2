/*
 * message.c - what is said to the user, and where.
 *
 * Descriptor 2 may be closed when we start, and then become something else's.
 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	bool open;
	dev_t dev;
	ino_t ino;
} error_file;

void cli_start(void)
{
	struct stat s;

	error_file.open = !fstat(2, &s);
	if (!error_file.open)
		return;
	error_file.dev = s.st_dev;
	error_file.ino = s.st_ino;
}

static bool error_file_is_ours(void)
{
	struct stat s;

	return error_file.open && !fstat(2, &s) && s.st_dev == error_file.dev &&
	       s.st_ino == error_file.ino;
}

int cli_write(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			text += n, bytes -= (size_t)n;
	}
	return 0;
}

void cli_write_error(const char *text, size_t bytes)
{
	if (error_file_is_ours())
		(void)cli_write(2, text, bytes); /* there is nobody left to tell */
}

size_t cli_character(const char *text, size_t bytes)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = *s < 0x80   ? 1
		   : *s < 0xc2 ? 0
		   : *s < 0xe0 ? 2
		   : *s < 0xf0 ? 3
		   : *s < 0xf5 ? 4
			       : 0;
	uint32_t c = n > 1 ? *s & (0xffU >> (n + 1)) : *s;

	if (!n || n > bytes)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < lowest[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c < 0x20 ||
	    (c >= 0x7f && c < 0xa0))
		return 0;
	if (c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	    (c >= 0x2066 && c <= 0x2069))
		return 0;
	return n;
}

void cli_put_path(FILE *f, const char *path)
{
	size_t left = strlen(path), n;

	for (; left; path += n, left -= n) {
		n = cli_character(path, left);
		if (n)
			(void)fwrite(path, 1, n, f);
		else
			(void)fputc('?', f), n = 1;
	}
}

void cli_complain(const char *format, ...)
{
	char line[8192] = "fastpath: ";
	size_t used = strlen(line), room = sizeof line - used - 1;
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = vsnprintf(line + used, room, format, arguments);
	va_end(arguments);
	if (n < 0)
		return;
	used += (size_t)n < room ? (size_t)n : room - 1;
	for (size_t i = 0, length; i < used; i += length) {
		length = cli_character(line + i, used - i);
		if (!length)
			line[i] = '?', length = 1;
	}
	line[used++] = '\n';
	cli_write_error(line, used);
}

int cli_print(const char *text)
{
	int error = cli_write(1, text, strlen(text));

	if (!error)
		return 0;
	cli_complain("standard output: %s", strerror(-error));
	return CLI_FAILED;
}

int cli_not_run(const char *command, int error)
{
	cli_complain("%s: %s", command, strerror(error));
	return error == ENOENT ? CLI_NOT_FOUND : CLI_NOT_EXECUTABLE;
}

enum { NAME_LONGEST = 32 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* How many letters must be changed, added, left out, or swapped with the next (Damerau's distance,
 * optimal string alignment). */
static unsigned distance(const char *a, const char *b)
{
	unsigned d[NAME_LONGEST + 1][NAME_LONGEST + 1];
	size_t m = strlen(a), n = strlen(b);

	if (m > NAME_LONGEST || n > NAME_LONGEST)
		return NAME_LONGEST;
	for (size_t i = 0; i <= m; i++)
		for (size_t j = 0; j <= n; j++) {
			if (!i || !j) {
				d[i][j] = (unsigned)(i + j);
				continue;
			}
			d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
					d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[m][n];
}

int cli_unknown(const char *what, const char *typed, const char *const *names)
{
	/* Half of the letters, dashes not counted, may be wrong: else it is another word. */
	unsigned best = (unsigned)(strlen(typed) - strspn(typed, "-")) / 2 + 1;
	const char *nearest = NULL;

	for (; *names; names++) {
		unsigned d = distance(typed, *names);

		if (d < best)
			best = d, nearest = *names;
	}
	if (nearest)
		cli_complain("unknown %s '%s': is '%s' meant?", what, typed, nearest);
	else
		cli_complain("unknown %s '%s': see fastpath --help", what, typed);
	return CLI_FAILED;
}

void cli_misused(char **argv, int found, int before, const char *const *names)
{
	char letter[3] = {'-', (char)optopt, 0};
	const char *typed = argv[optind > before ? optind - 1 : before];
	bool is_long = !strncmp(typed, "--", 2);

	if (found == ':')
		cli_complain("option '%s' needs an argument: see fastpath %s --help", typed,
			     argv[0]);
	else if (is_long && optopt)
		cli_complain("option '%s' takes no argument", typed);
	else
		(void)cli_unknown("option", is_long ? typed : letter, names);
}

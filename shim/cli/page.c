/*
 * page.c - an HTML page: its frame, its paragraphs, and how it gets into its file.
 *
 * The page is made in memory. Its policy allows the one style and the one script that carry a
 * random nonce, and no request to anywhere: a name that got through the escaping could still run
 * nothing.
 */
#include "cli/page.h"

#include "cli/cli.h"

#include <errno.h>
#include <fastpath.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

void page_fail(struct page *p, int error)
{
	if (!p->error)
		p->error = error;
}

/* Into memory: running out of it shows at fclose(). */
void page_put(struct page *p, const char *format, ...)
{
	va_list arguments;

	if (!p->f)
		return;
	va_start(arguments, format);
	(void)vfprintf(p->f, format, arguments);
	va_end(arguments);
}

void page_put_escaped(struct page *p, const char *text, size_t bytes, bool breaks)
{
	while (bytes) {
		size_t n = cli_character(text, bytes);

		if (!n)
			page_put(p, "?");
		else if (strchr("&<>\"'", *text))
			page_put(p, "&#%d;", *text);
		else
			page_put(p, "%.*s%s", (int)n, text, breaks && *text == '/' ? "<wbr>" : "");
		n += !n;
		text += n;
		bytes -= n;
	}
}

static void put_text(struct page *p, const char *text)
{
	page_put_escaped(p, text, strlen(text), true);
}

/* With a comma after each three digits. */
void page_put_number(struct page *p, double value, int decimals, const char *unit)
{
	char digits[400];
	size_t whole;

	if (!isfinite(value)) {
		page_put(p, "&ndash;");
		return;
	}
	(void)snprintf(digits, sizeof digits, "%.*f", decimals, fabs(value));
	whole = strcspn(digits, ".");
	if (value < 0 && strpbrk(digits, "123456789"))
		page_put(p, "&minus;");
	for (size_t i = 0; digits[i]; i++)
		page_put(p, "%s%c", i && i < whole && !((whole - i) % 3) ? "," : "", digits[i]);
	if (unit && *unit) {
		page_put(p, "&nbsp;");
		put_text(p, unit);
	}
}

void page_begin_element(struct page *p)
{
	if (p->in_facts)
		page_put(p, "</dl>\n");
	p->in_facts = false;
}

void page_fact(struct page *p, const char *name, const char *value)
{
	if (!p->in_facts)
		page_put(p, "<dl>\n");
	p->in_facts = true;
	page_put(p, "<dt>");
	put_text(p, name);
	page_put(p, "</dt><dd>");
	put_text(p, value);
	page_put(p, "</dd>\n");
}

static void put_element(struct page *p, const char *element, const char *text)
{
	page_begin_element(p);
	page_put(p, "<%s>", element);
	put_text(p, text);
	page_put(p, "</%s>\n", element);
}

void page_heading(struct page *p, const char *text)
{
	put_element(p, "h2", text);
}

void page_note(struct page *p, const char *text)
{
	put_element(p, "p", text);
}

static bool is_stdout(const char *file)
{
	return !strcmp(file, "-");
}

/* Where the page goes: through a symlink to what it names. NULL: no memory. */
static char *target(const char *file)
{
	char *real = is_stdout(file) ? NULL : realpath(file, NULL);

	return real ? real : strdup(file);
}

static bool is_written_into(const char *file)
{
	struct stat s;

	return is_stdout(file) || (!stat(file, &s) && !S_ISREG(s.st_mode));
}

/* A new file beside `file`. Returns its descriptor or -errno; *name is to be freed in any case. */
static int make_temporary(const char *file, char **name)
{
	mode_t mask;
	int fd;

	if (asprintf(name, "%s.XXXXXX", file) < 0) {
		*name = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	mask = umask(0);
	(void)umask(mask);
	(void)fchmod(fd, 0666 & ~mask); /* EPERM on file systems without modes */
	return fd;
}

int page_check(const char *file)
{
	char *real = target(file), *temporary = NULL;
	struct stat s;
	int fd;

	if (!real)
		return -ENOMEM;
	if (is_stdout(real))
		fd = 0;
	else if (!stat(real, &s) && !S_ISREG(s.st_mode))
		fd = S_ISDIR(s.st_mode) ? -EISDIR : access(real, W_OK) ? -errno : 0;
	else if ((fd = make_temporary(real, &temporary)) >= 0)
		(void)unlink(temporary), (void)close(fd);
	free(temporary);
	free(real);
	return fd < 0 ? fd : 0;
}

int page_begin(struct page *p, const char *file, const char *title)
{
	uint64_t nonce[2];

	*p = (struct page){.bar_to = 1, .bar_mark = NAN};
	p->file = target(file);
	if (p->file)
		p->f = open_memstream(&p->text, &p->bytes);
	if (!p->f)
		page_fail(p, -ENOMEM);
	else if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce)
		page_fail(p, -EIO);
	if (p->error)
		return p->error;
	page_put(p,
		 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		 "base-uri 'none'; form-action 'none'; style-src 'nonce-%1$016" PRIx64
		 "%2$016" PRIx64 "'; script-src 'nonce-%1$016" PRIx64 "%2$016" PRIx64 "'\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		 "<meta name=\"color-scheme\" content=\"light dark\">\n"
		 "<meta name=\"generator\" content=\"fastpath " FASTPATH_VERSION "\">\n<title>",
		 nonce[0], nonce[1]);
	page_put_escaped(p, title, strlen(title), false);
	page_put(p,
		 "</title>\n<style nonce=\"%1$016" PRIx64 "%2$016" PRIx64 "\">\n%3$s</style>\n"
		 "<script nonce=\"%1$016" PRIx64 "%2$016" PRIx64 "\">\n%4$s</script>\n"
		 "</head>\n<body>\n<main>\n",
		 nonce[0], nonce[1], page_style, page_script);
	put_element(p, "h1", title);
	return 0;
}

/* Returns 0 or -errno. */
static int write_into(const struct page *p)
{
	int fd, error;

	if (is_stdout(p->file))
		return cli_write(STDOUT_FILENO, p->text, p->bytes);
	fd = open(p->file, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	error = cli_write(fd, p->text, p->bytes);
	return close(fd) && !error ? -errno : error;
}

/* Returns 0 or -errno. */
static int write_and_rename(const struct page *p)
{
	char *temporary;
	int fd = make_temporary(p->file, &temporary), error = fd;

	if (fd >= 0) {
		error = cli_write(fd, p->text, p->bytes);
		if (close(fd) && !error)
			error = -errno;
		if (!error && rename(temporary, p->file))
			error = -errno;
		if (error)
			(void)unlink(temporary);
	}
	free(temporary);
	return error;
}

int page_end(struct page *p)
{
	page_begin_element(p);
	page_put(p, "</main>\n<footer>fastpath " FASTPATH_VERSION "</footer>\n</body>\n</html>\n");
	if (p->f && fclose(p->f))
		page_fail(p, -ENOMEM);
	if (!p->error)
		page_fail(p, is_written_into(p->file) ? write_into(p) : write_and_rename(p));
	free(p->text);
	free(p->file);
	p->f = NULL;
	return p->error;
}

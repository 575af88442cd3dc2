/*
 * HTML pages: what is escaped, how numbers look, and how a page gets into its file.
 */
#include "test.h"

#include "cli/page.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

static char directory[] = "/tmp/fastpath-page.XXXXXX";
static char file[64], written[1 << 16];

static const struct page_column columns[] = {
    {"name", PAGE_TEXT}, {"number", PAGE_NUMBER}, {"bar", PAGE_BAR}};

static void enter(void)
{
	strcpy(directory + sizeof directory - 7, "XXXXXX");
	CHECK(mkdtemp(directory));
	snprintf(file, sizeof file, "%s/page.html", directory);
}

static void leave(void)
{
	char command[96];

	snprintf(command, sizeof command, "rm -rf %s", directory);
	CHECK_EQ(system(command), 0);
}

static size_t files(void)
{
	char pattern[64];
	glob_t found;
	size_t n;

	snprintf(pattern, sizeof pattern, "%s/*", directory);
	n = glob(pattern, 0, NULL, &found) ? 0 : found.gl_pathc;
	globfree(&found);
	return n;
}

static void read_file(void)
{
	FILE *f = fopen(file, "r");
	size_t n;

	CHECK(f);
	n = fread(written, 1, sizeof written - 1, f);
	written[n] = 0;
	fclose(f);
}

static void begin(struct page *p)
{
	enter();
	CHECK_EQ(page_begin(p, file, "title"), 0);
}

static void end(struct page *p)
{
	CHECK_EQ(page_end(p), 0);
	read_file();
	leave();
}

/* What becomes of the text in a page. */
static const char *escaped(const char *text)
{
	static char between[512];
	struct page p;
	const char *from, *to;

	begin(&p);
	page_heading(&p, text);
	end(&p);
	from = strstr(written, "<h2>");
	to = strstr(written, "</h2>");
	CHECK(from && to && to - from < 500);
	snprintf(between, sizeof between, "%.*s", (int)(to - from - 4), from + 4);
	return between;
}

#define CHECK_ESCAPED(text, want)                                                                  \
	do {                                                                                       \
		const char *got_ = escaped(text);                                                  \
		CHECKF(!strcmp(got_, want), "%s became %s, must be %s", #text, got_, want);        \
	} while (0)

TEST(what_HTML_would_obey_is_escaped)
{
	CHECK_ESCAPED("a&b<c>d\"e'f", "a&#38;b&#60;c&#62;d&#34;e&#39;f");
	CHECK_ESCAPED("</h2><script>", "&#60;/<wbr>h2&#62;&#60;script&#62;");
	CHECK_ESCAPED("&lt;", "&#38;lt;");
}

TEST(control_characters_are_question_marks)
{
	CHECK_ESCAPED("a\033[31mb\tc\nd\177", "a?[31mb?c?d?");
	CHECK_ESCAPED("\302\205x", "??x");        /* U+0085, C1 */
	CHECK_ESCAPED("a\342\200\256b", "a???b"); /* U+202E, right to left */
	CHECK_ESCAPED("a\342\201\246b\342\200\213",
		      "a???b\342\200\213"); /* U+2066; U+200B is harmless */
}

TEST(broken_UTF8_is_question_marks)
{
	CHECK_ESCAPED("a\377b\200c", "a?b?c");
	CHECK_ESCAPED("\303", "?");                /* cut short */
	CHECK_ESCAPED("\300\257", "??");           /* overlong */
	CHECK_ESCAPED("\355\240\200", "???");      /* a surrogate */
	CHECK_ESCAPED("\364\220\200\200", "????"); /* beyond U+10FFFF */
	CHECK_ESCAPED("\360\237\230\200\303\251", "\360\237\230\200\303\251");
}

TEST(paths_may_break_at_their_slashes)
{
	CHECK_ESCAPED("/usr/lib", "/<wbr>usr/<wbr>lib");
}

static const char *number(double value, int decimals, const char *unit)
{
	static char cell[128];
	struct page p;
	const char *from, *to;

	begin(&p);
	page_table_begin(&p, columns, 3);
	page_cell_text(&p, "x");
	page_cell_number(&p, value, decimals, unit);
	page_row_end(&p);
	page_table_end(&p);
	end(&p);
	from = strstr(written, "<td class=\"n\"");
	CHECK(from);
	to = strstr(from, "</td>");
	CHECK(to);
	snprintf(cell, sizeof cell, "%.*s", (int)(to - from - 13), from + 13);
	return cell;
}

#define CHECK_NUMBER(value, decimals, unit, want)                                                  \
	do {                                                                                       \
		const char *got_ = number(value, decimals, unit);                                  \
		CHECKF(!strcmp(got_, want), "%s became %s, must be %s", #value, got_, want);       \
	} while (0)

TEST(numbers_are_grouped_and_keep_their_value_for_sorting)
{
	CHECK_NUMBER(0, 0, NULL, " data-v=\"0\">0");
	CHECK_NUMBER(999, 0, "", " data-v=\"999\">999");
	CHECK_NUMBER(1234567, 0, NULL, " data-v=\"1234567\">1,234,567");
	CHECK_NUMBER(-1234.56, 1, "ms", " data-v=\"-1234.56\">&minus;1,234.6&nbsp;ms");
	CHECK_NUMBER(-0.01, 1, NULL, " data-v=\"-0.01\">0.0");
	CHECK_NUMBER(NAN, 2, "ms", " data-v=\"none\">&ndash;");
}

TEST(bars_stay_on_their_scale)
{
	struct page p;

	begin(&p);
	page_table_begin(&p, columns + 2, 1);
	page_bar_scale(&p, 0, 2, 1);
	page_cell_bar(&p, 5, -1, 1.5, "l");
	page_row_end(&p);
	page_bar_scale(&p, 1, 1, NAN); /* no width at all */
	page_cell_bar(&p, 1, NAN, NAN, NULL);
	page_row_end(&p);
	page_table_end(&p);
	end(&p);
	CHECK(strstr(written, "class=\"v\" width=\"100.00%\""));
	CHECK(strstr(written, "class=\"i\" x=\"0.00%\" y=\"5\" width=\"75.00%\""));
	CHECK(strstr(written, "x1=\"50.00%\" x2=\"50.00%\""));
	CHECK(strstr(written, "class=\"v\" width=\"0.00%\""));
}

TEST(a_flame_graph_adds_up_what_has_the_same_callers)
{
	static const char *const stacks[] = {"a;b", "a;c", "d", "a;b", "a;b;c", "<x>"};
	static const double values[] = {1, 2, 4, 1, 1, -1};
	struct page p;

	begin(&p);
	page_flame(&p, "", stacks, values, 6);
	end(&p);
	CHECK(strstr(written, "<title>all: 9 (100.0&nbsp;%)"));
	CHECK(
	    strstr(written, "x=\"0.000%\" y=\"18\" width=\"55.556%\" height=\"18\"><title>a: 5 "));
	CHECK(
	    strstr(written, "x=\"33.333%\" y=\"36\" width=\"22.222%\" height=\"18\"><title>c: 2 "));
	CHECK(
	    strstr(written, "x=\"55.556%\" y=\"18\" width=\"44.444%\" height=\"18\"><title>d: 4 "));
	CHECK(strstr(written, "height=\"72\">"));
	CHECK(!strstr(written, "x&#62;")); /* nothing was spent there */
}

TEST(no_stacks_make_no_flame_graph)
{
	struct page p;

	begin(&p);
	page_flame(&p, "ms", NULL, NULL, 0);
	end(&p);
	CHECK(!strstr(written, "class=\"flame\""));
}

TEST(a_page_replaces_its_file_and_leaves_nothing_else)
{
	struct page p;
	struct stat s;

	enter();
	CHECK_EQ(close(open(file, O_CREAT | O_WRONLY, 0600)), 0);
	CHECK_EQ(page_check(file), 0);
	CHECK_EQ(files(), 1);
	CHECK_EQ(page_begin(&p, file, "title"), 0);
	CHECK_EQ(page_end(&p), 0);
	CHECK_EQ(files(), 1);
	CHECK(!stat(file, &s) && s.st_size > 1000);
	leave();
}

TEST(a_page_follows_a_symlink_to_its_file)
{
	char link[80];
	struct page p;
	struct stat s;

	enter();
	snprintf(link, sizeof link, "%s/link", directory);
	CHECK_EQ(close(open(file, O_CREAT | O_WRONLY, 0600)), 0);
	CHECK_EQ(symlink("page.html", link), 0);
	CHECK_EQ(page_begin(&p, link, "title"), 0);
	CHECK_EQ(page_end(&p), 0);
	CHECK(!lstat(link, &s) && S_ISLNK(s.st_mode));
	CHECK(!stat(file, &s) && s.st_size > 1000);
	leave();
}

TEST(a_page_that_cannot_be_written_leaves_nothing)
{
	struct page p;

	enter();
	CHECK_EQ(mkdir(file, 0700), 0); /* a directory is in its place */
	CHECK_EQ(page_check(file), -EISDIR);
	CHECK_EQ(page_begin(&p, file, "title"), 0);
	CHECK_EQ(page_end(&p), -EISDIR);
	CHECK_EQ(files(), 1);
	leave();
	CHECK_EQ(page_check(file), -ENOENT);
	CHECK_EQ(page_begin(&p, file, "title"), 0);
	CHECK_EQ(page_end(&p), -ENOENT);
}

TEST(a_page_goes_into_a_device)
{
	struct page p;
	struct stat s;

	CHECK_EQ(page_check("/dev/null"), 0);
	CHECK_EQ(page_begin(&p, "/dev/null", "title"), 0);
	CHECK_EQ(page_end(&p), 0);
	CHECK(!stat("/dev/null", &s) && S_ISCHR(s.st_mode));
	CHECK_EQ(page_begin(&p, "/dev/full", "title"), 0);
	CHECK_EQ(page_end(&p), -ENOSPC);
}

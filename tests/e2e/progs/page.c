/* link: -D_GNU_SOURCE -Ishim shim/cli/page*.c shim/cli/message.c -lm */
/*
 * page.c - writes an HTML page that has everything a page can have, hostile names included, into
 * the file named by its argument; for pages.sh.
 */
#include "cli/page.h"

#include <math.h>
#include <stdio.h>

/* The numbers in the second column are in no order; -1: none. */
static const struct {
	const char *name;
	double number;
} rows[] = {
    {"/usr/lib/gcc/x86_64-linux-gnu/12/cc1", 70},
    {"</td></table><script>document.title='obeyed'</script>", 9},
    {"<img src=x onerror=\"document.title='obeyed'\">", 1000},
    {"\"'><svg onload=document.title='obeyed'>", -1},
    {"&lt;b&gt; \033[31mred \302\205 \342\200\256 \377", 200},
    {"/a/very/long/path/that/goes/on/and/on/with_a_very_long_name_that_has_no_breaks_at_all_"
     "and_is_longer_than_a_phone_is_wide",
     8},
    {"javascript:document.title='obeyed'", 3000.5},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void put_table(struct page *p)
{
	static const struct page_column columns[] = {{"name", PAGE_TEXT},
						     {"number", PAGE_NUMBER},
						     {"another number", PAGE_NUMBER},
						     {"a third number", PAGE_NUMBER},
						     {"ratio", PAGE_BAR}};

	page_table_begin(p, columns, 5);
	page_bar_scale(p, 0, 1.4, 1);
	for (int i = 0; i < ROWS; i++) {
		double ratio = 0.4 + 0.15 * i;
		char label[64];

		(void)snprintf(label, sizeof label, "%.2f (%.2f to %.2f)", ratio, ratio - 0.05,
			       ratio + 0.08);
		page_cell_text(p, rows[i].name);
		page_cell_number(p, rows[i].number < 0 ? NAN : rows[i].number, 1, "ms");
		page_cell_number(p, 1234567.0 / (i + 1), 0, NULL);
		page_cell_number(p, -i, 0, NULL);
		page_cell_bar(p, ratio, ratio - 0.05, ratio + 0.08, label);
		page_row_end(p);
	}
	page_table_end(p);
}

int main(int argc, char **argv)
{
	static const struct page_column one[] = {{"nothing", PAGE_TEXT}};
	const char *stacks[ROWS + 3] = {"cc1;main;toplev_main;do_compile;open_file;open",
					"cc1;main;toplev_main;do_compile;find_file_in_dir;stat",
					"ld;main;ldlang_add_file;open"};
	double values[ROWS + 3] = {4000, 2305.25, 1200};
	struct page p;

	if (argc != 2)
		return 2;
	for (int i = 0; i < ROWS; i++) {
		stacks[i + 3] = rows[i].name;
		values[i + 3] = rows[i].number;
	}
	(void)page_begin(&p, argv[1], "fastpath: <script>document.title='obeyed'</script>");
	page_fact(&p, "command", "make -j2 CFLAGS='-O2 -g' \"<b>\"");
	page_fact(&p, "kernel",
		  "Linux 6.18.0-a-rather-long-name-of-a-kernel #1 SMP PREEMPT_DYNAMIC");
	page_note(&p, "What each program asked for, and what was answered without the kernel.");
	page_heading(&p, "Programs");
	put_table(&p);
	page_heading(&p, "Nothing");
	page_table_begin(&p, one, 1);
	page_table_end(&p);
	page_heading(&p, "Callers");
	page_flame(&p, "ms", stacks, values, ROWS + 3);
	return page_end(&p) ? 1 : 0;
}

/*
 * page.h - one HTML page, in one file: readable without a script, without a network, on a phone and
 * on paper. page.c writes it, page_table.c its tables, page_flame.c its flame graphs, page_look.c
 * has the style and the script.
 *
 * Whatever text is given is escaped; control characters and broken UTF-8 become '?'. What goes
 * wrong in between is kept, and is the result of page_end().
 */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum page_kind { PAGE_TEXT, PAGE_NUMBER, PAGE_BAR };

struct page_column {
	const char *name;
	enum page_kind kind;
};

/* On the caller's stack; its members are the page*.c files' own. */
struct page {
	FILE *f; /* into memory; NULL after an error */
	int error;
	char *text;
	size_t bytes;
	char *file;
	bool in_facts;
	const struct page_column *columns; /* of the open table; NULL: none is open */
	size_t columns_used, column, rows;
	double bar_from, bar_to, bar_mark;
};

/* Could a page be written there? 0 or -errno: to be asked before a long run. Leaves nothing. */
int page_check(const char *file);

/* Returns 0 or -errno; after an error the other functions do nothing, and page_end() returns it. */
int page_begin(struct page *p, const char *file, const char *title);

/* Renames what was written, beside `file`, to it; where `file` is a pipe or a device, or "-", which
 * is standard output, writes into it. Returns 0 or -errno, and then nothing is left behind. */
int page_end(struct page *p);

void page_fact(struct page *p, const char *name, const char *value); /* the list under the title */
void page_heading(struct page *p, const char *text);
void page_note(struct page *p, const char *text);

/* `columns` must live until page_table_end(). Rows are shown as given; a click on a column's name
 * sorts by it, and so does #sort=COLUMN or #sort=TABLE.COLUMN (from 1) in the page's address. */
void page_table_begin(struct page *p, const struct page_column *columns, size_t n);
void page_cell_text(struct page *p, const char *text); /* breaks long paths at their slashes */
/* NAN: no value. `unit` may be NULL. */
void page_cell_number(struct page *p, double value, int decimals, const char *unit);
/* The scale of the bars that follow, from the left edge to the right; `mark` is a line, NAN: none.
 */
void page_bar_scale(struct page *p, double from, double to, double mark);
/* `low` and `high` are the ends of the interval, NAN: none. `label` stands beside the bar. */
void page_cell_bar(struct page *p, double value, double low, double high, const char *label);
void page_row_end(struct page *p); /* cells that were not given are empty */
void page_table_end(struct page *p);

/* Folded stacks, "a;b;c" with the outermost first, each with its value; `unit` may be "". */
void page_flame(struct page *p, const char *unit, const char *const *stacks, const double *values,
		size_t n);

/* For the page*.c files only. */
extern const char page_style[], page_script[];
void page_put(struct page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_put_escaped(struct page *p, const char *text, size_t bytes, bool breaks);
void page_put_number(struct page *p, double value, int decimals, const char *unit);
void page_begin_element(struct page *p); /* ends the list under the title */
void page_fail(struct page *p, int error);

#endif

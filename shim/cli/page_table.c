/*
 * page_table.c - the tables of an HTML page.
 *
 * What is sorted by stands in data-v, so that the script need not read numbers as people do. Bars
 * are drawn as SVG: printers leave out backgrounds.
 */
#include "cli/page.h"

#include <math.h>
#include <string.h>

enum { SHORT = 16 }; /* bytes of a text that a narrow page has room for */

static const char *class_of(enum page_kind kind)
{
	return kind == PAGE_NUMBER ? " class=\"n\"" : kind == PAGE_BAR ? " class=\"b\"" : "";
}

void page_table_begin(struct page *p, const struct page_column *columns, size_t n)
{
	page_begin_element(p);
	p->columns = columns;
	p->columns_used = n;
	p->column = p->rows = 0;
	page_put(p, "<div class=\"wide\"><table>\n<thead><tr>");
	for (size_t i = 0; i < n; i++) {
		page_put(p, "<th scope=\"col\"%s>", class_of(columns[i].kind));
		page_put_escaped(p, columns[i].name, strlen(columns[i].name), false);
		page_put(p, "</th>");
	}
	page_put(p, "</tr></thead>\n<tbody>\n");
}

/* The tag that every cell begins with, up to its ">". */
static void begin_cell(struct page *p)
{
	if (!p->column)
		page_put(p, "<tr>");
	page_put(p, "<td%s",
		 p->column < p->columns_used ? class_of(p->columns[p->column].kind) : "");
	p->column++;
}

static void put_key(struct page *p, double value)
{
	if (isfinite(value))
		page_put(p, " data-v=\"%.9g\">", value);
	else
		page_put(p, " data-v=\"none\">");
}

void page_cell_text(struct page *p, const char *text)
{
	size_t length = strlen(text);
	bool is_short = length <= SHORT && p->column < p->columns_used &&
			p->columns[p->column].kind == PAGE_TEXT;

	begin_cell(p);
	page_put(p, is_short ? " class=\"s\">" : ">"); /* not to be broken anywhere */
	page_put_escaped(p, text, length, true);
	page_put(p, "</td>");
}

void page_cell_number(struct page *p, double value, int decimals, const char *unit)
{
	begin_cell(p);
	put_key(p, value);
	page_put_number(p, value, decimals, unit);
	page_put(p, "</td>");
}

void page_bar_scale(struct page *p, double from, double to, double mark)
{
	p->bar_from = from;
	p->bar_to = to > from ? to : from + 1;
	p->bar_mark = mark;
}

/* Where it is on the scale, in percent. */
static double place(const struct page *p, double value)
{
	double part = (value - p->bar_from) / (p->bar_to - p->bar_from) * 100;

	return part > 0 ? part < 100 ? part : 100 : 0;
}

static void put_interval(struct page *p, double from, double to)
{
	double width = to - from > 0.5 ? to - from : 0.5; /* to be seen at all */

	page_put(p, "<rect class=\"i\" x=\"%.2f%%\" y=\"5\" width=\"%.2f%%\" height=\"4\"/>", from,
		 width);
}

void page_cell_bar(struct page *p, double value, double low, double high, const char *label)
{
	begin_cell(p);
	put_key(p, value);
	page_put(
	    p, "<div><svg aria-hidden=\"true\"><rect class=\"r\" width=\"100%%\" height=\"14\"/>");
	if (isfinite(value))
		page_put(p, "<rect class=\"v\" width=\"%.2f%%\" height=\"14\"/>", place(p, value));
	if (isfinite(low) && isfinite(high))
		put_interval(p, place(p, low), place(p, high));
	if (isfinite(p->bar_mark))
		page_put(p, "<line class=\"m\" x1=\"%1$.2f%%\" x2=\"%1$.2f%%\" y2=\"14\"/>",
			 place(p, p->bar_mark));
	page_put(p, "</svg><span>");
	page_put_escaped(p, label ? label : "", label ? strlen(label) : 0, true);
	page_put(p, "</span></div></td>");
}

void page_row_end(struct page *p)
{
	while (p->column < p->columns_used)
		page_cell_text(p, "");
	page_put(p, "</tr>\n");
	p->column = 0;
	p->rows++;
}

void page_table_end(struct page *p)
{
	if (!p->rows)
		page_put(p, "<tr><td colspan=\"%zu\" class=\"none\">none</td></tr>\n",
			 p->columns_used);
	page_put(p, "</tbody>\n</table></div>\n");
	p->columns = NULL;
	p->columns_used = 0;
}

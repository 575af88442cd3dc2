/*
 * bench_html.c - fastpath bench --html: the table as a page, with bars.
 *
 * A bar is the time with fastpath as a share of that without, whatever the unit: so they can be
 * compared with each other.
 */
#include "cli/bench.h"

#include "base/attributes.h"
#include "cli/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What matters comes first: on a phone, no more is seen at once. */
static const struct page_column columns[] = {
    {"workload", PAGE_TEXT}, {"verdict", PAGE_TEXT},  {"time taken", PAGE_BAR},
    {"before", PAGE_NUMBER}, {"stddev", PAGE_NUMBER}, {"change", PAGE_NUMBER},
    {"after", PAGE_NUMBER},  {"stddev", PAGE_NUMBER}, {"noise", PAGE_NUMBER}};

/* As a share of the time before, and its interval. */
static void time_taken(const struct row *r, double *value, double *low, double *high)
{
	const struct comparison *c = &r->comparison;

	*value = r->more_is_better ? 1 / c->ratio : c->ratio;
	*low = r->more_is_better ? 1 / c->interval.high : c->interval.low;
	*high = r->more_is_better ? 1 / c->interval.low : c->interval.high;
}

static double scale_of(const struct bench_report *r)
{
	double most = 1.2, value, low, high;

	for (size_t i = 0; i < r->rows_used; i++) {
		time_taken(&r->rows[i].row, &value, &low, &high);
		most = fmax(most, fmin(high, 2));
	}
	return most;
}

static void put_value(struct page *p, double value)
{
	page_cell_number(p, value, value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0, NULL);
}

static void put_row(struct page *p, const struct bench_row *b)
{
	const struct row *r = &b->row;
	const struct comparison *c = &r->comparison;
	double value, low, high;
	char label[64], workload[256];

	time_taken(r, &value, &low, &high);
	(void)snprintf(label, sizeof label, "%.3f (%.3f to %.3f)", value, low, high);
	(void)snprintf(workload, sizeof workload, "%s, %s", r->name, r->unit);
	page_cell_text(p, workload);
	page_cell_text(p, row_verdict(r));
	page_cell_bar(p, value, low, high, label);
	put_value(p, c->before);
	page_cell_number(p, c->before_sd * 100, 1, "%");
	page_cell_number(p, (c->ratio - 1) * 100, 1, "%");
	put_value(p, c->after);
	page_cell_number(p, c->after_sd * 100, 1, "%");
	page_cell_number(p, row_noise(r) * 100, 1, "%");
	page_row_end(p);
}

static void put_rows(struct page *p, const struct bench_report *r)
{
	page_heading(p, "Without and with fastpath");
	page_note(p,
		  "Medians of interleaved runs, without (before) and with fastpath (after), and "
		  "their standard deviations. Change: the median over the pairs. Time taken: with "
		  "fastpath as a share of without, and its 95 % interval by bootstrap; less is "
		  "better. Noise: how far two runs of the same thing lie apart. faster and slower "
		  "stand only where the interval excludes no change.");
	page_table_begin(p, columns, array_size(columns));
	page_bar_scale(p, 0, scale_of(r), 1);
	for (size_t i = 0; i < r->rows_used; i++)
		put_row(p, &r->rows[i]);
	page_table_end(p);
}

/* A workload has one row or two, one after the other. */
static void put_workloads(struct page *p, const struct bench_report *r)
{
	static const struct page_column about[] = {
	    {"workload", PAGE_TEXT}, {"pairs", PAGE_NUMBER}, {"what", PAGE_TEXT}};

	page_heading(p, "Workloads");
	page_table_begin(p, about, array_size(about));
	for (size_t i = 0; i < r->rows_used; i++) {
		const struct bench_row *b = &r->rows[i];

		if (i && !strcmp(b->row.name, b[-1].row.name))
			continue;
		page_cell_text(p, b->row.name);
		page_cell_number(p, (double)b->row.pairs, 0, NULL);
		page_cell_text(p, b->what);
		page_row_end(p);
	}
	page_table_end(p);
}

static void put_skipped(struct page *p, const struct bench_report *r)
{
	static const struct page_column reasons[] = {{"workload", PAGE_TEXT}, {"why", PAGE_TEXT}};

	if (!r->skipped_used)
		return;
	page_heading(p, "Not measured");
	page_table_begin(p, reasons, array_size(reasons));
	for (size_t i = 0; i < r->skipped_used; i++) {
		page_cell_text(p, r->skipped[i].name);
		page_cell_text(p, r->skipped[i].why);
		page_row_end(p);
	}
	page_table_end(p);
}

int bench_write_html(const char *file, const struct bench_report *r)
{
	const char *name, *value;
	struct page p;
	const int begun = page_begin(&p, file, "fastpath bench");

	for (size_t i = 0; !begun && (name = bench_fact(r, i, &value)) != NULL; i++)
		page_fact(&p, name, value);
	if (r->interrupted)
		page_note(&p, "Interrupted: this is what there was.");
	put_rows(&p, r);
	put_workloads(&p, r);
	put_skipped(&p, r);
	return page_end(&p);
}

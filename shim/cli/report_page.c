/*
 * report_page.c - fastpath report --html.
 */
#include "cli/report.h"

#include "base/attributes.h"
#include "cli/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : NAN;
}

/* A bar of how much of `all` it is. */
static void put_part(struct page *p, uint64_t part, uint64_t all)
{
	double value = percent(part, all);
	char label[32] = "";

	if (all)
		(void)snprintf(label, sizeof label, "%.1f %%", value);
	page_bar_scale(p, 0, 100, NAN);
	page_cell_bar(p, value, NAN, NAN, label);
}

static void put_fact(struct page *p, const char *name, uint64_t value)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%" PRIu64, value);
	page_fact(p, name, text);
}

static void put_words(struct page *p, const char *name, const char *const *words,
		      const uint64_t *counts, int n)
{
	char text[128] = "";
	size_t used = 0;

	for (int i = 0; i < n; i++)
		if (counts[i])
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %" PRIu64,
						 used ? ", " : "", words[i], counts[i]);
	if (used)
		page_fact(p, name, text);
}

static void put_facts(struct page *p, const struct report *r)
{
	const struct statistics *s = &r->all;
	const struct fastpath_stats *t = &s->totals;
	char text[96];

	put_fact(p, "processes", s->processes);
	put_fact(p, "lines read", s->lines);
	if (s->runs)
		put_fact(p, "runs read", s->runs);
	if (r->skipped)
		put_fact(p, "lines skipped", r->skipped);
	put_words(p, "scope", statistics_scopes, s->scopes, STATISTICS_SCOPES);
	put_words(p, "bell", statistics_bells, s->bells, STATISTICS_BELLS);
	put_fact(p, "learned", t->learned);
	put_fact(p, "invalidated", t->invalidated);
	(void)snprintf(text, sizeof text, "%.1f ms", (double)t->saved_ns / 1e6);
	page_fact(p, "saved", text);
	if (!t->verify_checked)
		return;
	(void)snprintf(text, sizeof text,
		       "%" PRIu64 " answers, %" PRIu64 " wrong, %" PRIu64 " unresolved",
		       t->verify_checked, t->verify_wrong, t->verify_unresolved);
	page_fact(p, "verified", text);
}

static void put_calls(struct page *p, const struct fastpath_stats *t)
{
	static const struct page_column columns[] = {{"call", PAGE_TEXT},
						     {"calls", PAGE_NUMBER},
						     {"served", PAGE_NUMBER},
						     {"served of calls", PAGE_BAR}};

	page_heading(p, "Calls");
	page_note(p, "What was asked for, and answered without the kernel.");
	page_table_begin(p, columns, array_size(columns));
	for (int i = 0; i < FASTPATH_CALLS; i++) {
		page_cell_text(p, statistics_calls[i]);
		page_cell_number(p, (double)t->calls[i], 0, NULL);
		page_cell_number(p, (double)t->served[i], 0, NULL);
		put_part(p, t->served[i], t->calls[i]);
		page_row_end(p);
	}
	page_table_end(p);
}

static void put_reasons(struct page *p, const struct fastpath_stats *t)
{
	static const char *const meanings[FASTPATH_REASONS] = {
	    "a change was announced and not yet taken note of",
	    "nothing was known of the path",
	    "the name may exist",
	    "its directory is never cached",
	    "a relative path",
	    "unusual arguments",
	    "caching had ended for the process",
	};
	static const struct page_column columns[] = {
	    {"reason", PAGE_TEXT}, {"meaning", PAGE_TEXT}, {"calls", PAGE_NUMBER}};

	page_heading(p, "To the kernel");
	page_table_begin(p, columns, array_size(columns));
	for (int i = 0; i < FASTPATH_REASONS; i++) {
		page_cell_text(p, statistics_reasons[i]);
		page_cell_text(p, meanings[i]);
		page_cell_number(p, (double)t->kernel[i], 0, NULL);
		page_row_end(p);
	}
	page_table_end(p);
}

static void put_more(struct page *p, size_t used, size_t rows)
{
	char text[64];

	if (used == rows)
		return;
	(void)snprintf(text, sizeof text, "And %zu more.", used - rows);
	page_note(p, text);
}

static void put_programs(struct page *p, const struct report *r)
{
	static const struct page_column columns[] = {
	    {"program", PAGE_TEXT},  {"processes", PAGE_NUMBER},    {"calls", PAGE_NUMBER},
	    {"served", PAGE_NUMBER}, {"served of calls", PAGE_BAR}, {"saved", PAGE_NUMBER}};
	size_t rows = report_rows(r, r->all.programs_used);

	page_heading(p, "Programs");
	page_table_begin(p, columns, array_size(columns));
	for (size_t i = 0; i < rows; i++) {
		const struct program *of = &r->all.programs[i];

		page_cell_text(p, *of->exe ? of->exe : "(unknown)");
		page_cell_number(p, (double)of->processes, 0, NULL);
		page_cell_number(p, (double)of->calls, 0, NULL);
		page_cell_number(p, (double)of->served, 0, NULL);
		put_part(p, of->served, of->calls);
		page_cell_number(p, (double)of->saved_ns / 1e6, 1, "ms");
		page_row_end(p);
	}
	page_table_end(p);
	put_more(p, r->all.programs_used, rows);
}

static void put_directories(struct page *p, const struct report *r)
{
	static const struct page_column columns[] = {{"directory", PAGE_TEXT},
						     {"lost", PAGE_NUMBER},
						     {"names", PAGE_NUMBER},
						     {"rang", PAGE_NUMBER}};
	size_t rows = report_rows(r, r->all.directories_used);

	if (!rows)
		return;
	page_heading(p, "Directories");
	page_note(
	    p, "Lookups that were lost to the kernel for each, the names in it, and how often it "
	       "changed; as the brokers of runs counted.");
	page_table_begin(p, columns, array_size(columns));
	for (size_t i = 0; i < rows; i++) {
		const struct directory *d = &r->all.directories[i];

		page_cell_text(p, d->path);
		page_cell_number(p, (double)d->lost, 0, NULL);
		page_cell_number(p, (double)d->names, 0, NULL);
		page_cell_number(p, (double)d->rang, 0, NULL);
		page_row_end(p);
	}
	page_table_end(p);
	put_more(p, r->all.directories_used, rows);
}

int report_write_page(const struct report *r, const char *file)
{
	struct page p;

	(void)page_begin(&p, file, "fastpath report");
	put_facts(&p, r);
	put_calls(&p, &r->all.totals);
	put_reasons(&p, &r->all.totals);
	put_programs(&p, r);
	put_directories(&p, r);
	return page_end(&p);
}

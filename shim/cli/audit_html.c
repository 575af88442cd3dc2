/*
 * audit_html.c - fastpath audit --html: the report as a page.
 */
#include "cli/audit.h"

#include "base/attributes.h"
#include "cli/page.h"

#include <math.h>
#include <stdlib.h>

static void put_fact(struct page *p, const char *name, const char *format, double value)
{
	char text[64];

	(void)snprintf(text, sizeof text, format, value);
	page_fact(p, name, text);
}

static void put_command(struct page *p, char *const *words)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	for (; f && *words; words++)
		(void)fprintf(f, "%s%s", ftell(f) > 0 ? " " : "", *words);
	if (f && !fclose(f))
		page_fact(p, "command", text);
	free(text);
}

static void put_facts(struct page *p, const struct audit_report *r)
{
	const struct model *m = r->model;
	char text[128];

	put_command(p, r->options->command);
	if (r->outcome.signal)
		(void)snprintf(text, sizeof text, "signal %d", r->outcome.signal);
	else
		(void)snprintf(text, sizeof text, "exit status %d", r->outcome.status);
	page_fact(p, "end", text);
	put_fact(p, "processes", "%.0f", (double)m->processes);
	put_fact(p, "path lookups that reached the kernel", "%.0f",
		 (double)audit_all(m->all.calls));
	put_fact(p, "of them failed", "%.0f", (double)audit_sum(m->all.calls, RESULT_FAILED));
	put_fact(p, "not counted, for want of memory", "%.0f", (double)m->dropped);
	put_fact(p, "wall time, as traced", "%.3f s", (double)r->outcome.wall_ns / 1e9);
	put_fact(p, "CPU time of the tree", "%.3f s", r->cpu_ns / 1e9);
	put_fact(p, "CPU time, as traced", "%.3f s", r->traced_ns / 1e9);
}

static void put_gain(struct page *p, const struct audit_report *r)
{
	static const struct page_column columns[] = {{"scope", PAGE_TEXT},
						     {"answerable", PAGE_NUMBER},
						     {"of the lookups", PAGE_BAR},
						     {"gain at most", PAGE_NUMBER},
						     {"of the CPU time", PAGE_NUMBER}};
	static const char *const names[MODEL_SCOPES] = {"process", "tree"};
	double all = (double)audit_all(r->model->all.calls);

	page_heading(p, "What fastpath could have answered");
	page_table_begin(p, columns, array_size(columns));
	page_bar_scale(p, 0, 100, NAN);
	for (int s = 0; s < MODEL_SCOPES; s++) {
		const model_counts *c = &r->model->all.served[s];
		double n = (double)audit_all(*c), percent = all > 0 ? 100 * n / all : NAN;
		double ns = audit_ns(r, *c);
		char label[32];

		(void)snprintf(label, sizeof label, "%.1f %%", percent);
		page_cell_text(p, names[s]);
		page_cell_number(p, n, 0, NULL);
		page_cell_bar(p, percent, NAN, NAN, label);
		page_cell_number(p, ns / 1e6, 2, "ms");
		page_cell_number(p, audit_percent(r, ns), 2, "%");
		page_row_end(p);
	}
	page_table_end(p);
	page_note(p,
		  "Estimates, and upper bounds: lookups times what such a lookup was measured to "
		  "cost here, untraced; as if answering cost nothing, and nothing ever changed.");
}

static void begin_tallies(struct page *p, const struct audit_report *r, const char *name)
{
	static struct page_column columns[] = {{"", PAGE_TEXT},
					       {"lookups", PAGE_NUMBER},
					       {"failed", PAGE_NUMBER},
					       {"again, process", PAGE_NUMBER},
					       {"again, tree", PAGE_NUMBER},
					       {"ours, process", PAGE_NUMBER},
					       {"ours, tree", PAGE_NUMBER},
					       {"cost", PAGE_BAR}};

	columns[0].name = name;
	page_table_begin(p, columns, array_size(columns));
	page_bar_scale(p, 0, audit_ns(r, r->model->all.calls), NAN);
}

static void put_tally(struct page *p, const struct audit_report *r, const char *name,
		      const struct tally *t)
{
	double ns = audit_ns(r, t->calls);
	char label[32];

	(void)snprintf(label, sizeof label, "%.2f ms", ns / 1e6);
	page_cell_text(p, name);
	page_cell_number(p, (double)audit_all(t->calls), 0, NULL);
	page_cell_number(p, (double)audit_sum(t->calls, RESULT_FAILED), 0, NULL);
	page_cell_number(p, (double)t->repeats[SCOPE_PROCESS], 0, NULL);
	page_cell_number(p, (double)t->repeats[SCOPE_TREE], 0, NULL);
	page_cell_number(p, (double)audit_all(t->served[SCOPE_PROCESS]), 0, NULL);
	page_cell_number(p, (double)audit_all(t->served[SCOPE_TREE]), 0, NULL);
	page_cell_bar(p, ns, NAN, NAN, label);
	page_row_end(p);
}

static void put_tallies(struct page *p, const struct audit_report *r)
{
	const struct model *m = r->model;

	page_note(
	    p, "In the tables: again, the same answer to the same question, in the same process or "
	       "anywhere in the tree; ours, what fastpath could have answered in either scope; "
	       "cost, an estimate by the measured prices.");
	page_heading(p, "Calls");
	begin_tallies(p, r, "call");
	for (size_t i = 0; i < calls_n; i++)
		if (audit_all(m->call[i].tally.calls))
			put_tally(p, r, calls[i].name, &m->call[i].tally);
	page_table_end(p);
	page_heading(p, "Origins");
	begin_tallies(p, r, "origin");
	for (int i = 0; i < MODEL_ORIGINS; i++)
		put_tally(p, r, audit_origins[i], &m->origin[i]);
	page_table_end(p);
	page_heading(p, "Programs");
	begin_tallies(p, r, "program");
	for (size_t i = 0; i < r->programs_n; i++)
		put_tally(p, r, m->programs.all[r->programs[i]].text,
			  &m->program[r->programs[i]].tally);
	page_table_end(p);
	page_heading(p, "Directories");
	begin_tallies(p, r, "directory");
	for (size_t i = 0; i < r->directories_n; i++)
		put_tally(p, r, m->directories.all[r->directories[i]].text,
			  &m->directory[r->directories[i]].tally);
	put_tally(p, r, "(relative paths, as if they were absolute)", &m->relative);
	page_table_end(p);
}

static void put_errors(struct page *p, const struct audit_report *r)
{
	static const struct page_column columns[] = {
	    {"call", PAGE_TEXT}, {"error", PAGE_TEXT}, {"times", PAGE_NUMBER}};

	page_heading(p, "Failures");
	page_table_begin(p, columns, array_size(columns));
	for (size_t i = 0; i < calls_n; i++)
		for (int e = 0; e < MODEL_ERRNOS; e++) {
			if (!r->model->call[i].errors[e])
				continue;
			page_cell_text(p, calls[i].name);
			page_cell_text(p, e ? audit_errno(e) : "others");
			page_cell_number(p, (double)r->model->call[i].errors[e], 0, NULL);
			page_row_end(p);
		}
	page_table_end(p);
}

static void put_prices(struct page *p, const struct audit_report *r)
{
	static const struct page_column columns[] = {
	    {"lookup", PAGE_TEXT}, {"done", PAGE_NUMBER}, {"failed", PAGE_NUMBER}};

	page_heading(p, "Measured prices");
	page_table_begin(p, columns, array_size(columns));
	for (int i = 0; i < CALL_FAMILIES; i++) {
		page_cell_text(p, call_families[i]);
		for (int k = 0; k < MODEL_RESULTS; k++)
			page_cell_number(p, r->prices.ns[i][k] > 0 ? r->prices.ns[i][k] : NAN, 0,
					 "ns");
		page_row_end(p);
	}
	page_table_end(p);
}

static void put_callers(struct page *p, const struct audit_report *r)
{
	static const struct page_column columns[] = {
	    {"caller", PAGE_TEXT}, {"file", PAGE_TEXT}, {"failed lookups", PAGE_NUMBER}};

	if (!r->stacks)
		return;
	page_heading(p, "Who asks for what is not there");
	page_table_begin(p, columns, array_size(columns));
	for (size_t i = 0; i < r->callers_n; i++) {
		page_cell_text(p, r->callers[i].function);
		page_cell_text(p, r->callers[i].file);
		page_cell_number(p, (double)r->callers[i].failed, 0, NULL);
		page_row_end(p);
	}
	page_table_end(p);
	page_flame(p, "lookups", (const char *const *)r->folded, r->folded_counts, r->folded_n);
}

int audit_write_html(const struct audit_report *r)
{
	struct page p;
	int error = page_begin(&p, r->options->html, "fastpath audit");

	if (error)
		return error;
	put_facts(&p, r);
	put_gain(&p, r);
	put_tallies(&p, r);
	put_errors(&p, r);
	put_callers(&p, r);
	put_prices(&p, r);
	return page_end(&p);
}

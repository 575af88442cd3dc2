/*
 * report_text.c - fastpath report: the totals, the busiest programs and directories.
 */
#include "cli/report.h"

#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Every fprintf() here is into memory: running out of it shows at fclose(). */

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

static void put_counts(FILE *f, const char *name, const char *const *names, const uint64_t *counts,
		       int n)
{
	(void)fprintf(f, "%s:", name);
	for (int i = 0; i < n; i++)
		if (counts[i])
			(void)fprintf(f, " %s %" PRIu64, names[i], counts[i]);
	(void)fputc('\n', f);
}

static void put_head(FILE *f, const struct report *r)
{
	const struct statistics *s = &r->all;

	(void)fprintf(f, "%" PRIu64 " processes of %zu programs", s->processes, s->programs_used);
	(void)fprintf(f, "; lines read: %" PRIu64 ", runs: %" PRIu64 ", skipped: %" PRIu64 "\n",
		      s->lines, s->runs, r->skipped);
	if (s->lines) {
		put_counts(f, "scope", statistics_scopes, s->scopes, STATISTICS_SCOPES);
		put_counts(f, "bell", statistics_bells, s->bells, STATISTICS_BELLS);
	}
}

static void put_totals(FILE *f, const struct fastpath_stats *t)
{
	uint64_t calls = statistics_sum(t->calls), served = statistics_sum(t->served);

	(void)fprintf(f, "\n     calls     served      %% of\n");
	for (int i = 0; i < FASTPATH_CALLS; i++)
		if (t->calls[i])
			(void)fprintf(f, "%10" PRIu64 " %10" PRIu64 " %6.1f %s\n", t->calls[i],
				      t->served[i], percent(t->served[i], t->calls[i]),
				      statistics_calls[i]);
	(void)fprintf(f, "%10" PRIu64 " %10" PRIu64 " %6.1f all\n", calls, served,
		      percent(served, calls));
	put_counts(f, "to the kernel", statistics_reasons, t->kernel, FASTPATH_REASONS);
	(void)fprintf(f, "learned %" PRIu64 ", invalidated %" PRIu64 ", saved %.1f ms\n",
		      t->learned, t->invalidated, (double)t->saved_ns / 1e6);
	if (t->verify_checked)
		(void)fprintf(
		    f, "verified %" PRIu64 " answers: %" PRIu64 " wrong, %" PRIu64 " unresolved\n",
		    t->verify_checked, t->verify_wrong, t->verify_unresolved);
}

static void put_programs(FILE *f, const struct report *r)
{
	size_t used = r->all.programs_used, rows = report_rows(r, used);

	if (used)
		(void)fprintf(f, "\n processes      calls     served      %%   saved ms program\n");
	for (size_t i = 0; i < rows; i++) {
		const struct program *p = &r->all.programs[i];

		(void)fprintf(f, "%10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %6.1f %10.1f ",
			      p->processes, p->calls, p->served, percent(p->served, p->calls),
			      (double)p->saved_ns / 1e6);
		cli_put_path(f, *p->exe ? p->exe : "(unknown)");
		(void)fputc('\n', f);
	}
	if (used > rows)
		(void)fprintf(f, "and %zu more programs\n", used - rows);
}

static void put_directories(FILE *f, const struct report *r)
{
	size_t used = r->all.directories_used, rows = report_rows(r, used);

	if (used)
		(void)fprintf(f, "\n      lost      names       rang directory\n");
	for (size_t i = 0; i < rows; i++) {
		const struct directory *d = &r->all.directories[i];

		(void)fprintf(f, "%10" PRIu64 " %10" PRIu64 " %10" PRIu64 " ", d->lost, d->names,
			      d->rang);
		cli_put_path(f, d->path);
		(void)fputc('\n', f);
	}
	if (used > rows)
		(void)fprintf(f, "and %zu more directories\n", used - rows);
}

int report_print_text(const struct report *r)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	int status = CLI_FAILED;

	if (f) {
		put_head(f, r);
		put_totals(f, &r->all.totals);
		put_programs(f, r);
		put_directories(f, r);
	}
	if (!f || fclose(f))
		cli_complain("no memory for the report");
	else
		status = cli_print(text);
	free(text);
	return status;
}

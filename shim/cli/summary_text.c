/*
 * summary_text.c - fastpath run --stats: the totals, and the ten busiest programs and directories.
 */
#include "cli/summary.h"

#include "cli/cli.h"
#include "cli/member.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 10 };

/* Every fprintf() here is into memory: running out of it shows at fclose(). */

static double ms(double ns)
{
	return ns / 1e6;
}

static void put_head(FILE *f, const struct summary *s)
{
	(void)fprintf(f, "fastpath: %s scope", s->scope);
	if (s->why)
		(void)fprintf(f, " (%s)", s->why);
	(void)fprintf(f, ", %" PRIu64 " processes, %.3f s, ", s->all.processes,
		      (double)s->outcome->wall_ns / 1e9);
	if (s->outcome->signal)
		(void)fprintf(f, "killed by signal %d (%s)\n", s->outcome->signal,
			      strsignal(s->outcome->signal));
	else
		(void)fprintf(f, "exit status %d\n", s->outcome->status);
}

static void put_totals(FILE *f, const struct summary *s)
{
	const struct fastpath_stats *t = &s->all.totals;

	(void)fprintf(f, "fastpath:      calls     served of\n");
	for (int i = 0; i < FASTPATH_CALLS; i++)
		if (t->calls[i])
			(void)fprintf(f, "fastpath: %10" PRIu64 " %10" PRIu64 " %s\n", t->calls[i],
				      t->served[i], statistics_calls[i]);
	(void)fprintf(f, "fastpath: to the kernel:");
	for (int i = 0; i < FASTPATH_REASONS; i++)
		if (t->kernel[i])
			(void)fprintf(f, " %s %" PRIu64, statistics_reasons[i], t->kernel[i]);
	(void)fprintf(f, "\nfastpath: learned %" PRIu64 ", invalidated %" PRIu64 ", saved %.1f ms",
		      t->learned, t->invalidated, ms((double)t->saved_ns));
	if (s->broker && !s->why)
		(void)fprintf(
			f, "; broker: %.1f ms of CPU time, %.0f watches, %.0f KiB, %.0f posts lost",
		    ms(member_number(s->broker, "cpu_ns")), member_number(s->broker, "watches"),
		    member_number(s->broker, "segment_bytes") / 1024,
		    member_number(s->broker, "dropped_posts"));
	(void)fputc('\n', f);
	if (s->broken)
		(void)fprintf(f, "fastpath: %" PRIu64 " lines of statistics could not be read\n",
			      s->broken);
}

static void put_verified(FILE *f, const struct fastpath_stats *t)
{
	(void)fprintf(f,
		      "fastpath: verified %" PRIu64 " answers: %" PRIu64 " wrong, %" PRIu64
		      " unresolved\n",
		      t->verify_checked, t->verify_wrong, t->verify_unresolved);
}

static void put_programs(FILE *f, const struct summary *s)
{
	if (s->all.programs_used)
		(void)fprintf(f, "fastpath:  processes      calls     served   saved ms program\n");
	for (size_t i = 0; i < s->all.programs_used && i < ROWS; i++) {
		const struct program *p = &s->all.programs[i];

		(void)fprintf(f, "fastpath: %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10.1f ",
			      p->processes, p->calls, p->served, ms((double)p->saved_ns));
		cli_put_path(f, p->exe);
		(void)fputc('\n', f);
	}
	if (s->all.programs_used > ROWS)
		(void)fprintf(f, "fastpath: and %zu more programs\n", s->all.programs_used - ROWS);
}

static void put_directories(FILE *f, const struct summary *s)
{
	size_t n = json_array_size(s->directories);

	if (n)
		(void)fprintf(f, "fastpath:       lost      names       rang directory\n");
	for (size_t i = 0; i < n && i < ROWS; i++) {
		const json_t *d = json_array_get(s->directories, i);

		(void)fprintf(f, "fastpath: %10.0f %10.0f %10.0f ", member_number(d, "lost"),
			      member_number(d, "names"), member_number(d, "rang"));
		cli_put_path(f, member_string(d, "path"));
		(void)fputc('\n', f);
	}
	if (n > ROWS)
		(void)fprintf(f, "fastpath: and %zu more directories\n", n - ROWS);
}

/* Programs that go on with the library are no news. */
static void put_injection(FILE *f, const struct summary *s)
{
	int rows = 0, more = 0;

	for (size_t i = 0; i < json_array_size(s->injection); i++) {
		const json_t *p = json_array_get(s->injection, i);
		const char *verdict = member_string(p, "verdict");

		if (strcmp(verdict, "dropped") != 0 && strcmp(verdict, "cannot") != 0)
			continue;
		if (rows == ROWS) {
			more++;
			continue;
		}
		if (!rows++)
			(void)fprintf(
				f, "fastpath:       runs       lost     served without the library\n");
		(void)fprintf(f, "fastpath: %10.0f %10.0f %10.0f %s ", member_number(p, "runs"),
			      member_number(p, "lost"), member_number(p, "served"), verdict);
		cli_put_path(f, member_string(p, "exe"));
		(void)fputc('\n', f);
	}
	if (more)
		(void)fprintf(f, "fastpath: and %d more without it\n", more);
	else if (!rows && json_array_size(s->injection))
		(void)fprintf(f, "fastpath: every program was run with the library\n");
}

static void put_all(FILE *f, const struct summary *s)
{
	put_head(f, s);
	put_totals(f, s);
	if (s->verified || s->all.totals.verify_checked)
		put_verified(f, &s->all.totals);
	put_programs(f, s);
	put_directories(f, s);
	put_injection(f, s);
}

static void write_out(const struct summary *s, void (*put)(FILE *f, const struct summary *s))
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);

	if (f)
		put(f, s);
	if (!f || fclose(f))
		cli_complain("no memory for the statistics");
	else
		cli_write_error(text, bytes);
	free(text);
}

void summary_write_text(const struct summary *s)
{
	write_out(s, put_all);
}

static void put_verified_only(FILE *f, const struct summary *s)
{
	put_verified(f, &s->all.totals);
}

void summary_write_verified(const struct summary *s)
{
	write_out(s, put_verified_only);
}

/*
 * bench_measure.c - fastpath bench: one workload after the other, and how long each may take.
 */
#include "cli/bench.h"

#include "base/sys.h"
#include "bench/child.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t second = 1000000000;

enum {
	QUICK_S = 100,  /* no pair of --quick begins after that */
	ROW_S = 20,     /* a workload of the suite */
	COMMAND_S = 60, /* a command of the user's */
	QUICK_COMMAND_S = 20,
	FEWEST = 10,
	MOST = 200,
	QUICK_MOST = 8,
	QUICK_SHARES = 3 /* of the time there is for each, a slow workload may take */
};

struct measuring {
	struct bench_report *report;
	const struct bench_sides *sides;
	FILE *text; /* NULL: none */
	struct bench_progress progress;
	uint64_t until_ns; /* 0: no end */
};

static void skip(struct measuring *m, const char *name, const char *why, bool failed)
{
	struct bench_report *r = m->report;
	struct bench_skipped *s = &r->skipped[r->skipped_used++];

	s->name = name;
	s->failed = failed;
	(void)snprintf(s->why, sizeof s->why, "%s", why);
	r->failed |= failed;
	bench_progress_clear();
	if (failed)
		cli_complain("%s: %s", name, why);
	if (m->text)
		table_skipped(m->text, failed ? "failed" : "skipped", name, why);
}

/* The row's samples are the series's, which is not freed then. */
static int add_rows(struct measuring *m, const char *name, const char *what, const struct series *s)
{
	struct bench_report *r = m->report;

	bench_progress_clear();
	for (size_t i = 0; s->pairs && i < s->metrics_used; i++) {
		struct bench_row *row = &r->rows[r->rows_used];
		const struct metric *metric = &s->metrics[i];
		int error = pairs_compare(s, i, &row->row.comparison, &row->row.noise);

		if (error)
			return error;
		row->row.name = name;
		row->row.unit = metric->unit;
		row->row.more_is_better = metric->more_is_better;
		row->row.pairs = s->pairs;
		row->what = what;
		row->before = metric->before;
		row->after = metric->after;
		r->rows_used++;
		if (m->text)
			table_row(m->text, &row->row);
	}
	if (m->text)
		(void)fflush(m->text);
	return 0;
}

static int measure(struct measuring *m, const char *name, const char *what,
		   const struct subject *subject, uint64_t budget_ns)
{
	const struct bench_options *o = m->report->options;
	struct series s = {.pairs = 0};
	uint64_t until_ns = m->until_ns;
	int error, also;

	if (until_ns && sys_clock_ns() + QUICK_SHARES * budget_ns < until_ns)
		until_ns = sys_clock_ns() + QUICK_SHARES * budget_ns;
	m->progress.name = name;
	error = pairs_measure(subject,
			      &(struct plan){.pairs = o->pairs,
					     .fewest = o->quick ? STATISTIC_FEWEST : FEWEST,
					     .most = o->quick ? QUICK_MOST : MOST,
					     .budget_ns = budget_ns,
					     .until_ns = until_ns,
					     .progress = bench_progress_show,
					     .context = &m->progress},
			      &s);
	also = add_rows(m, name, what, &s);
	if (o->command && s.exec_error)
		m->report->not_run = s.exec_error;
	else if (error == 1)
		skip(m, name, s.why, true);
	return error < 0 ? error : also;
}

/* In a directory of its own, which is there. */
static int measure_in(struct measuring *m, const struct workload *w, const char *directory,
		      uint64_t budget_ns)
{
	const struct bench_sides *sides = m->sides;
	char *argv[] = {w->path, "run", w->variant, NULL};
	char why[PAIRS_WHY];
	bool missing;
	int error =
	    workload_prepare(w, directory, sides->before.environment, why, sizeof why, &missing);

	if (error == -EINTR)
		return error;
	if (error) {
		skip(m, w->name, why, !missing);
		return 0;
	}
	return measure(
	    m, w->name, w->what,
	    &(struct subject){.argv = argv,
			      .directory = directory,
			      .loop = w->kind != WORKLOAD_COMMAND,
			      .output = -1,
			      .before = sides->before,
			      .after = w->kind == WORKLOAD_SIDES ? sides->apart : sides->after},
	    budget_ns);
}

static int measure_workload(struct measuring *m, const struct workload *w)
{
	uint64_t now = sys_clock_ns(), budget_ns = ROW_S * second;
	char directory[PATH_MAX];
	int error;

	if (w->kind == WORKLOAD_BROKEN) {
		skip(m, w->name, w->what, true);
		return 0;
	}
	if (m->until_ns && now >= m->until_ns) {
		skip(m, w->name, "no time was left", false);
		return 0;
	}
	if (m->until_ns)
		budget_ns = (m->until_ns - now) / (m->progress.rows - m->progress.done);
	error = directory_make_in(&m->report->directory, w->name, directory);
	if (error)
		return error;
	error = measure_in(m, w, directory, budget_ns);
	directory_remove(directory);
	return error;
}

/* The command's words, as far as they fit, without what a terminal would obey. */
static void name_command(char *name, size_t size, char *const *command)
{
	size_t used = 0;

	name[0] = 0;
	for (; *command && used < size; command++)
		used +=
		    (size_t)snprintf(name + used, size - used, "%s%s", used ? " " : "", *command);
	for (char *c = name; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
}

static int measure_command(struct measuring *m)
{
	const struct bench_options *o = m->report->options;
	static char name[64]; /* the report's rows hold it */

	name_command(name, sizeof name, o->command);
	m->until_ns = 0;
	return measure(m, name, "a command of the user's",
		       &(struct subject){.argv = o->command,
					 .output = o->output ? STDOUT_FILENO : -1,
					 .before = m->sides->before,
					 .after = m->sides->after},
		       (o->quick ? QUICK_COMMAND_S : COMMAND_S) * second);
}

static int make_room(struct bench_report *r, size_t subjects)
{
	r->rows = calloc(METRICS * subjects, sizeof *r->rows);
	r->skipped = calloc(subjects, sizeof *r->skipped);
	return r->rows && r->skipped ? 0 : -ENOMEM;
}

int bench_measure(struct bench_report *r, const struct bench_sides *sides, const struct suite *s,
		  FILE *text)
{
	struct measuring m = {r, sides, text, {.began_ns = sys_clock_ns()}, 0};
	int error = make_room(r, s->used + 1);

	if (r->options->quick)
		m.until_ns = m.progress.began_ns + QUICK_S * second;
	for (size_t i = 0; i < s->used; i++)
		m.progress.rows += s->workloads[i].wanted;
	if (!error && r->options->command) {
		m.progress.rows = 1;
		error = measure_command(&m);
	}
	for (size_t i = 0; i < s->used && !error; i++) {
		if (!s->workloads[i].wanted)
			continue;
		error = measure_workload(&m, &s->workloads[i]);
		m.progress.done++;
	}
	bench_progress_clear();
	r->interrupted = child_stop_signal() != 0;
	r->seconds = (double)(sys_clock_ns() - m.progress.began_ns) / 1e9;
	return error;
}

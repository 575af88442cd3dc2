/*
 * audit_text.c - fastpath audit: the report as text.
 *
 * Every fprintf() here is into memory: running out of it shows at fclose().
 */
#include "cli/audit.h"

#include "cli/cli.h"

#include <inttypes.h>
#include <string.h>

enum { ROWS = 10, CALLERS = 20 };

static double ms(double ns)
{
	return ns / 1e6;
}

/* Calls, failures, both kinds of repeats, both kinds of answers, cost. */
static void put_tally(FILE *f, const struct audit_report *r, const struct tally *t)
{
	(void)fprintf(f,
		      "fastpath: %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64
		      " %9" PRIu64 " %9.2f ",
		      audit_all(t->calls), audit_sum(t->calls, RESULT_FAILED),
		      t->repeats[SCOPE_PROCESS], t->repeats[SCOPE_TREE],
		      audit_all(t->served[SCOPE_PROCESS]), audit_all(t->served[SCOPE_TREE]),
		      ms(audit_ns(r, t->calls)));
}

static void put_head(FILE *f, const char *name)
{
	(void)fprintf(f, "fastpath:\nfastpath: %9s %9s %9s %9s %9s %9s %9s %s\n", "lookups",
		      "failed", "again/pr", "again/tr", "answer/pr", "answer/tr", "ms", name);
}

static void put_end(FILE *f, const struct audit_report *r)
{
	const struct model *m = r->model;

	(void)fprintf(f, "fastpath: audit: %" PRIu64 " processes, %u programs, %.3f s as traced, ",
		      m->processes, m->programs.used, (double)r->outcome.wall_ns / 1e9);
	if (r->outcome.signal)
		(void)fprintf(f, "killed by signal %d (%s)\n", r->outcome.signal,
			      strsignal(r->outcome.signal));
	else
		(void)fprintf(f, "exit status %d\n", r->outcome.status);
	(void)fprintf(f,
		      "fastpath: %" PRIu64 " path lookups reached the kernel, %" PRIu64
		      " of them failed\n",
		      audit_all(m->all.calls), audit_sum(m->all.calls, RESULT_FAILED));
	if (m->dropped)
		(void)fprintf(f,
			      "fastpath: %" PRIu64 " more were not counted, for want of memory\n",
			      m->dropped);
}

static void put_prices(FILE *f, const struct audit_report *r)
{
	(void)fprintf(f, "fastpath: prices here, untraced, in ns (done/failed):");
	for (int i = 0; i < CALL_FAMILIES; i++) {
		const double *ns = r->prices.ns[i];

		if (ns[RESULT_DONE] > 0 || ns[RESULT_FAILED] > 0)
			(void)fprintf(f, " %s %.0f/%.0f", call_families[i], ns[RESULT_DONE],
				      ns[RESULT_FAILED]);
	}
	(void)fprintf(
	    f,
	    "\nfastpath: ms: lookups by these prices, an estimate; again: the same answer to the "
	    "same question; answer: what\nfastpath: fastpath could have answered; "
	    "/pr: in the same process, /tr: anywhere in the tree\n");
	(void)fprintf(f, "fastpath: the tree's CPU time: %.3f s, %.3f s as traced\n",
		      r->cpu_ns / 1e9, r->traced_ns / 1e9);
}

static void put_errors(FILE *f, const struct model_call *c)
{
	for (int i = 0; i < MODEL_ERRNOS; i++)
		if (c->errors[i])
			(void)fprintf(f, " %s %" PRIu64, i ? audit_errno(i) : "others",
				      c->errors[i]);
}

static void put_calls(FILE *f, const struct audit_report *r)
{
	put_head(f, "call: errors");
	for (size_t i = 0; i < calls_n; i++) {
		const struct model_call *c = &r->model->call[i];

		if (!audit_all(c->tally.calls))
			continue;
		put_tally(f, r, &c->tally);
		(void)fprintf(f, "%s%s", calls[i].name,
			      audit_sum(c->tally.calls, RESULT_FAILED) ? ":" : "");
		put_errors(f, c);
		(void)fputc('\n', f);
	}
}

static void put_origins(FILE *f, const struct audit_report *r)
{
	put_head(f, "origin");
	for (int i = 0; i < MODEL_ORIGINS; i++) {
		const struct tally *t = &r->model->origin[i];

		if (!audit_all(t->calls))
			continue;
		put_tally(f, r, t);
		(void)fprintf(f, "%s\n", audit_origins[i]);
	}
}

static void put_programs(FILE *f, const struct audit_report *r)
{
	put_head(f, "program (executed)");
	for (size_t i = 0; i < r->programs_n && i < ROWS; i++) {
		const struct model_program *p = &r->model->program[r->programs[i]];

		put_tally(f, r, &p->tally);
		cli_put_path(f, r->model->programs.all[r->programs[i]].text);
		(void)fprintf(f, " (%" PRIu64 "%s%s)\n", p->processes,
			      p->reach == REACH_DYNAMIC ? "" : ", ",
			      p->reach == REACH_DYNAMIC ? "" : model_reaches[p->reach]);
	}
	if (r->programs_n > ROWS)
		(void)fprintf(f, "fastpath: and %zu more programs\n", r->programs_n - ROWS);
}

static void put_directories(FILE *f, const struct audit_report *r)
{
	put_head(f, "directory");
	for (size_t i = 0; i < r->directories_n && i < ROWS; i++) {
		put_tally(f, r, &r->model->directory[r->directories[i]].tally);
		cli_put_path(f, r->model->directories.all[r->directories[i]].text);
		(void)fputc('\n', f);
	}
	if (audit_all(r->model->relative.calls)) {
		put_tally(f, r, &r->model->relative);
		(void)fprintf(
		    f, "(relative paths: not answered; these would be, were they absolute)\n");
	}
	if (r->directories_n > ROWS)
		(void)fprintf(f, "fastpath: and %zu more directories\n", r->directories_n - ROWS);
}

static void put_callers(FILE *f, const struct audit_report *r)
{
	if (!r->stacks)
		return;
	(void)fprintf(f, "fastpath:\nfastpath: %9s caller\n", "failed");
	for (size_t i = 0; i < r->callers_n && i < CALLERS; i++) {
		(void)fprintf(f, "fastpath: %9" PRIu64 " ", r->callers[i].failed);
		cli_put_path(f, r->callers[i].function);
		(void)fprintf(f, " (");
		cli_put_path(f, r->callers[i].file);
		(void)fprintf(f, ")\n");
	}
	if (r->callers_n > CALLERS)
		(void)fprintf(f, "fastpath: and %zu more callers\n", r->callers_n - CALLERS);
	if (r->stacks->lost)
		(void)fprintf(f, "fastpath: of %" PRIu64 " more no stack was to be had\n",
			      r->stacks->lost);
}

static void put_gain(FILE *f, const struct audit_report *r)
{
	static const char *const names[MODEL_SCOPES] = {"process", "tree"};

	(void)fprintf(f, "fastpath:\n");
	for (int s = 0; s < MODEL_SCOPES; s++) {
		const model_counts *c = &r->model->all.served[s];
		double ns = audit_ns(r, *c);

		(void)fprintf(f,
			      "fastpath: fastpath in %s scope could have answered %" PRIu64
			      " of them, and saved at most %.2f ms: %.2f %% of the CPU time\n",
			      names[s], audit_all(*c), ms(ns), audit_percent(r, ns));
	}
}

int audit_write_text(FILE *f, const struct audit_report *r)
{
	put_end(f, r);
	put_prices(f, r);
	put_calls(f, r);
	put_origins(f, r);
	put_programs(f, r);
	put_directories(f, r);
	put_callers(f, r);
	put_gain(f, r);
	return 0;
}

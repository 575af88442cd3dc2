/*
 * report_json.c - fastpath report --json: one line, whose keys are stable, and which fastpath
 * report reads again.
 */
#include "cli/report.h"

#include "cli/cli.h"
#include "cli/member.h"

#include <stdio.h>
#include <stdlib.h>

static void add_totals(json_t *all, const struct report *r)
{
	const struct statistics *s = &r->all;
	const struct fastpath_stats *t = &s->totals;
	json_t *report = member_set_new(all, "report", json_object()), *verify;

	member_set_number(report, "files", (int64_t)r->files);
	member_set_number(report, "lines", (int64_t)s->lines);
	member_set_number(report, "runs", (int64_t)s->runs);
	member_set_number(report, "skipped", (int64_t)r->skipped);
	member_set_number(report, "processes", (int64_t)s->processes);
	member_set_counts(report, "scopes", statistics_scopes, s->scopes, STATISTICS_SCOPES);
	member_set_counts(report, "bells", statistics_bells, s->bells, STATISTICS_BELLS);
	member_set_counts(report, "calls", statistics_calls, t->calls, FASTPATH_CALLS);
	member_set_counts(report, "served", statistics_calls, t->served, FASTPATH_CALLS);
	member_set_counts(report, "kernel", statistics_reasons, t->kernel, FASTPATH_REASONS);
	verify = member_set_new(report, "verify", json_object());
	member_set_number(verify, "checked", (int64_t)t->verify_checked);
	member_set_number(verify, "wrong", (int64_t)t->verify_wrong);
	member_set_number(verify, "unresolved", (int64_t)t->verify_unresolved);
	member_set_number(report, "saved_ns", t->saved_ns);
	member_set_number(report, "learned", (int64_t)t->learned);
	member_set_number(report, "invalidated", (int64_t)t->invalidated);
}

static void add_directories(json_t *all, const struct report *r)
{
	json_t *directories = member_set_new(all, "directories", json_array());
	size_t rows = report_rows(r, r->all.directories_used);

	for (size_t i = 0; i < rows; i++) {
		const struct directory *d = &r->all.directories[i];
		json_t *o = json_object();

		member_set_string(o, "path", d->path);
		member_set_number(o, "lost", (int64_t)d->lost);
		member_set_number(o, "names", (int64_t)d->names);
		member_set_number(o, "rang", (int64_t)d->rang);
		(void)json_array_append_new(directories, o);
	}
}

int report_print_json(const struct report *r)
{
	json_t *all = json_object();
	int status;

	member_set_number(all, "fastpath", 1);
	add_totals(all, r);
	statistics_set_programs(all, &r->all, report_rows(r, r->all.programs_used));
	add_directories(all, r);
	status = member_print(all);
	json_decref(all);
	return status;
}

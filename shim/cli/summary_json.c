/*
 * summary_json.c - fastpath run --stats=json: one line, whose keys are stable.
 */
#include "cli/summary.h"

#include "cli/cli.h"
#include "cli/member.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_broker_number(json_t *o, const struct summary *s, const char *key, const char *from)
{
	member_set_number(o, key, member_integer(s->broker, from));
}

static void add_run(json_t *all, const struct summary *s)
{
	const struct fastpath_stats *t = &s->all.totals;
	json_t *run = member_set_new(all, "run", json_object()), *verify;

	member_set_number(run, "status", s->outcome->status);
	member_set_number(run, "signal", s->outcome->signal);
	member_set_number(run, "wall_ns", (int64_t)s->outcome->wall_ns);
	member_set_number(run, "processes", (int64_t)s->all.processes);
	member_set_string(run, "scope", s->scope);
	if (s->why)
		member_set_string(run, "why", s->why);
	member_set_counts(run, "calls", statistics_calls, t->calls, FASTPATH_CALLS);
	member_set_counts(run, "served", statistics_calls, t->served, FASTPATH_CALLS);
	member_set_counts(run, "kernel", statistics_reasons, t->kernel, FASTPATH_REASONS);
	verify = member_set_new(run, "verify", json_object());
	member_set_number(verify, "checked", (int64_t)t->verify_checked);
	member_set_number(verify, "wrong", (int64_t)t->verify_wrong);
	member_set_number(verify, "unresolved", (int64_t)t->verify_unresolved);
	member_set_number(run, "saved_ns", t->saved_ns);
	add_broker_number(run, s, "broker_cpu_ns", "cpu_ns");
	member_set_number(run, "learned", (int64_t)t->learned);
	member_set_number(run, "invalidated", (int64_t)t->invalidated);
	add_broker_number(run, s, "segment_bytes", "segment_bytes");
	add_broker_number(run, s, "watches", "watches");
	add_broker_number(run, s, "dropped_posts", "dropped_posts");
	member_set_number(run, "broken", (int64_t)s->broken);
}

static void add_array(json_t *all, const char *key, const json_t *array)
{
	(void)json_object_set_new(all, key,
				  json_is_array(array) ? json_copy((json_t *)array) : json_array());
}

void summary_write_json(const struct summary *s)
{
	json_t *all = json_object();
	char *text, *line;
	int n;

	member_set_number(all, "fastpath", 1);
	add_run(all, s);
	statistics_set_programs(all, &s->all, s->all.programs_used);
	add_array(all, "directories", s->directories);
	add_array(all, "injection", s->injection);
	text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	n = text ? asprintf(&line, "%s\n", text) : -1;
	free(text);
	if (n < 0) {
		cli_complain("no memory for the statistics");
		return;
	}
	cli_write_error(line, (size_t)n);
	free(line);
}

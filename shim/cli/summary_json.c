/*
 * summary_json.c - fastpath run --stats=json: one line, whose keys are stable.
 */
#include "cli/summary.h"

#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_number(json_t *o, const char *key, int64_t value)
{
	(void)json_object_set_new(o, key, json_integer(value));
}

static void add_string(json_t *o, const char *key, const char *value)
{
	(void)json_object_set_new(o, key, json_string(value));
}

/* Returns `value`, which `o` has taken; both are NULL without memory. */
static json_t *add_new(json_t *o, const char *key, json_t *value)
{
	return json_object_set_new(o, key, value) ? NULL : value;
}

static void add_counts(json_t *o, const char *key, const char *const *names, const uint64_t *values,
		       int n)
{
	json_t *counts = add_new(o, key, json_object());

	for (int i = 0; i < n; i++)
		add_number(counts, names[i], (int64_t)values[i]);
}

static void add_broker_number(json_t *o, const struct summary *s, const char *key, const char *from)
{
	add_number(o, key, summary_integer(s->broker, from));
}

static void add_run(json_t *all, const struct summary *s)
{
	const struct fastpath_stats *t = &s->totals;
	json_t *run = add_new(all, "run", json_object()), *verify;

	add_number(run, "status", s->outcome->status);
	add_number(run, "signal", s->outcome->signal);
	add_number(run, "wall_ns", (int64_t)s->outcome->wall_ns);
	add_number(run, "processes", (int64_t)s->processes);
	add_string(run, "scope", s->scope);
	if (s->why)
		add_string(run, "why", s->why);
	add_counts(run, "calls", summary_calls, t->calls, FASTPATH_CALLS);
	add_counts(run, "served", summary_calls, t->served, FASTPATH_CALLS);
	add_counts(run, "kernel", summary_reasons, t->kernel, FASTPATH_REASONS);
	verify = add_new(run, "verify", json_object());
	add_number(verify, "checked", (int64_t)t->verify_checked);
	add_number(verify, "wrong", (int64_t)t->verify_wrong);
	add_number(verify, "unresolved", (int64_t)t->verify_unresolved);
	add_number(run, "saved_ns", t->saved_ns);
	add_broker_number(run, s, "broker_cpu_ns", "cpu_ns");
	add_number(run, "learned", (int64_t)t->learned);
	add_number(run, "invalidated", (int64_t)t->invalidated);
	add_broker_number(run, s, "segment_bytes", "segment_bytes");
	add_broker_number(run, s, "watches", "watches");
	add_broker_number(run, s, "dropped_posts", "dropped_posts");
	add_number(run, "broken", (int64_t)s->broken);
}

static void add_programs(json_t *all, const struct summary *s)
{
	json_t *programs = add_new(all, "programs", json_array());

	for (size_t i = 0; i < s->programs_used; i++) {
		const struct program *p = &s->programs[i];
		json_t *o = json_object();

		add_string(o, "exe", p->exe);
		add_number(o, "processes", (int64_t)p->processes);
		add_number(o, "calls", (int64_t)p->calls);
		add_number(o, "served", (int64_t)p->served);
		add_number(o, "saved_ns", p->saved_ns);
		(void)json_array_append_new(programs, o);
	}
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

	add_number(all, "fastpath", 1);
	add_run(all, s);
	add_programs(all, s);
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

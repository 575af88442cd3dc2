/*
 * summary_json.c - fastpath run --stats=json: one line, whose keys are stable.
 */
#include "cli/summary.h"

#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As it is: cJSON's own numbers are doubles. */
static void add_number(cJSON *o, const char *key, int64_t value)
{
	char digits[24];

	(void)snprintf(digits, sizeof digits, "%" PRId64, value);
	(void)cJSON_AddRawToObject(o, key, digits);
}

static void add_counts(cJSON *o, const char *key, const char *const *names, const uint64_t *values,
		       int n)
{
	cJSON *counts = cJSON_AddObjectToObject(o, key);

	for (int i = 0; i < n; i++)
		add_number(counts, names[i], (int64_t)values[i]);
}

static void add_broker_number(cJSON *o, const struct summary *s, const char *key, const char *from)
{
	add_number(o, key, (int64_t)summary_number(s->broker, from));
}

static void add_run(cJSON *all, const struct summary *s)
{
	const struct fastpath_stats *t = &s->totals;
	cJSON *run = cJSON_AddObjectToObject(all, "run"), *verify;

	add_number(run, "status", s->outcome->status);
	add_number(run, "signal", s->outcome->signal);
	add_number(run, "wall_ns", (int64_t)s->outcome->wall_ns);
	add_number(run, "processes", (int64_t)s->processes);
	(void)cJSON_AddStringToObject(run, "scope", s->scope);
	if (s->why)
		(void)cJSON_AddStringToObject(run, "why", s->why);
	add_counts(run, "calls", summary_calls, t->calls, FASTPATH_CALLS);
	add_counts(run, "served", summary_calls, t->served, FASTPATH_CALLS);
	add_counts(run, "kernel", summary_reasons, t->kernel, FASTPATH_REASONS);
	verify = cJSON_AddObjectToObject(run, "verify");
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

static void add_programs(cJSON *all, const struct summary *s)
{
	cJSON *programs = cJSON_AddArrayToObject(all, "programs");

	for (size_t i = 0; i < s->programs_used; i++) {
		const struct program *p = &s->programs[i];
		cJSON *o = cJSON_CreateObject();

		(void)cJSON_AddStringToObject(o, "exe", p->exe);
		add_number(o, "processes", (int64_t)p->processes);
		add_number(o, "calls", (int64_t)p->calls);
		add_number(o, "served", (int64_t)p->served);
		add_number(o, "saved_ns", p->saved_ns);
		(void)cJSON_AddItemToArray(programs, o);
	}
}

static void add_array(cJSON *all, const char *key, const cJSON *array)
{
	cJSON *copy = cJSON_IsArray(array) ? cJSON_Duplicate(array, 1) : cJSON_CreateArray();

	(void)cJSON_AddItemToObject(all, key, copy);
}

void summary_write_json(const struct summary *s)
{
	cJSON *all = cJSON_CreateObject();
	char *text, *line;
	int n;

	add_number(all, "fastpath", 1);
	add_run(all, s);
	add_programs(all, s);
	add_array(all, "directories", s->directories);
	add_array(all, "injection", s->injection);
	text = cJSON_PrintUnformatted(all);
	cJSON_Delete(all);
	n = text ? asprintf(&line, "%s\n", text) : -1;
	free(text);
	if (n < 0) {
		cli_complain("no memory for the statistics");
		return;
	}
	cli_write_error(line, (size_t)n);
	free(line);
}

/*
 * bench_json.c - fastpath bench --json: everything that was measured; keys are stable.
 */
#include "cli/bench.h"

#include <fastpath.h>

#include <errno.h>
#include <string.h>

static void add(json_t *o, const char *key, json_t *value)
{
	(void)json_object_set_new(o, key, value); /* without memory it is missing */
}

/* Bytes of any kind: what is not UTF-8 becomes '?'. */
static json_t *string_of(const char *text)
{
	json_t *s = json_string(text);
	char copy[1024];

	if (s)
		return s;
	(void)snprintf(copy, sizeof copy, "%s", text);
	for (char *c = copy; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	return json_string(copy);
}

static json_t *about(const struct bench_report *r)
{
	json_t *o = json_object();
	const char *name, *value;

	for (size_t i = 0; (name = bench_fact(r, i, &value)) != NULL; i++)
		add(o, !strcmp(name, "file system") ? "file_system" : name, string_of(value));
	add(o, "version", json_string(FASTPATH_VERSION));
	add(o, "quick", json_boolean(r->options->quick));
	return o;
}

static json_t *side(double median, double deviation, const double *samples, size_t n)
{
	json_t *o = json_object(), *array = json_array();

	add(o, "median", json_real(median));
	add(o, "stddev", json_real(deviation * median));
	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(array, json_real(samples[i]));
	add(o, "samples", array);
	return o;
}

static json_t *ratio(const struct comparison *c)
{
	json_t *o = json_object();

	add(o, "ratio", json_real(c->ratio));
	add(o, "low", json_real(c->interval.low));
	add(o, "high", json_real(c->interval.high));
	add(o, "sure", json_boolean(c->interval.sure));
	return o;
}

static json_t *row(const struct bench_row *b)
{
	const struct row *r = &b->row;
	const struct comparison *c = &r->comparison;
	json_t *o = json_object();

	add(o, "name", string_of(r->name));
	add(o, "what", string_of(b->what));
	add(o, "unit", json_string(r->unit));
	add(o, "better", json_string(r->more_is_better ? "more" : "less"));
	add(o, "pairs", json_integer((json_int_t)r->pairs));
	add(o, "before", side(c->before, c->before_sd, b->before, r->pairs));
	add(o, "after", side(c->after, c->after_sd, b->after, r->pairs));
	add(o, "change", ratio(c));
	add(o, "noise", ratio(&r->noise));
	add(o, "verdict", json_string(row_verdict(r)));
	return o;
}

static json_t *skipped(const struct bench_skipped *s)
{
	json_t *o = json_object();

	add(o, "name", string_of(s->name));
	add(o, "why", string_of(s->why));
	add(o, "failed", json_boolean(s->failed));
	return o;
}

int bench_write_json(FILE *f, const struct bench_report *r)
{
	json_t *all = json_object(), *rows = json_array(), *others = json_array();
	int error;

	for (size_t i = 0; i < r->rows_used; i++)
		(void)json_array_append_new(rows, row(&r->rows[i]));
	for (size_t i = 0; i < r->skipped_used; i++)
		(void)json_array_append_new(others, skipped(&r->skipped[i]));
	add(all, "fastpath_bench", json_integer(1));
	add(all, "about", about(r));
	add(all, "rows", rows);
	add(all, "skipped", others);
	add(all, "interrupted", json_boolean(r->interrupted));
	add(all, "seconds", json_real(r->seconds));
	errno = EIO;
	error = json_dumpf(all, f, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) ||
		fputc('\n', f) == EOF || fflush(f);
	json_decref(all);
	return error ? -errno : 0;
}

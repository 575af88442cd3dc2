/*
 * audit_json.c - fastpath audit --json: one object, whose keys are stable.
 */
#include "cli/audit.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static void add_number(json_t *o, const char *key, uint64_t value)
{
	(void)json_object_set_new(o, key, json_integer((json_int_t)value));
}

static void add_real(json_t *o, const char *key, double value)
{
	(void)json_object_set_new(o, key, json_real(value));
}

/* Returns `value`, which `o` has taken; both are NULL without memory. */
static json_t *add_new(json_t *o, const char *key, json_t *value)
{
	return json_object_set_new(o, key, value) ? NULL : value;
}

/* A path, whatever its bytes are: those that are no UTF-8 become '?'. */
static void add_text(json_t *o, const char *key, const char *text)
{
	json_t *value = json_string(text);

	if (!value) {
		char *plain = strdup(text);

		for (char *c = plain; c && *c; c++)
			if ((unsigned char)*c >= 0x80)
				*c = '?';
		value = plain ? json_string(plain) : NULL;
		free(plain);
	}
	(void)json_object_set_new(o, key, value);
}

static void add_scopes(json_t *o, const char *key, uint64_t process, uint64_t tree)
{
	json_t *scopes = add_new(o, key, json_object());

	add_number(scopes, "process", process);
	add_number(scopes, "tree", tree);
}

/* Puts a tally's keys into an object. */
static json_t *add_tally(json_t *o, const struct audit_report *r, const struct tally *t)
{
	json_t *ns;

	add_number(o, "lookups", audit_all(t->calls));
	add_number(o, "failed", audit_sum(t->calls, RESULT_FAILED));
	add_scopes(o, "repeats", t->repeats[SCOPE_PROCESS], t->repeats[SCOPE_TREE]);
	add_scopes(o, "answerable", audit_all(t->served[SCOPE_PROCESS]),
		   audit_all(t->served[SCOPE_TREE]));
	add_real(o, "ns", audit_ns(r, t->calls));
	ns = add_new(o, "answerable_ns", json_object());
	add_real(ns, "process", audit_ns(r, t->served[SCOPE_PROCESS]));
	add_real(ns, "tree", audit_ns(r, t->served[SCOPE_TREE]));
	return o;
}

static void add_run(json_t *all, const struct audit_report *r)
{
	json_t *run = add_new(all, "run", json_object());

	add_number(run, "status", (uint64_t)r->outcome.status);
	add_number(run, "signal", (uint64_t)r->outcome.signal);
	add_number(run, "wall_ns", r->outcome.wall_ns);
	add_real(run, "cpu_ns", r->cpu_ns);
	add_real(run, "traced_cpu_ns", r->traced_ns);
	add_number(run, "processes", r->model->processes);
	add_number(run, "threads", r->model->threads);
	add_number(run, "dropped", r->model->dropped);
}

static void add_prices(json_t *all, const struct audit_report *r)
{
	json_t *prices = add_new(all, "prices_ns", json_object());

	for (int i = 0; i < CALL_FAMILIES; i++) {
		json_t *o = add_new(prices, call_families[i], json_object());

		add_real(o, "done", r->prices.ns[i][RESULT_DONE]);
		add_real(o, "failed", r->prices.ns[i][RESULT_FAILED]);
	}
}

static void add_gain(json_t *all, const struct audit_report *r)
{
	static const char *const names[MODEL_SCOPES] = {"process", "tree"};
	json_t *gain = add_new(all, "gain_at_most", json_object());

	for (int s = 0; s < MODEL_SCOPES; s++) {
		const model_counts *c = &r->model->all.served[s];
		json_t *o = add_new(gain, names[s], json_object());

		add_number(o, "lookups", audit_all(*c));
		add_real(o, "ns", audit_ns(r, *c));
		add_real(o, "percent_of_cpu", audit_percent(r, audit_ns(r, *c)));
	}
}

static void add_calls(json_t *all, const struct audit_report *r)
{
	json_t *array = add_new(all, "calls", json_array());

	for (size_t i = 0; i < calls_n; i++) {
		const struct model_call *c = &r->model->call[i];
		json_t *o, *errors;

		if (!audit_all(c->tally.calls))
			continue;
		o = json_object();
		(void)json_array_append_new(array, o);
		add_text(o, "call", calls[i].name);
		add_text(o, "family", call_families[calls[i].family]);
		add_tally(o, r, &c->tally);
		errors = add_new(o, "errors", json_object());
		for (int e = 0; e < MODEL_ERRNOS; e++)
			if (c->errors[e])
				add_number(errors, e ? audit_errno(e) : "others", c->errors[e]);
	}
}

static void add_origins(json_t *all, const struct audit_report *r)
{
	json_t *origins = add_new(all, "origins", json_object());

	for (int i = 0; i < MODEL_ORIGINS; i++)
		add_tally(add_new(origins, model_origins[i], json_object()), r,
			  &r->model->origin[i]);
}

static void add_programs(json_t *all, const struct audit_report *r)
{
	json_t *array = add_new(all, "programs", json_array());

	for (size_t i = 0; i < r->programs_n; i++) {
		const struct model_program *p = &r->model->program[r->programs[i]];
		json_t *o = json_object();

		(void)json_array_append_new(array, o);
		add_text(o, "exe", r->model->programs.all[r->programs[i]].text);
		add_text(o, "reach", model_reaches[p->reach]);
		add_number(o, "executed", p->processes);
		add_tally(o, r, &p->tally);
	}
}

static void add_directories(json_t *all, const struct audit_report *r)
{
	json_t *array = add_new(all, "directories", json_array());

	for (size_t i = 0; i < r->directories_n; i++) {
		json_t *o = json_object();

		(void)json_array_append_new(array, o);
		add_text(o, "path", r->model->directories.all[r->directories[i]].text);
		add_tally(o, r, &r->model->directory[r->directories[i]].tally);
	}
}

static void add_callers(json_t *all, const struct audit_report *r)
{
	json_t *array = add_new(all, "callers", json_array());

	for (size_t i = 0; i < r->callers_n; i++) {
		json_t *o = json_object();

		(void)json_array_append_new(array, o);
		add_text(o, "function", r->callers[i].function);
		add_text(o, "file", r->callers[i].file);
		add_number(o, "failed", r->callers[i].failed);
	}
}

int audit_write_json(FILE *f, const struct audit_report *r)
{
	json_t *all = json_object();
	int error;

	add_number(all, "fastpath", 1);
	add_run(all, r);
	add_prices(all, r);
	add_tally(add_new(all, "all", json_object()), r, &r->model->all);
	add_tally(add_new(all, "relative", json_object()), r, &r->model->relative);
	add_gain(all, r);
	add_calls(all, r);
	add_origins(all, r);
	add_programs(all, r);
	add_directories(all, r);
	if (r->stacks)
		add_callers(all, r);
	error = json_dumpf(all, f, JSON_COMPACT) ? -ENOMEM : 0;
	(void)fputc('\n', f);
	json_decref(all);
	return error;
}

/*
 * audit_report.c - what follows from the counts of an audit: costs, orders, shares.
 */
#include "cli/audit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const audit_origins[MODEL_ORIGINS] = {"other", "PATH search", "include search",
						  "dynamic loader", "locale"};

uint64_t audit_sum(const model_counts c, enum model_result result)
{
	uint64_t sum = 0;

	for (int f = 0; f < CALL_FAMILIES; f++)
		sum += c[f][result];
	return sum;
}

uint64_t audit_all(const model_counts c)
{
	return audit_sum(c, RESULT_DONE) + audit_sum(c, RESULT_FAILED);
}

double audit_ns(const struct audit_report *r, const model_counts c)
{
	double sum = 0;

	for (int f = 0; f < CALL_FAMILIES; f++)
		for (int i = 0; i < MODEL_RESULTS; i++)
			sum += (double)c[f][i] * r->prices.ns[f][i];
	return sum;
}

double audit_percent(const struct audit_report *r, double ns)
{
	return r->cpu_ns > 0 ? 100 * ns / r->cpu_ns : 0;
}

struct ranked {
	double ns;
	uint64_t lookups;
	const char *name;
	uint32_t number;
};

static int order(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->lookups != y->lookups)
		return x->lookups > y->lookups ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Of those that were asked anything: their numbers in order. */
static int rank(const struct audit_report *r, const struct names *names, bool directories,
		uint32_t **numbers, size_t *n)
{
	struct ranked *all = calloc(names->used + 1, sizeof *all);

	*numbers = calloc(names->used + 1, sizeof **numbers);
	if (!all || !*numbers) {
		free(all);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < names->used; i++) {
		const struct tally *t =
		    directories ? &r->model->directory[i].tally : &r->model->program[i].tally;
		uint64_t lookups = audit_all(t->calls);

		if (lookups || !directories)
			all[(*n)++] =
			    (struct ranked){audit_ns(r, t->calls), lookups, names->all[i].text, i};
	}
	qsort(all, *n, sizeof *all, order);
	for (size_t i = 0; i < *n; i++)
		(*numbers)[i] = all[i].number;
	free(all);
	return 0;
}

int audit_compute(struct audit_report *r)
{
	int error = rank(r, &r->model->programs, false, &r->programs, &r->programs_n);

	if (!error)
		error = rank(r, &r->model->directories, true, &r->directories, &r->directories_n);
	if (!error && r->stacks)
		error = audit_name_stacks(r);
	return error;
}

const char *audit_errno(int error)
{
	static char number[16];
	const char *name = strerrorname_np(error);

	(void)snprintf(number, sizeof number, "%d", error);
	return name ? name : number;
}

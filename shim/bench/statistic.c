/*
 * statistic.c - what pairs of measurements say.
 */
#include "bench/statistic.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BOOTSTRAP_ROUNDS = 2000, TAIL = BOOTSTRAP_ROUNDS / 40 };

static int double_order(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double middle(const double *ordered, size_t n)
{
	return (ordered[(n - 1) / 2] + ordered[n / 2]) / 2;
}

double statistic_median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, double_order);
	return middle(values, n);
}

static double mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

double statistic_deviation(const double *values, size_t n)
{
	double m = mean(values, n), sum = 0;

	if (n < 2)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += (values[i] - m) * (values[i] - m);
	return sqrt(sum / (double)(n - 1));
}

/* xorshift64: any sequence does that is the same every time. */
static size_t draw(uint64_t *state, size_t n)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (size_t)((*state >> 11) % n);
}

/* Of the median, from ordered values; `medians` has room for BOOTSTRAP_ROUNDS. Numbers of values
 * are drawn and counted: no round has to put values in order. */
static void bootstrap(const double *ordered, size_t n, uint32_t *drawn, double *medians)
{
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

	for (int round = 0; round < BOOTSTRAP_ROUNDS; round++) {
		size_t seen = 0, i = 0;
		double lower;

		memset(drawn, 0, n * sizeof *drawn);
		for (size_t k = 0; k < n; k++)
			drawn[draw(&state, n)]++;
		while ((seen += drawn[i]) <= (n - 1) / 2)
			i++;
		lower = ordered[i];
		while (seen <= n / 2)
			seen += drawn[++i];
		medians[round] = (lower + ordered[i]) / 2;
	}
	qsort(medians, BOOTSTRAP_ROUNDS, sizeof *medians, double_order);
}

static int set_interval(struct interval *found, const double *ordered, size_t n)
{
	double *medians;
	uint32_t *drawn;

	*found = (struct interval){exp(ordered[0]), exp(ordered[n - 1]), n >= STATISTIC_FEWEST};
	if (!found->sure)
		return 0;
	medians = calloc(BOOTSTRAP_ROUNDS, sizeof *medians);
	drawn = calloc(n, sizeof *drawn);
	if (medians && drawn) {
		bootstrap(ordered, n, drawn, medians);
		found->low = exp(medians[TAIL]);
		found->high = exp(medians[BOOTSTRAP_ROUNDS - 1 - TAIL]);
	}
	n = medians && drawn;
	free(medians);
	free(drawn);
	return n ? 0 : -ENOMEM;
}

int statistic_compare(struct comparison *c, const double *before, const double *after, size_t n)
{
	double *values = calloc(n, sizeof *values);
	int error;

	if (!values)
		return -ENOMEM;
	*c = (struct comparison){
	    .before_sd = statistic_deviation(before, n) / mean(before, n),
	    .after_sd = statistic_deviation(after, n) / mean(after, n),
	};
	memcpy(values, before, n * sizeof *values);
	c->before = statistic_median(values, n);
	memcpy(values, after, n * sizeof *values);
	c->after = statistic_median(values, n);
	for (size_t i = 0; i < n; i++)
		values[i] = log(after[i] / before[i]);
	c->ratio = exp(statistic_median(values, n));
	error = set_interval(&c->interval, values, n);
	free(values);
	return error;
}

enum verdict statistic_verdict(const struct interval *i)
{
	if (!i->sure)
		return VERDICT_UNKNOWN;
	if (i->low > 1)
		return VERDICT_MORE;
	return i->high < 1 ? VERDICT_LESS : VERDICT_SAME;
}

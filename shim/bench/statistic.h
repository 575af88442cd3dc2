/*
 * statistic.h - what pairs of measurements say: medians, spread, and how sure the ratio is.
 *
 * Nothing here knows what was measured. All values are positive; the same values give the same
 * answers, whenever and wherever.
 */
#ifndef BENCH_STATISTIC_H
#define BENCH_STATISTIC_H

#include <stdbool.h>
#include <stddef.h>

/* With fewer pairs no interval has 95 %: all of n fall on one side by chance in 2 of 2^n cases. */
enum { STATISTIC_FEWEST = 6 };

/* Of a ratio: 95 % of such intervals hold the true one; or, not sure, from least to most. */
struct interval {
	double low, high;
	bool sure;
};

struct comparison {
	double before, after;       /* medians */
	double before_sd, after_sd; /* standard deviation, as a share of the mean */
	double ratio;               /* after / before: median over the pairs, on the logarithms */
	struct interval interval;
};

/* Zero is what claims nothing. */
enum verdict { VERDICT_UNKNOWN = 0, VERDICT_SAME, VERDICT_MORE, VERDICT_LESS };

/* n is at least 1. `values` are put in order. */
double statistic_median(double *values, size_t n);

/* 0 when n is 1. */
double statistic_deviation(const double *values, size_t n);

/* n is at least 1. Returns 0 or -ENOMEM. */
int statistic_compare(struct comparison *c, const double *before, const double *after, size_t n);

/* More or less only where the interval excludes 1; unknown where it is not sure. */
enum verdict statistic_verdict(const struct interval *i);

#endif

/*
 * Statistics of `fastpath bench`: known values, how often the interval holds the truth, and when
 * something is said to have changed.
 */
#include "test.h"

#include "bench/statistic.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define CHECK_NEAR(got, want)                                                                      \
	do {                                                                                       \
		double got_ = (got), want_ = (want);                                               \
		CHECKF(fabs(got_ - want_) < 1e-9 + 1e-9 * fabs(want_),                             \
		       "%s is %.12g, must be %.12g", #got, got_, want_);                           \
	} while (0)

/* Roughly normal, mean 0, deviation 1: twelve uniform numbers. */
static double normal(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)random() / (double)RAND_MAX;
	return sum;
}

static struct comparison compared(const double *before, const double *after, size_t n)
{
	struct comparison c;

	CHECK_EQ(statistic_compare(&c, before, after, n), 0);
	return c;
}

/* n pairs whose true ratio is `ratio`, each measured with a relative error of `error`. */
static struct comparison measured(size_t n, double ratio, double error)
{
	double before[64], after[64];

	for (size_t i = 0; i < n; i++) {
		before[i] = 100 * exp(error * normal());
		after[i] = 100 * ratio * exp(error * normal());
	}
	return compared(before, after, n);
}

static enum verdict verdict_of(struct comparison c)
{
	return statistic_verdict(&c.interval);
}

TEST(the_median_of_an_odd_and_an_even_number_of_values)
{
	CHECK_NEAR(statistic_median((double[]){3, 1, 2}, 3), 2);
	CHECK_NEAR(statistic_median((double[]){4, 1, 3, 2}, 4), 2.5);
	CHECK_NEAR(statistic_median((double[]){7}, 1), 7);
}

TEST(the_standard_deviation_is_the_samples)
{
	CHECK_NEAR(statistic_deviation((double[]){2, 4, 4, 4, 5, 5, 7, 9}, 8), sqrt(32.0 / 7));
	CHECK_NEAR(statistic_deviation((double[]){5}, 1), 0);
}

TEST(a_comparison_has_medians_relative_deviations_and_the_ratio_of_pairs)
{
	const double before[] = {100, 200, 400}, after[] = {50, 120, 160};
	struct comparison c = compared(before, after, 3);

	CHECK_NEAR(c.before, 200);
	CHECK_NEAR(c.after, 120);
	CHECK_NEAR(c.ratio, 0.5); /* of 0.5, 0.6, 0.4; not 120 / 200 */
	CHECK_NEAR(c.before_sd, sqrt(7.0 / 3) * 100 / (700.0 / 3));
}

TEST(a_drift_that_falls_on_both_sides_of_a_pair_does_not_widen_the_interval)
{
	double before[10], after[10];
	struct comparison c;

	for (int i = 0; i < 10; i++) {
		before[i] = 100 * (1 + i);
		after[i] = 90 * (1 + i);
	}
	c = compared(before, after, 10);
	CHECK_NEAR(c.interval.low, 0.9);
	CHECK_NEAR(c.interval.high, 0.9);
}

TEST(fewer_than_six_pairs_give_no_verdict)
{
	const double before[] = {100, 101, 102, 103, 104, 105}, after[] = {50, 50, 50, 50, 50, 50};
	struct comparison c = compared(before, after, STATISTIC_FEWEST - 1);

	CHECK(!c.interval.sure);
	CHECK_NEAR(c.interval.low, 50.0 / 104);
	CHECK_NEAR(c.interval.high, 0.5);
	CHECK_EQ(statistic_verdict(&c.interval), VERDICT_UNKNOWN);
	c = compared(before, after, STATISTIC_FEWEST);
	CHECK(c.interval.sure);
	CHECK_EQ(statistic_verdict(&c.interval), VERDICT_LESS);
}

TEST(a_verdict_only_where_the_interval_excludes_one)
{
	CHECK_EQ(statistic_verdict(&(struct interval){1.001, 1.2, true}), VERDICT_MORE);
	CHECK_EQ(statistic_verdict(&(struct interval){0.8, 0.999, true}), VERDICT_LESS);
	CHECK_EQ(statistic_verdict(&(struct interval){0.8, 1.2, true}), VERDICT_SAME);
	CHECK_EQ(statistic_verdict(&(struct interval){1, 1.2, true}), VERDICT_SAME);
	CHECK_EQ(statistic_verdict(&(struct interval){0.8, 1, true}), VERDICT_SAME);
	CHECK_EQ(statistic_verdict(&(struct interval){1.1, 1.2, false}), VERDICT_UNKNOWN);
}

TEST(the_interval_holds_the_true_ratio_nineteen_times_in_twenty)
{
	static const size_t sizes[] = {6, 10, 20, 60};

	srandom(1);
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		int held = 0;

		for (int i = 0; i < 500; i++) {
			struct comparison c = measured(sizes[k], 0.9, 0.05);

			held += c.interval.low <= 0.9 && c.interval.high >= 0.9;
		}
		CHECKF(held > 450 && held < 500, "%zu pairs: held in %d of 500", sizes[k], held);
	}
}

TEST(a_change_larger_than_the_noise_is_found_and_none_is_not_invented)
{
	int found = 0, invented = 0;

	srandom(2);
	for (int i = 0; i < 300; i++) {
		found += verdict_of(measured(20, 1.1, 0.03)) == VERDICT_MORE;
		invented += verdict_of(measured(20, 1.0, 0.03)) != VERDICT_SAME;
	}
	CHECKF(found > 295, "found %d of 300", found);
	CHECKF(invented < 36, "invented %d of 300", invented);
}

TEST(the_same_values_give_the_same_answer)
{
	struct comparison a, b;

	srandom(3);
	a = measured(30, 1.05, 0.1);
	srandom(3);
	b = measured(30, 1.05, 0.1);
	CHECK(a.interval.low == b.interval.low && a.interval.high == b.interval.high);
}

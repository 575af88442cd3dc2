/*
 * table.c - the report as text.
 *
 * Every fprintf() here is to a stream of the caller's, who looks for errors at its end.
 */
#include "bench/table.h"

#include <math.h>
#include <string.h>

const char *row_verdict(const struct row *r)
{
	switch (statistic_verdict(&r->comparison.interval)) {
	case VERDICT_SAME:
		return "same";
	case VERDICT_MORE:
		return r->more_is_better ? "faster" : "slower";
	case VERDICT_LESS:
		return r->more_is_better ? "slower" : "faster";
	case VERDICT_UNKNOWN:
		break;
	}
	return "unsure";
}

double row_noise(const struct row *r)
{
	return fmax(fabs(r->noise.interval.low - 1), fabs(r->noise.interval.high - 1));
}

static void separate_thousands(char *digits)
{
	size_t n = strlen(digits);

	for (size_t at = n; at > 3; n++) {
		at -= 3;
		memmove(digits + at + 1, digits + at, n - at + 1);
		digits[at] = ',';
	}
}

const char *table_number(double value, char *text)
{
	int decimals = value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;

	(void)snprintf(text, TABLE_NUMBER, "%.*f", decimals, fmin(value, 1e18));
	if (!decimals)
		separate_thousands(text);
	return text;
}

/* "+12.3%", "+1234%" */
static const char *percent(double ratio, char *text)
{
	double value = (ratio - 1) * 100;

	(void)snprintf(text, TABLE_NUMBER, "%+.*f%%", fabs(value) < 1000 ? 1 : 0, fmin(value, 1e9));
	return text;
}

static const char *spread(double deviation, char *text)
{
	double value = fmin(deviation * 100, 999);

	(void)snprintf(text, TABLE_NUMBER, "\u00b1%.*f%%", value < 9.95 ? 1 : 0, value);
	return text;
}

/* The sign of spread() is two bytes and one column. */
void table_head(FILE *f)
{
	(void)fprintf(f, "%11s %6s %9s %11s %6s  %19s %6s  %-7s %s\n", "before", "stddev", "change",
		      "after", "stddev", "95% interval", "noise", "verdict", "name, unit");
}

void table_row(FILE *f, const struct row *r)
{
	const struct comparison *c = &r->comparison;
	char before[TABLE_NUMBER], before_sd[TABLE_NUMBER], change[TABLE_NUMBER],
	    after[TABLE_NUMBER], after_sd[TABLE_NUMBER], low[TABLE_NUMBER], high[TABLE_NUMBER],
	    noise[TABLE_NUMBER];

	(void)fprintf(f, "%11s %7s %9s %11s %7s  %8s .. %7s %7s  %-7s %s %s\n",
		      table_number(c->before, before), spread(c->before_sd, before_sd),
		      percent(c->ratio, change), table_number(c->after, after),
		      spread(c->after_sd, after_sd), percent(c->interval.low, low),
		      percent(c->interval.high, high), spread(row_noise(r), noise), row_verdict(r),
		      r->name, r->unit);
}

void table_skipped(FILE *f, const char *verdict, const char *name, const char *why)
{
	(void)fprintf(f, "%75s%-7s %s: %s\n", "", verdict, name, why);
}

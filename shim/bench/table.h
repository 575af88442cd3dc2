/*
 * table.h - the report as text, in the form that kernel reports have: before, change, after, name.
 *
 * It is written row by row, as they are measured: columns are of fixed width, names come last.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "bench/statistic.h"

#include <stdio.h>

/* One line: a figure of a workload. */
struct row {
	const char *name;
	const char *unit;
	bool more_is_better;
	size_t pairs;
	struct comparison comparison;
	struct comparison noise; /* before against before */
};

/* "faster", "slower", "same", or "unsure" where there were too few pairs. */
const char *row_verdict(const struct row *r);

/* How far from 1 a ratio may be and mean nothing: the farther end of the noise's interval. */
double row_noise(const struct row *r);

void table_head(FILE *f);
void table_row(FILE *f, const struct row *r);
/* In the place of a row. */
void table_skipped(FILE *f, const char *verdict, const char *name, const char *why);

/* "1,234,567", "12.34": four digits at least. `text` has TABLE_NUMBER bytes. */
enum { TABLE_NUMBER = 48 };
const char *table_number(double value, char *text);

#endif

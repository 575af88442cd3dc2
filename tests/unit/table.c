/*
 * The table of `fastpath bench`: what is called faster, and that columns stay columns.
 */
#include "test.h"

#include "bench/table.h"

#include <stdlib.h>

static struct row row_of(double ratio, double low, double high, bool more_is_better)
{
	return (struct row){
	    .name = "name",
	    .unit = "unit",
	    .more_is_better = more_is_better,
	    .pairs = 10,
	    .comparison = {1000, 1000 * ratio, 0.01, 0.02, ratio, {low, high, true}},
	    .noise = {1000, 1000, 0.01, 0.01, 1, {0.99, 1.03, true}},
	};
}

static const char *verdict_of(double low, double high, bool more_is_better)
{
	struct row r = row_of((low + high) / 2, low, high, more_is_better);

	return row_verdict(&r);
}

/* Columns before the name in what is printed: a byte that continues a character is none. */
static long name_column(const struct row *r)
{
	char *text = NULL, *name;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	long columns = 0;

	table_row(f, r);
	fclose(f);
	name = strstr(text, r->name);
	CHECK(name);
	for (const char *c = text; c < name; c++)
		columns += ((unsigned char)*c & 0xc0) != 0x80;
	free(text);
	return columns;
}

TEST(less_time_is_faster_and_more_operations_are)
{
	CHECK(!strcmp(verdict_of(0.7, 0.8, false), "faster"));
	CHECK(!strcmp(verdict_of(1.1, 1.2, false), "slower"));
	CHECK(!strcmp(verdict_of(1.1, 1.2, true), "faster"));
	CHECK(!strcmp(verdict_of(0.7, 0.8, true), "slower"));
}

TEST(an_interval_around_no_change_is_the_same_and_one_that_is_not_sure_says_nothing)
{
	struct row r = row_of(0.7, 0.6, 0.8, false);

	CHECK(!strcmp(verdict_of(0.9, 1.1, true), "same"));
	r.comparison.interval.sure = false;
	CHECK(!strcmp(row_verdict(&r), "unsure"));
}

TEST(the_noise_is_the_farther_end_of_its_interval)
{
	struct row r = row_of(1, 1, 1, true);

	CHECK(row_noise(&r) > 0.0299 && row_noise(&r) < 0.0301);
	r.noise.interval.low = 0.9;
	CHECK(row_noise(&r) > 0.0999 && row_noise(&r) < 0.1001);
}

TEST(names_stand_in_one_column_whatever_the_numbers)
{
	struct row small = row_of(1, 0.99, 1.01, true), large = row_of(150, 120, 190, true);

	small.comparison.before = 0.001;
	large.comparison.after = 123456789;
	large.comparison.after_sd = 3.5;
	CHECK_EQ(name_column(&small), name_column(&large));
}

TEST(numbers_have_four_digits_and_thousands_apart)
{
	char text[TABLE_NUMBER];

	CHECK(!strcmp(table_number(1.2345, text), "1.234") || !strcmp(text, "1.235"));
	CHECK(!strcmp(table_number(12.345, text), "12.35") || !strcmp(text, "12.34"));
	CHECK(!strcmp(table_number(123.45, text), "123.5") || !strcmp(text, "123.4"));
	CHECK(!strcmp(table_number(1234, text), "1,234"));
	CHECK(!strcmp(table_number(123456, text), "123,456"));
	CHECK(!strcmp(table_number(1234567, text), "1,234,567"));
}

/*
 * bench.h - fastpath bench: what was asked for, and what was measured. bench.c reads the former and
 * makes the latter; each bench_*.c puts it into one form.
 */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "bench/directory.h"
#include "bench/machine.h"
#include "bench/pairs.h"
#include "bench/table.h"
#include "bench/workload.h"

#include <jansson.h>

struct bench_options {
	bool list, quick, output, help;
	bool process; /* --scope */
	size_t pairs; /* 0: as many as the time allows */
	const char *json, *html, *suite;
	char *const *patterns; /* ended by NULL */
	char *const *command;  /* NULL: the suite */
};

/* False: it was said what is wrong. */
bool bench_parse(struct bench_options *o, int argc, char **argv);
extern const char bench_usage[];

/* How the two sides of a comparison are run. */
struct bench_sides {
	char library[PATH_MAX];
	struct side before, after;
	struct side apart; /* without fastpath, in the place of `after`: for WORKLOAD_SIDES */
};

/* Returns 0, -ENOENT without a library, -EINVAL where its path cannot be preloaded, or -errno. */
int bench_make_sides(struct bench_sides *s, const struct bench_options *o);

/* The scope and the bell that a process gets on that side, as in its statistics line. */
void bench_look_at_bell(const struct bench_sides *s, const char *directory, char scope[16],
			char bell[16]);

struct bench_row {
	struct row row;
	const char *what;
	double *before, *after; /* row.pairs of each */
};

struct bench_skipped {
	const char *name;
	char why[PAIRS_WHY];
	bool failed; /* else something is missing here */
};

struct bench_report {
	const struct bench_options *options;
	struct machine machine;
	struct directory directory;
	char scope[16], bell[16], trust[MACHINE_TEXT];
	struct bench_row *rows;
	size_t rows_used;
	struct bench_skipped *skipped;
	size_t skipped_used;
	bool interrupted, failed;
	int not_run; /* errno: the user's command could not be executed */
	double seconds;
};

/* Measures all that is wanted; rows are told to standard output as they come, if `text`. Returns 0,
 * -EINTR, or -errno. */
int bench_measure(struct bench_report *r, const struct bench_sides *sides, const struct suite *s,
		  FILE *text);

/* Name i of what stands above the table, and its value; NULL: there are no more. */
const char *bench_fact(const struct bench_report *r, size_t i, const char **value);

void bench_put_head(FILE *f, const struct bench_report *r);
void bench_put_end(FILE *f, const struct bench_report *r);

/* Returns 0 or -errno. */
int bench_write_json(FILE *f, const struct bench_report *r);
int bench_write_html(const char *file, const struct bench_report *r);

/* A line on standard error that comes and goes, if that is a terminal. */
struct bench_progress {
	const char *name;
	size_t done, rows; /* finished, and all */
	uint64_t began_ns;
};
void bench_progress_show(void *progress, size_t pairs, size_t of, uint64_t pair_ns);
void bench_progress_clear(void);

#endif

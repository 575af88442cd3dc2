/*
 * audit.h - fastpath audit: what is asked for, and the report that comes of it. audit.c reads the
 * options, auditor.c runs the tracer, audit_report.c computes, audit_stack.c finds names for
 * stacks, and audit_text.c, audit_json.c and audit_html.c put it all into words.
 */
#ifndef CLI_AUDIT_H
#define CLI_AUDIT_H

#include "audit/model.h"
#include "audit/price.h"
#include "audit/stack.h"
#include "cli/supervise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct audit_options {
	bool json, callers;
	int out;          /* descriptor of -o; -1: standard error */
	const char *html; /* absolute; NULL: none */
	int folded;       /* descriptor of --folded; -1: none */
	char **command;
};

/* Who asked: the innermost function that is neither libc's nor the loader's. */
struct audit_caller {
	const char *function; /* or an offset */
	const char *file;
	uint64_t failed; /* lookups */
};

struct audit_report {
	const struct audit_options *options;
	const struct model *model;
	const struct stacks *stacks; /* NULL: none were taken */
	struct outcome outcome;
	struct prices prices;
	double cpu_ns;    /* of the command and all it waited for, but for what tracing cost */
	double traced_ns; /* the same with it */
	uint32_t *programs, *directories; /* numbers, those whose lookups cost the most first */
	size_t programs_n, directories_n;
	struct audit_caller *callers; /* the most frequent first */
	size_t callers_n;
	char **folded; /* "program;outermost;...;innermost", in the order of callers */
	double *folded_counts;
	size_t folded_n;
};

/* The words of tables, in the order of the enums. */
extern const char *const audit_origins[MODEL_ORIGINS];

/* Computes what follows from the members before `programs`. Returns 0 or -errno. */
int audit_compute(struct audit_report *r);

/* Fills in callers and folded stacks. Returns 0 or -errno. */
int audit_name_stacks(struct audit_report *r);

/* Calls by result, in any family. */
uint64_t audit_sum(const model_counts c, enum model_result result);
uint64_t audit_all(const model_counts c);

/* What these lookups cost by the measured prices, in nanoseconds. */
double audit_ns(const struct audit_report *r, const model_counts c);

/* Part of the tree's CPU time, in percent; 0 when that is not known. */
double audit_percent(const struct audit_report *r, double ns);

/* "ENOENT", or a number. Not thread-safe. */
const char *audit_errno(int error);

/* Each returns 0 or -errno. */
int audit_write_text(FILE *f, const struct audit_report *r);
int audit_write_json(FILE *f, const struct audit_report *r);
int audit_write_folded(FILE *f, const struct audit_report *r);
int audit_write_html(const struct audit_report *r);

#endif

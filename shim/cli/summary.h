/*
 * summary.h - what a tree of processes did, added up: from the statistics line of each process and
 * the broker's report. summary.c collects, summary_text.c and summary_json.c put it into words.
 */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "cli/supervise.h"
#include <fastpath.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The keys of "calls" and "served", and of "kernel", in the order of fastpath.h. */
extern const char *const summary_calls[FASTPATH_CALLS];
extern const char *const summary_reasons[FASTPATH_REASONS];

struct program {
	char *exe;
	uint64_t hash;
	uint64_t processes; /* that ran it; one process can run several programs */
	uint64_t calls, served;
	int64_t saved_ns;
};

struct summary {
	struct fastpath_stats totals;
	uint64_t processes;
	uint64_t broken;          /* lines that could not be read */
	struct program *programs; /* the busiest first */
	size_t programs_used;
	/* The broker's report; NULL: none. The arrays in it, NULL if they are missing, have objects
	 * only, the busiest first. */
	json_t *broker;
	const json_t *directories, *injection;
	/* As given to summary_collect(). */
	const struct outcome *outcome;
	const char *scope, *why; /* "tree", "process" or "off"; why not tree, NULL in tree scope */
	bool verified;           /* answers were compared with the kernel's */
};

struct summary_sources {
	int lines;   /* descriptor of the memfd with the lines; -1: none */
	int control; /* broker.control; its broker is ended by this. -1: none */
	const struct outcome *outcome;
	const char *scope, *why;
	bool verified;
};

/* Returns 0 or -errno. What it allocates lives until exit. */
int summary_collect(struct summary *s, const struct summary_sources *from);

/* A member of a JSON object as a number; 0 when it is missing or of another type. */
double summary_number(const json_t *object, const char *key);
/* The same as an integer, exact where it is one there; 0 also when it is absurd. */
int64_t summary_integer(const json_t *object, const char *key);
/* The same as a string; "" when missing. */
const char *summary_string(const json_t *object, const char *key);

/* Each writes to standard error, in one write. */
void summary_write_text(const struct summary *s);
void summary_write_json(const struct summary *s);
void summary_write_verified(const struct summary *s);

#endif

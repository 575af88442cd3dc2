/*
 * summary.h - what a tree of processes did, added up: from the statistics line of each process and
 * the broker's report. summary.c collects, summary_text.c and summary_json.c put it into words.
 */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "cli/statistics.h"
#include "cli/supervise.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summary {
	struct statistics all;
	uint64_t broken;          /* lines that could not be read */
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

/* Each writes to standard error, in one write. */
void summary_write_text(const struct summary *s);
void summary_write_json(const struct summary *s);
void summary_write_verified(const struct summary *s);

#endif

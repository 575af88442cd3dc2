/*
 * statistics_line.h - reads one line of FASTPATH_STATS.
 */
#ifndef CLI_STATISTICS_LINE_H
#define CLI_STATISTICS_LINE_H

#include <fastpath.h>

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The keys of "calls" and "served", and of "kernel"; the values of "scope" and of "bell": in the
 * order of fastpath.h. */
enum { STATISTICS_SCOPES = 3, STATISTICS_BELLS = 3 };
extern const char *const statistics_calls[FASTPATH_CALLS];
extern const char *const statistics_reasons[FASTPATH_REASONS];
extern const char *const statistics_scopes[STATISTICS_SCOPES];
extern const char *const statistics_bells[STATISTICS_BELLS];

struct statistics_line {
	uint64_t pid;
	const char *exe; /* not terminated; within what was read */
	size_t exe_length;
	struct fastpath_stats stats;
};

/* A line just as the library writes it, which is most of them and costs a tenth of the other way.
 * False: to be read as JSON. */
bool statistics_line_scan(struct statistics_line *out, const char *text, size_t bytes);

/* From JSON. False: it is no such line. */
bool statistics_line_read(struct statistics_line *out, const json_t *line);

/* What the line of a process has in common with that of a run. False: no calls are counted there.
 */
bool statistics_line_sums(struct fastpath_stats *out, const json_t *object);

#endif

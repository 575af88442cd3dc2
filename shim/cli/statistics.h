/*
 * statistics.h - adds up the statistics of many processes, by program, and those of whole runs, by
 * directory too. summary.c adds the lines of one tree, report.c those of files.
 */
#ifndef CLI_STATISTICS_H
#define CLI_STATISTICS_H

#include "cli/names.h"
#include "cli/statistics_line.h"

struct program {
	const char *exe;
	uint64_t processes; /* that ran it; one process can run several programs */
	uint64_t calls, served;
	int64_t saved_ns;
};

/* Only runs tell of directories. */
struct directory {
	const char *path;
	uint64_t lost, rang; /* lookups that went to the kernel for it; its events */
	uint64_t names;      /* in it, at most */
};

/* Which process ran which program: a line for each report, and a process may report twice. */
struct seen {
	uint64_t pid;
	uint32_t source, program;
};

/* Zeroed memory is an empty one. */
struct statistics {
	struct fastpath_stats totals;
	uint64_t lines, runs;
	uint64_t scopes[STATISTICS_SCOPES], bells[STATISTICS_BELLS]; /* lines with each */
	uint64_t processes;                                          /* after statistics_end() */
	/* The busiest first, after statistics_end(). */
	struct program *programs;
	struct directory *directories;
	size_t programs_used, directories_used;
	/* statistics.c's own */
	struct names program_names, directory_names;
	struct seen *seen;
	size_t programs_room, directories_room, seen_used, seen_room;
};

/*
 * Adds a line of a process's statistics, or of a run's (fastpath run --stats=json, and what
 * fastpath report --json printed). Process numbers are told apart by `source`. Returns 0, -EINVAL
 * for what is neither, -ENOMEM.
 */
int statistics_add(struct statistics *s, uint32_t source, const char *text, size_t bytes);

/* After the last line. */
void statistics_end(struct statistics *s);

void statistics_free(struct statistics *s);

/* Puts the first `rows` programs, at most, into `all` as an array "programs". */
void statistics_set_programs(json_t *all, const struct statistics *s, size_t rows);

/* Adds to a sum, which stays at MEMBER_MOST: it can always be read again, and never overflows. */
void statistics_count(uint64_t *sum, uint64_t more);

/* Of all calls. */
uint64_t statistics_sum(const uint64_t counts[FASTPATH_CALLS]);

#endif

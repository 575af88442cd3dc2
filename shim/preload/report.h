/*
 * report.h - the statistics of one process: kept from when, written where.
 */
#ifndef PRELOAD_REPORT_H
#define PRELOAD_REPORT_H

#include "preload/scope.h"

/* Of what is written to: a fifo without a reader, or a terminal, must not hold up the program. */
#define REPORT_FLAGS (O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* At start, when statistics or verification were asked for. */
void report_start(void);

void report_begin_child(void);

/* Before anything is counted: a forked child's statistics begin here. */
FP_INLINE void report_began(void)
{
	struct region *r = load_relaxed(&scope.region);

	if (unlikely(r && !load_relaxed(&r->pid)))
		report_begin_child();
}

/* Sums everything up. */
void report_collect(struct fastpath_stats *s);

/* One write that ends nobody: not by a limit of files' sizes, nor by a pipe that nobody reads. */
void report_say(int fd, const char *bytes, size_t n);

/* Writes what has not been written yet, as FASTPATH_STATS asks: at exit, _exit, before exec. */
void report_exit(void);

#endif

/*
 * report.h - what fastpath report has read. report.c reads, report_text.c, report_json.c and
 * report_page.c put it into words.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/statistics.h"

struct report {
	struct statistics all;
	uint64_t files, skipped; /* lines that are no statistics */
	size_t top;              /* rows of a table at most */
};

/* How many rows of a table with `used` are shown. */
static inline size_t report_rows(const struct report *r, size_t used)
{
	return used < r->top ? used : r->top;
}

/* On standard output. 0 or CLI_FAILED. */
int report_print_text(const struct report *r);
int report_print_json(const struct report *r);

/* Returns 0 or -errno. */
int report_write_page(const struct report *r, const char *file);

#endif

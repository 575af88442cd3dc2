/*
 * bench_progress.c - fastpath bench: how far it is, on a terminal.
 */
#include "cli/bench.h"

#include "base/sys.h"
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

static bool shown;

/* What the rows after this one take: as those before it did, or, so far, as this one. */
static uint64_t rest_ns(const struct bench_progress *p, uint64_t this_ns)
{
	uint64_t each = p->done ? (sys_clock_ns() - p->began_ns) / (p->done + 1) : this_ns;

	return each * (p->rows - p->done - 1);
}

void bench_progress_show(void *progress, size_t pairs, size_t of, uint64_t pair_ns)
{
	const struct bench_progress *p = progress;
	uint64_t left = ((of - pairs) * pair_ns + rest_ns(p, of * pair_ns)) / 1000000000;
	char line[160];

	if (!isatty(STDERR_FILENO))
		return;
	(void)snprintf(line, sizeof line,
		       "\r\033[K[%zu/%zu] %.60s: %zu of %zu pairs, %llu:%02llu left", p->done + 1,
		       p->rows, p->name, pairs, of, (unsigned long long)left / 60,
		       (unsigned long long)left % 60);
	if (!of)
		(void)snprintf(line, sizeof line, "\r\033[K[%zu/%zu] %.30s: warming up",
			       p->done + 1, p->rows, p->name);
	cli_write_error(line, strlen(line));
	shown = true;
}

void bench_progress_clear(void)
{
	if (shown)
		cli_write_error("\r\033[K", 4);
	shown = false;
}

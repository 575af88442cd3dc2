/*
 * bench_text.c - fastpath bench: what stands above and below its table.
 *
 * Every fprintf() here is to standard output, whose errors are looked for at the end.
 */
#include "cli/bench.h"

#include <fastpath.h>

#include <stdlib.h>

const char *bench_fact(const struct bench_report *r, size_t i, const char **value)
{
	const struct {
		const char *name, *value;
	} facts[] = {
	    {"date", r->machine.date},
	    {"machine", r->machine.cpu},
	    {"kernel", r->machine.kernel},
	    {"libc", r->machine.libc},
	    {"mitigations", r->machine.mitigations},
	    {"load", r->machine.load},
	    {"file system", r->directory.file_system},
	    {"directory", r->directory.path},
	    {"scope", r->scope},
	    {"bell", r->bell},
	    {"settings", r->trust},
	};

	if (i == sizeof facts / sizeof *facts || !*facts[i].value)
		return NULL;
	*value = facts[i].value;
	return facts[i].name;
}

/* Terminals are not to obey what a path holds. */
static void put_fact(FILE *f, const char *name, const char *value)
{
	(void)fprintf(f, "%-12s ", name);
	for (; *value; value++)
		(void)fputc((unsigned char)*value < 0x20 || *value == 0x7f ? '?' : *value, f);
	(void)fputc('\n', f);
}

void bench_put_head(FILE *f, const struct bench_report *r)
{
	const char *name, *value;

	(void)fprintf(f, "fastpath bench " FASTPATH_VERSION "%s\n\n",
		      r->options->quick ? " --quick: few pairs" : "");
	for (size_t i = 0; (name = bench_fact(r, i, &value)) != NULL; i++)
		put_fact(f, name, value);
	if (strtod(r->machine.load, NULL) > 0.5)
		(void)fprintf(
		    f, "\nOther processes are running, or were just now: wall times are noisy.\n");
	(void)fputc('\n', f);
	table_head(f);
	(void)fflush(f);
}

void bench_put_end(FILE *f, const struct bench_report *r)
{
	size_t fewest = 0, most = 0;

	for (size_t i = 0; i < r->rows_used; i++) {
		size_t n = r->rows[i].row.pairs;

		fewest = !fewest || n < fewest ? n : fewest;
		most = n > most ? n : most;
	}
	(void)fputc('\n', f);
	if (r->interrupted)
		(void)fprintf(f, "interrupted: this is what there was\n");
	if (!r->rows_used)
		return;
	if (fewest != most)
		(void)fprintf(f, "%zu to ", fewest);
	(void)fprintf(f, "%zu pairs a row, %.0f s\n", most, r->seconds);
}

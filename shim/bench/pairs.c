/*
 * pairs.c - a command without and with the library, interleaved.
 */
#include "bench/pairs.h"

#include "base/sys.h"
#include "bench/child.h"
#include "bench/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run's figures, in the order of series.metrics. */
struct sample {
	double values[METRICS];
	uint64_t wall_ns;
};

struct runner {
	const struct subject *subject;
	struct series *series;
	int said; /* standard error of a run, and output of a loop */
};

static const char *side_name(const struct runner *r, const struct side *side)
{
	return side == &r->subject->before ? "without fastpath" : "with fastpath";
}

static int fail(struct runner *r, const struct side *side, const char *what)
{
	char line[PAIRS_WHY / 2];

	text_last_line(r->said, line, sizeof line);
	(void)snprintf(r->series->why, PAIRS_WHY, "%s %s%s%s", what, side_name(r, side),
		       line[0] ? ": " : "", line);
	return 1;
}

/* prefix and argv as one; the strings are theirs. */
static char **join(char *const *prefix, char *const *argv)
{
	size_t n = 0, m = 0;
	char **all;

	while (prefix[n])
		n++;
	while (argv[m])
		m++;
	all = (char **)calloc(n + m + 1, sizeof *all);
	if (all) {
		memcpy((void *)all, (const void *)prefix, n * sizeof *all);
		memcpy((void *)(all + n), (const void *)argv, m * sizeof *all);
	}
	return all;
}

static int take_loop(struct runner *r, const struct side *side, struct sample *out)
{
	char text[256], *rest;
	double ops, ns;

	text_read(r->said, text, sizeof text);
	ops = strtod(text, &rest);
	ns = strtod(rest, NULL);
	if (!(ops > 0) || !(ns > 0))
		return fail(r, side, "did not print OPS NS");
	out->values[0] = ops / ns * 1e9;
	return 0;
}

/* A ratio of nothing is nothing: at least a microsecond. */
static double ms(uint64_t ns)
{
	return ns < 1000 ? 1e-3 : (double)ns / 1e6;
}

static int run_side(struct runner *r, const struct side *side, struct sample *out)
{
	const struct subject *s = r->subject;
	char **argv = join(side->prefix, s->argv), status[128];
	struct child_command c = {argv, side->environment, s->directory, s->output, r->said};
	struct child_used used;
	int error;

	if (!argv)
		return -ENOMEM;
	if (s->loop)
		c.output = r->said;
	else if (s->output >= 0)
		c.error = STDERR_FILENO;
	text_clear(r->said);
	error = child_run(&c, &used);
	free((void *)argv);
	if (error == -ETIME)
		return fail(r, side, "left processes that did not end");
	if (error)
		return error;
	r->series->exec_error = used.exec_error;
	if (used.exec_error)
		return fail(r, side, strerror(used.exec_error));
	if (used.status) {
		text_of_status(used.status, status, sizeof status);
		return fail(r, side, status);
	}
	out->wall_ns = used.wall_ns;
	if (s->loop)
		return take_loop(r, side, out);
	out->values[0] = ms(used.cpu_ns);
	out->values[1] = ms(used.wall_ns);
	return 0;
}

static int make_room(struct series *s)
{
	size_t more = s->room ? 2 * s->room : 16;

	if (s->pairs + 2 <= s->room)
		return 0;
	for (size_t i = 0; i < s->metrics_used; i++) {
		struct metric *m = &s->metrics[i];
		double *before = reallocarray(m->before, more, sizeof *before), *after;

		if (before)
			m->before = before;
		after = reallocarray(m->after, more, sizeof *after);
		if (after)
			m->after = after;
		if (!before || !after)
			return -ENOMEM;
	}
	s->room = more;
	return 0;
}

/* A B B A: two pairs, or none. */
static int measure_four(struct runner *r)
{
	const struct side *a = &r->subject->before, *b = &r->subject->after;
	const struct side *const order[] = {a, b, b, a};
	struct series *s = r->series;
	struct sample found[4];
	int error = make_room(s);

	for (int i = 0; i < 4 && !error; i++)
		error = run_side(r, order[i], &found[i]);
	if (error)
		return error;
	for (size_t i = 0; i < s->metrics_used; i++) {
		struct metric *m = &s->metrics[i];

		m->before[s->pairs] = found[0].values[i];
		m->after[s->pairs] = found[1].values[i];
		m->after[s->pairs + 1] = found[2].values[i];
		m->before[s->pairs + 1] = found[3].values[i];
	}
	s->pairs += 2;
	return 0;
}

/* Even, and enough for the noise floor's two. */
static size_t pairs_wanted(const struct plan *plan, uint64_t pair_ns)
{
	size_t n = plan->pairs;

	if (!n) {
		n = (size_t)(plan->budget_ns / (pair_ns ? pair_ns : 1));
		if (n < plan->fewest)
			n = plan->fewest;
		if (n > plan->most)
			n = plan->most;
	}
	return n + n % 2;
}

static void set_metrics(struct series *s, bool loop)
{
	if (loop) {
		s->metrics[s->metrics_used++] =
		    (struct metric){.unit = "ops/cpu-s", .more_is_better = true};
		return;
	}
	s->metrics[s->metrics_used++] = (struct metric){.unit = "cpu ms"};
	s->metrics[s->metrics_used++] = (struct metric){.unit = "wall ms"};
}

/* One of each that is not counted: caches are filled, and how long a pair takes is known. */
static int warm_up(struct runner *r, uint64_t *pair_ns)
{
	uint64_t began = sys_clock_ns();
	struct sample ignored;
	int error = run_side(r, &r->subject->before, &ignored);

	if (!error)
		error = run_side(r, &r->subject->after, &ignored);
	*pair_ns = sys_clock_ns() - began;
	return error;
}

int pairs_measure(const struct subject *subject, const struct plan *plan, struct series *s)
{
	struct runner r = {subject, s, text_open()};
	uint64_t began, pair_ns = 0;
	size_t wanted;
	int error;

	if (r.said < 0)
		return r.said;
	set_metrics(s, subject->loop);
	if (plan->progress)
		plan->progress(plan->context, 0, 0, 0);
	error = warm_up(&r, &pair_ns);
	began = sys_clock_ns();
	while (!error && s->pairs < (wanted = pairs_wanted(plan, pair_ns))) {
		if (s->pairs && plan->until_ns && sys_clock_ns() + 2 * pair_ns > plan->until_ns)
			break;
		if (plan->progress)
			plan->progress(plan->context, s->pairs, wanted, pair_ns);
		error = measure_four(&r);
		if (s->pairs)
			pair_ns = (sys_clock_ns() - began) / s->pairs;
	}
	(void)close(r.said);
	return error;
}

void pairs_free(struct series *s)
{
	for (size_t i = 0; i < s->metrics_used; i++) {
		free(s->metrics[i].before);
		free(s->metrics[i].after);
	}
	*s = (struct series){.pairs = 0};
}

int pairs_compare(const struct series *s, size_t m, struct comparison *c, struct comparison *noise)
{
	const double *before = s->metrics[m].before;
	double *first = calloc(s->pairs, sizeof *first), *second;
	int error;

	if (!first)
		return -ENOMEM;
	second = first + s->pairs / 2;
	/* Which of the two is first takes turns: the later one is not always on the same side. */
	for (size_t i = 0; i < s->pairs / 2; i++) {
		first[i] = before[2 * i + i % 2];
		second[i] = before[2 * i + 1 - i % 2];
	}
	error = statistic_compare(c, before, s->metrics[m].after, s->pairs);
	if (!error)
		error = statistic_compare(noise, first, second, s->pairs / 2);
	free(first);
	return error;
}

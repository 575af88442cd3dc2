/*
 * statistics.c - adds up the statistics of many processes.
 */
#include "cli/statistics.h"

#include "cli/member.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* NULL: no memory. */
static struct program *program_of(struct statistics *s, const char *exe, size_t length)
{
	int64_t n = names_number(&s->program_names, exe, length);

	if (n < 0)
		return NULL;
	if ((size_t)n == s->programs_used) {
		if (!names_make_room((void **)&s->programs, s->programs_used, &s->programs_room,
				     sizeof *s->programs))
			return NULL;
		s->programs[s->programs_used++] =
		    (struct program){.exe = s->program_names.of[n].text};
	}
	return &s->programs[n];
}

/* NULL: no memory. */
static struct directory *directory_of(struct statistics *s, const char *path)
{
	int64_t n = names_number(&s->directory_names, path, strlen(path));

	if (n < 0)
		return NULL;
	if ((size_t)n == s->directories_used) {
		if (!names_make_room((void **)&s->directories, s->directories_used,
				     &s->directories_room, sizeof *s->directories))
			return NULL;
		s->directories[s->directories_used++] =
		    (struct directory){.path = s->directory_names.of[n].text};
	}
	return &s->directories[n];
}

uint64_t statistics_sum(const uint64_t counts[FASTPATH_CALLS])
{
	uint64_t sum = 0;

	for (int i = 0; i < FASTPATH_CALLS; i++)
		sum += counts[i];
	return sum;
}

void statistics_count(uint64_t *sum, uint64_t more)
{
	*sum = more < MEMBER_MOST - *sum ? *sum + more : MEMBER_MOST;
}

/* The same of one with a sign. Neither is ever beyond. */
static void add_signed(int64_t *sum, int64_t more)
{
	int64_t all = *sum + more;

	*sum = all > MEMBER_MOST ? MEMBER_MOST : all < -MEMBER_MOST ? -MEMBER_MOST : all;
}

static void add_stats(struct fastpath_stats *t, const struct fastpath_stats *more)
{
	for (int i = 0; i < FASTPATH_CALLS; i++) {
		statistics_count(&t->calls[i], more->calls[i]);
		statistics_count(&t->served[i], more->served[i]);
	}
	for (int i = 0; i < FASTPATH_REASONS; i++)
		statistics_count(&t->kernel[i], more->kernel[i]);
	statistics_count(&t->learned, more->learned);
	statistics_count(&t->invalidated, more->invalidated);
	statistics_count(&t->verify_checked, more->verify_checked);
	statistics_count(&t->verify_wrong, more->verify_wrong);
	statistics_count(&t->verify_unresolved, more->verify_unresolved);
	add_signed(&t->saved_ns, more->saved_ns);
}

/* Returns 0 or -ENOMEM. */
static int add_process(struct statistics *s, uint32_t source, const struct statistics_line *line)
{
	struct program *p = program_of(s, line->exe, line->exe_length);

	if (!p || !names_make_room((void **)&s->seen, s->seen_used, &s->seen_room, sizeof *s->seen))
		return -ENOMEM;
	s->seen[s->seen_used++] = (struct seen){line->pid, source, (uint32_t)(p - s->programs)};
	statistics_count(&p->calls, statistics_sum(line->stats.calls));
	statistics_count(&p->served, statistics_sum(line->stats.served));
	add_signed(&p->saved_ns, line->stats.saved_ns);
	add_stats(&s->totals, &line->stats);
	statistics_count(&s->lines, 1);
	statistics_count(&s->scopes[line->stats.scope], 1);
	statistics_count(&s->bells[line->stats.bell], 1);
	return 0;
}

/* Returns 0 or -ENOMEM. */
static int add_run_programs(struct statistics *s, const json_t *programs)
{
	for (size_t i = 0; i < json_array_size(programs); i++) {
		const json_t *from = json_array_get(programs, i);
		const char *exe = member_string(from, "exe");
		struct program *p = program_of(s, exe, strlen(exe));

		if (!p)
			return -ENOMEM;
		statistics_count(&p->processes, member_count(from, "processes"));
		statistics_count(&p->calls, member_count(from, "calls"));
		statistics_count(&p->served, member_count(from, "served"));
		add_signed(&p->saved_ns, member_integer(from, "saved_ns"));
	}
	return 0;
}

/* Returns 0 or -ENOMEM. */
static int add_run_directories(struct statistics *s, const json_t *directories)
{
	for (size_t i = 0; i < json_array_size(directories); i++) {
		const json_t *from = json_array_get(directories, i);
		struct directory *d = directory_of(s, member_string(from, "path"));
		uint64_t names = member_count(from, "names");

		if (!d)
			return -ENOMEM;
		statistics_count(&d->lost, member_count(from, "lost"));
		statistics_count(&d->rang, member_count(from, "rang"));
		d->names = names > d->names ? names : d->names;
	}
	return 0;
}

/* A whole run, or a report of several. Returns 0, -EINVAL or -ENOMEM. */
static int add_run(struct statistics *s, const json_t *all)
{
	const json_t *report = json_object_get(all, "report");
	const json_t *run = report ? report : json_object_get(all, "run");
	const json_t *scopes = json_object_get(report, "scopes");
	const json_t *bells = json_object_get(report, "bells");
	struct fastpath_stats sums;
	int error;

	if (member_number(all, "fastpath") != 1 || !statistics_line_sums(&sums, run))
		return -EINVAL;
	error = add_run_programs(s, json_object_get(all, "programs"));
	if (!error)
		error = add_run_directories(s, json_object_get(all, "directories"));
	if (error)
		return error;
	add_stats(&s->totals, &sums);
	statistics_count(&s->processes, member_count(run, "processes"));
	statistics_count(&s->lines, member_count(report, "lines"));
	statistics_count(&s->runs, report ? member_count(report, "runs") : 1);
	for (int i = 0; i < STATISTICS_SCOPES; i++)
		statistics_count(&s->scopes[i], member_count(scopes, statistics_scopes[i]));
	for (int i = 0; i < STATISTICS_BELLS; i++)
		statistics_count(&s->bells[i], member_count(bells, statistics_bells[i]));
	return 0;
}

int statistics_add(struct statistics *s, uint32_t source, const char *text, size_t bytes)
{
	struct statistics_line line;
	json_t *json;
	int error;

	if (statistics_line_scan(&line, text, bytes))
		return add_process(s, source, &line);
	json = json_loadb(text, bytes, 0, NULL);
	if (!json)
		return -EINVAL;
	if (statistics_line_read(&line, json))
		error = add_process(s, source, &line);
	else
		error = add_run(s, json);
	json_decref(json);
	return error;
}

static int seen_order(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->program < y->program ? -1 : x->program > y->program;
}

static void count_processes(struct statistics *s)
{
	if (s->seen_used)
		qsort(s->seen, s->seen_used, sizeof *s->seen, seen_order);
	for (size_t i = 0; i < s->seen_used; i++) {
		const struct seen *now = &s->seen[i], *before = i ? now - 1 : NULL;
		bool same_process =
		    before && before->pid == now->pid && before->source == now->source;

		statistics_count(&s->processes, !same_process);
		if (!same_process || before->program != now->program)
			statistics_count(&s->programs[now->program].processes, 1);
	}
}

static int program_order(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return strcmp(x->exe, y->exe);
}

static int directory_order(const void *a, const void *b)
{
	const struct directory *x = a, *y = b;

	if (x->lost != y->lost)
		return x->lost > y->lost ? -1 : 1;
	return strcmp(x->path, y->path);
}

void statistics_end(struct statistics *s)
{
	count_processes(s);
	free(s->seen);
	s->seen = NULL;
	s->seen_used = s->seen_room = 0;
	if (s->programs_used)
		qsort(s->programs, s->programs_used, sizeof *s->programs, program_order);
	if (s->directories_used)
		qsort(s->directories, s->directories_used, sizeof *s->directories, directory_order);
}

void statistics_free(struct statistics *s)
{
	names_free(&s->program_names);
	names_free(&s->directory_names);
	free(s->programs);
	free(s->directories);
	free(s->seen);
	*s = (struct statistics){0};
}

void statistics_set_programs(json_t *all, const struct statistics *s, size_t rows)
{
	json_t *programs = member_set_new(all, "programs", json_array());

	for (size_t i = 0; i < s->programs_used && i < rows; i++) {
		const struct program *p = &s->programs[i];
		json_t *o = json_object();

		member_set_string(o, "exe", p->exe);
		member_set_number(o, "processes", (int64_t)p->processes);
		member_set_number(o, "calls", (int64_t)p->calls);
		member_set_number(o, "served", (int64_t)p->served);
		member_set_number(o, "saved_ns", p->saved_ns);
		(void)json_array_append_new(programs, o);
	}
}

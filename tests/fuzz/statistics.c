/* runs: 7000 */
/*
 * Lines of statistics, as anybody may have written them: both ways of reading one tell the same,
 * what is none adds nothing, the order of lines does not matter, sums grow and never overflow, and
 * what fastpath report --json writes of them is read back as it was.
 *
 * Input: lines.
 */
#include "fuzz.h"

#include "cli/report_json.c"

#include "cli/statistics.h"

#include <errno.h>

enum { LINES = 64, LINE_BYTES = 4096, NUMBERS = 64, SIGNED = 63, MANY_DIGITS = 15 };

static const int64_t beyond = 1000000000000000000;

static char *lines[LINES];
static size_t lengths[LINES];
static unsigned used;

/* Every number, signed ones last, so that they can be compared. */
static void flatten(const struct statistics *s, uint64_t out[NUMBERS])
{
	const struct fastpath_stats *t = &s->totals;
	unsigned n = 0;

	memset(out, 0, NUMBERS * sizeof *out);
	for (int i = 0; i < FASTPATH_CALLS; i++) {
		out[n++] = t->calls[i];
		out[n++] = t->served[i];
	}
	for (int i = 0; i < FASTPATH_REASONS; i++)
		out[n++] = t->kernel[i];
	out[n++] = t->learned;
	out[n++] = t->invalidated;
	out[n++] = t->verify_checked;
	out[n++] = t->verify_wrong;
	out[n++] = t->verify_unresolved;
	for (int i = 0; i < STATISTICS_SCOPES; i++)
		out[n++] = s->scopes[i];
	for (int i = 0; i < STATISTICS_BELLS; i++)
		out[n++] = s->bells[i];
	out[n++] = s->lines;
	out[n++] = s->runs;
	out[n++] = s->processes;
	MUST(n <= SIGNED);
	out[SIGNED] = (uint64_t)t->saved_ns;
}

/* Nothing is ever more than eighteen digits: JSON's numbers, and ours, hold that. */
static bool is_bounded(uint64_t n)
{
	return n < (uint64_t)beyond;
}

static bool is_bounded_signed(int64_t n)
{
	return n > -beyond && n < beyond;
}

static void check_bounds(const struct statistics *s)
{
	uint64_t numbers[NUMBERS];

	flatten(s, numbers);
	for (unsigned i = 0; i < SIGNED; i++)
		MUSTF(is_bounded(numbers[i]), "number %u is %llu", i,
		      (unsigned long long)numbers[i]);
	MUST(is_bounded_signed(s->totals.saved_ns));
	for (size_t i = 0; i < s->programs_used; i++) {
		const struct program *p = &s->programs[i];

		MUST(is_bounded(p->calls) && is_bounded(p->served) && is_bounded(p->processes));
		MUST(is_bounded_signed(p->saved_ns));
	}
	for (size_t i = 0; i < s->directories_used; i++)
		MUST(is_bounded(s->directories[i].lost) && is_bounded(s->directories[i].rang) &&
		     is_bounded(s->directories[i].names));
}

/* Sums with a sign that had to be cut off depend on their order. */
static void check_same(const struct statistics *a, const struct statistics *b, bool with_signed)
{
	uint64_t x[NUMBERS], y[NUMBERS];

	flatten(a, x);
	flatten(b, y);
	for (unsigned i = 0; i < (with_signed ? NUMBERS : SIGNED); i++)
		MUSTF(x[i] == y[i], "number %u is %llu, must be %llu", i, (unsigned long long)y[i],
		      (unsigned long long)x[i]);
	MUST(a->programs_used == b->programs_used && a->directories_used == b->directories_used);
	for (size_t i = 0; i < a->programs_used; i++) {
		const struct program *p = &a->programs[i], *q = &b->programs[i];

		MUSTF(!strcmp(p->exe, q->exe), "%s is %s", p->exe, q->exe);
		MUST(p->processes == q->processes && p->calls == q->calls &&
		     p->served == q->served && (!with_signed || p->saved_ns == q->saved_ns));
	}
	for (size_t i = 0; i < a->directories_used; i++) {
		const struct directory *d = &a->directories[i], *e = &b->directories[i];

		MUST(!strcmp(d->path, e->path) && d->lost == e->lost && d->rang == e->rang &&
		     d->names == e->names);
	}
}

/* The short way takes a line only where the long way tells the same. */
static void check_both_ways(const char *text, size_t n)
{
	struct statistics_line scanned, read;
	json_t *json;

	memset(&scanned, 0, sizeof scanned);
	memset(&read, 0, sizeof read);
	if (!statistics_line_scan(&scanned, text, n))
		return;
	MUST(scanned.exe >= text && scanned.exe + scanned.exe_length <= text + n);
	json = json_loadb(text, n, 0, NULL);
	MUST(json && statistics_line_read(&read, json));
	MUST(scanned.pid == read.pid && !memcmp(&scanned.stats, &read.stats, sizeof read.stats));
	MUST(scanned.exe_length == read.exe_length &&
	     !memcmp(scanned.exe, read.exe, read.exe_length));
	json_decref(json);
}

/* Could a number in it be a large one? */
static bool is_large(const char *text, size_t n)
{
	size_t digits = 0;

	for (size_t i = 0; i < n; i++) {
		if (digits && (text[i] | 0x20) == 'e')
			return true;
		digits = text[i] >= '0' && text[i] <= '9' ? digits + 1 : 0;
		if (digits >= MANY_DIGITS)
			return true;
	}
	return false;
}

static void add(struct statistics *s, unsigned i, bool check)
{
	uint64_t before[NUMBERS], after[NUMBERS];
	size_t programs = s->programs_used, directories = s->directories_used;
	int error;

	flatten(s, before);
	error = statistics_add(s, 0, lines[i], lengths[i]);
	flatten(s, after);
	MUST(error == 0 || error == -EINVAL);
	if (!check)
		return;
	if (error)
		MUST(!memcmp(before, after, sizeof after) && programs == s->programs_used &&
		     directories == s->directories_used);
	else
		for (unsigned k = 0; k < SIGNED; k++)
			MUSTF(after[k] >= before[k], "number %u shrank", k);
}

/* As report_print_json() puts it together. */
static void check_round_trip(const struct statistics *s)
{
	struct report r = {.all = *s, .top = SIZE_MAX, .files = 1};
	struct statistics again = {0};
	json_t *all = json_object();
	char *text;

	member_set_number(all, "fastpath", 1);
	add_totals(all, &r);
	statistics_set_programs(all, &r.all, r.top);
	add_directories(all, &r);
	text = json_dumps(all, JSON_COMPACT);
	json_decref(all);
	MUST(text);
	MUSTF(!statistics_add(&again, 0, text, strlen(text)), "%s is not read", text);
	statistics_end(&again);
	check_same(s, &again, true);
	statistics_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct statistics s = {0}, reverse = {0};
	struct input in = {data, data + size};
	char text[LINE_BYTES];
	bool large = false;

	for (used = 0; used < LINES && input_left(&in); used++) {
		lengths[used] = input_until(&in, '\n', text, sizeof text);
		lines[used] = malloc(lengths[used] ? lengths[used] : 1); /* not terminated */
		memcpy(lines[used], text, lengths[used]);
		check_both_ways(lines[used], lengths[used]);
		large = large || is_large(text, lengths[used]);
		add(&s, used, true);
	}
	for (unsigned i = used; i--;)
		add(&reverse, i, false);
	statistics_end(&s);
	statistics_end(&reverse);
	check_bounds(&s);
	check_same(&s, &reverse, !large);
	check_round_trip(&s);
	statistics_free(&s);
	statistics_free(&reverse);
	while (used)
		free(lines[--used]);
	return 0;
}

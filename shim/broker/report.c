/*
 * report.c - the broker's report, as JSON.
 */
#include "broker/report.h"

#include "authority/place.h"
#include "authority/watch.h"
#include "base/sys.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* JSON is UTF-8, a path any bytes: if it is not UTF-8, with a question mark for each that is not ASCII. */
static json_t *path_text(const char *path, size_t length)
{
	json_t *text = json_stringn(path, length);
	char ascii[PATH_MAX];

	if (text || length > sizeof ascii)
		return text;
	memcpy(ascii, path, length);
	for (size_t i = 0; i < length; i++)
		if (path[i] & 0x80)
			ascii[i] = '?';
	return json_stringn(ascii, length);
}

static json_t *directories(const struct authority *a, const uint32_t lost_at[PLACES])
{
	json_t *list = json_array();

	for (uint32_t i = 1; i <= a->places_used; i++) {
		const struct record *r = place_record(a, i);
		const struct watch *w = watch_find((struct authority *)a, a->places[i].wd);
		bool listed = r->filter != 0;

		if (lost_at[i] || listed)
			json_array_append_new(
				list, json_pack("{s:o, s:I, s:I, s:I, s:b}", "path",
						r->length ? path_text((const char *)r->path, r->length) :
							    json_string("/"),
						"lost",
						(json_int_t)lost_at[i], "names",
						(json_int_t)(w && listed ? w->names : 0), "rang",
						(json_int_t)(w ? w->rings : 0), "listed", listed));
	}
	return list;
}

static const char *verdict_name(uint32_t flags)
{
	return flags & PROGRAM_CANNOT ? "cannot" : flags & PROGRAM_DROP ? "dropped" : "kept";
}

static json_t *injection(const struct programs *p)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < SESSION_PROGRAMS; i++) {
		const struct record_of_runs *r = &p->of[i];
		uint32_t flags = p->session->programs[i].flags;

		if (p->session->programs[i].key)
			json_array_append_new(
				list, json_pack("{s:o, s:I, s:I, s:I, s:b, s:s}", "exe",
						path_text(r->exe, strlen(r->exe)), "runs",
						(json_int_t)r->runs, "lost", (json_int_t)r->lost, "served",
						(json_int_t)r->served, "execs", flags & PROGRAM_EXECS,
						"verdict", verdict_name(flags)));
	}
	return list;
}

static void write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		ssize_t n = write(fd, text, left);

		if (n <= 0)
			return;
		text += n;
		left -= (size_t)n;
	}
}

static void write_json(int fd, json_t *report)
{
	char *text = report ? json_dumps(report, JSON_COMPACT) : NULL;

	if (text) {
		write_all(fd, text);
		write_all(fd, "\n");
	}
	free(text);
	json_decref(report);
}

void report_failure(int fd, const char *why)
{
	write_json(fd, json_pack("{s:s}", "why", why));
}

void report_write(int fd, const struct authority *a, const struct inbox *in, const struct programs *p,
		  const uint32_t lost_at[PLACES])
{
	json_t *report = json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "cpu_ns", (json_int_t)sys_cpu_ns(), "rounds",
		(json_int_t)p->session->rounds, "learned",
		(json_int_t)a->learned, "invalidated", (json_int_t)a->invalidated, "segment_bytes",
		(json_int_t)a->segment->used, "watches", (json_int_t)a->watches_used, "dropped_posts",
		(json_int_t)in->lost, "directories", directories(a, lost_at), "injection", injection(p));

	write_json(fd, report);
}

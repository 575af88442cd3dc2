/*
 * summary.c - adds up the statistics lines of a tree, and takes in the broker's report.
 *
 * Any process of the tree can write to the lines: what is not a statistics line is counted and
 * skipped.
 */
#include "cli/summary.h"

#include "cli/member.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { REPORT_WAIT_MS = 2000, REPORT_LARGEST = 16 << 20 };

/* Returns 0 or -ENOMEM. */
static int add_lines(struct summary *s, const char *text, size_t bytes)
{
	while (bytes) {
		const char *newline = memchr(text, '\n', bytes);
		size_t length = newline ? (size_t)(newline - text) : bytes;
		int error = statistics_add(&s->all, 0, text, length);

		if (error == -ENOMEM)
			return error;
		s->broken += error != 0;
		length += newline != NULL;
		text += length;
		bytes -= length;
	}
	return 0;
}

static int read_lines(struct summary *s, int fd)
{
	struct stat file;
	void *text;
	int error;

	if (fd < 0)
		return 0;
	if (fstat(fd, &file))
		return -errno;
	if (!file.st_size)
		return 0;
	text = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (text == MAP_FAILED)
		return -errno;
	error = add_lines(s, text, (size_t)file.st_size);
	(void)munmap(text, (size_t)file.st_size);
	return error;
}

static int64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Ends the broker and reads what it has to say. NULL: nothing sensible, or not in time. */
static json_t *read_report(int control)
{
	int64_t until = now_ms() + REPORT_WAIT_MS, left;
	char *text = NULL;
	size_t used = 0, room = 0;
	json_t *report = NULL;

	if (control < 0 || shutdown(control, SHUT_WR))
		return NULL;
	while ((left = until - now_ms()) > 0 && used < REPORT_LARGEST) {
		struct pollfd p = {.fd = control, .events = POLLIN};
		ssize_t n;

		if (poll(&p, 1, (int)left) <= 0)
			continue;
		if (used == room) {
			char *larger = realloc(text, room = room ? 2 * room : 65536);

			if (!larger)
				break;
			text = larger;
		}
		n = read(control, text + used, room - used);
		if (n > 0) {
			used += (size_t)n;
		} else if (!n || errno != EINTR) { /* ECONNRESET: it was killed */
			report = used ? json_loadb(text, used, 0, NULL) : NULL;
			break;
		}
	}
	free(text);
	return report;
}

struct row {
	json_t *item;
	double key;
	size_t at;
};

static int row_order(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Takes out what is no object, and puts those with more of `key` first. */
static void put_in_order(json_t *array, const char *key)
{
	size_t n = json_array_size(array), used = 0;
	struct row *rows = n ? calloc(n, sizeof *rows) : NULL;

	for (size_t i = 0; rows && i < n; i++) {
		json_t *item = json_array_get(array, i);

		if (json_is_object(item)) {
			rows[used] =
			    (struct row){json_incref(item), member_number(item, key), used};
			used++;
		}
	}
	(void)json_array_clear(array);
	if (used)
		qsort(rows, used, sizeof *rows, row_order);
	for (size_t i = 0; i < used; i++)
		(void)json_array_append_new(array, rows[i].item);
	free(rows);
}

static void take_in_report(struct summary *s, int control)
{
	json_t *directories, *injection;

	s->broker = read_report(control);
	if (*member_string(s->broker, "why")) {
		s->scope = "process";
		s->why = member_string(s->broker, "why");
	}
	statistics_count(&s->all.totals.learned, member_count(s->broker, "learned"));
	statistics_count(&s->all.totals.invalidated, member_count(s->broker, "invalidated"));
	directories = json_object_get(s->broker, "directories");
	injection = json_object_get(s->broker, "injection");
	put_in_order(directories, "lost");
	put_in_order(injection, "runs");
	s->directories = directories;
	s->injection = injection;
}

int summary_collect(struct summary *s, const struct summary_sources *from)
{
	int error;

	*s = (struct summary){.outcome = from->outcome,
			      .scope = from->scope,
			      .why = from->why,
			      .verified = from->verified};
	take_in_report(s, from->control);
	error = read_lines(s, from->lines);
	statistics_end(&s->all);
	return error;
}

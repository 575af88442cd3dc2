/*
 * summary.c - adds up the statistics lines of a tree, and takes in the broker's report.
 *
 * Any process of the tree can write to the lines: what is not a statistics line is counted and
 * skipped.
 */
#include "cli/summary.h"

#include "base/attributes.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *const summary_calls[FASTPATH_CALLS] = {"access",   "stat",     "open", "exec",
						   "readlink", "realpath", "xattr"};
const char *const summary_reasons[FASTPATH_REASONS] = {"pending",  "unknown",  "perhaps", "refused",
						       "relative", "argument", "detached"};

enum { REPORT_WAIT_MS = 2000, REPORT_LARGEST = 16 << 20 };

/* Which process ran which program: a line for each report, and a process may report twice. */
struct seen {
	uint64_t pid;
	size_t program;
};

struct collection {
	struct summary *s;
	struct seen *seen;
	size_t seen_used, seen_room, programs_room;
};

double summary_number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* Whatever a line says, sums stay far from overflow. */
int64_t summary_integer(const json_t *object, const char *key)
{
	const json_t *item = json_object_get(object, key);
	double n = json_number_value(item);

	if (!(n > -1e18 && n < 1e18))
		return 0;
	return json_is_integer(item) ? json_integer_value(item) : (int64_t)n;
}

const char *summary_string(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

static uint64_t count(const json_t *object, const char *key)
{
	int64_t n = summary_integer(object, key);

	return n > 0 ? (uint64_t)n : 0;
}

/* Room for one more element of `size` bytes. */
static bool make_room(void **elements, size_t used, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *larger;

	if (used < *room)
		return true;
	larger = reallocarray(*elements, more, size);
	if (!larger)
		return false;
	*elements = larger;
	*room = more;
	return true;
}

static uint64_t hash(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return h;
}

static struct program *program_of(struct collection *c, const char *exe)
{
	struct summary *s = c->s;
	uint64_t h = hash(exe);
	struct program *p;

	for (size_t i = 0; i < s->programs_used; i++)
		if (s->programs[i].hash == h && !strcmp(s->programs[i].exe, exe))
			return &s->programs[i];
	if (!make_room((void **)&s->programs, s->programs_used, &c->programs_room, sizeof *p))
		return NULL;
	p = &s->programs[s->programs_used];
	*p = (struct program){.exe = strdup(exe), .hash = h};
	if (!p->exe)
		return NULL;
	s->programs_used++;
	return p;
}

static int add_line(struct collection *c, const json_t *line)
{
	const json_t *calls = json_object_get(line, "calls");
	const json_t *served = json_object_get(line, "served");
	const json_t *kernel = json_object_get(line, "kernel");
	const json_t *verify = json_object_get(line, "verify");
	struct fastpath_stats *t = &c->s->totals;
	struct program *p;

	if (summary_number(line, "fastpath") != 1 || !json_is_object(calls) ||
	    !json_is_object(served)) {
		c->s->broken++;
		return 0;
	}
	p = program_of(c, summary_string(line, "exe"));
	if (!p || !make_room((void **)&c->seen, c->seen_used, &c->seen_room, sizeof *c->seen))
		return -ENOMEM;
	c->seen[c->seen_used++] = (struct seen){count(line, "pid"), (size_t)(p - c->s->programs)};
	for (int i = 0; i < FASTPATH_CALLS; i++) {
		t->calls[i] += count(calls, summary_calls[i]);
		t->served[i] += count(served, summary_calls[i]);
		p->calls += count(calls, summary_calls[i]);
		p->served += count(served, summary_calls[i]);
	}
	for (int i = 0; i < FASTPATH_REASONS; i++)
		t->kernel[i] += count(kernel, summary_reasons[i]);
	t->learned += count(line, "learned");
	t->invalidated += count(line, "invalidated");
	t->verify_checked += count(verify, "checked");
	t->verify_wrong += count(verify, "wrong");
	t->verify_unresolved += count(verify, "unresolved");
	t->saved_ns += summary_integer(line, "saved_ns");
	p->saved_ns += summary_integer(line, "saved_ns");
	return 0;
}

static int add_lines(struct collection *c, const char *text, size_t bytes)
{
	int error = 0;

	while (bytes && !error) {
		const char *newline = memchr(text, '\n', bytes);
		size_t length = newline ? (size_t)(newline - text) : bytes;
		json_t *line = json_loadb(text, length, 0, NULL);

		if (line)
			error = add_line(c, line);
		else
			c->s->broken++;
		json_decref(line);
		length += newline != NULL;
		text += length;
		bytes -= length;
	}
	return error;
}

static int read_lines(struct collection *c, int fd)
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
	error = add_lines(c, text, (size_t)file.st_size);
	(void)munmap(text, (size_t)file.st_size);
	return error;
}

static int seen_order(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->program < y->program ? -1 : x->program > y->program;
}

static void count_processes(struct collection *c)
{
	if (c->seen_used)
		qsort(c->seen, c->seen_used, sizeof *c->seen, seen_order);
	for (size_t i = 0; i < c->seen_used; i++) {
		const struct seen *now = &c->seen[i], *before = i ? now - 1 : NULL;
		bool same_pid = before && before->pid == now->pid;

		c->s->processes += !same_pid;
		if (!same_pid || before->program != now->program)
			c->s->programs[now->program].processes++;
	}
}

static int program_order(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return strcmp(x->exe, y->exe);
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
			rows[used] = (struct row){json_incref(item), summary_number(item, key), used};
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
	if (*summary_string(s->broker, "why")) {
		s->scope = "process";
		s->why = summary_string(s->broker, "why");
	}
	s->totals.learned += count(s->broker, "learned");
	s->totals.invalidated += count(s->broker, "invalidated");
	directories = json_object_get(s->broker, "directories");
	injection = json_object_get(s->broker, "injection");
	put_in_order(directories, "lost");
	put_in_order(injection, "runs");
	s->directories = directories;
	s->injection = injection;
}

int summary_collect(struct summary *s, const struct summary_sources *from)
{
	struct collection c = {.s = s};
	int error;

	*s = (struct summary){.outcome = from->outcome,
			      .scope = from->scope,
			      .why = from->why,
			      .verified = from->verified};
	take_in_report(s, from->control);
	error = read_lines(&c, from->lines);
	count_processes(&c);
	free(c.seen);
	if (s->programs_used)
		qsort(s->programs, s->programs_used, sizeof *s->programs, program_order);
	return error;
}

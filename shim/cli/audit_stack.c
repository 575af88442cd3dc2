/*
 * audit_stack.c - names for the stacks of an audit: who asks, and the folded stacks of flame
 * graphs.
 */
#include "cli/audit.h"

#include "audit/symbol.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of a file that stacks have frames in. */
struct file {
	struct symbols *symbols;
	bool read;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* libc and the loader ask for others. */
static bool asks_for_others(const char *path)
{
	const char *name = base_name(path);

	return !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-", 5) ||
	       !strncmp(name, "libpthread", 10) || !strncmp(name, "ld-", 3);
}

static const char *file_of(const struct audit_report *r, stack_frame f)
{
	return r->stacks->files.all[stack_file(f)].text;
}

/* The name of a frame, as it stands in a folded stack: no blank, no semicolon. */
static void name_frame(const struct audit_report *r, struct file *files, stack_frame f,
		       char name[256])
{
	struct file *file = &files[stack_file(f)];
	const char *symbol;

	if (!file->read && stack_file(f))
		file->symbols = symbols_read(file_of(r, f));
	file->read = true;
	symbol = symbols_name(file->symbols, stack_offset(f));
	if (symbol)
		(void)snprintf(name, 256, "%s", symbol);
	else if (stack_file(f))
		(void)snprintf(name, 256, "%.200s+0x%" PRIx64, base_name(file_of(r, f)),
			       stack_offset(f));
	else
		(void)snprintf(name, 256, "?");
	for (; *name; name++)
		if ((unsigned char)*name <= ' ' || *name == ';' || *name == 0x7f)
			*name = '?';
}

struct ranked {
	uint64_t count;
	uint32_t stack;
};

static int order_stacks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static int order_callers(const void *a, const void *b)
{
	const struct audit_caller *x = a, *y = b;

	if (x->failed != y->failed)
		return x->failed > y->failed ? -1 : 1;
	return strcmp(x->function, y->function);
}

/* Linear: functions are few. */
static int add_caller(struct audit_report *r, const char *function, const char *file, uint64_t n)
{
	const char *own;

	for (size_t i = 0; i < r->callers_n; i++)
		if (!strcmp(r->callers[i].function, function) &&
		    !strcmp(r->callers[i].file, file)) {
			r->callers[i].failed += n;
			return 0;
		}
	own = strdup(function);
	if (!own)
		return -ENOMEM;
	r->callers[r->callers_n++] = (struct audit_caller){own, file, n};
	return 0;
}

/* One stack: its line, and a caller's share. Returns 0 or -ENOMEM. */
static int name_stack(struct audit_report *r, struct file *files, const struct ranked *s)
{
	const struct name *bytes = &r->stacks->stacks.all[s->stack];
	size_t n = bytes->length / sizeof(stack_frame), caller = 0, used = 0;
	stack_frame frames[STACK_FRAMES];
	char name[256], *line = malloc(n * sizeof name + 1);

	if (!line)
		return -ENOMEM;
	memcpy(frames, bytes->text, n * sizeof *frames);
	while (caller + 1 < n && asks_for_others(file_of(r, frames[caller])))
		caller++;
	if (asks_for_others(file_of(r, frames[caller])))
		caller = 0;
	for (size_t i = n; i-- > 0;) {
		name_frame(r, files, frames[i], name);
		used += (size_t)sprintf(line + used, "%s%s", used ? ";" : "", name);
	}
	r->folded[r->folded_n] = line;
	r->folded_counts[r->folded_n++] = (double)s->count;
	name_frame(r, files, frames[caller], name);
	return add_caller(r, name, file_of(r, frames[caller]), s->count);
}

int audit_name_stacks(struct audit_report *r)
{
	const struct stacks *s = r->stacks;
	size_t n = s->stacks.used;
	struct file *files = calloc(s->files.used + 1, sizeof *files);
	struct ranked *all = calloc(n + 1, sizeof *all);
	int error = 0;

	r->callers_n = r->folded_n = 0;
	r->callers = calloc(n + 1, sizeof *r->callers);
	r->folded = calloc(n + 1, sizeof *r->folded);
	r->folded_counts = calloc(n + 1, sizeof *r->folded_counts);
	if (!files || !all || !r->callers || !r->folded || !r->folded_counts)
		error = -ENOMEM;
	for (uint32_t i = 0; i < n && !error; i++)
		all[i] = (struct ranked){s->counts[i], i};
	if (!error)
		qsort(all, n, sizeof *all, order_stacks);
	for (size_t i = 0; i < n && !error; i++)
		error = name_stack(r, files, &all[i]);
	if (!error)
		qsort(r->callers, r->callers_n, sizeof *r->callers, order_callers);
	free(files);
	free(all);
	return error;
}

int audit_write_folded(FILE *f, const struct audit_report *r)
{
	for (size_t i = 0; i < r->folded_n; i++)
		(void)fprintf(f, "%s %.0f\n", r->folded[i], r->folded_counts[i]);
	return 0;
}

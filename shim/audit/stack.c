/*
 * stack.c - the call stacks of stopped threads, by libunwind-ptrace.
 *
 * Each process since its last exec has an address space of libunwind's, which remembers how to
 * unwind from where it has been; memory is read by the page rather than by the word.
 */
#include "audit/stack.h"

#include "audit/image.h"
#include "base/page.h"

#include <libunwind-ptrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = PAGE_LEAST, PAGES = 16 };

/* Where a file is mapped for execution. */
struct map {
	uint64_t start, end, offset;
	uint32_t file;
};

struct unwinder {
	unw_addr_space_t space;
	void *upt;
	pid_t tid; /* that upt is made for */
	struct map *maps;
	size_t maps_n;
};

/* Pages of the memory of the thread that is looked at, by their number: read once a stack. */
static struct {
	pid_t tid;
	uint64_t at[PAGES]; /* address + 1; 0: none */
	char bytes[PAGES][PAGE];
} memory;

static const char *read_page(uint64_t at)
{
	size_t slot = at / PAGE % PAGES;

	if (memory.at[slot] != at + 1) {
		memory.at[slot] = 0;
		if (image_peek(memory.tid, at, memory.bytes[slot], PAGE) != PAGE)
			return NULL;
		memory.at[slot] = at + 1;
	}
	return memory.bytes[slot];
}

/* Words may lie across pages. */
static int access_mem(unw_addr_space_t space, unw_word_t at, unw_word_t *value, int write,
		      void *upt)
{
	char *to = (char *)value;

	(void)space, (void)upt;
	for (size_t done = 0; done < sizeof *value;) {
		size_t from = (at + done) % PAGE, n = PAGE - from;
		const char *page = write ? NULL : read_page(at + done - from);

		if (!page)
			return -UNW_EINVAL;
		if (n > sizeof *value - done)
			n = sizeof *value - done;
		memcpy(to + done, page + from, n);
		done += n;
	}
	return 0;
}

static struct unwinder *unwinder_of(const struct tracee *t)
{
	static unw_accessors_t accessors = {.find_proc_info = _UPT_find_proc_info,
					    .put_unwind_info = _UPT_put_unwind_info,
					    .get_dyn_info_list_addr = _UPT_get_dyn_info_list_addr,
					    .access_mem = access_mem,
					    .access_reg = _UPT_access_reg,
					    .access_fpreg = _UPT_access_fpreg,
					    .resume = _UPT_resume,
					    .get_proc_name = _UPT_get_proc_name};
	struct unwinder *u = t->process->unwinder;

	if (!u) {
		u = calloc(1, sizeof *u);
		if (!u)
			return NULL;
		u->space = unw_create_addr_space(&accessors, 0);
		if (u->space)
			unw_set_caching_policy(u->space, UNW_CACHE_GLOBAL);
		t->process->unwinder = u;
	}
	if (u->tid != t->tid) {
		if (u->upt)
			_UPT_destroy(u->upt);
		u->upt = _UPT_create(t->tid);
		u->tid = t->tid;
	}
	memory.tid = t->tid;
	memset(memory.at, 0, sizeof memory.at);
	return u->space && u->upt ? u : NULL;
}

void stack_forget(struct process *p)
{
	struct unwinder *u = p->unwinder;

	if (!u)
		return;
	if (u->upt)
		_UPT_destroy(u->upt);
	if (u->space)
		unw_destroy_addr_space(u->space);
	free(u->maps);
	free(u);
	p->unwinder = NULL;
}

/* A line of /proc/PID/maps, "START-END rwxp OFFSET DEV INODE PATH"; false: nothing executable of a
 * file. */
static bool read_map(struct stacks *s, char *line, struct map *m)
{
	const char *path = strchr(line, '/');
	char *at;

	m->start = strtoull(line, &at, 16);
	m->end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
	if (!path || strlen(at) < 6 || at[3] != 'x')
		return false;
	m->offset = strtoull(at + 6, NULL, 16);
	m->file = names_add(&s->files, path, strcspn(path, "\n"));
	return m->file != NAMES_NONE;
}

static void read_maps(struct stacks *s, struct unwinder *u)
{
	char path[48], line[4600];
	size_t room = 0;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/maps", (int)u->tid);
	u->maps_n = 0;
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		struct map m, *more;

		if (!read_map(s, line, &m))
			continue;
		if (u->maps_n == room || !u->maps) {
			room = room ? 2 * room : 32;
			more = reallocarray(u->maps, room, sizeof *more);
			if (!more)
				break;
			u->maps = more;
		}
		u->maps[u->maps_n++] = m;
	}
	if (f)
		(void)fclose(f);
}

static const struct map *find_map(const struct unwinder *u, uint64_t at)
{
	for (size_t i = 0; i < u->maps_n; i++)
		if (at >= u->maps[i].start && at < u->maps[i].end)
			return &u->maps[i];
	return NULL;
}

/* Files may have been mapped since the table was read: it is read once more, once a stack. */
static stack_frame frame_of(struct stacks *s, struct unwinder *u, uint64_t at, bool *fresh)
{
	const struct map *m = find_map(u, at);

	if (!m && !*fresh) {
		*fresh = true;
		read_maps(s, u);
		m = find_map(u, at);
	}
	if (!m)
		return at & ((UINT64_C(1) << STACK_OFFSET_BITS) - 1);
	return (uint64_t)m->file << STACK_OFFSET_BITS | (at - m->start + m->offset);
}

/* Returns how many frames. */
static size_t unwind(struct stacks *s, struct unwinder *u, stack_frame frames[STACK_FRAMES])
{
	unw_cursor_t cursor;
	unw_word_t ip;
	size_t n = 0;
	bool fresh = false;

	if (unw_init_remote(&cursor, u->space, u->upt))
		return 0;
	do {
		if (unw_get_reg(&cursor, UNW_REG_IP, &ip) || !ip)
			break;
		/* The call, not what comes after it, which may be another function. */
		frames[n++] = frame_of(s, u, ip - 1, &fresh);
	} while (n < STACK_FRAMES && unw_step(&cursor) > 0);
	return n;
}

static bool count(struct stacks *s, const stack_frame *frames, size_t n)
{
	uint32_t known = s->stacks.used,
		 at = names_add(&s->stacks, (const char *)frames, n * sizeof *frames);

	if (at == NAMES_NONE)
		return false;
	if (at >= s->room) {
		uint32_t room = s->stacks.room;
		uint64_t *more = reallocarray(s->counts, room, sizeof *more);

		if (!more)
			return false;
		s->counts = more;
		s->room = room;
	}
	if (at == known)
		s->counts[at] = 0;
	s->counts[at]++;
	return true;
}

void stack_take(struct stacks *s, const struct tracee *t)
{
	stack_frame frames[STACK_FRAMES];
	struct unwinder *u;
	size_t n;

	if (!s->files.used)
		(void)names_add(&s->files, "?", 1);
	u = t->foreign ? NULL : unwinder_of(t);
	n = u ? unwind(s, u, frames) : 0;
	if (n && count(s, frames, n))
		s->taken++;
	else
		s->lost++;
}

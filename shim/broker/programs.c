/*
 * programs.c - a program is dropped when its runs save less than the preload costs, and it executes
 * nothing that could save more.
 *
 * Whatever comes from the inbox makes others slower at worst: what a program is, is looked up here.
 */
#include "broker/programs.h"

#include "base/bytes.h"
#include "base/elf.h"
#include "base/page.h"
#include "base/sys.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

enum {
	/* What they are made of: page faults, and the rest in trivial system calls. */
	PRELOAD_FAULTS = 4,
	PRELOAD_CALLS = 60,
	ATTACH_FAULTS = 4,
	ATTACH_CALLS = 100,
	MEASURED = 8, /* of each, to know the price of one */
	PAGE = PAGE_LEAST,
	RUNS_FIRST = 7, /* reports before a program is judged */
	RUNS_HOPED = 8, /* by now, what it loses should have been learned if it ever pays */
	LOOK_NS = 1000000000, /* between two looks at one */
	RETRY_FIRST_NS = 250000000,
	RETRY_DOUBLINGS = 11,
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The least of several: whoever is set aside meanwhile must not find the machine slow. */
void programs_start(struct programs *p, struct session *s)
{
	volatile char *fresh = (char *)p->of; /* will be used anyway */
	uint64_t call = UINT64_MAX, fault = UINT64_MAX, lookup = UINT64_MAX;
	struct statx none;

	for (int i = 1; i <= MEASURED; i++) {
		uint64_t began = sys_clock_ns(), called, faulted;

		sys0(SYS_getppid);
		called = sys_clock_ns();
		if ((size_t)i * PAGE < sizeof p->of)
			fresh[(size_t)i * PAGE] = 0;
		faulted = sys_clock_ns();
		sys_statx(SYS_AT_FDCWD, "/usr/none", 0, STATX_TYPE, &none);
		lookup = least(lookup, sys_clock_ns() - faulted);
		fault = least(fault, faulted - called);
		call = least(call, called - began);
	}
	p->session = s;
	p->lookup_ns = lookup;
	p->preload_ns = PRELOAD_FAULTS * fault + PRELOAD_CALLS * call;
	p->attach_ns = ATTACH_FAULTS * fault + ATTACH_CALLS * call;
}

/* Its slot, or a free one, or SESSION_PROGRAMS. */
static uint32_t slot_of(const struct programs *p, uint64_t key)
{
	for (uint32_t i = 0; i < SESSION_PROBES; i++) {
		uint32_t slot = (uint32_t)((key / 2 + i) & (SESSION_PROGRAMS - 1));
		uint64_t there = p->session->programs[slot].key;

		if (there == key || !there)
			return slot;
	}
	return SESSION_PROGRAMS;
}

/* Looked at through a descriptor that cannot be anything but a regular file. */
static uint32_t inspect(const char *exe, uint64_t *key)
{
	int fd = (int)sys_openat(SYS_AT_FDCWD, exe, O_PATH | O_CLOEXEC), again = -1;
	uint32_t flags = 0;
	struct statx found;
	char path[32];

	if (fd < 0)
		return 0;
	if (!sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &found) && S_ISREG(found.stx_mode)) {
		*key = program_key(&found);
		(void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		again = (int)sys_openat(SYS_AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		flags = PROGRAM_KNOWN;
	}
	if (again >= 0) {
		flags |= elf_takes_preload(again) ? 0 : PROGRAM_CANNOT;
		sys_close(again);
	}
	sys_close(fd);
	return flags;
}

/* Does a run save, on average, what it costs to be able to? At first, what it may save counts. Bounded, since anybody
 * may have reported anything. */
static bool pays(const struct programs *p, const struct record_of_runs *r)
{
	uint64_t hoped = r->runs < RUNS_HOPED ? r->lost : 0;
	uint64_t saved = least((r->served + hoped) / r->runs, UINT32_MAX);

	return saved * r->price_ns >= ((r->lost + r->served) ? p->attach_ns : 0) + p->preload_ns;
}

static void change_flags(struct programs *p, uint32_t slot, uint32_t flags)
{
	uint32_t *at = &p->session->programs[slot].flags;

	if ((*at ^ flags) & PROGRAM_DROP)
		session_note_dropped(p->session, p->of[slot].exe, flags & PROGRAM_DROP);
	store_relaxed(at, flags);
}

static void judge(struct programs *p, uint32_t slot, uint64_t now_ns)
{
	struct record_of_runs *r = &p->of[slot];
	uint32_t flags = p->session->programs[slot].flags;

	if (r->runs < (r->drops ? 1 : RUNS_FIRST) || (flags & (PROGRAM_EXECS | PROGRAM_DROP)))
		return;
	if (pays(p, r)) {
		if (r->runs >= RUNS_HOPED)
			change_flags(p, slot, flags | PROGRAM_JUDGED);
		return;
	}
	change_flags(p, slot, flags | PROGRAM_DROP);
	r->dropped_ns = now_ns;
	r->drops++;
	r->runs = 0;
	r->lost = r->served = 0;
	if (!p->next_ns)
		p->next_ns = now_ns + RETRY_FIRST_NS;
}

/* The slot of a program that was looked at just now, or SESSION_PROGRAMS. */
static uint32_t slot_by_name(const struct programs *p, const char *exe, uint64_t now_ns)
{
	for (uint32_t i = 0; i < SESSION_PROGRAMS; i++)
		if (p->session->programs[i].key && now_ns - p->of[i].looked_ns < LOOK_NS &&
		    string_equal(p->of[i].exe, exe))
			return i;
	return SESSION_PROGRAMS;
}

/* Its slot, found or made by what it is now. */
static uint32_t look_up(struct programs *p, const char *exe, uint64_t now_ns)
{
	uint64_t key = 0;
	uint32_t flags = inspect(exe, &key), slot = flags ? slot_of(p, key) : SESSION_PROGRAMS;
	size_t length = bytes_length(exe);
	struct record_of_runs *r;

	if (slot == SESSION_PROGRAMS)
		return slot;
	r = &p->of[slot];
	if (!p->session->programs[slot].key) {
		*r = (struct record_of_runs){0};
		bytes_copy(r->exe, exe, length < sizeof r->exe ? length : sizeof r->exe - 1);
		store_relaxed(&p->session->programs[slot].flags, flags);
		store_relaxed(&p->session->programs[slot].key, key);
	}
	r->looked_ns = now_ns;
	return slot;
}

void programs_note(struct programs *p, const struct note *n, const char *exe, uint64_t now_ns)
{
	uint32_t slot = slot_by_name(p, exe, now_ns), flags;
	struct record_of_runs *r;

	if (slot == SESSION_PROGRAMS && (slot = look_up(p, exe, now_ns)) == SESSION_PROGRAMS)
		return;
	r = &p->of[slot];
	flags = p->session->programs[slot].flags;
	if ((n->kind == POST_EXEC || n->execs) && !(flags & PROGRAM_EXECS))
		change_flags(p, slot, (flags | PROGRAM_EXECS) & ~(uint32_t)PROGRAM_DROP);
	if (n->kind != POST_RUN)
		return;
	r->runs++;
	r->lost += n->count;
	r->served += n->served;
	if (n->price_ns)
		r->price_ns = n->price_ns;
	else if (!r->price_ns)
		r->price_ns = (uint32_t)p->lookup_ns;
	judge(p, slot, now_ns);
}

void programs_retry(struct programs *p, uint64_t now_ns)
{
	uint64_t next = 0;

	if (!p->next_ns || now_ns < p->next_ns)
		return;
	for (uint32_t i = 0; i < SESSION_PROGRAMS; i++) {
		struct record_of_runs *r = &p->of[i];
		uint32_t flags = p->session->programs[i].flags;
		uint32_t doublings = r->drops < RETRY_DOUBLINGS ? r->drops : RETRY_DOUBLINGS;
		uint64_t due = r->dropped_ns + ((uint64_t)RETRY_FIRST_NS << doublings) / 2;

		if (!(flags & PROGRAM_DROP))
			continue;
		if (due <= now_ns)
			change_flags(p, i, flags & ~(uint32_t)(PROGRAM_DROP | PROGRAM_JUDGED));
		else if (!next || due < next)
			next = due;
	}
	p->next_ns = next;
}

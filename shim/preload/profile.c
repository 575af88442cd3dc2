/*
 * profile.c - folded stacks ("main;search;access 12"), the input of flame graph tools.
 *
 * Only in a process that asked for it: libunwind is opened then, memory is mapped, symbols are looked
 * up at exit. A stack is counted by its return addresses.
 */
#include "preload/profile.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/sys.h"
#include "preload/next.h"
#include "preload/report.h"
#include "preload/scope.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

enum { DEPTH = 48, STACKS = 2048, FRAME_BYTES = 256 };

struct stack {
	uint64_t hash; /* 0: free */
	uint64_t count;
	uint32_t depth;
	uint32_t family;
	void *frame[DEPTH]; /* innermost first */
};

struct profile {
	struct stack stacks[STACKS];
	uint64_t lost; /* stacks for which there was no room */
	int (*backtrace)(void **, int);
	uint32_t busy; /* a signal handler or a second thread is turned away */
	uint32_t pid;
};

static struct profile *profile;
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static struct profile *profile_map(void)
{
	struct profile *p;
	void *library;
	long at = sys_mmap(sizeof *p, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);

	if (sys_is_error(at))
		return NULL;
	p = (struct profile *)at;
	// cppcheck-suppress nullPointerRedundantCheck ; a mapping is never at 0
	p->pid = (uint32_t)sys_getpid();
	library = NEXT(dlopen, void *(*)(const char *, int))("libunwind.so.8", RTLD_NOW);
	if (library)
		p->backtrace = (int (*)(void **, int))NEXT(dlsym, void *(*)(void *, const char *))(
			library, "unw_backtrace");
	return p;
}

/* Our own frames are the innermost: the wrapper is named by the family instead. */
static uint32_t skip_own(void **frame, uint32_t n)
{
	uint32_t own = 0;

	while (own < n && (char *)frame[own] >= __ehdr_start && (char *)frame[own] < _end)
		own++;
	return own;
}

static void note(struct profile *p, enum fastpath_call family)
{
	void *frame[DEPTH + 8];
	int n = p->backtrace ? p->backtrace(frame, DEPTH + 8) : 0;
	uint32_t own = n > 0 ? skip_own(frame, (uint32_t)n) : 0, depth = (uint32_t)n - own;
	uint64_t hash = family + 1;
	struct stack *s;

	if (n <= 0)
		return;
	if (depth > DEPTH)
		depth = DEPTH;
	for (uint32_t i = 0; i < depth; i++)
		hash = hash_mix(hash, (uintptr_t)frame[own + i]);
	hash |= 1;
	for (unsigned i = 0; i < 8; i++) {
		s = &p->stacks[(hash + i) % STACKS];
		if (s->hash == hash || !s->hash)
			break;
	}
	if (s->hash && s->hash != hash) {
		p->lost++;
		return;
	}
	if (!s->hash) {
		s->hash = hash;
		s->family = family;
		s->depth = depth;
		for (uint32_t i = 0; i < depth; i++)
			s->frame[i] = frame[own + i];
	}
	s->count++;
}

/* A forked child's profile begins empty. */
static void forget_parents(struct profile *p)
{
	for (unsigned i = 0; i < STACKS; i++)
		p->stacks[i].hash = p->stacks[i].count = 0;
	p->pid = (uint32_t)sys_getpid();
}

FP_COLD void profile_note(enum fastpath_call family)
{
	static uint32_t opening;

	if (scope.quiet)
		return;
	if (!profile) {
		/* Opening libunwind makes calls of its own. */
		if (!try_claim(&opening, 1))
			return;
		profile = profile_map();
	}
	if (!profile || !try_claim(&profile->busy, 1))
		return;
	if (profile->pid != (uint32_t)sys_getpid())
		forget_parents(profile);
	note(profile, family);
	store_release(&profile->busy, 0);
}

static uint32_t put_text(char *out, uint32_t at, uint32_t room, const char *s)
{
	while (*s && at < room) {
		char c = *s++;

		out[at++] = (char)(c == ';' || c == ' ' ? '_' : c);
	}
	return at;
}

static uint32_t put_hex(char *out, uint32_t at, uint32_t room, uint64_t n)
{
	char digits[20];
	int i = sizeof digits - 1;

	digits[i] = 0;
	do
		digits[--i] = "0123456789abcdef"[n % 16];
	while (n /= 16);
	return put_text(out, put_text(out, at, room, "+0x"), room, digits + i);
}

static uint32_t put_frame(char *out, uint32_t at, uint32_t room, void *address)
{
	Dl_info info = {0};
	const char *file;

	NEXT(dladdr, int (*)(const void *, Dl_info *))((char *)address - 1, &info);
	if (info.dli_sname)
		return put_text(out, at, room, info.dli_sname);
	file = info.dli_fname ? info.dli_fname : "?";
	for (const char *s = file; *s; s++)
		if (*s == '/')
			file = s + 1;
	at = put_text(out, at, room, file);
	return put_hex(out, at, room, (uint64_t)((char *)address - (char *)info.dli_fbase));
}

static uint32_t put_count(char *out, uint32_t at, uint64_t n)
{
	char digits[24];
	int i = sizeof digits - 1;

	digits[i] = '\n';
	do
		digits[--i] = (char)('0' + n % 10);
	while (n /= 10);
	digits[--i] = ' ';
	bytes_copy(out + at, digits + i, sizeof digits - (size_t)i);
	return at + (uint32_t)(sizeof digits - (size_t)i);
}

static void write_stack(int fd, const struct stack *s)
{
	static const char names[][10] = {"access",   "stat",	 "open", "exec",
					 "readlink", "realpath", "xattr"};
	char line[DEPTH * 64];
	uint32_t at = 0, room = sizeof line - 64;

	for (uint32_t i = s->depth; i-- > 0;) {
		at = put_frame(line, at, room, s->frame[i]);
		line[at++] = ';';
	}
	at = put_text(line, at, room + 16, names[s->family]);
	at = put_count(line, at, s->count);
	report_say(fd, line, at);
}

FP_COLD void profile_write(void)
{
	int fd;

	if (!profile || profile->pid != (uint32_t)sys_getpid())
		return;
	fd = (int)sys4(SYS_openat, SYS_AT_FDCWD, scope.settings.profile,
		       REPORT_FLAGS, 0666);
	if (fd < 0)
		return;
	for (unsigned i = 0; i < STACKS; i++) {
		if (profile->stacks[i].hash)
			write_stack(fd, &profile->stacks[i]);
		profile->stacks[i].hash = profile->stacks[i].count = 0;
	}
	sys_close(fd);
}

/*
 * report.c - statistics at exit.
 *
 * Lines are deltas: whatever was written is taken off the counters, so that a process that goes on
 * after a failed exec reports only the rest. One write each, which O_APPEND keeps whole.
 */
#include "preload/report.h"

#include "base/bytes.h"
#include "base/signals.h"
#include "base/sys.h"
#include "preload/next.h"
#include "preload/profile.h"

#include <errno.h>
#include <fcntl.h>

/* Text being put together; what does not fit is cut off. */
struct line {
	uint32_t used;
	char bytes[1800];
};

static void put(struct line *l, const char *s)
{
	while (*s && l->used < sizeof l->bytes)
		l->bytes[l->used++] = *s++;
}

static void put_number(struct line *l, int64_t signed_value)
{
	uint64_t n = signed_value < 0 ? -(uint64_t)signed_value : (uint64_t)signed_value;
	char digits[24];
	int at = sizeof digits - 1;

	digits[at] = 0;
	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	if (signed_value < 0)
		digits[--at] = '-';
	put(l, digits + at);
}

/* Bytes of the UTF-8 sequence at s; 0 when it is none. */
static size_t utf8_length(const char *s, size_t room)
{
	unsigned char c = (unsigned char)*s;
	size_t n = c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
	unsigned char second = n > 1 && room > 1 ? (unsigned char)s[1] : 0;

	if (n > room || (c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) ||
	    (c == 0xf0 && second < 0x90) || (c == 0xf4 && second > 0x8f))
		return 0;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* As the inside of a JSON string; bytes that are not UTF-8 become U+FFFD. */
static void put_escaped(struct line *l, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		size_t bytes = utf8_length(s + i, n - i);
		char text[7] = {(char)c, 0};

		if (!bytes)
			bytes_copy(text, "\\ufffd", 7);
		else if (bytes > 1)
			bytes_copy(text, s + i, bytes), text[bytes] = 0, i += bytes - 1;
		else if (c == '"' || c == '\\')
			text[0] = '\\', text[1] = (char)c, text[2] = 0;
		else if (c < 0x20)
			bytes_copy(text, "\\u00", 4), text[4] = (char)('0' + (c >> 4)),
				text[5] = "0123456789abcdef"[c & 15], text[6] = 0;
		put(l, text);
	}
}

static void put_exe(struct line *l)
{
	char path[512];
	long n = sys_readlinkat(SYS_AT_FDCWD, "/proc/self/exe", path, sizeof path);

	if (n > 0)
		put_escaped(l, path, (size_t)n);
}

static const char call_names[][10] = {"access",	  "stat",     "open", "exec",
				      "readlink", "realpath", "xattr"};
static const char reason_names[][10] = {"pending",  "unknown",	"perhaps", "refused",
					"relative", "argument", "detached"};

FP_COLD void report_begin_child(void)
{
	struct region *r = scope.region;

	r->pid = (uint32_t)sys_getpid();
	r->began_ns = sys_clock_ns();
}

void report_start(void)
{
	struct region *r = scope_region();
	struct statx found;

	if (!r)
		return;
	store_release(&scope.counters, (counters_set)r->slots | REGION_POWER);
	report_begin_child();
	if (!sys_statx(2, "", AT_EMPTY_PATH, STATX_INO, &found)) {
		scope.stderr_dev = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
		scope.stderr_ino = found.stx_ino;
	}
}

void report_collect(struct fastpath_stats *s)
{
	struct region *r = scope_attached();
	struct region *asked = load_relaxed(&scope.region); /* where verification counts */

	*s = (struct fastpath_stats){0};
	for (uint32_t i = 0; scope.counters && i <= counters_last(scope.counters); i++) {
		const struct counters *c = &counters_slots(scope.counters)[i];

		for (int k = 0; k < FASTPATH_CALLS; k++) {
			s->calls[k] += load_relaxed(&c->calls[k]);
			s->served[k] += load_relaxed(&c->served[k]);
		}
		for (int k = 0; k < FASTPATH_REASONS; k++)
			s->kernel[k] += load_relaxed(&c->kernel[k]);
	}
	for (int k = 0; k < FASTPATH_CALLS; k++)
		s->saved_ns += (int64_t)(s->served[k] * ledger_saving());
	if (asked) {
		s->verify_checked = load_relaxed(&asked->checked);
		s->verify_wrong = load_relaxed(&asked->wrong);
		s->verify_unresolved = load_relaxed(&asked->unresolved);
	}
	if (scope_session()) {
		s->scope = scope.detached ? FASTPATH_SCOPE_OFF : FASTPATH_SCOPE_TREE;
		s->bell = FASTPATH_BELL_PAGE;
		return;
	}
	if (!r)
		return;
	s->scope = scope.detached ? FASTPATH_SCOPE_OFF : FASTPATH_SCOPE_PROCESS;
	s->bell = r->authority.bell.kind;
	s->learned = r->authority.learned;
	s->invalidated = r->authority.invalidated;
	s->saved_ns -= (int64_t)r->authority.spent_ns;
}

/* What was just reported is not reported again. */
static void forget_reported(struct region *r)
{
	for (uint32_t i = 0; i <= counters_last(scope.counters); i++) {
		struct counters *c = &counters_slots(scope.counters)[i];

		for (uint64_t *n = c->calls; n < c->unused; n++)
			store_relaxed(n, 0);
	}
	r->authority.learned = r->authority.invalidated = r->authority.spent_ns = 0;
	r->checked = r->wrong = r->unresolved = 0;
	r->began_ns = sys_clock_ns();
}

static const char *scope_name(uint32_t s)
{
	return s == FASTPATH_SCOPE_PROCESS ? "process" : s == FASTPATH_SCOPE_TREE ? "tree" : "off";
}

static const char *bell_name(uint32_t b)
{
	return b == FASTPATH_BELL_PAGE ? "page" : b == FASTPATH_BELL_EPOLL ? "epoll" : "none";
}

static void put_key(struct line *l, const char *before, const char *key, int64_t value)
{
	put(l, before);
	put(l, key);
	put(l, "\":");
	put_number(l, value);
}

static void put_counts(struct line *l, const char *key, const char (*names)[10],
		       const uint64_t *values, int n)
{
	put(l, ",\"");
	put(l, key);
	put(l, "\":");
	for (int i = 0; i < n; i++)
		put_key(l, i ? ",\"" : "{\"", names[i], (int64_t)values[i]);
	put(l, "}");
}

static void write_json(struct line *l, const struct fastpath_stats *s, uint64_t wall_ns)
{
	put_key(l, "{\"fastpath\":1,\"", "pid", sys_getpid());
	put_key(l, ",\"", "ppid", sys0(SYS_getppid));
	put(l, ",\"exe\":\"");
	put_exe(l);
	put(l, "\",\"scope\":\"");
	put(l, scope_name(s->scope));
	put(l, "\",\"bell\":\"");
	put(l, bell_name(s->bell));
	put(l, "\"");
	put_key(l, ",\"", "wall_ns", (int64_t)wall_ns);
	put_counts(l, "calls", call_names, s->calls, FASTPATH_CALLS);
	put_counts(l, "served", call_names, s->served, FASTPATH_CALLS);
	put_key(l, ",\"", "learned", (int64_t)s->learned);
	put_counts(l, "kernel", reason_names, s->kernel, FASTPATH_REASONS);
	put_key(l, ",\"", "invalidated", (int64_t)s->invalidated);
	put_key(l, ",\"verify\":{\"", "checked", (int64_t)s->verify_checked);
	put_key(l, ",\"", "wrong", (int64_t)s->verify_wrong);
	put_key(l, ",\"", "unresolved", (int64_t)s->verify_unresolved);
	put_key(l, "},\"", "saved_ns", s->saved_ns);
	put(l, "}\n");
}

static void put_cell(struct line *l, uint64_t n)
{
	uint32_t before = l->used;

	put_number(l, (int64_t)n);
	while (l->used < before + 10)
		put(l, " ");
}

static void write_text(struct line *l, const struct fastpath_stats *s)
{
	put(l, "fastpath: ");
	put_number(l, sys_getpid());
	put(l, " ");
	put_exe(l);
	put(l, ": scope ");
	put(l, scope_name(s->scope));
	put(l, ", bell ");
	put(l, bell_name(s->bell));
	put(l, "\nfastpath:   calls     served    of\n");
	for (int i = 0; i < FASTPATH_CALLS; i++) {
		if (!s->calls[i])
			continue;
		put(l, "fastpath:   ");
		put_cell(l, s->calls[i]);
		put_cell(l, s->served[i]);
		put(l, call_names[i]);
		put(l, "\n");
	}
	put(l, "fastpath:   to the kernel:");
	for (int i = 0; i < FASTPATH_REASONS; i++) {
		if (!s->kernel[i])
			continue;
		put(l, " ");
		put(l, reason_names[i]);
		put(l, " ");
		put_number(l, (int64_t)s->kernel[i]);
	}
	put(l, "\nfastpath:   learned ");
	put_number(l, (int64_t)s->learned);
	put(l, ", invalidated ");
	put_number(l, (int64_t)s->invalidated);
	if (s->verify_checked) {
		put(l, ", verified ");
		put_number(l, (int64_t)s->verify_checked);
		put(l, ": wrong ");
		put_number(l, (int64_t)s->verify_wrong);
		put(l, ", unresolved ");
		put_number(l, (int64_t)s->verify_unresolved);
	}
	put(l, ", saved ");
	put_number(l, s->saved_ns / 1000);
	put(l, " us\n");
}

/* Descriptor 2 is still the file that it was at start: a program may have put its data there. */
static bool stderr_is_ours(void)
{
	struct statx found;

	return !sys_statx(2, "", AT_EMPTY_PATH, STATX_INO, &found) &&
	       scope.stderr_dev == ((uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor) &&
	       scope.stderr_ino == found.stx_ino;
}

void report_say(int fd, const char *bytes, size_t n)
{
	const struct timespec now = {0, 0};
	uint64_t mask, before = 0, risen = 0;
	long wrote;

	signals_block(&mask);
	sys2(SYS_rt_sigpending, &before, sizeof before);
	wrote = sys3(SYS_write, fd, bytes, n);
	if (wrote == -EFBIG)
		risen = UINT64_C(1) << (SIGXFSZ - 1);
	else if (wrote == -EPIPE)
		risen = UINT64_C(1) << (SIGPIPE - 1);
	risen &= ~before; /* the program's own stays */
	if (risen)
		sys4(SYS_rt_sigtimedwait, &risen, NULL, &now, sizeof risen);
	signals_restore(&mask);
}

static void write_out(const struct line *l)
{
	int fd = 2;

	if (scope.settings.stats == STATS_JSON_FILE) {
		fd = (int)sys4(SYS_openat, SYS_AT_FDCWD, scope.settings.stats_file,
			       REPORT_FLAGS, 0666);
		if (fd < 0)
			return;
	} else if (!stderr_is_ours()) {
		return;
	}
	report_say(fd, l->bytes, l->used);
	if (fd != 2)
		sys_close(fd);
}

static bool is_empty(const struct fastpath_stats *s)
{
	uint64_t any = 0;

	for (int i = 0; i < FASTPATH_CALLS; i++)
		any |= s->calls[i];
	return !any;
}

static FP_COLD void report_write(struct region *r)
{
	struct fastpath_stats s;
	struct line l = {.used = 0};

	report_collect(&s);
	/* A forked child that asked nothing, or a second report with nothing new. */
	if (is_empty(&s) && r->reported)
		return;
	r->reported = 1;
	if (scope.settings.stats == STATS_TEXT_STDERR)
		write_text(&l, &s);
	else
		write_json(&l, &s, sys_clock_ns() - r->began_ns);
	write_out(&l);
	forget_reported(r);
}

void report_exit(void)
{
	struct region *r = load_relaxed(&scope.region);

	if (scope.quiet || !r || (!scope.settings.stats && !scope.settings.profile))
		return;
	/* A vfork child sees its parent's books: they are not its own to close. */
	if (r->pid != (uint32_t)sys_getpid())
		return;
	if (scope.settings.profile)
		profile_write();
	if (scope.settings.stats)
		report_write(r);
}

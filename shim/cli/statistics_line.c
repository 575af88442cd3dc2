/*
 * statistics_line.c - reads one line of FASTPATH_STATS: as it is written, or as any JSON.
 *
 * Both ways must tell the same of the same line (tests/unit/statistics.c).
 */
#include "cli/statistics_line.h"

#include "base/attributes.h"
#include "cli/member.h"

#include <string.h>

const char *const statistics_calls[FASTPATH_CALLS] = {"access",   "stat",     "open", "exec",
						      "readlink", "realpath", "xattr"};
const char *const statistics_reasons[FASTPATH_REASONS] = {
    "pending", "unknown", "perhaps", "refused", "relative", "argument", "detached"};
const char *const statistics_scopes[STATISTICS_SCOPES] = {"off", "process", "tree"};
const char *const statistics_bells[STATISTICS_BELLS] = {"none", "page", "epoll"};

/* Once something was not as expected, `at` is NULL, and nothing more is read. */
struct scanner {
	const char *at, *end;
};

static void expect(struct scanner *s, const char *text)
{
	size_t n = strlen(text);

	if (s->at && (size_t)(s->end - s->at) >= n && !memcmp(s->at, text, n))
		s->at += n;
	else
		s->at = NULL;
}

/* Up to eighteen digits, so that nothing overflows. */
static uint64_t scan_number(struct scanner *s)
{
	const char *first = s->at;
	uint64_t n = 0;

	if (!first)
		return 0;
	while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
		n = 10 * n + (uint64_t)(*s->at++ - '0');
	if (s->at == first || s->at - first > 18 || (*first == '0' && s->at - first > 1))
		s->at = NULL;
	return n;
}

/* Without anything that would have to be decoded or checked. */
static size_t scan_string(struct scanner *s, const char **text)
{
	*text = s->at;
	while (s->at && s->at < s->end && *s->at != '"') {
		bool plain = *s->at >= ' ' && *s->at != '\\' && !(*s->at & 0x80);

		s->at = plain ? s->at + 1 : NULL;
	}
	return s->at ? (size_t)(s->at - *text) : 0;
}

static uint32_t scan_word(struct scanner *s, const char *const *words, uint32_t n)
{
	const char *text;
	size_t length = scan_string(s, &text);

	for (uint32_t i = 0; s->at && i < n; i++)
		if (strlen(words[i]) == length && !memcmp(words[i], text, length))
			return i;
	s->at = NULL;
	return 0;
}

static void scan_counts(struct scanner *s, const char *const *keys, uint64_t *counts, int n)
{
	for (int i = 0; i < n; i++) {
		expect(s, i ? ",\"" : "{\"");
		expect(s, keys[i]);
		expect(s, "\":");
		counts[i] = scan_number(s);
	}
	expect(s, "}");
}

bool statistics_line_scan(struct statistics_line *out, const char *text, size_t bytes)
{
	static const char *const verify[] = {"checked", "wrong", "unresolved"};
	struct scanner s = {text, text + bytes};
	struct fastpath_stats *t = &out->stats;
	uint64_t verified[array_size(verify)];
	bool negative;

	expect(&s, "{\"fastpath\":1,\"pid\":");
	out->pid = scan_number(&s);
	expect(&s, ",\"ppid\":");
	(void)scan_number(&s);
	expect(&s, ",\"exe\":\"");
	out->exe_length = scan_string(&s, &out->exe);
	expect(&s, "\",\"scope\":\"");
	t->scope = scan_word(&s, statistics_scopes, STATISTICS_SCOPES);
	expect(&s, "\",\"bell\":\"");
	t->bell = scan_word(&s, statistics_bells, STATISTICS_BELLS);
	expect(&s, "\",\"wall_ns\":");
	(void)scan_number(&s);
	expect(&s, ",\"calls\":");
	scan_counts(&s, statistics_calls, t->calls, FASTPATH_CALLS);
	expect(&s, ",\"served\":");
	scan_counts(&s, statistics_calls, t->served, FASTPATH_CALLS);
	expect(&s, ",\"learned\":");
	t->learned = scan_number(&s);
	expect(&s, ",\"kernel\":");
	scan_counts(&s, statistics_reasons, t->kernel, FASTPATH_REASONS);
	expect(&s, ",\"invalidated\":");
	t->invalidated = scan_number(&s);
	expect(&s, ",\"verify\":");
	scan_counts(&s, verify, verified, array_size(verify));
	t->verify_checked = verified[0];
	t->verify_wrong = verified[1];
	t->verify_unresolved = verified[2];
	expect(&s, ",\"saved_ns\":");
	negative = s.at && s.at < s.end && *s.at == '-';
	if (negative)
		s.at++;
	t->saved_ns = (int64_t)scan_number(&s);
	t->saved_ns = negative ? -t->saved_ns : t->saved_ns;
	expect(&s, "}");
	return s.at == s.end;
}

/* 0 for one that is not known. */
static uint32_t word(const json_t *object, const char *key, const char *const *words, uint32_t n)
{
	const char *text = member_string(object, key);

	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(words[i], text))
			return i;
	return 0;
}

bool statistics_line_sums(struct fastpath_stats *out, const json_t *object)
{
	const json_t *calls = json_object_get(object, "calls");
	const json_t *served = json_object_get(object, "served");
	const json_t *kernel = json_object_get(object, "kernel");
	const json_t *verify = json_object_get(object, "verify");

	if (!json_is_object(calls) || !json_is_object(served))
		return false;
	for (int i = 0; i < FASTPATH_CALLS; i++) {
		out->calls[i] = member_count(calls, statistics_calls[i]);
		out->served[i] = member_count(served, statistics_calls[i]);
	}
	for (int i = 0; i < FASTPATH_REASONS; i++)
		out->kernel[i] = member_count(kernel, statistics_reasons[i]);
	out->learned = member_count(object, "learned");
	out->invalidated = member_count(object, "invalidated");
	out->verify_checked = member_count(verify, "checked");
	out->verify_wrong = member_count(verify, "wrong");
	out->verify_unresolved = member_count(verify, "unresolved");
	out->saved_ns = member_integer(object, "saved_ns");
	return true;
}

bool statistics_line_read(struct statistics_line *out, const json_t *line)
{
	if (member_number(line, "fastpath") != 1 || !statistics_line_sums(&out->stats, line))
		return false;
	out->pid = member_count(line, "pid");
	out->exe = member_string(line, "exe");
	out->exe_length = strlen(out->exe);
	out->stats.scope = word(line, "scope", statistics_scopes, STATISTICS_SCOPES);
	out->stats.bell = word(line, "bell", statistics_bells, STATISTICS_BELLS);
	return true;
}

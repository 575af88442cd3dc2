/*
 * settings.c - the one table of settings.
 *
 * Never calls getenv(): programs have their own (bash), and this runs before libc is ready.
 */
#include "base/settings.h"

#include "base/bytes.h"

static bool read_mode(struct settings *s, const char *v)
{
	if (!*v || string_equal(v, "0") || string_equal(v, "off"))
		s->mode = MODE_INERT;
	else if (string_equal(v, "1") || string_equal(v, "on"))
		s->mode = MODE_ON;
	else if (string_equal(v, "process"))
		s->mode = MODE_PROCESS_ONLY;
	else
		return false;
	return true;
}

static bool read_stats(struct settings *s, const char *v)
{
	const char *file = string_after(v, "json:");

	s->stats = STATS_NONE;
	s->stats_file = NULL;
	if (!*v || string_equal(v, "0"))
		return true;
	if (!file && *v == '/')
		file = v;
	if (file) {
		s->stats = STATS_JSON_FILE;
		s->stats_file = file;
		return *file == '/';
	}
	s->stats = *v == '1' ? STATS_TEXT_STDERR : STATS_JSON_STDERR;
	return string_equal(v, "1") || string_equal(v, "json");
}

static bool read_verify(struct settings *s, const char *v)
{
	s->verify = VERIFY_NONE;
	if (!*v || string_equal(v, "0"))
		return true;
	s->verify = *v == '1' ? VERIFY_COUNT : VERIFY_ABORT;
	return string_equal(v, "1") || string_equal(v, "abort");
}

enum { TICK_MAX = 10000000 };

/* One word of FASTPATH_TEST; returns what follows it, or NULL when there is no such word. */
static const char *read_test_word(struct settings *s, const char *v)
{
	const char *rest;

	if ((rest = string_after(v, "eager"))) {
		s->eager = true;
	} else if ((rest = string_after(v, "bell=epoll"))) {
		s->no_page_bell = true;
	} else if ((rest = string_after(v, "tick="))) {
		if (*rest < '0' || *rest > '9')
			return NULL;
		for (s->tick_us = 0; *rest >= '0' && *rest <= '9'; rest++)
			s->tick_us = s->tick_us < TICK_MAX / 10 ? 10 * s->tick_us + (uint32_t)(*rest - '0')
								: TICK_MAX;
	}
	return rest;
}

static bool read_test(struct settings *s, const char *v)
{
	s->eager = s->no_page_bell = false;
	s->tick_us = 0;
	while (*v) {
		v = read_test_word(s, v);
		if (!v || (*v && *v != ','))
			return false;
		v += *v == ',';
	}
	return true;
}

/* Absolute paths between colons; empty entries are allowed. */
static bool is_prefix_list(const char *v)
{
	for (bool first = true; *v; v++) {
		if (first && *v != ':' && *v != '/')
			return false;
		first = *v == ':';
	}
	return true;
}

static bool read_skip(struct settings *s, const char *v)
{
	s->skip = v;
	return is_prefix_list(v);
}

static bool read_trust(struct settings *s, const char *v)
{
	s->trust = v;
	return is_prefix_list(v);
}

static bool read_profile(struct settings *s, const char *v)
{
	s->profile = *v ? v : NULL;
	return !*v || *v == '/';
}

/*
 * Of a variable that is there twice the last counts: whoever reads one takes back what was read before.
 * A switch and not an array of pointers: those would be relocations in every process.
 */
static bool read_one(struct settings *s, unsigned i, const char *v)
{
	switch (i) {
	case 0:
		return read_stats(s, v);
	case 1:
		return read_verify(s, v);
	case 2:
		return read_test(s, v);
	case 3:
		return read_skip(s, v);
	case 4:
		return read_trust(s, v);
	case 5:
		return read_profile(s, v);
	default:
		s->session = *v ? v : NULL; /* what is in it is seen when it is used */
		return true;
	}
}

/* In the order of read_one(). */
static const char names[][18] = {
	"FASTPATH_STATS", "FASTPATH_VERIFY", "FASTPATH_TEST",
	"FASTPATH_SKIP",  "FASTPATH_TRUST",  "FASTPATH_PROFILE",
	"FASTPATH_SESSION",
};

/* The value of `entry` ("NAME=value") when its name is `name`, else NULL. */
static const char *value_of(const char *entry, const char *name)
{
	const char *rest = string_after(entry, name);

	return rest && *rest == '=' ? rest + 1 : NULL;
}

enum { NAME_LENGTH = 8 };

/* Is it FASTPATH=...? Without a string to compare with: in most processes nothing else of the
 * library is read, and constants would be another page. */
static bool is_named(const char *entry)
{
	return entry[0] == 'F' && entry[1] == 'A' && entry[2] == 'S' && entry[3] == 'T' &&
	       entry[4] == 'P' && entry[5] == 'A' && entry[6] == 'T' && entry[7] == 'H' &&
	       entry[NAME_LENGTH] == '=';
}

static void clear(struct settings *s)
{
	*s = (struct settings){0};
}

const char *settings_read(struct settings *out, char *const *environment)
{
	const char *v = NULL;

	clear(out);
	for (char *const *e = environment; e && *e && !v; e++)
		v = is_named(*e) ? *e + NAME_LENGTH + 1 : NULL;
	if (v && !read_mode(out, v)) {
		clear(out);
		return "FASTPATH";
	}
	if (out->mode == MODE_INERT)
		return NULL;
	for (char *const *e = environment; e && *e; e++) {
		if (!string_after(*e, "FASTPATH_"))
			continue;
		for (unsigned i = 0; i < array_size(names); i++) {
			v = value_of(*e, names[i]);
			if (v && !read_one(out, i, v)) {
				clear(out);
				return names[i];
			}
		}
	}
	if (out->mode == MODE_PROCESS_ONLY)
		out->session = NULL;
	return NULL;
}

bool settings_lists(const char *list, const char *path, size_t length)
{
	while (list && *list) {
		size_t n = 0;

		while (list[n] && list[n] != ':')
			n++;
		const char *next = list + n + (list[n] == ':');
		bool named = n > 0;

		while (n && list[n - 1] == '/')
			n--;
		if (named && n <= length && bytes_equal(list, path, n) &&
		    (n == length || path[n] == '/'))
			return true;
		list = next;
	}
	return false;
}

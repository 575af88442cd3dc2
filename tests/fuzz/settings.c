/* runs: 50000 */
/*
 * The environment is read as a slow model reads it, from memory that ends with each entry; settings
 * written out and read again are the same; lists of prefixes hold what a model says.
 *
 * Input: entries of an environment, each on a line; after an empty line, a list and a path.
 */
#include "fuzz.h"

#include "base/settings.h"

enum {
	ENTRIES = 12,
	ENTRY_MAX = 200,
	TICK_LONG = 1000000, /* longer ones are long, however long */
};

static const char *const variables[] = {"FASTPATH",         "FASTPATH_STATS",  "FASTPATH_VERIFY",
					"FASTPATH_TEST",    "FASTPATH_SKIP",   "FASTPATH_TRUST",
					"FASTPATH_PROFILE", "FASTPATH_SESSION"};
enum { VARIABLES = sizeof variables / sizeof *variables };

/* The value of the entry, when it is that variable's, else NULL. */
static const char *value(const char *entry, int variable)
{
	size_t n = strlen(variables[variable]);

	return !strncmp(entry, variables[variable], n) && entry[n] == '=' ? entry + n + 1 : NULL;
}

static bool is_one_of(const char *v, const char *a, const char *b)
{
	return !strcmp(v, a) || !strcmp(v, b);
}

/* Every entry is empty or begins with a slash. */
static bool is_list(const char *v)
{
	char copy[ENTRY_MAX + 1], *rest = copy, *entry;

	strcpy(copy, v);
	while ((entry = strsep(&rest, ":")))
		if (*entry && *entry != '/')
			return false;
	return true;
}

/* Words with commas between; one comma may follow the last. */
static bool model_test(struct settings *m, const char *v)
{
	char copy[ENTRY_MAX + 1], *rest = copy, *word;

	m->eager = m->no_page_bell = false;
	m->tick_us = 0;
	strcpy(copy, v);
	while (*v && (word = strsep(&rest, ","))) {
		const char *number = !strncmp(word, "tick=", 5) ? word + 5 : "";

		if (!*word && !rest && strlen(v) > 1)
			return true;
		if (!strcmp(word, "eager"))
			m->eager = true;
		else if (!strcmp(word, "bell=epoll"))
			m->no_page_bell = true;
		else if (*number && strspn(number, "0123456789") == strlen(number))
			m->tick_us = strtod(number, NULL) < TICK_LONG
					 ? (uint32_t)strtoul(number, NULL, 10)
					 : TICK_LONG;
		else
			return false;
	}
	return true;
}

/* Takes one variable in; false: it is malformed. */
static bool model_one(struct settings *m, int variable, const char *v)
{
	const char *file = !strncmp(v, "json:", 5) ? v + 5 : v;

	switch (variable) {
	case 0:
		m->mode = is_one_of(v, "1", "on") ? MODE_ON
			  : !strcmp(v, "process") ? MODE_PROCESS_ONLY
						  : MODE_INERT;
		return m->mode || !*v || is_one_of(v, "0", "off");
	case 1:
		m->stats = !strcmp(v, "1")      ? STATS_TEXT_STDERR
			   : !strcmp(v, "json") ? STATS_JSON_STDERR
			   : *file == '/'       ? STATS_JSON_FILE
						: STATS_NONE;
		m->stats_file = m->stats == STATS_JSON_FILE ? file : NULL;
		return m->stats || is_one_of(v, "", "0");
	case 2:
		m->verify = !strcmp(v, "1")       ? VERIFY_COUNT
			    : !strcmp(v, "abort") ? VERIFY_ABORT
						  : VERIFY_NONE;
		return m->verify || is_one_of(v, "", "0");
	case 3:
		return model_test(m, v);
	case 4:
		m->skip = v;
		return is_list(v);
	case 5:
		m->trust = v;
		return is_list(v);
	case 6:
		m->profile = *v ? v : NULL;
		return !*v || *v == '/';
	default:
		m->session = *v ? v : NULL;
		return true;
	}
}

static bool same_string(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void check_same(const struct settings *a, const struct settings *b)
{
	MUST(a->mode == b->mode);
	MUST(a->stats == b->stats && same_string(a->stats_file, b->stats_file));
	MUST(a->verify == b->verify);
	MUST(a->eager == b->eager && a->no_page_bell == b->no_page_bell);
	MUST(a->tick_us == b->tick_us || (a->tick_us >= TICK_LONG && b->tick_us >= TICK_LONG));
	MUST(same_string(a->skip, b->skip) && same_string(a->trust, b->trust));
	MUST(same_string(a->profile, b->profile) && same_string(a->session, b->session));
}

/* Written out in another order, and read: nothing is lost, nothing comes in. */
static void check_round_trip(const struct settings *s)
{
	static const char *const stats[] = {"", "1", "json", "json:"}, *const verify[] = {"", "1",
											  "abort"};
	char text[VARIABLES][ENTRY_MAX + 64], *environment[VARIABLES + 1] = {NULL};
	struct settings again;

	sprintf(text[0], "FASTPATH_SESSION=%s", s->session ? s->session : "");
	sprintf(text[1], "FASTPATH_PROFILE=%s", s->profile ? s->profile : "");
	sprintf(text[2], "FASTPATH_TRUST=%s", s->trust ? s->trust : "");
	sprintf(text[3], "FASTPATH_SKIP=%s", s->skip ? s->skip : "");
	sprintf(text[4], "FASTPATH_TEST=tick=%u%s%s", s->tick_us, s->eager ? ",eager" : "",
		s->no_page_bell ? ",bell=epoll" : "");
	sprintf(text[5], "FASTPATH_VERIFY=%s", verify[s->verify]);
	sprintf(text[6], "FASTPATH_STATS=%s%s", stats[s->stats],
		s->stats_file ? s->stats_file : "");
	sprintf(text[7], "FASTPATH=%s", s->mode == MODE_ON ? "1" : "process");
	for (int i = 0; i < VARIABLES; i++)
		environment[i] = text[i];
	MUST(!settings_read(&again, environment));
	/* An empty list is as good as none. */
	again.skip = s->skip ? again.skip : NULL;
	again.trust = s->trust ? again.trust : NULL;
	check_same(&again, s);
}

/* Its name, or NULL. The first FASTPATH counts, and of all others the last. */
static const char *model_read(struct settings *m, char *const *environment)
{
	const char *v = NULL;

	for (char *const *e = environment; *e && !v; e++)
		v = value(*e, 0);
	if (v && !model_one(m, 0, v))
		return variables[0];
	for (char *const *e = environment; m->mode && *e; e++)
		for (int i = 1; i < VARIABLES; i++) {
			v = value(*e, i);
			if (v && !model_one(m, i, v))
				return variables[i];
		}
	if (m->mode == MODE_PROCESS_ONLY)
		m->session = NULL;
	return NULL;
}

static void check_environment(char *const *environment)
{
	static const struct settings none;
	struct settings s, m = {0};
	const char *malformed, *want = model_read(&m, environment);

	memset(&s, 0xa5, sizeof s);
	malformed = settings_read(&s, environment);
	MUSTF(same_string(malformed, want), "'%s' is malformed, must be '%s'", malformed, want);
	check_same(&s, malformed ? &none : &m);
	if (s.mode != MODE_INERT)
		check_round_trip(&s);
}

/* One entry after the other, component by component. */
static bool model_lists(const char *list, const char *path, size_t length)
{
	char copy[ENTRY_MAX + 1], *rest = copy, *entry;

	strcpy(copy, list);
	while ((entry = strsep(&rest, ":"))) {
		size_t n = strlen(entry);
		bool named = n;

		while (n && entry[n - 1] == '/')
			entry[--n] = 0;
		if (named && n <= length && !memcmp(entry, path, n) &&
		    (n == length || path[n] == '/'))
			return true;
	}
	return false;
}

static void check_list(struct input *in)
{
	char list[ENTRY_MAX + 1], text[ENTRY_MAX + 1];
	size_t n;
	char *path;

	input_until(in, '\n', list, sizeof list);
	n = input_until(in, '\n', text, sizeof text);
	path = malloc(n ? n : 1); /* not terminated */
	memcpy(path, text, n);
	MUST(settings_lists(list, path, n) == model_lists(list, path, n));
	MUST(!settings_lists(NULL, path, n));
	free(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, data + size};
	char *environment[ENTRIES + 1], text[ENTRY_MAX + 1];
	int used = 0;

	while (input_left(&in) && used < ENTRIES && input_until(&in, '\n', text, sizeof text))
		environment[used++] = strdup(text); /* nothing can be read behind it */
	environment[used] = NULL;
	check_environment(environment);
	while (used)
		free(environment[--used]);
	check_list(&in);
	return 0;
}

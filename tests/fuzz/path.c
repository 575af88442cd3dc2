/* runs: 40000 */
/*
 * Paths are taken apart as a slow model does it, at every alignment, and nothing behind the pages
 * that may be is read.
 *
 * Input: a byte for where in the page the text begins (0xff: where it ends with the page), then the
 * text.
 */
#include "fuzz.h"

#include "base/hash.h"
#include "base/path.h"

enum { TEXT_MAX = PATH_PAGE - 1 };

/* The normal form by splitting into pieces, and what goes with it. */
struct model {
	char text[TEXT_MAX + 2];
	size_t length, directory;
	bool trailing;
};

static void split(struct model *m, const char *spelled)
{
	char copy[TEXT_MAX + 2], *rest = copy, *piece;

	*m = (struct model){.trailing = false};
	strcpy(copy, spelled);
	strsep(&rest, "/"); /* nothing comes before the first slash */
	while ((piece = strsep(&rest, "/"))) {
		m->trailing = !*piece || !strcmp(piece, ".");
		if (m->trailing)
			continue;
		m->directory = m->length;
		m->length += (size_t)sprintf(m->text + m->length, "/%s", piece);
	}
}

static void check_hashes(const char *text, size_t n)
{
	char *name = malloc(n ? n : 1),
	     *other = malloc(n ? n : 1); /* nothing can be read behind them */
	bool ascii = true;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		name[i] = text[i];
		other[i] = (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? (char)(c ^ 0x20) : text[i];
		ascii = ascii && c < 0x80;
	}
	MUST(!hash_name(name, n) == !ascii);
	MUST(hash_name(name, n) == hash_name(other, n));
	MUST(hash_string(name, n) == hash_string(text, n));
	free(name);
	free(other);
}

static void check_absolute(const struct path *p, const struct model *m, const char *at)
{
	uint32_t component = path_component(p->text, p->directory + 1, p->length);

	MUSTF(p->length == m->length && !memcmp(p->text, m->text, m->length),
	      "'%s' became '%.*s', must be '%s'", at, (int)p->length, p->text, m->text);
	MUSTF(p->directory == m->directory, "'%s': directory is %u, must be %zu", at, p->directory,
	      m->directory);
	MUSTF(!!p->trailing == m->trailing, "'%s': trailing is %d", at, p->trailing);
	MUST(!p->length || component == p->length - p->directory - 1);
	MUST((p->text == at) == !strcmp(m->text, at));
	MUST(p->text == at || (p->text == p->folded && !p->folded[p->length]));
}

/* Of an absolute path, by whichever of the two. */
static void check_kind(enum path_kind kind, const struct path *p, const struct model *m,
		       const char *at, const char *text)
{
	size_t n = strlen(text);

	MUST(!memcmp(at, text, n + 1));
	if (strcmp(m->text, text) != 0 && n > PATH_FOLDED_MAX) {
		MUST(kind == PATH_ARGUMENT);
		return;
	}
	MUST(kind == PATH_ABSOLUTE);
	check_absolute(p, m, at);
}

/* The text begins in the first page and ends in the second, or in none. */
static void check_crossing(char *second, const char *text, unsigned within, const struct model *m)
{
	static struct path p;
	size_t n = strlen(text);
	char *at = second - 1 - within % n;

	memcpy(at, text, n + 1);
	MUST(path_parse(&p, at) == PATH_GOES_ON);
	memset(&p, 0xa5, sizeof p);
	check_kind(path_parse_on(&p, at), &p, m, at, text);
	memset(at + n, 'x', (size_t)(second + PATH_PAGE - at) - n);
	MUST(path_parse_on(&p, at) == PATH_GOES_ON);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *pages, *page; /* two of them; the second, behind which there is none */
	static struct model m;
	static struct path p;
	struct input in = {data, data + size};
	char text[TEXT_MAX + 1];
	uint8_t where = input_byte(&in);
	size_t n = input_until(&in, 0, text, sizeof text),
	       from = where == 0xff ? TEXT_MAX - n : where;
	enum path_kind kind;
	char *at;

	if (!page) {
		pages = guarded((size_t)2 * PATH_PAGE);
		page = pages + PATH_PAGE;
	}
	if (from + n > TEXT_MAX)
		from = TEXT_MAX - n;
	memset(pages, where & 1 ? '/' : '.', (size_t)2 * PATH_PAGE);
	at = page + from;
	memcpy(at, text, n + 1);
	memset(&p, 0xa5, sizeof p);
	kind = path_parse(&p, at);
	check_hashes(text, n);
	if (!n || *text != '/') {
		MUST(kind == (n ? PATH_RELATIVE : PATH_ARGUMENT) && path_parse_on(&p, at) == kind);
		return 0;
	}
	split(&m, text);
	check_kind(kind, &p, &m, at, text);
	memset(&p, 0xa5, sizeof p);
	check_kind(path_parse_on(&p, at), &p, &m, at, text);
	/* Whether it goes on behind the page is not looked at. */
	memset(at + n, 'x', TEXT_MAX + 1 - from - n);
	MUST(path_parse(&p, at) == PATH_GOES_ON);
	check_crossing(page, text, where, &m);
	return 0;
}

/*
 * origin.c - why a lookup was made: by who made it, from what code, and what the path looks like.
 */
#include "audit/model.h"

#include "base/attributes.h"
#include "base/bytes.h"

#include <errno.h>
#include <string.h>

const char *const model_origins[MODEL_ORIGINS] = {"other", "path", "include", "loader", "locale"};

static bool ends_in(const struct lookup *l, const char *end)
{
	size_t n = strlen(end);

	return l->length >= n && !memcmp(l->path + l->length - n, end, n);
}

/* What setlocale(), gettext() and iconv_open() read. */
static bool is_locale(const struct lookup *l)
{
	static const char *const places[] = {"/usr/lib/locale/", "/usr/share/locale/",
					     "/usr/share/locale-langpack/",
					     "/usr/local/share/locale/", "/usr/share/i18n/"};

	for (size_t i = 0; i < array_size(places); i++)
		if (string_after(l->path, places[i]))
			return true;
	return ends_in(l, ".mo") || strstr(l->path, "/gconv/") || ends_in(l, "/locale.alias");
}

/* The same two files for whoever is static, or starts before its loader is known. */
static bool is_loaders_file(const struct lookup *l)
{
	return !strcmp(l->path, "/etc/ld.so.cache") || !strcmp(l->path, "/etc/ld.so.preload");
}

/* The name of a header, of a directory of headers, or of none that is there. */
static bool is_header(const struct lookup *l)
{
	static const char *const ends[] = {".h",   ".hh",  ".hpp", ".hxx",
					   ".inc", ".gch", ".ipp", ".tcc"};
	const char *name = strrchr(l->path, '/');

	if (l->error == ENOENT || l->error == ENOTDIR || l->call->family == FAMILY_STAT ||
	    l->call->family == FAMILY_READLINK)
		return true;
	for (size_t i = 0; i < array_size(ends); i++)
		if (ends_in(l, ends[i]))
			return true;
	return !strchr(name ? name : l->path, '.'); /* <vector> */
}

static bool is_in_search(const struct model *m, const struct model_process *p, uint32_t directory)
{
	const struct model_search *s;

	if (p->search == NAMES_NONE || directory == NAMES_NONE)
		return false;
	s = &m->search[p->search];
	for (uint32_t i = 0; i < s->n; i++)
		if (s->directories[i] == directory)
			return true;
	return false;
}

enum model_origin model_origin_of(const struct model *m, const struct model_process *p,
				  const struct lookup *l, uint32_t directory)
{
	uint8_t family = l->call->family;

	if (l->by_loader || is_loaders_file(l))
		return ORIGIN_LOADER;
	if (is_locale(l))
		return ORIGIN_LOCALE;
	if (p->program != NAMES_NONE && m->program[p->program].compiles && family != FAMILY_EXEC &&
	    is_header(l))
		return ORIGIN_INCLUDE;
	if ((family == FAMILY_EXEC || family == FAMILY_STAT || family == FAMILY_ACCESS) &&
	    is_in_search(m, p, directory))
		return ORIGIN_PATH;
	return ORIGIN_OTHER;
}

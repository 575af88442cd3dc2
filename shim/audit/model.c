/*
 * model.c - what the lookups of a tree add up to.
 *
 * What fastpath could have answered is an upper bound: as if it listed a directory for nothing at
 * the first failure in it, and nothing there ever changed.
 */
#include "audit/model.h"

#include "base/attributes.h"
#include "base/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const model_reaches[MODEL_REACHES] = {"dynamic", "static", "foreign"};

/*
 * Keys of facts: the number of a path or a directory, and what was said of it: an errno, "there",
 * by the family that was told so, or "this directory is listed".
 */
enum { ANSWER_BITS = 10, ANSWER_THERE = 1000, ANSWER_LISTED = 1023 };

static uint64_t key_of(uint32_t number, unsigned answer)
{
	return (uint64_t)number << ANSWER_BITS | (answer & ((1U << ANSWER_BITS) - 1));
}

/* Room for element number `n` of an array whose new elements are zeroed. */
static bool make_room(void **elements, uint32_t *room, uint32_t n, size_t size)
{
	uint32_t more = *room ? 2 * *room : 256;
	char *larger;

	if (n < *room)
		return true;
	larger = reallocarray(*elements, more, size);
	if (!larger)
		return false;
	memset(larger + *room * size, 0, (more - *room) * size);
	*elements = larger;
	*room = more;
	return true;
}

/* The part of a path before the last component: "/" of "/etc" and of "/". */
static uint32_t directory_length(const char *path, uint32_t length)
{
	while (length > 1 && path[length - 1] == '/')
		length--;
	while (length && path[length - 1] != '/')
		length--;
	while (length > 1 && path[length - 1] == '/')
		length--;
	return length;
}

static uint32_t add_directory(struct model *m, const char *text, uint32_t length)
{
	uint32_t d = names_add(&m->directories, text, length);

	if (d != NAMES_NONE &&
	    !make_room((void **)&m->directory, &m->directory_room, d, sizeof *m->directory))
		return NAMES_NONE;
	return d;
}

/* The directory that has to be listed to know that something is missing in or below `d`. */
static uint32_t existing_directory(struct model *m, uint32_t d)
{
	uint32_t at = d;

	while (!m->directory[at].existing) {
		const struct name *name = &m->directories.all[at];
		uint32_t length = directory_length(name->text, name->length), above = NAMES_NONE;

		if (length < name->length && !m->exists(name->text))
			above = add_directory(m, name->text, length);
		if (above == NAMES_NONE)
			m->directory[at].existing = at + 1;
		else
			at = above;
	}
	m->directory[d].existing = m->directory[at].existing;
	return m->directory[d].existing - 1;
}

static bool is_compiler(const char *exe)
{
	static const char *const names[] = {"cc1",        "cc1plus", "cc1obj",
					    "cc1objplus", "f951",    "cpp"};
	const char *name = strrchr(exe, '/');

	name = name ? name + 1 : exe;
	for (size_t i = 0; i < array_size(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return string_after(name, "clang") && !strstr(name, "format") && !strstr(name, "tidy");
}

uint32_t model_program_starts(struct model *m, const char *exe, enum model_reach reach)
{
	uint32_t n = names_add(&m->programs, exe, strlen(exe));

	if (n == NAMES_NONE ||
	    !make_room((void **)&m->program, &m->program_room, n, sizeof *m->program))
		return NAMES_NONE;
	if (!m->program[n].processes++)
		m->program[n].compiles = is_compiler(exe);
	m->program[n].reach = (uint8_t)reach;
	return n;
}

static void read_search(struct model *m, struct model_search *s, const char *value, size_t length)
{
	const char *end = value + length;

	s->directories = calloc(length + 1, sizeof *s->directories);
	while (s->directories && value < end) {
		const char *colon = memchr(value, ':', (size_t)(end - value));
		uint32_t n = (uint32_t)((colon ? colon : end) - value);

		while (n > 1 && value[n - 1] == '/')
			n--;
		if (n && *value == '/')
			s->directories[s->n] = add_directory(m, value, n);
		s->n += n && *value == '/';
		value = colon ? colon + 1 : end;
	}
}

uint32_t model_search_add(struct model *m, const char *value, size_t length)
{
	uint32_t before = m->searches.used, n = names_add(&m->searches, value, length);

	if (n == NAMES_NONE ||
	    !make_room((void **)&m->search, &m->search_room, n, sizeof *m->search))
		return NAMES_NONE;
	if (n == before)
		read_search(m, &m->search[n], value, length);
	return n;
}

/* Every path of a family is as likely to be among its samples (Vitter's algorithm R). */
static void sample(struct model *m, const struct lookup *l, uint32_t path)
{
	struct model_sample *s = &m->sample[l->call->family][l->error != 0];
	uint64_t at = s->seen++;

	if (at >= MODEL_SAMPLES) {
		m->random = m->random * UINT64_C(6364136223846793005) + 1;
		at = (m->random >> 33) % s->seen;
	}
	if (at < MODEL_SAMPLES)
		s->paths[at] = path;
}

/* A lookup that was understood. */
struct judged {
	uint8_t family, result;
	bool relative, known[MODEL_SCOPES], served[MODEL_SCOPES];
	uint32_t path, directory;
};

static bool creates(const struct lookup *l)
{
	return l->call->family == FAMILY_OPEN &&
	       (l->mode & O_CREAT || (l->mode & O_TMPFILE) == O_TMPFILE);
}

/* Is it an answer that rests on its own file, and that fastpath gives? */
static bool is_positive(const struct lookup *l)
{
	switch (l->call->family) {
	case FAMILY_ACCESS:
		return !l->error && !(l->mode & W_OK);
	case FAMILY_READLINK:
		return l->error == EINVAL;
	case FAMILY_XATTR:
		return l->error == ENODATA;
	default:
		return false;
	}
}

/* Could it have been answered, if the library was loaded and knew all that was asked before? */
static void judge_served(struct model *m, struct model_process *p, const struct lookup *l,
			 struct judged *j)
{
	struct facts *sets[MODEL_SCOPES] = {&p->facts, &m->tree};
	int scopes =
	    j->relative ? SCOPE_TREE : MODEL_SCOPES; /* other processes, other directories */

	if (l->error == ENOENT && !creates(l)) {
		uint32_t listed = j->relative ? j->directory : existing_directory(m, j->directory);

		for (int s = 0; s < scopes; s++)
			j->served[s] =
			    facts_add(sets[s], key_of(listed, ANSWER_LISTED)) == FACTS_KNOWN;
	} else if (is_positive(l)) {
		for (int s = 0; s < scopes; s++)
			j->served[s] = j->known[s];
	}
}

static void add_to(struct tally *t, const struct judged *j)
{
	t->calls[j->family][j->result]++;
	for (int s = 0; s < MODEL_SCOPES; s++) {
		t->repeats[s] += j->known[s];
		t->served[s][j->family][j->result] += j->served[s];
	}
}

static bool judge(struct model *m, struct model_process *p, const struct lookup *l,
		  struct judged *j)
{
	unsigned answer = l->error ? (unsigned)l->error : (unsigned)ANSWER_THERE + l->call->family;

	*j = (struct judged){.family = l->call->family,
			     .result = l->error ? RESULT_FAILED : RESULT_DONE,
			     .relative = *l->path != '/'};
	j->path = names_add(&m->names, l->path, l->length);
	j->directory = add_directory(m, l->path, directory_length(l->path, l->length));
	if (j->path == NAMES_NONE || j->directory == NAMES_NONE)
		return false;
	j->known[SCOPE_PROCESS] = facts_add(&p->facts, key_of(j->path, answer)) == FACTS_KNOWN;
	/* The same relative path in another process may be another file. */
	j->known[SCOPE_TREE] = j->relative
				   ? j->known[SCOPE_PROCESS]
				   : facts_add(&m->tree, key_of(j->path, answer)) == FACTS_KNOWN;
	return true;
}

void model_add(struct model *m, struct model_process *p, const struct lookup *l)
{
	struct model_call *call = &m->call[l->call - calls];
	enum model_origin origin;
	struct judged j;

	if (!judge(m, p, l, &j)) {
		m->dropped++;
		return;
	}
	origin = model_origin_of(m, p, l, j.directory);
	if (p->program != NAMES_NONE && m->program[p->program].reach == REACH_DYNAMIC &&
	    !l->foreign && origin != ORIGIN_LOADER && origin != ORIGIN_LOCALE)
		judge_served(m, p, l, &j);
	if (j.relative) {
		add_to(&m->relative, &j);
		j.served[SCOPE_PROCESS] = false; /* would have been */
	} else {
		sample(m, l, j.path);
		add_to(&m->directory[j.directory].tally, &j);
	}
	add_to(&m->all, &j);
	add_to(&call->tally, &j);
	add_to(&m->origin[origin], &j);
	if (p->program != NAMES_NONE)
		add_to(&m->program[p->program].tally, &j);
	if (l->error)
		call->errors[l->error < MODEL_ERRNOS ? l->error : 0]++;
}

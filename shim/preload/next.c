/*
 * next.c - symbol lookup in the libraries that were loaded after this one.
 *
 * Walks the loader's list of objects (struct link_map, <link.h>) and their GNU hash tables. The
 * objects before libc in it were there at start and never go away. Takes no lock, writes nothing
 * but next_found[].
 */
#include "preload/next.h"

#include "base/bytes.h"
#include "base/page.h"
#include "base/sys.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden"))); /* NOLINT: hidden this time */

const void *next_auxiliary;
void *next_found[NEXT_COUNT];

/* Fixed rows and no pointers, which would be relocations. */
static const char symbols[][24] = {
#define CALL(id, symbol, version) symbol,
	CALLS(CALL)
#undef CALL
};
static const char versions[][12] = {
#define CALL(id, symbol, version) version,
	CALLS(CALL)
#undef CALL
};

/* What an object says about its symbols. */
struct object {
	const ElfW(Sym) * symbols;
	const char *strings;
	const uint32_t *hash;	   /* DT_GNU_HASH */
	const uint32_t *sysv_hash; /* DT_HASH: of use when there is no other */
	const ElfW(Half) * versions;
	const ElfW(Verdef) * definitions;
};

/* The loader relocates these addresses in place, but not in read-only dynamic sections. */
static const void *address(const struct link_map *map, ElfW(Addr) value)
{
	return (const void *)(value < map->l_addr ? value + map->l_addr : value);
}

static bool object_read(const struct link_map *map, struct object *o)
{
	*o = (struct object){0};
	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
		const void *at = address(map, d->d_un.d_ptr);

		switch (d->d_tag) {
		case DT_SYMTAB:
			o->symbols = at;
			break;
		case DT_STRTAB:
			o->strings = at;
			break;
		case DT_GNU_HASH:
			o->hash = at;
			break;
		case DT_HASH:
			o->sysv_hash = at;
			break;
		case DT_VERSYM:
			o->versions = at;
			break;
		case DT_VERDEF:
			o->definitions = at;
			break;
		}
	}
	return o->symbols && o->strings && (o->hash || o->sysv_hash);
}

static uint32_t gnu_hash(const char *s)
{
	uint32_t h = 5381;

	while (*s)
		h = h * 33 + (unsigned char)*s++;
	return h;
}

/* The name of the version with this index, or "". */
static const char *version_name(const struct object *o, unsigned index)
{
	const ElfW(Verdef) *d = o->definitions;

	while (d) {
		if (d->vd_ndx == index) {
			const ElfW(Verdaux) *aux = (const void *)((const char *)d + d->vd_aux);

			return o->strings + aux->vda_name;
		}
		d = d->vd_next ? (const void *)((const char *)d + d->vd_next) : NULL;
	}
	return "";
}

/* 2: the version wanted, or the default one; 1: a hidden one, taken when there is no other. */
static int version_fits(const struct object *o, uint32_t symbol, const char *wanted)
{
	unsigned version = o->versions ? o->versions[symbol] : 1;

	if (!*wanted || !o->definitions)
		return version & 0x8000 ? 1 : 2;
	return string_equal(version_name(o, version & 0x7fff), wanted) ? 2 : 0;
}

static bool is_definition(const ElfW(Sym) * s)
{
	unsigned bind = ELF64_ST_BIND(s->st_info), type = ELF64_ST_TYPE(s->st_info);

	return s->st_shndx != SHN_UNDEF && s->st_value &&
	       (bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE) &&
	       (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE ||
		type == STT_GNU_IFUNC);
}

/* What is known of a symbol while it is looked for in one object. */
struct search {
	const char *name, *version;
	const ElfW(Sym) * hidden; /* taken when there is no other */
};

/* True: symbol i is the one. */
static bool matches(struct search *q, const struct object *o, uint32_t i)
{
	const ElfW(Sym) *s = &o->symbols[i];
	int fits;

	if (!is_definition(s) || !string_equal(o->strings + s->st_name, q->name))
		return false;
	fits = version_fits(o, i, q->version);
	if (fits == 1)
		q->hidden = s;
	return fits == 2;
}

static const ElfW(Sym) * find_by_gnu_hash(const struct object *o, struct search *q, uint32_t hash)
{
	enum { BITS = 8 * sizeof(ElfW(Addr)) };
	uint32_t buckets = o->hash[0], first = o->hash[1], words = o->hash[2], shift = o->hash[3];
	const ElfW(Addr) *bloom = (const ElfW(Addr) *)(o->hash + 4);
	const uint32_t *bucket = (const uint32_t *)(bloom + words), *chain = bucket + buckets;
	ElfW(Addr) word = bloom[hash / BITS % words];

	if (!(word >> hash % BITS & word >> (hash >> shift) % BITS & 1) || !buckets)
		return NULL;
	for (uint32_t i = bucket[hash % buckets]; i >= first && i; i++) {
		uint32_t h = chain[i - first];

		if ((h | 1) == (hash | 1) && matches(q, o, i))
			return &o->symbols[i];
		if (h & 1)
			break;
	}
	return q->hidden;
}

/* The hash of the System V ABI. */
static uint32_t sysv_hash(const char *s)
{
	uint32_t h = 0;

	while (*s) {
		h = (h << 4) + (unsigned char)*s++;
		h = (h ^ (h >> 24 & 0xf0)) & 0x0fffffff;
	}
	return h;
}

static const ElfW(Sym) * find_by_sysv_hash(const struct object *o, struct search *q)
{
	uint32_t buckets = o->sysv_hash[0];
	const uint32_t *bucket = o->sysv_hash + 2, *chain = bucket + buckets;

	if (!buckets)
		return NULL;
	for (uint32_t i = bucket[sysv_hash(q->name) % buckets]; i; i = chain[i])
		if (matches(q, o, i))
			return &o->symbols[i];
	return q->hidden;
}

static const ElfW(Sym) * object_find(const struct object *o, const char *name, uint32_t hash,
				     const char *version)
{
	struct search q = {name, version, NULL};

	return o->hash ? find_by_gnu_hash(o, &q, hash) : find_by_sysv_hash(o, &q);
}

/* The first definition in `map` and the objects after it; *in: where. */
static void *find(const struct link_map *map, const char *name, const char *version,
		  const struct link_map **in)
{
	uint32_t hash = gnu_hash(name);

	for (; map; map = map->l_next) {
		const ElfW(Sym) * s;
		struct object o;
		char *at;

		if (!object_read(map, &o) || !(s = object_find(&o, name, hash, version)))
			continue;
		at = (char *)map->l_addr + s->st_value;
		if (in)
			*in = map;
		if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
			return ((void *(*)(void))at)();
		return at;
	}
	return NULL;
}

/* The auxiliary vector as the kernel has it: `copy` gets its first entries. */
static void auxiliary_read(ElfW(auxv_t) * copy, size_t entries)
{
	int fd = (int)sys_openat(SYS_AT_FDCWD, "/proc/self/auxv", O_RDONLY | O_CLOEXEC);
	long n = fd < 0 ? 0 : sys_read(fd, copy, (entries - 1) * sizeof *copy);

	if (fd >= 0)
		sys_close(fd);
	copy[n > 0 ? (size_t)n / sizeof *copy : 0].a_type = AT_NULL;
}

/* The object whose program headers these are: as much of a link_map as object_read() needs. */
static struct link_map object_at(const ElfW(Phdr) * headers, size_t count)
{
	/* They follow the ELF header, in the first page. */
	const ElfW(Ehdr) *header = (const void *)((ElfW(Addr))headers & ~(ElfW(Addr))(PAGE_LEAST - 1));
	struct link_map map = {0};

	if (!headers)
		return map;
	map.l_addr = header->e_type == ET_DYN ? (ElfW(Addr))header : 0;
	for (size_t i = 0; i < count; i++)
		if (headers[i].p_type == PT_DYNAMIC)
			map.l_ld = (void *)(map.l_addr + headers[i].p_vaddr);
	return map;
}

/* The loader's list in an object's DT_DEBUG; or, when the object is the loader, its own. */
static const struct link_map *list_of(const struct link_map *map)
{
	const ElfW(Sym) * s;
	struct object o;

	for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_DEBUG && d->d_un.d_ptr)
			return ((const struct r_debug *)d->d_un.d_ptr)->r_map;
	if (!map->l_ld || !object_read(map, &o) ||
	    !(s = object_find(&o, "_r_debug", gnu_hash("_r_debug"), "")))
		return NULL;
	return ((const struct r_debug *)(map->l_addr + s->st_value))->r_map;
}

/*
 * The first of the loader's objects: the program. The loader leaves its list for debuggers in the
 * program's DT_DEBUG, before it relocates anything; where that is not, in a variable of its own. To
 * import that would cost a search in every exec.
 */
static const struct link_map *list_from(const ElfW(auxv_t) * a)
{
	const ElfW(Phdr) *headers = NULL;
	const ElfW(Ehdr) *loader = NULL;
	const struct link_map *found;
	struct link_map map;
	size_t count = 0;

	for (; a && a->a_type != AT_NULL; a++) {
		if (a->a_type == AT_PHDR)
			headers = (const void *)a->a_un.a_val;
		else if (a->a_type == AT_PHNUM)
			count = a->a_un.a_val;
		else if (a->a_type == AT_BASE)
			loader = (const void *)a->a_un.a_val;
	}
	map = object_at(headers, count);
	found = list_of(&map);
	if (found || !loader)
		return found;
	map = object_at((const void *)((const char *)loader + loader->e_phoff), loader->e_phnum);
	return list_of(&map);
}

static const struct link_map *loaded(void)
{
	static const struct link_map *first;
	const struct link_map *found = load_relaxed(&first);

	if (found)
		return found;
	found = list_from(next_auxiliary);
	/* Before our start, or with the vector gone. */
	if (!found) {
		ElfW(auxv_t) copy[32];

		auxiliary_read(copy, array_size(copy));
		found = list_from(copy);
	}
	store_relaxed(&first, found);
	return found;
}

static const struct link_map *after_self(void)
{
	const struct link_map *map = loaded();

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map ? map->l_next : NULL;
}

static int no_such_function(void)
{
	return answer(ENOSYS);
}

/* What a libc has that keeps no note of the break. */
static const uintptr_t no_break;

static void *found_by_parent(enum next which)
{
	void *found = find(after_self(), symbols[which], versions[which], NULL);

	return found ? found : (void *)no_such_function;
}

void *next_resolve(enum next which)
{
	/* Programs may have a malloc, and copies of variables, of their own. */
	bool whole = which == NEXT_malloc || which == NEXT_environ || which == NEXT_curbrk;
	void *found = find(whole ? loaded() : after_self(), symbols[which], versions[which], NULL);

	if (!found && (which == NEXT_errno_location || (!loaded() && which != NEXT_curbrk)))
		return which == NEXT_errno_location ? NULL : (void *)no_such_function;
	if (!found)
		found = which == NEXT_curbrk ? (void *)&no_break : (void *)no_such_function;
	store_relaxed(&next_found[which], found);
	/* A forked child goes on to exec: what it then needs is found by its parent. */
	if (!load_relaxed(&next_found[NEXT_execve])) {
		store_relaxed(&next_found[NEXT_execve], found_by_parent(NEXT_execve));
		store_relaxed(&next_found[NEXT_dup2], found_by_parent(NEXT_dup2));
		store_relaxed(&next_found[NEXT_close], found_by_parent(NEXT_close));
	}
	return found;
}

bool next_is_foreign(void)
{
	const struct link_map *libc = NULL, *map = after_self();

	if (!find(map, "gnu_get_libc_version", "", &libc))
		return true;
	/* The interposed calls come first in the table. */
	for (; map && map != libc; map = map->l_next) {
		struct object o;

		if (!object_read(map, &o))
			continue;
		for (int i = 0; i <= NEXT_syscall; i++)
			if (object_find(&o, symbols[i], gnu_hash(symbols[i]), versions[i]))
				return true;
	}
	return false;
}

int answer(int error)
{
	int *(*location)(void) = NEXT(errno_location, int *(*)(void));

	if (location)
		*location() = error;
	return -1;
}

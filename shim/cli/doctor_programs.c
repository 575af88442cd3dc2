/*
 * doctor_programs.c - the programs in PATH that the library cannot be loaded into, by their ELF
 * headers.
 */
#include "cli/doctor.h"

#include "base/elf.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROGRAMS_MAX = 20000, EXAMPLES_BYTES = 64, HEADERS_MAX = 24 };

enum kind {
	KIND_NONE, /* no program, or none of ours to judge */
	KIND_FIT,
	KIND_STATIC,
	KIND_MUSL,
	KIND_FOREIGN, /* another architecture or word size, or a sanitizer's shared runtime */
	KIND_PRIVILEGED,
	KINDS
};

struct census {
	int seen, count[KINDS];
	char examples[KINDS][EXAMPLES_BYTES]; /* names, with commas between */
};

static bool read_at(int fd, void *out, size_t size, uint64_t offset)
{
	return pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

/* Of a program of our architecture. */
static enum kind kind_of_elf(int fd, const ElfW(Ehdr) * header)
{
	ElfW(Phdr) headers[HEADERS_MAX];
	unsigned count = header->e_phnum;
	char loader[256];

	if (count > HEADERS_MAX)
		count = HEADERS_MAX;
	if (header->e_phentsize != sizeof *headers ||
	    !read_at(fd, headers, count * sizeof *headers, header->e_phoff))
		return KIND_NONE;
	for (unsigned i = 0; i < count; i++) {
		size_t n =
		    headers[i].p_filesz < sizeof loader ? headers[i].p_filesz : sizeof loader - 1;

		if (headers[i].p_type != PT_INTERP)
			continue;
		if (!read_at(fd, loader, n, headers[i].p_offset))
			return KIND_NONE;
		loader[n] = 0;
		return strstr(loader, "ld-musl") ? KIND_MUSL : KIND_FIT;
	}
	return KIND_STATIC;
}

static enum kind kind_of(int fd, const struct stat *s)
{
	union {
		unsigned char ident[EI_NIDENT];
		ElfW(Ehdr) header;
	} start;
	enum kind kind;

	if (!read_at(fd, &start, sizeof start, 0) || memcmp(start.ident, ELFMAG, SELFMAG) != 0)
		return KIND_NONE;
	if (!elf_takes_preload(fd))
		return KIND_FOREIGN;
	kind = kind_of_elf(fd, &start.header);
	return kind == KIND_FIT && (s->st_mode & (S_ISUID | S_ISGID)) ? KIND_PRIVILEGED : kind;
}

static void add_program(struct census *c, int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat s;
	enum kind kind = KIND_NONE;
	size_t used;

	if (fd < 0)
		return;
	if (!fstat(fd, &s) && S_ISREG(s.st_mode) && (s.st_mode & 0111))
		kind = kind_of(fd, &s);
	(void)close(fd);
	c->seen++;
	c->count[kind]++;
	used = strlen(c->examples[kind]);
	if (used + strlen(name) + 3 < EXAMPLES_BYTES)
		(void)sprintf(c->examples[kind] + used, "%s%s", used ? ", " : "", name);
}

static void add_directory(struct census *c, const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && c->seen < PROGRAMS_MAX && (e = readdir(d)))
		if (e->d_type == DT_REG || e->d_type == DT_UNKNOWN)
			add_program(c, dirfd(d), e->d_name);
	if (d)
		(void)closedir(d);
}

static void say(struct doctor *d, const struct census *c, enum kind kind, const char *what)
{
	if (c->count[kind])
		doctor_say(d, VERDICT_NOTE, "programs", NULL, NULL, "%d %s: %s%s", c->count[kind],
			   what, c->examples[kind],
			   strlen(c->examples[kind]) > EXAMPLES_BYTES / 2 ? " ..." : "");
}

void doctor_programs(struct doctor *d)
{
	struct census c = {0};
	const char *path = getenv("PATH");
	char *copy = path ? strdup(path) : NULL, *save = NULL;

	for (char *at = copy ? strtok_r(copy, ":", &save) : NULL; at;
	     at = strtok_r(NULL, ":", &save))
		if (*at == '/')
			add_directory(&c, at);
	free(copy);
	doctor_say(d, VERDICT_OK, "programs", NULL, NULL, "%d programs in PATH can be served",
		   c.count[KIND_FIT]);
	say(d, &c, KIND_STATIC, "static ones are not reached, and run as ever");
	say(d, &c, KIND_MUSL, "of musl load the library, which stays inert");
	say(d, &c, KIND_FOREIGN,
	    "are of another architecture or word size, or have a sanitizer's runtime: "
	    "fastpath run starts them without the library");
	say(d, &c, KIND_PRIVILEGED, "set-user-ID or set-group-ID ones take no preload");
}

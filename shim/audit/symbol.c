/*
 * symbol.c - the function that an address in an ELF file belongs to, by its tables of symbols.
 */
#include "audit/symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct symbol {
	uint64_t start, end;
	const char *name;
};

struct symbols {
	const char *file; /* mapped */
	size_t bytes;
	struct symbol *all;
	size_t n;
};

/* `count` records of `size` bytes at a file offset, or NULL when they are not all in the file. */
static const void *part(const struct symbols *s, uint64_t offset, uint64_t count, size_t size)
{
	if (offset > s->bytes || offset % 8 || count > (s->bytes - offset) / size)
		return NULL;
	return s->file + offset;
}

static const Elf64_Ehdr *header(const struct symbols *s)
{
	const Elf64_Ehdr *h = part(s, 0, 1, sizeof *h);

	return h && !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
		       h->e_phentsize == sizeof(Elf64_Phdr) && h->e_shentsize == sizeof(Elf64_Shdr)
		   ? h
		   : NULL;
}

/* Adds the functions of one table. */
static void add_table(struct symbols *s, const Elf64_Shdr *table, const Elf64_Shdr *strings)
{
	uint64_t n = table->sh_size / sizeof(Elf64_Sym);
	const Elf64_Sym *from = part(s, table->sh_offset, n, sizeof *from);
	struct symbol *more;

	if (!from || strings->sh_offset > s->bytes || !strings->sh_size ||
	    strings->sh_size > s->bytes - strings->sh_offset ||
	    s->file[strings->sh_offset + strings->sh_size - 1])
		return;
	more = reallocarray(s->all, s->n + n, sizeof *more);
	if (!more)
		return;
	s->all = more;
	for (uint64_t i = 0; i < n; i++)
		if (ELF64_ST_TYPE(from[i].st_info) == STT_FUNC && from[i].st_shndx != SHN_UNDEF &&
		    from[i].st_name < strings->sh_size)
			s->all[s->n++] =
			    (struct symbol){from[i].st_value, from[i].st_value + from[i].st_size,
					    s->file + strings->sh_offset + from[i].st_name};
}

static int order(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1) : strcmp(x->name, y->name);
}

/* The full table where there is one, else what is exported. */
static void read_tables(struct symbols *s)
{
	const Elf64_Ehdr *h = header(s);
	const Elf64_Shdr *sections = h ? part(s, h->e_shoff, h->e_shnum, sizeof *sections) : NULL;

	for (uint32_t type = SHT_SYMTAB; sections && !s->n; type = SHT_DYNSYM) {
		for (unsigned i = 0; i < h->e_shnum; i++)
			if (sections[i].sh_type == type && sections[i].sh_link < h->e_shnum)
				add_table(s, &sections[i], &sections[sections[i].sh_link]);
		if (type == SHT_DYNSYM)
			break;
	}
	if (s->n)
		qsort(s->all, s->n, sizeof *s->all, order);
}

struct symbols *symbols_read(const char *file)
{
	struct symbols *s = calloc(1, sizeof *s);
	int fd = s ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	struct stat st;
	void *at = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		(void)close(fd);
	if (at == MAP_FAILED) {
		free(s);
		return NULL;
	}
	s->file = at;
	s->bytes = (size_t)st.st_size;
	read_tables(s);
	return s;
}

/* The address that is loaded from a file offset. */
static bool address_of(const struct symbols *s, uint64_t offset, uint64_t *address)
{
	const Elf64_Ehdr *h = header(s);
	const Elf64_Phdr *p = h ? part(s, h->e_phoff, h->e_phnum, sizeof *p) : NULL;

	for (unsigned i = 0; p && i < h->e_phnum; i++) {
		if (p[i].p_type != PT_LOAD || offset < p[i].p_offset ||
		    offset - p[i].p_offset >= p[i].p_filesz)
			continue;
		*address = offset - p[i].p_offset + p[i].p_vaddr;
		return true;
	}
	return false;
}

const char *symbols_name(const struct symbols *s, uint64_t offset)
{
	uint64_t at;
	size_t low = 0, high = s ? s->n : 0;

	if (!s || !address_of(s, offset, &at))
		return NULL;
	while (low < high) { /* the first one that begins after `at` */
		size_t middle = (low + high) / 2;

		if (s->all[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i-- > 0 && low - i <= 8;)
		if (at < s->all[i].end)
			return s->all[i].name;
	return NULL;
}

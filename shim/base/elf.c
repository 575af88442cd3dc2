/*
 * elf.c - reads no more of a program than says what it needs. Trusts nothing that it reads.
 */
#include "base/elf.h"

#include "base/bytes.h"
#include "base/sys.h"

#include <link.h>

enum { HEADERS_MAX = 24, DYNAMIC_MAX = 1024, DYNAMIC_BATCH = 16, NAME_BYTES = 24 };

#if __SIZEOF_POINTER__ == 8
#define OUR_CLASS ELFCLASS64
#else
#define OUR_CLASS ELFCLASS32
#endif

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__i386__)
#define OUR_MACHINE EM_386
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#elif defined(__riscv)
#define OUR_MACHINE EM_RISCV
#endif

static bool read_at(int fd, void *out, size_t size, uint64_t offset)
{
	return sys_pread(fd, out, size, offset) == (long)size;
}

/* The file offset of an address. */
static bool offset_of(const ElfW(Phdr) * headers, unsigned count, uint64_t address, uint64_t *offset)
{
	for (unsigned i = 0; i < count; i++) {
		const ElfW(Phdr) *h = &headers[i];

		if (h->p_type != PT_LOAD || address < h->p_vaddr || address - h->p_vaddr >= h->p_filesz)
			continue;
		*offset = address - h->p_vaddr + h->p_offset;
		return true;
	}
	return false;
}

/* libasan.so.8, libtsan.so.2, libhwasan.so.0, libclang_rt.asan-x86_64.so */
static bool is_sanitizer(const char *name)
{
	const char *rest = string_after(name, "libclang_rt.");

	return string_after(name, "libasan.") || string_after(name, "libtsan.") ||
	       string_after(name, "libhwasan.") || string_after(name, "liblsan.") ||
	       (rest && (string_after(rest, "asan") || string_after(rest, "hwasan") ||
			 string_after(rest, "tsan")));
}

/* Entries of the dynamic section, a few at a time: how many, from number `first`. */
static long read_dynamic(int fd, ElfW(Dyn) * out, uint64_t at, long first)
{
	long n = sys_pread(fd, out, DYNAMIC_BATCH * sizeof *out, at + (uint64_t)first * sizeof *out);

	return n > 0 ? n / (long)sizeof *out : 0;
}

/* The first value of a tag; 0: there is none. */
static uint64_t dynamic_value(int fd, uint64_t dynamic, ElfW(Sxword) tag)
{
	ElfW(Dyn) entry[DYNAMIC_BATCH];
	long n;

	for (long first = 0; first < DYNAMIC_MAX && (n = read_dynamic(fd, entry, dynamic, first)); first += n)
		for (long i = 0; i < n && entry[i].d_tag != DT_NULL; i++)
			if (entry[i].d_tag == tag)
				return entry[i].d_un.d_val;
	return 0;
}

static bool needs_sanitizer(int fd, const ElfW(Phdr) * headers, unsigned count, uint64_t dynamic)
{
	ElfW(Dyn) entry[DYNAMIC_BATCH];
	uint64_t strings;
	long n;

	if (!offset_of(headers, count, dynamic_value(fd, dynamic, DT_STRTAB), &strings))
		return false;
	for (long first = 0; first < DYNAMIC_MAX && (n = read_dynamic(fd, entry, dynamic, first)); first += n) {
		for (long i = 0; i < n; i++) {
			char name[NAME_BYTES + 1] = {0};

			if (entry[i].d_tag == DT_NULL)
				return false;
			if (entry[i].d_tag == DT_NEEDED &&
			    sys_pread(fd, name, NAME_BYTES, strings + entry[i].d_un.d_val) > 0 &&
			    is_sanitizer(name))
				return true;
		}
	}
	return false;
}

bool elf_takes_preload(int fd)
{
	/* Both classes begin with the same bytes. */
	union {
		unsigned char ident[EI_NIDENT];
		ElfW(Ehdr) header;
	} start;
	ElfW(Phdr) headers[HEADERS_MAX];
	unsigned count;

	if (!read_at(fd, &start, sizeof start, 0) || !bytes_equal(start.ident, ELFMAG, SELFMAG))
		return true;
	if (start.ident[EI_CLASS] != OUR_CLASS || start.header.e_machine != OUR_MACHINE)
		return false;
	count = start.header.e_phnum;
	if (count > HEADERS_MAX)
		count = HEADERS_MAX;
	if (start.header.e_phentsize != sizeof *headers ||
	    !read_at(fd, headers, count * sizeof *headers, start.header.e_phoff))
		return true;
	for (unsigned i = 0; i < count; i++)
		if (headers[i].p_type == PT_DYNAMIC)
			return !needs_sanitizer(fd, headers, count, headers[i].p_offset);
	return true;
}

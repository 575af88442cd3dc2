/*
 * elf.c - reads no more of a program than says what it needs. Trusts nothing that it reads.
 */
#include "base/elf.h"

#include "base/bytes.h"
#include "base/sys.h"

#include <link.h>

enum { HEADERS_MAX = 24, DYNAMIC_MAX = 64, NAME_BYTES = 24, CLASS_AT = 4, MACHINE_AT = 18 };

#if __SIZEOF_POINTER__ == 8
#define OUR_CLASS ELFCLASS64
#else
#define OUR_CLASS ELFCLASS32
#endif

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#elif defined(__riscv)
#define OUR_MACHINE EM_RISCV
#endif

static bool read_at(int fd, void *out, size_t size, uint64_t offset)
{
	return sys4(SYS_pread64, fd, out, size, offset) == (long)size;
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

static bool needs_sanitizer(int fd, const ElfW(Phdr) * headers, unsigned count, uint64_t dynamic)
{
	ElfW(Dyn) entry[DYNAMIC_MAX];
	uint64_t strings = 0, at;
	long n = sys4(SYS_pread64, fd, entry, sizeof entry, dynamic);
	long entries = n > 0 ? n / (long)sizeof *entry : 0;

	for (long i = 0; i < entries && entry[i].d_tag != DT_NULL; i++)
		if (entry[i].d_tag == DT_STRTAB)
			strings = entry[i].d_un.d_ptr;
	if (!offset_of(headers, count, strings, &at))
		return false;
	/* A sanitizer's runtime comes before the libraries that it has to come before. */
	for (long i = 0; i < entries && entry[i].d_tag == DT_NEEDED; i++) {
		char name[NAME_BYTES + 1] = {0};

		if (sys4(SYS_pread64, fd, name, NAME_BYTES, at + entry[i].d_un.d_val) > 0 &&
		    is_sanitizer(name))
			return true;
	}
	return false;
}

bool elf_takes_preload(int fd)
{
	ElfW(Phdr) headers[HEADERS_MAX];
	unsigned char start[64];
	ElfW(Ehdr) header;
	uint16_t machine;
	unsigned count;

	if (!read_at(fd, start, sizeof start, 0) || !bytes_equal(start, ELFMAG, SELFMAG))
		return true;
	bytes_copy(&machine, start + MACHINE_AT, sizeof machine);
	if (start[CLASS_AT] != OUR_CLASS || machine != OUR_MACHINE)
		return false;
	bytes_copy(&header, start, sizeof header);
	count = header.e_phnum < HEADERS_MAX ? header.e_phnum : HEADERS_MAX;
	if (header.e_phentsize != sizeof *headers ||
	    !read_at(fd, headers, count * sizeof *headers, header.e_phoff))
		return true;
	for (unsigned i = 0; i < count; i++)
		if (headers[i].p_type == PT_DYNAMIC)
			return !needs_sanitizer(fd, headers, count, headers[i].p_offset);
	return true;
}

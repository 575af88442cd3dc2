/*
 * image.c - what /proc and its memory tell of a process that is stopped: its program's file,
 * whether it has a dynamic loader and where, its PATH.
 */
#include "audit/image.h"

#include "base/page.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ENVIRONMENT_BYTES = 128 << 10, HEADERS_MAX = 24, PAGE = PAGE_LEAST, STRING_FIRST = 512 };

size_t image_peek(pid_t pid, uint64_t at, void *to, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)at, bytes};
	ssize_t n = process_vm_readv(pid, &local, 1, &remote, 1, 0);

	return n > 0 ? (size_t)n : 0;
}

/* Mostly by one call. */
size_t image_peek_string(pid_t pid, uint64_t at, char *to, size_t room)
{
	size_t used = 0;

	while (used < room - 1) {
		size_t part = PAGE - (at + used) % PAGE, got;
		const char *nul;

		if (part > STRING_FIRST && !used)
			part = STRING_FIRST;
		if (part > room - 1 - used)
			part = room - 1 - used;
		got = image_peek(pid, at + used, to + used, part);
		nul = memchr(to + used, 0, got);
		used = nul ? (size_t)(nul - to) : used + got;
		if (nul || got < part)
			break;
	}
	to[used] = 0;
	return used;
}

pid_t image_status(pid_t tid, const char *name)
{
	char path[48], line[256];
	pid_t found = 0;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!found && fgets(line, sizeof line, f))
		if (!strncmp(line, name, strlen(name)))
			found = (pid_t)strtol(line + strlen(name), NULL, 10);
	(void)fclose(f);
	return found;
}

/* Returns how many bytes. */
static size_t read_file(pid_t pid, const char *name, void *to, size_t bytes)
{
	char path[48];
	size_t used = 0;
	ssize_t n = 0;
	int fd;

	(void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	while (used < bytes && (n = read(fd, (char *)to + used, bytes - used)) > 0)
		used += (size_t)n;
	(void)close(fd);
	return used;
}

static void read_exe(struct image *i, pid_t pid)
{
	static const char deleted[] = " (deleted)";
	const size_t tail = sizeof deleted - 1;
	char path[48];
	ssize_t n;

	(void)snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	n = readlink(path, i->exe, sizeof i->exe - 1);
	if (n < 0)
		n = 0;
	if ((size_t)n > tail && !memcmp(i->exe + (size_t)n - tail, deleted, tail))
		n -= (ssize_t)tail;
	i->exe[n] = 0;
}

/* The end of what is mapped of the ELF file at `base`, from its headers in memory. */
static uint64_t end_of(pid_t pid, uint64_t base)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr headers[HEADERS_MAX];
	} file = {0};
	size_t bytes = image_peek(pid, base, &file, sizeof file);
	uint64_t end = base;

	if (bytes < sizeof file.header || file.header.e_phoff != sizeof file.header ||
	    file.header.e_phentsize != sizeof file.headers[0])
		return base;
	for (unsigned i = 0; i < file.header.e_phnum && i < HEADERS_MAX; i++) {
		const Elf64_Phdr *h = &file.headers[i];

		if (h->p_type == PT_LOAD && base + h->p_vaddr + h->p_memsz > end)
			end = base + h->p_vaddr + h->p_memsz;
	}
	return end;
}

/* The kernel tells a 32-bit program 32-bit words: then no address is like ours. */
static void read_loader(struct image *i, pid_t pid)
{
	union {
		Elf64_auxv_t native[64];
		Elf32_auxv_t narrow[128];
	} v;
	size_t n = read_file(pid, "auxv", &v, sizeof v);

	i->reach = REACH_STATIC;
	for (size_t k = 0; k < n / sizeof v.native[0]; k++) {
		if (v.native[k].a_type >> 32) {
			i->reach = REACH_FOREIGN;
			return;
		}
		if (v.native[k].a_type == AT_BASE && v.native[k].a_un.a_val) {
			i->reach = REACH_DYNAMIC;
			i->loader = v.native[k].a_un.a_val;
		}
	}
	if (i->loader)
		i->loader_end = end_of(pid, i->loader);
}

static void read_search(struct image *i, pid_t pid)
{
	static char environment[ENVIRONMENT_BYTES + 1];
	size_t n = read_file(pid, "environ", environment, ENVIRONMENT_BYTES);
	const char *at = environment, *end = environment + n;

	environment[n] = 0;
	for (; at < end; at += strlen(at) + 1) {
		if (strncmp(at, "PATH=", 5) != 0)
			continue;
		i->search = at + 5;
		i->search_bytes = strlen(at + 5);
		return;
	}
}

void image_read(struct image *i, pid_t pid)
{
	i->loader = i->loader_end = 0;
	i->search = NULL;
	i->search_bytes = 0;
	read_exe(i, pid);
	read_loader(i, pid);
	read_search(i, pid);
}

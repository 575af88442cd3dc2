/*
 * Whether a program takes a preload: real programs, changed ones, and anything else.
 */
#include "test.h"

#include "base/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

static unsigned char program[8 << 20];
static size_t size;

static int as_file(const void *bytes, size_t n)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	return fd;
}

static bool takes(const void *bytes, size_t n)
{
	int fd = as_file(bytes, n);
	bool taken = elf_takes_preload(fd);

	close(fd);
	return taken;
}

static void load_from(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, program, sizeof program);

	CHECK(n > 4096 && n < (ssize_t)sizeof program);
	size = (size_t)n;
	close(fd);
}

/* Of the machine that this test is made for: a program of the system's or, where that is another's, itself. */
static void load(void)
{
	unsigned char own[20]; /* up to e_machine, in both classes */

	load_from("/proc/self/exe");
	memcpy(own, program, sizeof own);
	load_from("/bin/true");
	if (program[EI_CLASS] != own[EI_CLASS] || memcmp(program + 18, own + 18, 2))
		load_from("/proc/self/exe");
}

TEST(a_program_of_this_machine_is_taken)
{
	load();
	CHECK(takes(program, size));
}

TEST(another_word_size_or_machine_is_not)
{
	load();
	program[EI_CLASS] = program[EI_CLASS] == ELFCLASS64 ? ELFCLASS32 : ELFCLASS64;
	CHECK(!takes(program, size));
	load();
	((Elf64_Ehdr *)program)->e_machine = EM_S390;
	CHECK(!takes(program, size));
}

TEST(a_sanitizers_shared_runtime_is_found_among_what_is_needed)
{
	static const char *const names[] = {"libasan.so", "libtsan.so", "liblsan.so"};

	for (int i = 0; i < 3; i++) {
		unsigned char *at;

		load();
		at = memmem(program, size, "libc.so.6", 10);
		CHECK(at);
		memcpy(at, names[i], 9); /* libasan.s */
		CHECK(!takes(program, size));
	}
}

TEST(scripts_and_what_is_no_file_of_bytes_are_taken)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY), null = open("/dev/null", O_RDONLY);

	CHECK(takes("#!/bin/sh\n", 10));
	CHECK(takes("", 0));
	CHECK(elf_takes_preload(fd));
	CHECK(elf_takes_preload(null));
	CHECK(elf_takes_preload(-1));
	close(fd);
	close(null);
}

TEST(truncated_and_corrupted_programs_end_in_an_answer)
{
	unsigned seed = 1;

	load();
	for (size_t n = 0; n < 2000; n += 7)
		takes(program, n);
	for (int i = 0; i < 1000; i++) {
		size_t at = (size_t)rand_r(&seed) % 4096;
		unsigned char old = program[at];

		program[at] = (unsigned char)rand_r(&seed);
		takes(program, size);
		program[at] = old;
	}
}

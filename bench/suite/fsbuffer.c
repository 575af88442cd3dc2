/*
 * fsbuffer.c - a file copied by 256 bytes at a time (UnixBench fsbuffer): no paths are looked up,
 * and nothing may be lost.
 */
#include "suite.h"

enum { BLOCK = 256, BLOCKS = 500 };

const struct suite_variant suite_variants[] = {
    {"-", "loop", "copying a file of 500 blocks of 256 bytes, blocks", 1, 0},
    {NULL, NULL, NULL, 0, 0}};

static int from, to, at;

static void ask(unsigned calls)
{
	static char block[BLOCK];

	for (unsigned i = 0; i < calls; i++, at++) {
		if (at == BLOCKS) {
			at = 0;
			if (lseek(from, 0, SEEK_SET) || lseek(to, 0, SEEK_SET))
				bench_die("seek: %s", strerror(errno));
		}
		if (read(from, block, BLOCK) != BLOCK || write(to, block, BLOCK) != BLOCK)
			bench_die("copy: %s", strerror(errno));
	}
}

void suite_prepare(const struct suite_variant *v)
{
	static const char block[BLOCK];
	int fd = open("from", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	(void)v;
	for (int i = 0; i < BLOCKS; i++)
		if (write(fd, block, BLOCK) != BLOCK)
			bench_die("write: %s", strerror(errno));
	close(fd);
}

void suite_run(const struct suite_variant *v, const char *directory)
{
	(void)v;
	(void)directory;
	from = open("from", O_RDONLY | O_CLOEXEC);
	to = open("to", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	suite_measure(&(struct suite_loop){1, false, 100, NULL, ask});
}

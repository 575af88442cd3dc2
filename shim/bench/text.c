/*
 * text.c - what a child printed.
 */
#include "bench/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int text_open(void)
{
	int fd = memfd_create("fastpath-bench", MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void text_clear(int fd)
{
	if (!ftruncate(fd, 0))
		(void)lseek(fd, 0, SEEK_SET);
}

/* The `size` bytes or less that begin at `from`. */
static void read_at(int fd, off_t from, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, from);

	text[n > 0 ? n : 0] = 0;
}

void text_read(int fd, char *text, size_t size)
{
	read_at(fd, 0, text, size);
}

void text_last_line(int fd, char *line, size_t size)
{
	char end[512], *last;
	struct stat s;
	size_t n;

	line[0] = 0;
	if (fstat(fd, &s))
		return;
	read_at(fd, s.st_size < (off_t)sizeof end ? 0 : s.st_size - (off_t)sizeof end + 1, end,
		sizeof end);
	for (n = strlen(end); n && strchr("\n\r\t ", end[n - 1]); n--)
		end[n - 1] = 0;
	last = strrchr(end, '\n');
	last = last ? last + 1 : end;
	for (char *c = last; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	(void)snprintf(line, size, "%s", last);
}

void text_of_status(int status, char *text, size_t size)
{
	if (WIFSIGNALED(status))
		(void)snprintf(text, size, "killed by signal %d (%s)", WTERMSIG(status),
			       strsignal(WTERMSIG(status)));
	else
		(void)snprintf(text, size, "exit status %d", WEXITSTATUS(status));
}

/* link: -Ishim */
/*
 * tree_hostile.c - a process of a session that does what it can to its broker and to others.
 *
 * usage: tree_hostile write|scribble MS [PATH...]
 *   write     tries every way to change the session's memory; says which one worked
 *   scribble  fills the inbox with noise for so long, then with posts about paths that no client
 * would post, and PATHs; every way of writing down a question
 */
#define _GNU_SOURCE
#include "cache/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct session *session;
static struct inbox *inbox;
static char session_path[64], inbox_path[64];

static int attach(void)
{
	const char *variable = getenv("FASTPATH_SESSION");
	unsigned pid, number;
	int fd;

	if (!variable || sscanf(variable, "%x:%x:", &pid, &number) != 2)
		return 1;
	snprintf(session_path, sizeof session_path, "/proc/%u/fd/%u", pid, number);
	fd = open(session_path, O_RDONLY | O_CLOEXEC);
	session = mmap(NULL, SESSION_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (fd < 0 || session == MAP_FAILED)
		return 2;
	for (int i = 0; i < 5000 && !load_acquire(&session->state); i++)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
	snprintf(inbox_path, sizeof inbox_path, "/proc/%u/fd/%u", pid, session->inbox_fd);
	fd = open(inbox_path, O_RDWR | O_CLOEXEC);
	inbox = mmap(NULL, sizeof *inbox, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return fd < 0 || inbox == MAP_FAILED ? 3 : 0;
}

static int worked;

static void must_fail(const char *what, bool good)
{
	if (!good)
		return;
	fprintf(stderr, "%s worked\n", what);
	worked = 1;
}

static void try_to_write(void)
{
	static char page[4096];
	void *mine = (void *)session;
	int fd = open(session_path, O_RDWR), other = open(session_path, O_RDWR | O_TRUNC);
	struct stat before, after;

	must_fail("truncation by open",
		  other >= 0 && !fstat(other, &after) && after.st_size != SESSION_BYTES);
	must_fail("a writable mapping of a new descriptor",
		  mmap(NULL, SESSION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) !=
		      MAP_FAILED);
	must_fail("mprotect", !mprotect(mine, SESSION_BYTES, PROT_READ | PROT_WRITE));
	must_fail("write", pwrite(fd, page, sizeof page, 0) > 0);
	must_fail("a shorter file", !ftruncate(fd, 4096));
	must_fail("a longer file", !ftruncate(fd, 2L * SESSION_BYTES));
	must_fail("a hole", !fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
	must_fail("zeroes", !fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, 4096));
	must_fail("MADV_REMOVE", !madvise(mine, 4096, MADV_REMOVE));
	must_fail("another seal", !fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE));
	must_fail("another seal on the inbox",
		  !fcntl(open(inbox_path, O_RDWR), F_ADD_SEALS, F_SEAL_WRITE));
	must_fail("a shorter inbox", !ftruncate(open(inbox_path, O_RDWR), 0));
	madvise(mine, SESSION_BYTES, MADV_DONTNEED);
	madvise(mine, SESSION_BYTES, MADV_COLD);
	must_fail("losing the nonce",
		  !session->nonce || !session->segment.seq || fstat(fd, &before));
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static uint64_t noise(void)
{
	static uint64_t x = 88172645463325252U;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

static void fill_with_noise(uint64_t until)
{
	uint64_t *word = (uint64_t *)inbox;

	while (now_ms() < until) {
		for (size_t i = 0; i < sizeof *inbox / 8; i++)
			store_relaxed(&word[i], noise());
		/* Whole posts with noise in them. */
		for (unsigned i = 0; i < POST_SLOTS; i++)
			store_relaxed(&inbox->posts[i].state, 2);
		for (unsigned i = 0; i < POST_SLOTS / 64; i++)
			store_relaxed(&inbox->news[i], ~UINT64_C(0));
	}
	memset(inbox, 0, sizeof *inbox);
}

static void post(const char *text, size_t length, unsigned kind, unsigned question, unsigned detail)
{
	static unsigned slot;
	struct post *p = &inbox->posts[slot++ % POST_SLOTS];

	for (int i = 0; i < 20 && load_relaxed(&p->state); i++)
		nanosleep(&(struct timespec){0, 200000}, NULL);
	p->note = (struct note){.key = noise(),
				.count = UINT32_MAX,
				.price_ns = UINT32_MAX,
				.served = UINT32_MAX,
				.length = (uint16_t)length,
				.kind = (uint8_t)kind,
				.question = (uint8_t)question,
				.detail = (uint8_t)detail,
				.execs = 255};
	memcpy(p->text, text, length < POST_TEXT ? length : POST_TEXT);
	store_release(&p->state, 2);
	__atomic_fetch_or(&inbox->news[(slot - 1) % POST_SLOTS / 64],
			  UINT64_C(1) << (slot - 1) % POST_SLOTS % 64, __ATOMIC_RELEASE);
}

static void post_oddities(char **paths)
{
	static const char *const odd[] = {"/",
					  "//",
					  "/..",
					  "/../..",
					  "relative",
					  "",
					  ".",
					  "/etc/../etc/none",
					  "/etc//none",
					  "/etc/./none",
					  "/etc/none/",
					  "/proc/self/fd/0",
					  "/proc/1/root/none",
					  "/proc/self/cwd/none",
					  "/dev/null",
					  "/dev/fd/0",
					  "/sys/none",
					  "/dev/zero/none",
					  "/dev/tty"};
	char text[POST_TEXT];

	for (unsigned kind = 0; kind < 5; kind++)
		for (unsigned i = 0; i < sizeof odd / sizeof *odd; i++)
			post(odd[i], strlen(odd[i]), kind, noise() % 8, noise() % 16);
	for (; *paths; paths++) {
		size_t length = strlen(*paths);

		snprintf(text, sizeof text, "%s%c/x", *paths, 0);
		post(text, length + 3, POST_LOST, 0, 0);
		post(*paths, length + 1, POST_LOST, 0, 0);
		post(*paths, length - 1, POST_LOST, 0, 0);
		post(*paths, UINT16_MAX, POST_LOST, 0, 0);
		post(*paths, 0, POST_LOST, 0, 0);
		for (unsigned question = 0; question < 9; question++)
			for (unsigned detail = 0; detail < 18; detail++)
				post(*paths, length, POST_LOST, question,
				     detail == 17 ? 255 : detail);
		post(*paths, length, POST_RUN, 0, 0);
		post(*paths, length, POST_EXEC, 0, 0);
	}
	for (int i = 0; i < 40; i++) { /* a deep path, and one that fills the slot without an end */
		memset(text, i % 2 ? 'x' : '/', sizeof text);
		text[0] = '/';
		for (unsigned k = 2; k < sizeof text; k += 2)
			text[k] = i % 4 < 2 ? '/' : text[k];
		post(text, POST_TEXT, POST_LOST, 0, 0);
		post(text, POST_TEXT - 1, POST_LOST, 0, 0);
	}
}

int main(int argc, char **argv)
{
	int failed = attach();

	if (failed) {
		fprintf(stderr, "there is no session: %d\n", failed);
		return failed;
	}
	if (argc == 2 && !strcmp(argv[1], "write")) {
		try_to_write();
	} else if (argc > 2) {
		fill_with_noise(now_ms() + strtoul(argv[2], NULL, 10));
		post_oddities(argv + 3);
	}
	return worked;
}

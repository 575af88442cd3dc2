/*
 * change.c - the changes for which no shell command exists: change OP ARG...
 *
 * exchange A B; tmpfile DIR NAME (O_TMPFILE, then link); socket PATH; handle DIR NAME (create
 * through a descriptor got from a file handle); uring-open PATH, uring-mkdir PATH, uring-rename A B
 * (by io_uring); fd-chmod MODE PATH CMD... (chmod through a descriptor, PATH unlinked before);
 * setattr FLAG PATH (mount_setattr: noexec, exec, ro); hold PATH SECONDS (keeps it open);
 * moved-mount SOURCE TARGET (open_tree and move_mount); flood DIR N (create and remove N names).
 * Exit status 0, 1 with a message, 77 when the kernel lacks it.
 */
#define _GNU_SOURCE
#include "raw.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_open_tree
#define SYS_open_tree  428
#define SYS_move_mount 429
#endif
enum { OPEN_TREE_CLONE_ = 1, MOVE_MOUNT_F_EMPTY_PATH_ = 4 };

static int end(const char *what, long r)
{
	if (r >= 0)
		return 0;
	fprintf(stderr, "%s: %s\n", what, strerror((int)-r));
	return r == -ENOSYS || r == -EOPNOTSUPP ? 77 : 1;
}

static int tmpfile_link(const char *dir, const char *name)
{
	char link[64];
	long fd = raw_openat(AT_FDCWD, dir, O_TMPFILE | O_WRONLY, 0644);

	if (fd < 0)
		return end("O_TMPFILE", fd);
	snprintf(link, sizeof link, "/proc/self/fd/%ld", fd);
	return end("linkat", raw5(SYS_linkat, AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW));
}

static int socket_at(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
	return end("bind", bind(fd, (struct sockaddr *)&a, sizeof a) ? -errno : 0);
}

static int by_handle(const char *dir, const char *name)
{
	struct {
		struct file_handle h;
		char room[128];
	} handle = {.h.handle_bytes = sizeof handle.room};
	int mount_id, fd, at;

	if (name_to_handle_at(AT_FDCWD, dir, &handle.h, &mount_id, 0) != 0)
		return end("name_to_handle_at", -errno);
	at = open(dir, O_RDONLY | O_DIRECTORY);
	fd = open_by_handle_at(at, &handle.h, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return end("open_by_handle_at", -errno);
	return end("openat", raw_openat(fd, name, O_CREAT | O_WRONLY, 0644));
}

/* One request through a ring of our own, completed before it returns. */
static long uring(const struct io_uring_sqe *request)
{
	struct io_uring_params p;
	char *sq, *cq;
	struct io_uring_sqe *sqes;
	unsigned *array;
	long fd, r;

	memset(&p, 0, sizeof p);
	fd = raw3(SYS_io_uring_setup, 4, &p, 0);
	if (fd < 0)
		return -ENOSYS;
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED,
		  (int)fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
		  PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, IORING_OFF_CQ_RING);
	sqes = mmap(NULL, p.sq_entries * sizeof *sqes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd,
		    IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || sqes == MAP_FAILED)
		return -errno;
	sqes[0] = *request;
	array = (unsigned *)(sq + p.sq_off.array);
	array[0] = 0;
	__atomic_store_n((unsigned *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	r = raw6(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, 0, 0);
	if (r < 0)
		return r;
	return ((struct io_uring_cqe *)(cq + p.cq_off.cqes))[0].res;
}

static int uring_change(const char *op, char **a)
{
	struct io_uring_sqe s;

	memset(&s, 0, sizeof s);
	s.fd = AT_FDCWD;
	s.addr = (uintptr_t)a[0];
	if (!strcmp(op, "uring-open")) {
		s.opcode = IORING_OP_OPENAT;
		s.len = 0644;
		s.open_flags = O_CREAT | O_WRONLY;
	} else if (!strcmp(op, "uring-mkdir")) {
		s.opcode = IORING_OP_MKDIRAT;
		s.len = 0755;
	} else {
		s.opcode = IORING_OP_RENAMEAT;
		s.off = (uintptr_t)a[1];
		s.len = (unsigned)AT_FDCWD;
	}
	return end(op, uring(&s));
}

static int fd_chmod(mode_t mode, const char *path, int keep)
{
	long fd = raw_openat(AT_FDCWD, path, O_RDONLY, 0);

	if (fd < 0)
		return end(path, fd);
	if (!keep)
		raw3(SYS_unlinkat, AT_FDCWD, path, 0);
	return end("fchmod", raw3(SYS_fchmod, fd, mode, 0));
}

static int setattr(const char *flag, const char *path)
{
	struct {
		uint64_t set, clear, propagation, userns;
	} a = {0};

	if (!strcmp(flag, "noexec"))
		a.set = 8;
	else if (!strcmp(flag, "exec"))
		a.clear = 8;
	else
		a.set = 1;
	return end("mount_setattr", raw5(SYS_mount_setattr, AT_FDCWD, path, 0, &a, sizeof a));
}

static int moved_mount(const char *source, const char *target)
{
	long fd = raw3(SYS_open_tree, AT_FDCWD, source, OPEN_TREE_CLONE_);

	if (fd < 0)
		return end("open_tree", fd);
	return end("move_mount",
		   raw5(SYS_move_mount, fd, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH_));
}

static int flood(const char *dir, long n)
{
	long at = raw_openat(AT_FDCWD, dir, O_RDONLY | O_DIRECTORY, 0);
	char name[32];

	for (long i = 0; i < n; i++) {
		snprintf(name, sizeof name, "flood%ld", i % 512);
		long fd = raw_openat((int)at, name, O_CREAT | O_WRONLY, 0644);
		if (fd < 0)
			return end("flood", fd);
		raw_close((int)fd);
		raw3(SYS_unlinkat, at, name, 0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	char **a = argv + 2;

	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "exchange") && argc == 4)
		return end("exchange", raw5(SYS_renameat2, AT_FDCWD, a[0], AT_FDCWD, a[1], 2));
	if (!strcmp(argv[1], "tmpfile") && argc == 4)
		return tmpfile_link(a[0], a[1]);
	if (!strcmp(argv[1], "socket"))
		return socket_at(a[0]);
	if (!strcmp(argv[1], "handle") && argc == 4)
		return by_handle(a[0], a[1]);
	if (!strncmp(argv[1], "uring-", 6))
		return uring_change(argv[1], a);
	if (!strcmp(argv[1], "fd-chmod") && argc == 4)
		return fd_chmod((mode_t)strtol(a[0], NULL, 8), a[1], 0);
	if (!strcmp(argv[1], "fd-chmod-kept") && argc == 4)
		return fd_chmod((mode_t)strtol(a[0], NULL, 8), a[1], 1);
	if (!strcmp(argv[1], "setattr") && argc == 4)
		return setattr(a[0], a[1]);
	if (!strcmp(argv[1], "moved-mount") && argc == 4)
		return moved_mount(a[0], a[1]);
	if (!strcmp(argv[1], "flood") && argc == 4)
		return flood(a[0], strtol(a[1], NULL, 10));
	if (!strcmp(argv[1], "hold") && argc == 4) {
		raw_openat(AT_FDCWD, a[0], O_RDONLY, 0);
		sleep((unsigned)strtoul(a[1], NULL, 10));
		return 0;
	}
	return 2;
}

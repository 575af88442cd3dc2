/*
 * Changes made through io_uring, in the submitter's own call and by the kernel's worker threads:
 * one has returned when its completion is there.
 */
#include "race.h"

enum { RINGS = 8192, SQES = 4096 };
static struct io_uring_params params;
static char *rings;
static struct io_uring_sqe *sqes;
static long ring = -1;

static unsigned *word(unsigned offset)
{
	return (unsigned *)(rings + offset);
}

static void *map_ring(size_t bytes, off_t offset)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, (int)ring, offset);
}

static bool open_ring(void)
{
	if (ring >= 0)
		return true;
	ring = syscall(SYS_io_uring_setup, 4, &params);
	if (ring < 0)
		return false;
	rings = map_ring(RINGS, IORING_OFF_SQ_RING);
	sqes = map_ring(SQES, IORING_OFF_SQES);
	return rings != MAP_FAILED && (void *)sqes != MAP_FAILED;
}

/* One request, and its completion. */
static void through_ring(struct io_uring_sqe request)
{
	unsigned tail = *word(params.sq_off.tail), slot = tail & *word(params.sq_off.ring_mask);

	sqes[slot] = request;
	word(params.sq_off.array)[slot] = slot;
	__atomic_store_n(word(params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	MUST(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0));
	unsigned head = *word(params.cq_off.head) & *word(params.cq_off.ring_mask);
	int result = ((struct io_uring_cqe *)(rings + params.cq_off.cqes))[head].res;
	__atomic_fetch_add(word(params.cq_off.head), 1, __ATOMIC_RELEASE);
	errno = -result;
	MUST(result);
	if (request.opcode == IORING_OP_OPENAT)
		syscall(SYS_close, result);
}

static uintptr_t text(const char *name, unsigned cycle)
{
	return (uintptr_t)numbered(name, cycle);
}

static void step(unsigned state, unsigned cycle, uint8_t flags)
{
	struct io_uring_sqe request = {.fd = AT_FDCWD, .flags = flags};

	if (!open_ring()) {
		race_break("io_uring has gone");
		return;
	}
	if (state == 0) {
		request.opcode = IORING_OP_OPENAT;
		request.addr = text("d/f#", cycle);
		request.open_flags = O_CREAT | O_EXCL | O_WRONLY;
		request.len = 0644;
	} else if (state == 1) {
		request.opcode = IORING_OP_RENAMEAT;
		request.addr = text("d/f#", cycle);
		request.addr2 = text("d/g#", cycle);
		request.len = (uint32_t)AT_FDCWD;
	} else {
		request.opcode = IORING_OP_UNLINKAT;
		request.addr = text("d/g#", cycle);
	}
	through_ring(request);
}

static void by_submitter(unsigned state, unsigned cycle)
{
	step(state, cycle, 0);
}

static void by_worker(unsigned state, unsigned cycle)
{
	step(state, cycle, IOSQE_ASYNC);
}

static void one_dir(void)
{
	struct io_uring_params probe = {0};
	long fd = syscall(SYS_io_uring_setup, 1, &probe);

	if (fd < 0)
		SKIP("io_uring: %s", strerror(errno));
	syscall(SYS_close, fd);
	make_dir("d");
}

#define RING_ASKS                                                                              \
	{ask_access, "d/f#", {-ENOENT, 0, -ENOENT}}, {ask_stat, "d/f#", {-ENOENT, 0, -ENOENT}},\
	    {ask_open, "d/g#", {-ENOENT, -ENOENT, 0}},                                         \
	    {ask_realpath, "d/g#", {-ENOENT, -ENOENT, 'd'}}, NEVER("d/never")

TEST(a_change_made_through_io_uring_is_seen)
{
	static const struct race r = {
		.states = 3, .prepare = one_dir, .change = by_submitter, .asks = {RING_ASKS}};
	race_run(&r);
}

TEST(a_change_made_by_a_kernel_worker_is_seen)
{
	static const struct race r = {
		.states = 3, .prepare = one_dir, .change = by_worker, .asks = {RING_ASKS}};
	race_run(&r);
}

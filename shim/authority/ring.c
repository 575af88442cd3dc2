/*
 * ring.c - io_uring by hand: liburing keeps a descriptor and maps memory of the kernel's choosing.
 */
#include "authority/ring.h"

#include "base/atomic.h"
#include "base/bytes.h"
#include "base/sys.h"
#include "cache/reader.h"

#include <errno.h>
#include <linux/io_uring.h>

/* Newer than some uapi headers that fastpath builds with. */
#define SETUP_NO_MMAP		 (1U << 14)
#define SETUP_REGISTERED_FD_ONLY (1U << 15)
#define REGISTER_BY_INDEX	 (1U << 31)
#define OP_FIXED_FD_INSTALL	 54

enum { ENTRIES = 2 };

static uint32_t *ring_word(const struct ring *r, uint32_t offset)
{
	return (uint32_t *)(r->memory + offset);
}

/* user_addr took the place of the last 8 reserved bytes of both offset structures. */
static void set_user_addr(void *after, const void *memory)
{
	uint64_t address = (uintptr_t)memory;

	bytes_copy((char *)after - 8, &address, 8);
}

int ring_make(struct ring *r, void *memory, void *entries, bool deferred)
{
	struct io_uring_params p;

	for (unsigned i = 0; i < sizeof p; i++)
		((volatile char *)&p)[i] = 0;
	p.flags = SETUP_NO_MMAP | SETUP_REGISTERED_FD_ONLY;
	if (deferred)
		p.flags |= IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SINGLE_ISSUER |
			   IORING_SETUP_TASKRUN_FLAG;
	set_user_addr(&p.cq_off + 1, memory);
	set_user_addr(&p.sq_off + 1, entries);
	r->memory = memory;
	r->entries = entries;
	r->index = (int)sys2(SYS_io_uring_setup, ENTRIES, &p);
	if (r->index < 0)
		return r->index;
	r->sq_tail = p.sq_off.tail;
	r->sq_array = p.sq_off.array;
	r->sq_flags = p.sq_off.flags;
	r->cq_head = p.cq_off.head;
	r->cq_tail = p.cq_off.tail;
	r->cqes = p.cq_off.cqes;
	*ring_word(r, r->sq_array) = 0; /* every request takes submission entry 0 */
	*ring_word(r, r->sq_array + 4) = 0;
	return 0;
}

int ring_keep(struct ring *r, int fd)
{
	return (int)sys4(SYS_io_uring_register, r->index, IORING_REGISTER_FILES | REGISTER_BY_INDEX, &fd,
			 1);
}

static int enter(struct ring *r, unsigned submit, unsigned wait, unsigned flags)
{
	return (int)sys6(SYS_io_uring_enter, r->index, submit, wait,
			 flags | IORING_ENTER_REGISTERED_RING, NULL, 0);
}

/* The one submission entry, emptied, for the fixed file. */
static struct io_uring_sqe *entry(struct ring *r, unsigned char opcode)
{
	struct io_uring_sqe *e = (struct io_uring_sqe *)r->entries;

	for (unsigned i = 0; i < sizeof *e / 8; i++)
		((volatile uint64_t *)e)[i] = 0;
	e->opcode = opcode;
	e->flags = IOSQE_FIXED_FILE;
	return e;
}

static void push(struct ring *r)
{
	uint32_t *tail = ring_word(r, r->sq_tail);

	store_release(tail, load_relaxed(tail) + 1); /* pairs with the kernel's load of the tail */
}

int ring_arm(struct ring *r, unsigned events)
{
	int n;

	entry(r, IORING_OP_POLL_ADD)->poll32_events = events;
	push(r);
	n = enter(r, 1, 0, 0);
	return n < 0 ? n : n == 1 ? 0 : -EIO;
}

int ring_answer(struct ring *r)
{
	return enter(r, 0, 0, IORING_ENTER_GETEVENTS);
}

bool ring_rung(const struct ring *r)
{
	return (load_acquire(ring_word(r, r->sq_flags)) & SQ_TASKRUN) ||
	       load_acquire(ring_word(r, r->cq_tail)) != load_relaxed(ring_word(r, r->cq_head));
}

bool ring_take(struct ring *r, int *result)
{
	const struct io_uring_cqe *all = (const struct io_uring_cqe *)(r->memory + r->cqes);
	uint32_t head = load_relaxed(ring_word(r, r->cq_head));

	if (head == load_acquire(ring_word(r, r->cq_tail))) /* pairs with the kernel's store */
		return false;
	*result = all[head % (2 * ENTRIES)].res;
	store_release(ring_word(r, r->cq_head), head + 1);
	return true;
}

/* Submits the entry and waits for its result. */
static int run(struct ring *r)
{
	int result, n;

	push(r);
	n = enter(r, 1, 1, IORING_ENTER_GETEVENTS);
	if (n < 0)
		return n;
	return ring_take(r, &result) ? result : -EIO;
}

int ring_install(struct ring *r)
{
	entry(r, OP_FIXED_FD_INSTALL);
	return run(r);
}

int ring_read(struct ring *r, void *buffer, unsigned size)
{
	struct io_uring_sqe *e = entry(r, IORING_OP_READ);

	e->addr = (uintptr_t)buffer;
	e->len = size;
	e->off = (uint64_t)-1;
	return run(r);
}

void ring_words(const struct ring *r, const void *base, struct bell_words *out)
{
	uint32_t at = (uint32_t)(r->memory - (const char *)base);

	store_relaxed(&out->flags, at + r->sq_flags);
	store_relaxed(&out->head, at + r->cq_head);
	store_relaxed(&out->tail, at + r->cq_tail);
}

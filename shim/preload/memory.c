/*
 * memory.c - where memory goes on: a string that is not ended when its page is may run off its mapping,
 * and then the kernel says EFAULT where we would crash.
 *
 * In two places nothing is missing: the stack, from where it is used up to what the kernel put at its end, and the heap
 * that brk(2) makes longer, from the program's end to the break. Everything else is the kernel's to read.
 */
#include "preload/memory.h"

#include "base/page.h"
#include "preload/next.h"

#include <link.h>
#include <stddef.h>

enum {
	/* Nearer to the stack's end than this lies nothing else, by mmap_base() of the kernel, where stacks
	 * may grow to 8 MiB, as is usual. */
	STACK_BYTES = 4 << 20,
};

/* Is there a page of the stack at `at`, when the one before it was read? What runs elsewhere, a thread or a
 * signal handler, is not told. */
static bool is_in_stack(uintptr_t at)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), end = (uintptr_t)next_auxiliary | (PAGE_LEAST - 1);

	return here <= at && at <= end && end - here < STACK_BYTES;
}

/* The end of the program's own mappings, which the heap comes after. 0: not known. */
static uintptr_t end_of_program(void)
{
	const ElfW(Phdr) *headers = NULL;
	uintptr_t bias = 0, end = 0;
	size_t count = 0;

	for (const ElfW(auxv_t) *a = next_auxiliary; a && a->a_type != AT_NULL; a++) {
		if (a->a_type == AT_PHDR)
			headers = (const void *)a->a_un.a_val;
		else if (a->a_type == AT_PHNUM)
			count = a->a_un.a_val;
	}
	for (size_t i = 0; headers && i < count; i++) {
		if (headers[i].p_type == PT_PHDR)
			bias = (uintptr_t)headers - headers[i].p_vaddr;
		else if (headers[i].p_type == PT_LOAD && headers[i].p_vaddr + headers[i].p_memsz > end)
			end = headers[i].p_vaddr + headers[i].p_memsz;
	}
	return end ? bias + end : 0;
}

static bool is_in_heap(uintptr_t at)
{
	/* libc's own note of the break. */
	const uintptr_t *end = NEXT(curbrk, const uintptr_t *);
	static uintptr_t begin; /* 0: not asked yet */
	uintptr_t from = load_relaxed(&begin);

	if (!from) {
		from = end_of_program();
		from = from ? from : UINTPTR_MAX;
		store_relaxed(&begin, from);
	}
	return at - PAGE_LEAST > from && at < load_relaxed(end);
}

bool memory_goes_on(const char *page)
{
	uintptr_t at = (uintptr_t)page;

	return is_in_stack(at) || is_in_heap(at);
}

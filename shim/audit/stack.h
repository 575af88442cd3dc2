/*
 * stack.h - who asks: the call stacks of lookups that failed, by libunwind-ptrace.
 *
 * The tracer takes them as addresses in files; names are looked for at the end, in symbol.c.
 */
#ifndef AUDIT_STACK_H
#define AUDIT_STACK_H

#include "audit/names.h"
#include "audit/tracee.h"

enum { STACK_FRAMES = 64, STACK_OFFSET_BITS = 40 };

/* One place in a program: the number of a file, and where in it. */
typedef uint64_t stack_frame;

static inline uint32_t stack_file(stack_frame f)
{
	return (uint32_t)(f >> STACK_OFFSET_BITS);
}

static inline uint64_t stack_offset(stack_frame f)
{
	return f & ((UINT64_C(1) << STACK_OFFSET_BITS) - 1);
}

/* All stacks of a tree that were taken, added up. Zeroed memory is none. */
struct stacks {
	struct names files;  /* [0]: what no file is mapped at */
	struct names stacks; /* arrays of stack_frame, the innermost first */
	uint64_t *counts;    /* of stacks */
	uint32_t room;
	uint64_t taken, lost; /* lost: nothing could be unwound */
};

/* Adds the stack of a thread that is stopped after a lookup that failed. */
void stack_take(struct stacks *s, const struct tracee *t);

/* Frees what is kept to unwind this process. */
void stack_forget(struct process *p);

#endif

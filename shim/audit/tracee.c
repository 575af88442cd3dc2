/*
 * tracee.c - the threads that are traced, by id, and the processes that they make up.
 */
#include "audit/tracee.h"

#include "audit/stack.h"

#include <stdlib.h>

static struct tracee **bucket(const struct tracees *all, pid_t tid)
{
	return (struct tracee **)&all->buckets[(unsigned)tid % TRACEE_BUCKETS];
}

struct tracee *tracee_find(const struct tracees *all, pid_t tid)
{
	struct tracee *t = *bucket(all, tid);

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

static struct process *new_process(pid_t pid, const struct process *like)
{
	struct process *p = calloc(1, sizeof *p);

	if (!p)
		return NULL;
	p->pid = pid;
	p->model.program = p->model.search = NAMES_NONE;
	if (like) {
		p->model.program = like->model.program;
		p->model.search = like->model.search;
		p->loader = like->loader;
		p->loader_end = like->loader_end;
	}
	return p;
}

struct tracee *tracee_add(struct tracees *all, pid_t tid, struct process *p, pid_t pid,
			  const struct process *like)
{
	struct tracee *t = malloc(sizeof *t), **head = bucket(all, tid);

	if (!t)
		return NULL;
	if (!p)
		p = new_process(pid, like);
	if (!p) {
		free(t);
		return NULL;
	}
	t->tid = tid;
	t->process = p;
	t->call = NULL;
	t->announced = false;
	t->next = *head;
	p->threads++;
	*head = t;
	all->n++;
	return t;
}

static void forget(struct process *p)
{
	facts_free(&p->model.facts);
	stack_forget(p);
	p->model.program = p->model.search = NAMES_NONE;
	p->loader = p->loader_end = 0;
}

void tracee_remove(struct tracees *all, struct tracee *t)
{
	struct tracee **at = bucket(all, t->tid);

	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	if (!--t->process->threads) {
		forget(t->process);
		free(t->process);
	}
	free(t);
	all->n--;
}

void tracee_executes(struct tracees *all, struct tracee *t)
{
	for (size_t i = 0; i < TRACEE_BUCKETS && t->process->threads > 1; i++) {
		struct tracee *o = all->buckets[i], *next;

		for (; o; o = next) {
			next = o->next;
			if (o != t && o->process == t->process)
				tracee_remove(all, o);
		}
	}
	forget(t->process);
}

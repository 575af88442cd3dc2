/*
 * page_flame.c - a flame graph of folded stacks, as SVG with the outermost callers at the top.
 *
 * Every frame is an svg element of its own in the graph, placed in percent: so it clips its text,
 * and the graph follows the width of the page, and of a zoom, by itself.
 */
#include "cli/page.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH = 200, /* deeper callees are their caller's own */
	HEIGHT = 18
};

/* Narrower ones, in percent, are left out. */
static const double narrowest = 0.02;

/* Callers come before their callees in the array; 0 is all, and no callee. */
struct frame {
	const char *name;
	size_t length, depth;
	double value;  /* with its callees' */
	double x;      /* in the unit of value */
	double placed; /* of the callees that have got their x */
	uint32_t caller, first_callee, next;
};

struct flame {
	struct frame *frames;
	size_t used, room;
};

/* Returns 0 or -ENOMEM. */
static int add_frame(struct flame *g, uint32_t caller, const char *name, size_t length)
{
	struct frame *larger;

	if (g->used == g->room) {
		g->room = g->room ? 2 * g->room : 64;
		larger = reallocarray(g->frames, g->room, sizeof *larger);
		if (!larger)
			return -ENOMEM;
		g->frames = larger;
	}
	g->frames[g->used] = (struct frame){.name = name, .length = length, .caller = caller};
	if (g->used)
		g->frames[g->used].depth = g->frames[caller].depth + 1;
	g->used++;
	return 0;
}

/* Returns -ENOMEM, or 0 with *at, a caller, replaced by its callee of that name. */
static int go_down(struct flame *g, uint32_t *at, const char *name, size_t length)
{
	uint32_t last = 0, i = g->frames[*at].first_callee;

	for (; i; last = i, i = g->frames[i].next)
		if (g->frames[i].length == length && !memcmp(g->frames[i].name, name, length))
			break;
	if (!i) {
		i = (uint32_t)g->used;
		if (add_frame(g, *at, name, length))
			return -ENOMEM;
		if (last)
			g->frames[last].next = i;
		else
			g->frames[*at].first_callee = i;
	}
	*at = i;
	return 0;
}

/* Returns 0 or -ENOMEM. */
static int add_stack(struct flame *g, const char *stack, double value)
{
	uint32_t at = 0;

	g->frames[0].value += value;
	for (int depth = 1; *stack && depth < DEPTH; depth++) {
		size_t n = strcspn(stack, ";");

		if (go_down(g, &at, stack, n))
			return -ENOMEM;
		g->frames[at].value += value;
		stack += n + (stack[n] == ';');
	}
	return 0;
}

/* Gives every frame its place. Returns the depth of the deepest that will be seen. */
static size_t lay_out(struct flame *g)
{
	size_t depth = 0;

	for (size_t i = 1; i < g->used; i++) {
		struct frame *f = &g->frames[i], *caller = &g->frames[f->caller];

		f->x = caller->x + caller->placed;
		caller->placed += f->value;
		if (f->depth > depth && f->value / g->frames[0].value * 100 >= narrowest)
			depth = f->depth;
	}
	return depth;
}

static unsigned colour(const struct frame *f)
{
	unsigned h = 5381;

	for (size_t i = 0; i < f->length; i++)
		h = h * 33 ^ (unsigned char)f->name[i];
	return h >> 3 & 7;
}

static void draw(struct page *p, const struct frame *f, double all, const char *unit)
{
	double width = f->value / all * 100;
	bool whole = f->value >= 100 || f->value == (double)(long)f->value;

	if (width < narrowest)
		return;
	page_put(p, "<svg x=\"%.3f%%\" y=\"%zu\" width=\"%.3f%%\" height=\"%d\"><title>",
		 f->x / all * 100, f->depth * HEIGHT, width, HEIGHT);
	page_put_escaped(p, f->name, f->length, false);
	page_put(p, ": ");
	page_put_number(p, f->value, whole ? 0 : 2, unit);
	page_put(p, " (%.1f&nbsp;%%)</title><rect class=\"c%u\" width=\"100%%\" height=\"%d\"/>",
		 width, colour(f), HEIGHT);
	page_put(p, "<text x=\"4\" y=\"13\">");
	page_put_escaped(p, f->name, f->length, false);
	page_put(p, "</text></svg>\n");
}

void page_flame(struct page *p, const char *unit, const char *const *stacks, const double *values,
		size_t n)
{
	struct flame g = {0};
	int error = add_frame(&g, 0, "all", strlen("all"));

	page_begin_element(p);
	for (size_t i = 0; i < n && !error; i++)
		if (values[i] > 0)
			error = add_stack(&g, stacks[i], values[i]);
	if (error)
		page_fail(p, error);
	if (!error && g.frames[0].value > 0) {
		page_put(p,
			 "<div class=\"wide\"><svg class=\"flame\" role=\"img\" "
			 "aria-label=\"flame graph\" height=\"%zu\">\n",
			 (lay_out(&g) + 1) * HEIGHT);
		for (size_t i = 0; i < g.used; i++)
			draw(p, &g.frames[i], g.frames[0].value, unit);
		page_put(p, "</svg></div>\n");
	}
	free(g.frames);
}

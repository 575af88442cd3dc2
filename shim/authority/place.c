/*
 * place.c - the dependency graph of facts.
 *
 * A place depends on its parent, on a symlink's target, on its own inode and on its name in the
 * directory it was looked up in. Graphs are small (hundreds), endings rare: every search is a scan.
 */
#include "authority/place.h"

#include "authority/watch.h"
#include "base/hash.h"
#include "cache/reader.h"
#include "cache/writer.h"

uint64_t event_name(const char *name, size_t length)
{
	uint64_t h = length, high = 0;

	/* Byte by byte: event names are not followed by readable memory. */
	for (size_t i = 0; i < length; i++) {
		high |= (unsigned char)name[i] & 0x80;
		h = hash_mix(h, ((unsigned char)name[i] | 0x20) + i);
	}
	return high ? 0 : h | 1;
}

struct record *place_record(const struct authority *a, uint32_t place)
{
	return (struct record *)((char *)a->segment + a->places[place].record);
}

uint32_t place_find(const struct authority *a, const char *text, uint32_t length)
{
	const struct record *r = reader_find(a->segment, text, length);

	return r ? r->place : 0;
}

uint32_t place_of(struct authority *a, const char *text, uint32_t length)
{
	uint32_t place = place_find(a, text, length);
	struct record *r;

	if (place)
		return place;
	if (a->places_used + 1 >= PLACES)
		return 0;
	r = segment_record(a->segment, text, length);
	if (!r)
		return 0;
	store_relaxed(&r->place, ++a->places_used);
	a->places[a->places_used] = (struct place){
		.record = (uint32_t)((char *)r - (char *)a->segment),
	};
	return a->places_used;
}

uint32_t place_target(const struct authority *a, uint32_t place)
{
	for (int i = 0; i <= LINK_DEPTH && place_alive(a, place); i++) {
		if (a->places[place].kind != PLACE_LINK)
			return place;
		place = a->places[place].via;
	}
	return 0;
}

static void end_facts(struct authority *a, struct record *r)
{
	if (r->filter || r->access_ok || r->xattr_absent)
		a->invalidated++;
	store_relaxed(&r->filter, 0);
	store_relaxed(&r->canonical, 0);
	store_relaxed(&r->flags, r->flags & (uint8_t)RECORD_POSITIVE);
	store_relaxed(&r->access_ok, 0);
	store_relaxed(&r->xattr_absent, 0);
}

static void end_one(struct authority *a, struct place *p)
{
	end_facts(a, (struct record *)((char *)a->segment + p->record));
	watch_drop(a, p->wd);
	watch_drop_named(a, p->in_wd);
	p->kind = PLACE_NONE;
	p->wd = p->in_wd = 0;
}

/* Ends the living places that rest on a dead one, until none is left. */
static void end_dependents(struct authority *a)
{
	bool more;

	do {
		more = false;
		for (uint32_t i = 1; i <= a->places_used; i++) {
			struct place *p = &a->places[i];

			if (p->kind == PLACE_NONE)
				continue;
			if ((p->parent && !place_alive(a, p->parent)) ||
			    (p->kind == PLACE_LINK && !place_alive(a, p->via))) {
				end_one(a, p);
				more = true;
			}
		}
	} while (more);
}

void place_end(struct authority *a, uint32_t place)
{
	if (!place_alive(a, place))
		return;
	end_one(a, &a->places[place]);
	end_dependents(a);
}

void place_end_watched(struct authority *a, int wd)
{
	bool any = false;

	for (uint32_t i = 1; i <= a->places_used; i++) {
		if (a->places[i].kind != PLACE_NONE && a->places[i].wd == wd) {
			end_one(a, &a->places[i]);
			any = true;
		}
	}
	if (any)
		end_dependents(a);
}

void place_end_named(struct authority *a, int wd, uint64_t name)
{
	bool any = false;

	for (uint32_t i = 1; i <= a->places_used; i++) {
		struct place *p = &a->places[i];

		/* A name that cannot be folded may be any other. */
		if (p->kind != PLACE_NONE && p->in_wd == wd &&
		    (p->name == name || !p->name || !name)) {
			end_one(a, p);
			any = true;
		}
	}
	if (any)
		end_dependents(a);
}

void place_end_all(struct authority *a)
{
	for (uint32_t i = 1; i <= a->places_used; i++)
		if (a->places[i].kind != PLACE_NONE)
			end_one(a, &a->places[i]);
	for (uint32_t i = 0; i < a->watches_used; i++)
		watch_unlist(a, &a->watches[i]); /* a listing is only as good as its last event */
}

void place_strike(struct authority *a, uint32_t place)
{
	struct place *p = &a->places[place];

	if (a->eager)
		return;
	if (p->strikes < 20)
		p->strikes++;
	p->skip = 1U << p->strikes;
}

/*
 * place.h - chains: which spelled paths rest on which inodes, and what dies with what.
 */
#ifndef AUTHORITY_PLACE_H
#define AUTHORITY_PLACE_H

#include "authority/authority.h"

/* How a name appears in places and events; 0 stands for all names that cannot be folded. */
uint64_t event_name(const char *name, size_t length);

/* The record of a place. */
struct record *place_record(const struct authority *a, uint32_t place);

/* The number of the place of a spelled path, alive or not; 0: there is none. */
uint32_t place_find(const struct authority *a, const char *text, uint32_t length);

/* The same, made when new. 0: out of space. */
uint32_t place_of(struct authority *a, const char *text, uint32_t length);

static inline bool place_alive(const struct authority *a, uint32_t place)
{
	return place && a->places[place].kind != PLACE_NONE;
}

/* Where the symlinks of a living place lead: a directory or a file. 0: nowhere. */
uint32_t place_target(const struct authority *a, uint32_t place);

/* Ends the place, all below it and all that lead through it: their facts and their watches. */
void place_end(struct authority *a, uint32_t place);

/* The same for every place that the predicate's event concerns. */
void place_end_watched(struct authority *a, int wd);
void place_end_named(struct authority *a, int wd, uint64_t name);
void place_end_all(struct authority *a);

/* Turns a place away for a number of requests that doubles each time. */
void place_strike(struct authority *a, uint32_t place);

#endif

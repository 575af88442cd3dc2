/*
 * listing.h - the names of one directory, as a filter.
 */
#ifndef AUTHORITY_LISTING_H
#define AUTHORITY_LISTING_H

#include "authority/walk.h"

/*
 * Lists the watched directory that w->place leads to, unless it is listed already; w->fd is open.
 * Its watch holds the filter from then on, and events of it go there. The watch, or NULL: refused.
 */
struct watch *listing_make(struct walk *w);

/* More names came than its filter was made for: it would be of no use. */
bool listing_outgrown(const struct watch *watch);

#endif

/*
 * listing.c - reading a directory whole.
 *
 * Reads through a descriptor opened after the watch was there: btrfs and some tmpfs list what
 * existed at open. Whatever comes later makes an event.
 */
#include "authority/listing.h"

#include "authority/place.h"
#include "authority/watch.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/sys.h"
#include "cache/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

enum {
	WORDS_MIN = 2,	    /* of a filter */
	NAMES_PER_WORD = 4, /* 16 bits a name when listed, room for a third more at 12 */
};

struct names {
	uint64_t *hash, *first;
	uint32_t count, room;
};

/* The layout that getdents64(2) documents. */
struct entry {
	uint64_t ino;
	int64_t offset;
	uint16_t size;
	unsigned char type;
	char name[];
};

static size_t mapping_bytes(void)
{
	return (LISTING_MAX + 8) * sizeof(uint64_t);
}

static bool names_grow(struct names *n)
{
	long at;

	if (n->hash != n->first)
		return false; /* more than LISTING_MAX */
	at = sys_mmap(mapping_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (sys_is_error(at))
		return false;
	for (uint32_t i = 0; i < n->count; i++)
		((uint64_t *)at)[i] = n->first[i];
	n->hash = (uint64_t *)at;
	n->room = LISTING_MAX;
	return true;
}

static void names_free(struct names *n)
{
	if (n->hash != n->first)
		sys2(SYS_munmap, n->hash, mapping_bytes());
}

static bool is_dot(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Reads all entries. The buffer is the event buffer: no event is read meanwhile. */
static bool names_read(struct authority *a, struct names *n, int fd)
{
	for (;;) {
		/* Room for the hash's last word. */
		long size = sys3(SYS_getdents64, fd, a->events, sizeof a->events - 8);

		if (size <= 0)
			return size == 0;
		for (long at = 0; at < size;) {
			const struct entry *e = (const struct entry *)(a->events + at);

			at += e->size;
			if (is_dot(e->name))
				continue;
			if (n->count == n->room && !names_grow(n))
				return false;
			n->hash[n->count++] = hash_name(e->name, bytes_length(e->name));
		}
	}
}

/* Space for `words` words: that of an ended listing, when it fits well. */
static uint32_t filter_space(struct authority *a, uint32_t words)
{
	for (unsigned i = 0; i < SPARE_FILTERS; i++) {
		uint32_t spare = a->spare_filters[i];
		const struct filter *f = (const struct filter *)((char *)a->segment + spare);

		if (spare && f->capacity >= words && f->capacity <= 8 * words) {
			a->spare_filters[i] = 0;
			filter_clear(a->segment, spare, words);
			return spare;
		}
	}
	return segment_filter(a->segment, words);
}

static bool filter_fill(struct authority *a, struct watch *watch, const struct names *n)
{
	uint32_t words = n->count / NAMES_PER_WORD + WORDS_MIN;

	segment_begin(a->segment);
	watch->filter = filter_space(a, words);
	for (uint32_t i = 0; i < n->count && watch->filter; i++)
		filter_add(a->segment, watch->filter, n->hash[i]);
	segment_end(a->segment);
	watch->names = n->count;
	watch->added = 0;
	return watch->filter;
}

/* Without touching the access time where that is permitted. "." of a directory is itself, whatever
 * became of its name. */
static int open_listing(int dir)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int fd = (int)sys_openat(dir, ".", flags | O_NOATIME);

	return fd == -EPERM ? (int)sys_openat(dir, ".", flags) : fd;
}

struct watch *listing_make(struct walk *w)
{
	struct authority *a = w->a;
	uint32_t target = place_target(a, w->place);
	struct watch *watch = target ? watch_find(a, a->places[target].wd) : NULL;
	struct names names;
	bool good;
	int fd;

	if (!watch)
		return NULL;
	if (watch->filter)
		return watch;
	if ((watch->mask & WATCH_LISTED) != WATCH_LISTED &&
	    watch_add(a, w->borrowed, w->fd, WATCH_LISTED) != watch->wd)
		return NULL;
	fd = open_listing(w->fd);
	if (fd < 0)
		return NULL;
	names = (struct names){.hash = a->names, .first = a->names, .room = NAMES_FIRST};
	good = names_read(a, &names, fd) && filter_fill(a, watch, &names);
	sys_close(fd);
	names_free(&names);
	return good ? watch : NULL;
}

bool listing_outgrown(const struct watch *watch)
{
	return watch->filter && watch->added > watch->names + 8 * NAMES_PER_WORD;
}

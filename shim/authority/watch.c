/*
 * watch.c - inotify watches: adding, counting their users, removing.
 */
#include "authority/watch.h"

#include "base/bytes.h"
#include "base/sys.h"
#include "cache/writer.h"

#include <errno.h>

/*
 * The index is open-addressed. The kernel counts watch descriptors up without end, so entries that were
 * in use are taken for free again as soon as no search has to go on beyond them.
 */
enum { INDEX_WAS_USED = UINT16_MAX };

static uint32_t slot_of(int wd, uint32_t probe)
{
	return ((uint32_t)wd + probe) & (WATCH_SLOTS - 1);
}

/* The slot that leads to wd's entry, or WATCH_SLOTS. */
static uint32_t index_find(const struct authority *a, int wd)
{
	for (uint32_t i = 0; i < WATCH_SLOTS; i++) {
		uint32_t slot = slot_of(wd, i), entry = a->watch_index[slot];

		if (!entry)
			break;
		if (entry != INDEX_WAS_USED && a->watches[entry - 1].wd == wd)
			return slot;
	}
	return WATCH_SLOTS;
}

static void index_add(struct authority *a, int wd, uint32_t entry)
{
	for (uint32_t i = 0;; i++) { /* twice as many slots as entries */
		uint16_t *at = &a->watch_index[slot_of(wd, i)];

		if (*at && *at != INDEX_WAS_USED)
			continue;
		*at = (uint16_t)(entry + 1);
		return;
	}
}

static void index_remove(struct authority *a, int wd)
{
	uint32_t slot = index_find(a, wd);

	if (slot == WATCH_SLOTS)
		return;
	a->watch_index[slot] = INDEX_WAS_USED;
	if (a->watch_index[(slot + 1) & (WATCH_SLOTS - 1)])
		return;
	for (; a->watch_index[slot] == INDEX_WAS_USED; slot = (slot - 1) & (WATCH_SLOTS - 1))
		a->watch_index[slot] = 0;
}

struct watch *watch_find(struct authority *a, int wd)
{
	uint32_t slot = wd > 0 ? index_find(a, wd) : WATCH_SLOTS;

	return slot == WATCH_SLOTS ? NULL : &a->watches[a->watch_index[slot] - 1];
}

/* An entry for one that is not in the table, or NULL. */
static struct watch *watch_new(struct authority *a, int wd)
{
	while (a->free_watch < a->watches_used && a->watches[a->free_watch].wd)
		a->free_watch++;
	if (a->free_watch == WATCHES)
		return NULL;
	if (a->free_watch == a->watches_used)
		a->watches_used++;
	a->watches[a->free_watch] = (struct watch){.wd = wd};
	index_add(a, wd, a->free_watch);
	return &a->watches[a->free_watch++];
}

static void watch_free(struct authority *a, struct watch *w)
{
	uint32_t entry = (uint32_t)(w - a->watches);

	watch_unlist(a, w);
	index_remove(a, w->wd);
	w->wd = 0;
	if (entry < a->free_watch)
		a->free_watch = entry;
}

/*
 * "/proc/thread-self/fd/N": a thread may have descriptors of its own. The first thread has those of
 * /proc/self, which is resolved faster.
 */
void watch_fd_path(const struct authority *a, char *out, int fd)
{
	static const char thread[] = "/proc/thread-self/fd/", process[] = "/proc/self/fd/";
	size_t length = (a->first_thread ? sizeof process : sizeof thread) - 1;
	char digits[12];
	int n = 0;

	bytes_copy(out, a->first_thread ? process : thread, length);
	out += length;
	do
		digits[n++] = (char)('0' + fd % 10);
	while (fd /= 10);
	while (n)
		*out++ = digits[--n];
	*out = 0;
}

/* A directory that one can stand in is found faster than through procfs. */
static bool stand_in(struct authority *a, int fd)
{
	if (!a->alone || sys1(SYS_fchdir, fd))
		return false;
	a->moved = true;
	return true;
}

void watch_stand_back(struct authority *a)
{
	/* A working directory would make an unmount fail. */
	if (a->moved)
		sys1(SYS_chdir, "/");
	a->moved = false;
}

int watch_add(struct authority *a, int borrowed, int fd, uint32_t mask)
{
	char path[WATCH_FD_PATH] = ".";
	struct watch *w;
	int wd;

	if (!stand_in(a, fd))
		watch_fd_path(a, path, fd);
	/* MASK_ADD: an inode may be watched for other places already. */
	wd = (int)sys3(SYS_inotify_add_watch, borrowed, path, mask | IN_MASK_ADD);
	if (wd < 0)
		return wd;
	w = watch_find(a, wd);
	if (!w) {
		w = watch_new(a, wd);
		if (!w) {
			sys2(SYS_inotify_rm_watch, borrowed, wd);
			return -ENOSPC;
		}
		a->unused_watches++;
	}
	w->mask |= mask;
	return wd;
}

void watch_use(struct authority *a, int wd)
{
	struct watch *w = watch_find(a, wd);

	if (w && w->users++ == 0)
		a->unused_watches--;
}

void watch_drop(struct authority *a, int wd)
{
	struct watch *w = watch_find(a, wd);

	if (w && w->users && --w->users == 0)
		a->unused_watches++;
}

void watch_use_named(struct authority *a, int wd)
{
	struct watch *w = watch_find(a, wd);

	if (w)
		w->named++;
	watch_use(a, wd);
}

void watch_drop_named(struct authority *a, int wd)
{
	struct watch *w = watch_find(a, wd);

	if (w && w->named)
		w->named--;
	watch_drop(a, wd);
}

void watch_note(struct authority *a, struct watch *w)
{
	w->rings++;
	if (w->rang || a->rang_count == RANG_MAX)
		return;
	w->rang = true;
	a->rang[a->rang_count++] = w->wd;
}

void watch_unlist(struct authority *a, struct watch *w)
{
	if (!w->filter)
		return;
	filter_saturate(a->segment, w->filter);
	for (unsigned i = 0; i < SPARE_FILTERS; i++) {
		if (!a->spare_filters[i]) {
			a->spare_filters[i] = w->filter;
			break; /* with no place left, the space is lost until a reset */
		}
	}
	w->filter = 0;
}

void watch_forget(struct authority *a, struct watch *w)
{
	/* Its users were ended before: it counts as unused. */
	if (!w->users)
		a->unused_watches--;
	watch_free(a, w);
}

void watch_sweep(struct authority *a)
{
	int fd;

	if (!a->unused_watches)
		return;
	fd = bell_borrow(&a->bell);
	if (fd < 0)
		return; /* they stay until the next sweep: only memory is lost */
	for (uint32_t i = 0; i < a->watches_used; i++) {
		struct watch *w = &a->watches[i];

		if (w->wd && !w->users) {
			sys2(SYS_inotify_rm_watch, fd, w->wd);
			watch_free(a, w);
		}
	}
	a->unused_watches = 0;
	bell_return(&a->bell, fd);
}

/*
 * watch.c - inotify watches: adding, counting their users, removing.
 */
#include "authority/watch.h"

#include "base/bytes.h"
#include "base/sys.h"
#include "cache/writer.h"

#include <errno.h>

struct watch *watch_find(struct authority *a, int wd)
{
	for (uint32_t i = 0; wd > 0 && i < a->watches_used; i++)
		if (a->watches[i].wd == wd)
			return &a->watches[i];
	return NULL;
}

/* A free entry, or NULL. */
static struct watch *watch_new(struct authority *a)
{
	for (uint32_t i = 0; i < a->watches_used; i++)
		if (!a->watches[i].wd)
			return &a->watches[i];
	return a->watches_used < WATCHES ? &a->watches[a->watches_used++] : NULL;
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

int watch_add(struct authority *a, int borrowed, int fd, uint32_t mask)
{
	char path[WATCH_FD_PATH];
	struct watch *w;
	int wd;

	watch_fd_path(a, path, fd);
	/* MASK_ADD: an inode may be watched for other places already. */
	wd = (int)sys3(SYS_inotify_add_watch, borrowed, path, mask | IN_MASK_ADD);
	if (wd < 0)
		return wd;
	w = watch_find(a, wd);
	if (!w) {
		w = watch_new(a);
		if (!w) {
			sys2(SYS_inotify_rm_watch, borrowed, wd);
			return -ENOSPC;
		}
		*w = (struct watch){.wd = wd};
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
	watch_unlist(a, w);
	w->wd = 0;
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
			watch_unlist(a, w);
			w->wd = 0;
		}
	}
	a->unused_watches = 0;
	bell_return(&a->bell, fd);
}

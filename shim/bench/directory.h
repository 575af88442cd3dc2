/*
 * directory.h - the directory that everything is written in, and its end.
 */
#ifndef BENCH_DIRECTORY_H
#define BENCH_DIRECTORY_H

#include <limits.h>

enum { FILE_SYSTEM_NAME = 32 };

struct directory {
	char path[PATH_MAX]; /* canonical */
	char file_system[FILE_SYSTEM_NAME];
};

/*
 * A new one in $TMPDIR, /var/tmp or /tmp: the first that can be written and is no tmpfs, else the
 * first that can be written. Returns 0 or -errno, and then d->path is what was tried last.
 */
int directory_make(struct directory *d);

/* A new directory of that name in it. `path` has PATH_MAX bytes. Returns 0 or -errno. */
int directory_make_in(const struct directory *d, const char *name, char *path);

/* With all that is in it; mounts are left alone. */
void directory_remove(const char *path);

#endif

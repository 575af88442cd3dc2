/*
 * directory.c - the directory that everything is written in.
 */
#include "bench/directory.h"

#include "base/attributes.h"

#include <errno.h>
#include <ftw.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { OPEN_AT_ONCE = 16 };

static bool is_writable(const char *path)
{
	struct stat s;

	return path && path[0] == '/' && !stat(path, &s) && S_ISDIR(s.st_mode) &&
	       !access(path, W_OK | X_OK);
}

static bool is_tmpfs(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && ((unsigned)fs.f_type == TMPFS_MAGIC || (unsigned)fs.f_type == RAMFS_MAGIC);
}

static const char *choose(void)
{
	const char *candidates[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"}, *first = NULL;

	for (size_t i = 0; i < array_size(candidates); i++) {
		if (!is_writable(candidates[i]))
			continue;
		if (!is_tmpfs(candidates[i]))
			return candidates[i];
		if (!first)
			first = candidates[i];
	}
	return first ? first : "/tmp";
}

/* Is `path` at or below the mount point? Spaces and the like are octal there: such a mount is not
 * found. */
static bool lies_in(const char *path, const char *point)
{
	size_t n = strlen(point);

	return !strcmp(point, "/") || (!strncmp(path, point, n) && (!path[n] || path[n] == '/'));
}

/* The type of the mount with the longest point, the last of those in one place. */
static void set_file_system(struct directory *d)
{
	char line[8192], point[PATH_MAX], type[FILE_SYSTEM_NAME];
	FILE *f = fopen("/proc/self/mountinfo", "re");
	size_t longest = 0;

	(void)snprintf(d->file_system, sizeof d->file_system, "unknown");
	while (f && fgets(line, sizeof line, f)) {
		const char *rest = strstr(line, " - ");

		if (!rest || sscanf(line, "%*d %*d %*s %*s %4095s", point) != 1 ||
		    sscanf(rest, " - %31s", type) != 1 || !lies_in(d->path, point) ||
		    strlen(point) < longest)
			continue;
		longest = strlen(point);
		(void)snprintf(d->file_system, sizeof d->file_system, "%s", type);
	}
	if (f)
		(void)fclose(f);
}

int directory_make(struct directory *d)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/fastpath-bench.XXXXXX", choose());

	(void)snprintf(d->path, sizeof d->path, "%.*s", n < PATH_MAX ? n : 0, path);
	if (n >= PATH_MAX)
		return -ENAMETOOLONG;
	if (!mkdtemp(path))
		return -errno;
	if (!realpath(path, d->path)) {
		int error = -errno;

		(void)rmdir(path);
		return error;
	}
	set_file_system(d);
	return 0;
}

int directory_make_in(const struct directory *d, const char *name, char *path)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", d->path, name);

	if (n < 0 || n >= PATH_MAX)
		return -ENAMETOOLONG;
	return mkdir(path, 0755) ? -errno : 0;
}

/* Whatever cannot be removed stays, and its directories with it. */
static int remove_one(const char *path, const struct stat *s, int type, struct FTW *place)
{
	(void)s;
	(void)place;
	if (type == FTW_DP || type == FTW_D || type == FTW_DNR)
		(void)rmdir(path);
	else
		(void)unlink(path);
	return 0;
}

void directory_remove(const char *path)
{
	(void)nftw(path, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

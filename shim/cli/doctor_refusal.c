/*
 * doctor_refusal.c - why a directory's lookups are not answered: its path is walked as the
 * authority walks it (authority/walk.c), and each component judged by authority/refuse.c.
 */
#include "cli/doctor_refusal.h"

#include "authority/refuse.h"
#include "authority/walk.h"
#include "base/sys.h"
#include "cli/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const texts[] = {
    [REFUSED_LATER_MOUNT] = "it was mounted after this program began",
    [REFUSED_PLACE] = "below /proc, /sys and /dev nothing is answered",
    [REFUSED_SKIP] = "FASTPATH_SKIP names it",
    [REFUSED_ENCRYPTED] = "it is encrypted: adding a key renames everything without an event",
    [REFUSED_AUTOMOUNT] = "it is an automount point",
    [REFUSED_FILE_SYSTEM] = "its file system can change without an event",
    [REFUSED_NEVER] = "the kernel makes up such files",
    [REFUSED_UNKNOWN] = "its file system does not tell what it is",
};

/* The mount table's line for a mount of that (old) id: its type. */
static bool type_of_mount(unsigned long long wanted, char *out, size_t size)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (f && !found && getline(&line, &room, f) > 0) {
		const char *rest = strstr(line, " - ");

		if (!rest || strtoull(line, NULL, 10) != wanted)
			continue;
		rest += 3;
		(void)snprintf(out, size, "%.*s", (int)strcspn(rest, " "), rest);
		found = true;
	}
	free(line);
	if (f)
		(void)fclose(f);
	return found;
}

void refusal_file_system(const char *path, char *out, size_t size)
{
	struct statx found;

	if (sys_statx(SYS_AT_FDCWD, path, AT_NO_AUTOMOUNT, SYS_STATX_MNT_ID, &found) ||
	    !type_of_mount(found.stx_mnt_id, out, size))
		(void)snprintf(out, size, "an unknown file system");
}

static void set_fix(struct reason *why, const char *command, const char *path, const char *after)
{
	char *quoted = malloc(4 * strlen(path) + 3);

	if (quoted)
		(void)snprintf(why->fix, sizeof why->fix, "%s%s%s", command,
			       doctor_quote(quoted, path), after);
	free(quoted);
}

static void set_refusal(struct reason *why, enum refusal refusal, const char *component)
{
	(void)snprintf(why->text, sizeof why->text, "%s (%s)", texts[refusal], component);
	if (refusal == REFUSED_FILE_SYSTEM)
		set_fix(why, "export FASTPATH_TRUST=", component,
			" # if nobody changes it behind this kernel's back");
	else if (refusal == REFUSED_SKIP)
		(void)snprintf(why->fix, sizeof why->fix, "unset FASTPATH_SKIP");
}

/* One component, by the spelled path that leads to it. False: that is not the reason. */
static bool explain_component(struct reason *why, struct authority *a, const char *component,
			      bool *sticky)
{
	int fd = open(*component ? component : "/", O_PATH | O_NOFOLLOW | O_CLOEXEC);
	const struct mount *mount;
	struct identity id;
	enum refusal refusal = REFUSED_UNKNOWN;
	mode_t mode = 0;

	if (fd >= 0 && identity_of(a, &id, fd, "")) {
		mode = a->found.stx_mode;
		refusal =
		    refuse_judge(a, fd, &a->found, component, (uint32_t)strlen(component), &mount);
	}
	if (fd >= 0)
		(void)close(fd);
	if (refusal)
		set_refusal(why, refusal, *component ? component : "/");
	else if (S_ISLNK(mode) && *sticky)
		(void)snprintf(why->text, sizeof why->text,
			       "a symlink in a sticky directory is not followed for everyone (%s)",
			       component);
	*sticky = (mode & S_ISVTX) != 0;
	return *why->text;
}

/* Every component of a path. */
static bool explain_path(struct reason *why, struct authority *a, const char *path)
{
	char component[PATH_MAX];
	bool sticky = false;

	for (size_t n = 0;; n += 1 + strcspn(path + n + 1, "/")) {
		(void)snprintf(component, sizeof component, "%.*s", (int)n, path);
		if (explain_component(why, a, component, &sticky))
			return true;
		if (!path[n] || !path[n + 1])
			return false;
	}
}

static bool has_more_entries(const char *path, long most)
{
	DIR *d = opendir(path);
	long n = -2; /* "." and ".." */

	while (d && n <= most && readdir(d))
		n++;
	if (d)
		(void)closedir(d);
	return n > most;
}

/* 0 or -errno. */
static int try_watch(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK), error = 0;

	if (fd < 0)
		return -errno;
	if (inotify_add_watch(fd, path, IN_CREATE) < 0)
		error = -errno;
	(void)close(fd);
	return error;
}

/* The directory itself: it cannot be read, or watched. */
static void explain_listing(struct reason *why, const char *path)
{
	int error = access(path, R_OK | X_OK) ? -errno : try_watch(path);

	if (error == -EACCES) {
		(void)snprintf(why->text, sizeof why->text, "it may not be read and searched");
		set_fix(why, "chmod a+rx ", path, "");
	} else if (error == -ENOSPC) {
		(void)snprintf(why->text, sizeof why->text, "no inotify watches are left");
		(void)snprintf(why->fix, sizeof why->fix,
			       "sudo sysctl -w fs.inotify.max_user_watches=524288");
	} else if (error) {
		(void)snprintf(why->text, sizeof why->text, "%s", strerror(-error));
	} else if (has_more_entries(path, LISTING_MAX)) {
		(void)snprintf(why->text, sizeof why->text, "it has more than %d entries",
			       LISTING_MAX);
	} else {
		(void)snprintf(
		    why->text, sizeof why->text,
		    "it has ACLs, is reached through too many symlinks, or changes too often");
	}
}

void refusal_explain(struct reason *why, struct authority *a, const char *path)
{
	char *real = realpath(path, NULL);

	*why->text = *why->fix = 0;
	if (!explain_path(why, a, path) && (!real || !explain_path(why, a, real)))
		explain_listing(why, path);
	free(real);
}

/*
 * library.c - where libfastpath.so is, and how it gets into LD_PRELOAD.
 */
#include "cli/library.h"

#include "base/attributes.h"
#include "base/elf.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "libfastpath.so"

#ifndef FASTPATH_LIBDIR
#define FASTPATH_LIBDIR "/usr/local/lib"
#endif

#if defined(__x86_64__)
#define MULTIARCH        "x86_64-linux-gnu"
#define NARROW_MULTIARCH "i386-linux-gnu"
#elif defined(__aarch64__)
#define MULTIARCH        "aarch64-linux-gnu"
#define NARROW_MULTIARCH "arm-linux-gnueabihf"
#elif defined(__riscv)
#define MULTIARCH        "riscv64-linux-gnu"
#define NARROW_MULTIARCH "riscv32-linux-gnu"
#elif defined(__i386__)
#define MULTIARCH        "i386-linux-gnu"
#define NARROW_MULTIARCH "."
#else
#define MULTIARCH        "."
#define NARROW_MULTIARCH "."
#endif

static const char separators[] = " :";

/* The directory that `levels` last components of this executable's path leave. */
static bool directory_of_this(char directory[PATH_MAX], int levels)
{
	ssize_t n = readlink("/proc/self/exe", directory, PATH_MAX - 1);

	if (n <= 0)
		return false;
	directory[n] = 0;
	while (levels--) {
		char *slash = strrchr(directory, '/');

		if (!slash)
			return false;
		*slash = 0;
	}
	return true;
}

/* Not the copy for 32-bit programs, which has the same name: ../lib may be its place. */
static bool is_there(char path[PATH_MAX], const char *directory, const char *below)
{
	int n = snprintf(path, PATH_MAX, "%s%s/" NAME, directory, below);
	int fd = n > 0 && n < PATH_MAX ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	bool ours = fd >= 0 && elf_takes_preload(fd);

	if (fd >= 0)
		close(fd);
	return ours;
}

enum library_found library_find(char path[PATH_MAX])
{
	static const struct {
		int levels;
		char below[32];
	} places[] = {{1, ""}, {2, "/lib/" MULTIARCH}, {2, "/lib64"}, {2, "/lib"}};
	char directory[PATH_MAX];
	bool found = false;

	for (size_t i = 0; i < array_size(places) && !found; i++)
		found = directory_of_this(directory, places[i].levels) &&
			is_there(path, directory, places[i].below);
	if (!found && !is_there(path, FASTPATH_LIBDIR, ""))
		return LIBRARY_MISSING;
	return strpbrk(path, " :$") ? LIBRARY_UNFIT : LIBRARY_FOUND;
}

static bool is_file(const char *directory, int length, const char *below, const char *name)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%.*s%s/%s", length, directory, below, name);

	return n < PATH_MAX && !access(path, R_OK);
}

void library_spell(char path[PATH_MAX])
{
	/* What $LIB is for our programs, and for those of 32 bits. */
	static const struct {
		char wide[24], narrow[2][28];
	} layouts[] = {{"/lib/" MULTIARCH, {"/lib/" NARROW_MULTIARCH, "/lib32"}},
		       {"/lib64", {"/lib", "/lib"}}};
	static const char spelled[] = "/$LIB/" NAME;
	size_t i = 0, tail, length = strlen(path);

	/* The loader's libc is where the loader's $LIB leads. */
	while (i < array_size(layouts) && !is_file("", 0, layouts[i].wide, "libc.so.6"))
		i++;
	if (i == array_size(layouts))
		return;
	tail = strlen(layouts[i].wide) + sizeof "/" NAME - 1;
	if (length < tail ||
	    memcmp(path + length - tail, layouts[i].wide, strlen(layouts[i].wide)) != 0)
		return;
	length -= tail;
	if (is_file(path, (int)length, layouts[i].narrow[0], NAME) ||
	    is_file(path, (int)length, layouts[i].narrow[1], NAME))
		memcpy(path + length, spelled, sizeof spelled); /* no longer than what was */
}

static bool is_copy(const char *entry, size_t length)
{
	size_t name = strlen(NAME);

	return length >= name && !memcmp(entry + length - name, NAME, name) &&
	       (length == name || entry[length - name - 1] == '/');
}

char *library_preload(const char *list, const char *path)
{
	size_t length = path ? strlen(path) : 0;
	bool present = !path;
	char *all, *end;

	if (!list)
		list = "";
	all = end = malloc(strlen(list) + length + 3);
	if (!all)
		return NULL;
	while (*(list += strspn(list, separators))) {
		size_t n = strcspn(list, separators);
		bool is_this = path && n == length && !memcmp(list, path, n);

		if ((is_this && !present) || !is_copy(list, n)) {
			if (end != all)
				*end++ = ':';
			end = mempcpy(end, list, n);
		}
		present |= is_this;
		list += n;
	}
	if (!present) {
		if (end != all)
			*end++ = ':';
		end = mempcpy(end, path, length);
	}
	*end = 0;
	return all;
}

static int open_program(const char *path)
{
	struct stat file;

	if (stat(path, &file) || !S_ISREG(file.st_mode) || access(path, X_OK))
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

bool library_fits(const char *command)
{
	const char *list = getenv("PATH");
	char path[PATH_MAX];
	int fd = strchr(command, '/') ? open_program(command) : -1;
	bool fits;

	while (fd < 0 && list && !strchr(command, '/')) {
		size_t n = strcspn(list, ":");

		if (snprintf(path, sizeof path, "%.*s/%s", n ? (int)n : 1, n ? list : ".", command) <
		    (int)sizeof path)
			fd = open_program(path);
		list = list[n] ? list + n + 1 : NULL;
	}
	fits = fd < 0 || elf_takes_preload(fd);
	if (fd >= 0)
		close(fd);
	return fits;
}

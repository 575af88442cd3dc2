/*
 * library.h - where libfastpath.so is, and how it gets into LD_PRELOAD.
 */
#ifndef CLI_LIBRARY_H
#define CLI_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

enum library_found {
	LIBRARY_MISSING = 0,
	LIBRARY_UNFIT, /* its path cannot stand in LD_PRELOAD: ld.so(8) splits and expands it */
	LIBRARY_FOUND
};

/* Looks beside this executable, in ../lib, ../lib/<multiarch> and FASTPATH_LIBDIR. */
enum library_found library_find(char path[PATH_MAX]);

/* The entries of `list` (as of LD_PRELOAD; NULL is empty) in their order, `path` once: where it
 * already is, else last; NULL: nowhere. Other copies of libfastpath.so are left out. Allocated; NULL:
 * no memory.
 */
char *library_preload(const char *list, const char *path);

/* Can the library be preloaded into what `command` names, by PATH if it has no slash? True in doubt. */
bool library_fits(const char *command);

#endif

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

/* Looks beside this executable, in ../lib/<multiarch>, ../lib64, ../lib and FASTPATH_LIBDIR. */
enum library_found library_find(char path[PATH_MAX]);

/* Where there is a copy for 32-bit programs too, as `make install` lays them, spells `path`, which
 * library_find() found, with the loader's $LIB: then no program of the tree complains, whoever
 * executes it. Else `path` stays: the loader of a program must not be led where nothing is.
 */
void library_spell(char path[PATH_MAX]);

/* The entries of `list` (as of LD_PRELOAD; NULL is empty) in their order, `path` once: where it
 * already is, else last; NULL: nowhere. Other copies of libfastpath.so are left out. Allocated; NULL:
 * no memory.
 */
char *library_preload(const char *list, const char *path);

/* Can the library be preloaded into what `command` names, by PATH if it has no slash? True in doubt. */
bool library_fits(const char *command);

#endif

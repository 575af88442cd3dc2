/*
 * calls.c - the table of the system calls that look a path up. A new one is a row.
 */
#include "audit/calls.h"

#include "base/attributes.h"

const char *const call_families[CALL_FAMILIES] = {"access", "stat",     "open",
						  "exec",   "readlink", "xattr"};

const struct call calls[] = {
    {"open", FAMILY_OPEN, -1, 0, 1, -1},
    {"openat", FAMILY_OPEN, 0, 1, 2, -1},
    {"openat2", FAMILY_OPEN, 0, 1, -1, -1},
    {"stat", FAMILY_STAT, -1, 0, -1, -1},
    {"lstat", FAMILY_STAT, -1, 0, -1, -1},
    {"newfstatat", FAMILY_STAT, 0, 1, -1, 3},
    {"statx", FAMILY_STAT, 0, 1, -1, 2},
    {"access", FAMILY_ACCESS, -1, 0, 1, -1},
    {"faccessat", FAMILY_ACCESS, 0, 1, 2, -1},
    {"faccessat2", FAMILY_ACCESS, 0, 1, 2, -1},
    {"readlink", FAMILY_READLINK, -1, 0, -1, -1},
    {"readlinkat", FAMILY_READLINK, 0, 1, -1, -1},
    {"execve", FAMILY_EXEC, -1, 0, -1, -1},
    {"execveat", FAMILY_EXEC, 0, 1, -1, -1},
    {"getxattr", FAMILY_XATTR, -1, 0, -1, -1},
    {"lgetxattr", FAMILY_XATTR, -1, 0, -1, -1},
    {"listxattr", FAMILY_XATTR, -1, 0, -1, -1},
    {"llistxattr", FAMILY_XATTR, -1, 0, -1, -1},
    /* 32-bit ones */
    {"oldstat", FAMILY_STAT, -1, 0, -1, -1},
    {"oldlstat", FAMILY_STAT, -1, 0, -1, -1},
    {"stat64", FAMILY_STAT, -1, 0, -1, -1},
    {"lstat64", FAMILY_STAT, -1, 0, -1, -1},
    {"fstatat64", FAMILY_STAT, 0, 1, -1, 3},
};

const size_t calls_n = array_size(calls);

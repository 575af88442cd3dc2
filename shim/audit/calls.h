/*
 * calls.h - the system calls that look a path up, one row each: what the filter stops at and how
 * the tracer reads them. Other calls that take paths (mkdir, unlink, rename ...) change something:
 * they have to reach the kernel anyway, and run at full speed.
 */
#ifndef AUDIT_CALLS_H
#define AUDIT_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* As the library has them; realpath() shows here as the readlink calls that it makes. */
enum call_family {
	FAMILY_ACCESS,
	FAMILY_STAT,
	FAMILY_OPEN,
	FAMILY_EXEC,
	FAMILY_READLINK,
	FAMILY_XATTR,
	CALL_FAMILIES
};

extern const char *const call_families[CALL_FAMILIES];

enum { CALL_NO_ARGUMENT = -1 };

/* Numbers of arguments, from 0. */
struct call {
	const char *name; /* on whichever architecture has it */
	uint8_t family;
	int8_t directory;
	int8_t path;
	int8_t mode;     /* open flags, or the mode of access */
	int8_t at_flags; /* where AT_EMPTY_PATH on a descriptor makes it fstat(2), which is no
			    lookup */
};

extern const struct call calls[];
extern const size_t calls_n;

#endif

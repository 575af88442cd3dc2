/*
 * doctor_refusal.h - why a directory's lookups are not answered.
 */
#ifndef CLI_DOCTOR_REFUSAL_H
#define CLI_DOCTOR_REFUSAL_H

#include "authority/authority.h"

#include <limits.h>

struct reason {
	char text[PATH_MAX + 128];
	char fix[5 * PATH_MAX]; /* ""; or a command */
};

/* The type of the file system that holds `path`, as the mount table gives it. */
void refusal_file_system(const char *path, char *out, size_t size);

/* Of the absolute path of a directory that authority `a` has just refused. */
void refusal_explain(struct reason *why, struct authority *a, const char *path);

#endif

/*
 * xattr.c - extended attributes that a file does not have, as ls and cp ask for them of every file.
 */
#include "suite.h"
#include <sys/xattr.h>

const struct suite_variant suite_variants[] = {
    {"-", "loop", "getxattr() of security.capability and ACLs that a file does not have", 1, 0},
    {NULL, NULL, NULL, 0, 0}};

static char file[PATH_MAX];

static void ask(unsigned calls)
{
	static const char *const names[] = {"security.capability", "system.posix_acl_access",
					    "system.posix_acl_default"};
	char value[64];

	for (unsigned i = 0; i < calls; i++)
		if (getxattr(file, names[i % 3], value, sizeof value) >= 0)
			bench_die("%s has %s", file, names[i % 3]);
}

void suite_prepare(const struct suite_variant *v)
{
	(void)v;
	bench_touch("file");
}

void suite_run(const struct suite_variant *v, const char *directory)
{
	(void)v;
	bench_path(file, sizeof file, "%s/file", directory);
	suite_measure(&(struct suite_loop){1, false, 150, NULL, ask});
}

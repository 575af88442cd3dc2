/*
 * verify.c - asking the kernel what was already known.
 *
 * A change is visible before it is announced, so one difference proves nothing. An answer is wrong
 * only when the cache says it at one seq, quiet, before and after the kernel said otherwise, and
 * that stays so for a second.
 */
#include "preload/verify.h"

#include "base/bytes.h"
#include "base/sys.h"
#include "preload/next.h"
#include "preload/report.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>

static const char xattr_names[][26] = {"security.selinux", "security.capability",
				       "system.posix_acl_access", "system.posix_acl_default"};

/* realpath() writes what was answered, and fails or not as was answered. */
static bool same_canonical(struct lookup *q, enum verdict verdict)
{
	char real[4096];
	bool found;

	real[0] = 0;
	found = NEXT(realpath, char *(*)(const char *, char *))(q->path.text, real) != NULL;
	return found == (verdict == KNOWN_PRESENT) &&
	       string_equal(real, *q->canonical ? q->canonical : "/");
}

static bool kernel_says(struct lookup *q, enum verdict verdict)
{
	const char *path = q->path.length ? q->path.text : "/";
	struct statx found;

	if (q->canonical)
		return same_canonical(q, verdict);
	if (verdict == KNOWN_ABSENT)
		return sys_statx(SYS_AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &found) ==
		       -ENOENT;
	switch ((enum question)q->question) {
	case QUESTION_ACCESS:
		return sys3(SYS_faccessat, SYS_AT_FDCWD, path, q->detail) == 0;
	case QUESTION_LINK: {
		char byte;

		return sys_readlinkat(SYS_AT_FDCWD, path, &byte, 1) == -EINVAL;
	}
	case QUESTION_XATTR:
		return sys4(SYS_getxattr, path, xattr_names[q->detail], NULL, 0) == -ENODATA;
	default:
		return sys4(SYS_lgetxattr, path, xattr_names[q->detail], NULL, 0) == -ENODATA;
	}
}

static void complain(const struct lookup *q, enum verdict verdict)
{
	static const char absent[] = "fastpath: WRONG: said to be absent: ";
	static const char present[] = "fastpath: WRONG: said to be present: ";
	char line[512];
	size_t n = sizeof absent - 1, path = q->path.length;

	bytes_copy(line, verdict == KNOWN_ABSENT ? absent : present, n);
	if (verdict == KNOWN_PRESENT)
		line[n++] = ' ';
	if (path > sizeof line - n - 1)
		path = sizeof line - n - 1;
	bytes_copy(line + n, q->path.text, path);
	line[n + path] = '\n';
	report_say(2, line, n + path + 1);
}

FP_COLD bool verify_agrees(struct lookup *q, enum verdict verdict)
{
	struct region *r = scope_region();
	uint64_t until = 0;

	if (scope.quiet || !r)
		return true;
	add_relaxed(&r->checked, 1);
	for (;;) {
		if (kernel_says(q, verdict))
			return true;
		if (!client_still(q, verdict)) {
			add_relaxed(&r->unresolved, 1);
			return false;
		}
		if (!until)
			until = sys_clock_ns() + 1000000000U;
		else if (sys_clock_ns() > until)
			break;
	}
	add_relaxed(&r->wrong, 1);
	complain(q, verdict);
	if (scope.settings.verify == VERIFY_ABORT)
		NEXT(abort, void (*)(void))();
	return false;
}

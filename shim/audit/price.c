/*
 * price.c - what a lookup costs here, untraced. Paths are asked over and over: what is measured is
 * the cheapest case, everything in the kernel's caches.
 */
#include "audit/price.h"

#include "base/sys.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(SYS_newfstatat)
#define CALL_FSTATAT SYS_newfstatat
#else
#define CALL_FSTATAT SYS_fstatat64
#endif

enum { BATCH = 16, BATCHES = 8 };

/* A path that is not there, whatever was asked. */
static const char absent[] = "/usr/lib/fastpath-audit/none";

/* A lookup as the system call returns it. An exec with arguments at address 1 cannot succeed,
 * should the file have come to be there. */
static long ask(enum call_family family, const char *path)
{
	struct stat64 s;
	char target[256];

	switch (family) {
	case FAMILY_ACCESS:
		return sys3(SYS_faccessat, SYS_AT_FDCWD, path, F_OK);
	case FAMILY_STAT:
		return sys4(CALL_FSTATAT, SYS_AT_FDCWD, path, &s, 0);
	case FAMILY_OPEN:
		return sys_openat(SYS_AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	case FAMILY_EXEC:
		return sys3(SYS_execve, path, 1, 0);
	case FAMILY_READLINK:
		return sys_readlinkat(SYS_AT_FDCWD, path, target, sizeof target);
	default:
		return sys4(SYS_getxattr, path, "security.selinux", target, sizeof target);
	}
}

/* Opening what is no file may wait, or do something. */
static bool may_be_asked(enum call_family family, enum model_result result, const char *path)
{
	struct stat s;

	if (result == RESULT_FAILED)
		return true;
	return family != FAMILY_EXEC &&
	       (family != FAMILY_OPEN || (!stat(path, &s) && S_ISREG(s.st_mode)));
}

/* Nanoseconds of one lookup, the least of some; 0: its answer is another one now. */
static double price_of(enum call_family family, enum model_result result, const char *path)
{
	double least = 0;

	for (int i = 0; i < BATCHES; i++) {
		long got[BATCH];
		uint64_t began = sys_clock_ns();
		double ns;

		for (int k = 0; k < BATCH; k++)
			got[k] = ask(family, path);
		ns = (double)(sys_clock_ns() - began) / BATCH;
		for (int k = 0; k < BATCH && family == FAMILY_OPEN; k++)
			if (got[k] >= 0)
				sys_close((int)got[k]);
		if ((got[0] < 0) != (result == RESULT_FAILED))
			return 0;
		if (!i || ns < least)
			least = ns;
	}
	return least;
}

static void measure(struct prices *p, const struct model *m, enum call_family family,
		    enum model_result result)
{
	const struct model_sample *s = &m->sample[family][result];
	double sum = 0;
	uint32_t n = 0;

	for (size_t i = 0; i < MODEL_SAMPLES && i < s->seen; i++) {
		const char *path = m->names.all[s->paths[i]].text;
		double ns = may_be_asked(family, result, path) ? price_of(family, result, path) : 0;

		sum += ns;
		n += ns > 0;
	}
	if (n)
		sum /= n;
	else if (result == RESULT_FAILED && s->seen)
		sum = price_of(family, result, absent);
	p->ns[family][result] = sum;
	p->paths[family][result] = n;
}

void price_measure(struct prices *p, const struct model *m)
{
	for (int f = 0; f < CALL_FAMILIES; f++)
		for (int r = 0; r < MODEL_RESULTS; r++)
			measure(p, m, (enum call_family)f, (enum model_result)r);
}

/*
 * overhead.c - what being traced adds to the CPU time of those who are.
 */
#include "audit/overhead.h"

#include "audit/filter.h"
#include "audit/tracer.h"
#include "base/sys.h"

#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOKUPS = 400, SYSCALL_STOP = SIGTRAP | 0x80 };

static _Noreturn void look(int go, void *filter, int lookups)
{
	char byte;

	if (read(go, &byte, 1) != 1 || (filter && filter_load(filter)))
		_exit(1);
	for (int i = 0; i < lookups; i++)
		(void)sys3(SYS_faccessat, SYS_AT_FDCWD, "/usr/lib/fastpath-audit/none", 0);
	_exit(0);
}

/* Returns the nanoseconds that the process took, or a negative number. */
static double serve(pid_t pid)
{
	struct rusage used;
	int status;

	while (wait4(pid, &status, __WALL, &used) == pid) {
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			return 1e9 * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
			       1e3 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
		if (!WIFSTOPPED(status))
			break;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8))
			(void)ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		else
			(void)ptrace(PTRACE_CONT, pid, NULL,
				     (void *)(intptr_t)(WSTOPSIG(status) == SYSCALL_STOP
							    ? 0
							    : WSTOPSIG(status)));
	}
	return -1;
}

/* CPU time of a process that makes so many lookups; filter == NULL: untraced. */
static double cpu_of(void *filter, int lookups)
{
	double ns = -1;
	int go[2];
	pid_t pid;

	if (pipe(go))
		return -1;
	pid = fork();
	if (!pid)
		look(go[0], filter, lookups);
	(void)close(go[0]);
	if (pid > 0) {
		if (!filter || !tracer_seize(pid))
			(void)!write(go[1], "", 1);
		(void)close(go[1]); /* without a byte it ends */
		return serve(pid);
	}
	(void)close(go[1]);
	return ns;
}

double overhead_measure(void *filter)
{
	double traced = cpu_of(filter, LOOKUPS), start = cpu_of(filter, 0);
	double plain = cpu_of(NULL, LOOKUPS), plain_start = cpu_of(NULL, 0), each;

	if (traced < 0 || start < 0 || plain < 0 || plain_start < 0)
		return 0;
	each = (traced - start - (plain - plain_start)) / LOOKUPS;
	return each > 0 ? each : 0;
}

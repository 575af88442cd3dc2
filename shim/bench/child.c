/*
 * child.c - running a command, and what it and all it started cost.
 *
 * A command is a process group of its own: what a terminal sends comes to this process alone.
 */
#include "bench/child.h"

#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINGER_S = 10, CHILDREN = 64 };

static sigset_t mask_before, awaited;
static int stop_signal;

void child_prepare(void)
{
	struct sigaction default_action = {.sa_handler = SIG_DFL};

	sigemptyset(&awaited);
	sigaddset(&awaited, SIGCHLD);
	sigaddset(&awaited, SIGINT);
	sigaddset(&awaited, SIGTERM);
	sigaddset(&awaited, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &awaited, &mask_before);
	/* An inherited SIG_IGN would make wait() tell nothing. */
	(void)sigaction(SIGCHLD, &default_action, NULL);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int child_stop_signal(void)
{
	static const struct timespec at_once;
	int sig;

	while (!stop_signal && (sig = sigtimedwait(&awaited, NULL, &at_once)) > 0)
		if (sig != SIGCHLD)
			stop_signal = sig;
	return stop_signal;
}

static uint64_t cpu_ns(const struct rusage *r)
{
	return (uint64_t)(r->ru_utime.tv_sec + r->ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(r->ru_utime.tv_usec + r->ru_stime.tv_usec) * 1000;
}

static _Noreturn void become(const struct child_command *c, int report)
{
	int null = open("/dev/null", O_RDWR), error;

	(void)setpgid(0, 0);
	if (dup2(null, 0) == 0 && dup2(c->output < 0 ? null : c->output, 1) == 1 &&
	    dup2(c->error < 0 ? null : c->error, 2) == 2 &&
	    (!c->directory || !chdir(c->directory))) {
		if (null > 2)
			(void)close(null);
		(void)sigprocmask(SIG_SETMASK, &mask_before, NULL);
		(void)execvpe(c->argv[0], c->argv, c->environment);
	}
	error = errno;
	(void)!write(report, &error, sizeof error); /* without it, the exit status still tells */
	_exit(127);
}

/* Children of this process, as many as fit. */
static int list_children(pid_t *pids)
{
	char path[64];
	FILE *f;
	int n = 0;

	(void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "re");
	while (f && n < CHILDREN &&
	       fscanf(f, "%d", &pids[n]) == 1) // NOLINT(cert-err34-c): the kernel's
		n++;
	if (f)
		(void)fclose(f);
	return n;
}

/* Whatever became a child of this process, until there is none. */
static void kill_all(pid_t group)
{
	pid_t pids[CHILDREN];
	int n;

	(void)kill(-group, SIGKILL);
	do {
		n = list_children(pids);
		for (int i = 0; i < n; i++)
			(void)kill(pids[i], SIGKILL);
		/* Without the list (CONFIG_PROC_CHILDREN), what is in the group is all that is
		 * known. */
	} while (waitpid(-1, NULL, n ? 0 : WNOHANG) > 0);
}

/* Takes what has ended; false: nothing is left. */
static bool reap(pid_t pid, uint64_t began, struct child_used *used, bool *ended)
{
	struct rusage cost;
	pid_t found;
	int status;

	while ((found = wait4(-1, &status, WNOHANG, &cost)) > 0) {
		used->cpu_ns += cpu_ns(&cost);
		if (found != pid) {
			used->rest_ns += cpu_ns(&cost);
			continue;
		}
		used->wall_ns = sys_clock_ns() - began;
		used->status = status;
		*ended = true;
	}
	return !found;
}

static int wait_for(pid_t pid, uint64_t began, struct child_used *used)
{
	bool ended = false;

	while (reap(pid, began, used, &ended)) {
		uint64_t lingered = ended ? sys_clock_ns() - began - used->wall_ns : 0;
		const struct timespec most = {.tv_sec = LINGER_S};
		int sig = sigtimedwait(&awaited, NULL, &most);

		if (sig > 0 && sig != SIGCHLD)
			stop_signal = sig;
		if (!stop_signal && lingered < LINGER_S * UINT64_C(1000000000))
			continue;
		kill_all(pid);
		return stop_signal ? -EINTR : -ETIME;
	}
	return 0;
}

int child_run(const struct child_command *c, struct child_used *used)
{
	uint64_t began;
	int report[2], error;
	pid_t pid;

	*used = (struct child_used){0};
	if (child_stop_signal())
		return -EINTR;
	if (pipe2(report, O_CLOEXEC))
		return -errno;
	began = sys_clock_ns();
	pid = fork();
	error = -errno;
	if (!pid)
		become(c, report[1]);
	(void)close(report[1]);
	if (pid > 0) {
		(void)setpgid(pid,
			      pid); /* it may have become the command already: it did that first */
		error = wait_for(pid, began, used);
		if (read(report[0], &used->exec_error, sizeof used->exec_error) < 0)
			used->exec_error = 0;
	}
	(void)close(report[0]);
	return error;
}

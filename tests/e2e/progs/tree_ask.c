/*
 * tree_ask.c - does one step after another in a session's process; tests/e2e/tree.sh writes the
 * steps.
 *
 * usage: tree_ask STEP...; says on stderr what is wrong, and ends with 1; steps that branch end
 * with the status of what they branched to. A step, with its argument after '=': know=PATH   asks
 * until it is served     hit=PATH    the next question is served gone=PATH   absent, as the kernel
 * says  seen=PATH   present, as the kernel says make=PATH, drop=PATH, mkdir=PATH        changes, by
 * raw system calls attach      loses until it is served by the tree (the broker may be starting
 * still) scope=NAME  fastpath_stats() says tree, process or off; not=NAME: anything else fork,
 * exec, thread, vfork, newns, rawns, newuser: the steps that follow happen there, and this process
 * waits for them setsid, sleep=MS, await=PATH (until it is there), end=broker (until it has ended)
 *   kill=N      the broker, by a signal of that number
 *   uid=N, chroot=DIR, unshare=user|mount, nonewprivs, filter, setns: through libc
 *   tmpfs=DIR   is mounted                  print=WORD  on stdout
 *   leave       the rest goes on in a detached child
 *   die         this process, by SIGKILL    mainends    the rest goes on in a thread after the main
 * one's end
 */
#define _GNU_SOURCE
#include "fastpath.h"
#include "raw.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 200 };

static char *const *rest; /* the steps that follow */
static char *self;

static void complain(const char *step, const char *why)
{
	fprintf(stderr, "%s: %s\n", step, why);
	_exit(1);
}

static uint64_t served(void)
{
	struct fastpath_stats s = {0};
	uint64_t sum = 0;

	if (!fastpath_stats || fastpath_stats(&s, sizeof s))
		return 0;
	for (int i = 0; i < FASTPATH_CALLS; i++)
		sum += s.served[i];
	return sum;
}

static const char *scope_name(void)
{
	struct fastpath_stats s = {0};

	if (!fastpath_stats || fastpath_stats(&s, sizeof s))
		return "inert";
	return s.scope == FASTPATH_SCOPE_TREE      ? "tree"
	       : s.scope == FASTPATH_SCOPE_PROCESS ? "process"
						   : "off";
}

/* Was the question served? Its answer must be the kernel's. */
static bool ask(const char *step, const char *path)
{
	uint64_t before = served();
	int got = access(path, F_OK) ? -errno : 0;
	long want = raw_access(path, F_OK);

	if (got != want) {
		char why[128];

		snprintf(why, sizeof why, "WRONG: %d, the kernel says %ld (%s)", got, want,
			 served() > before ? "served" : "not served");
		complain(step, why);
	}
	return served() > before;
}

static void nap(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static pid_t broker(void)
{
	const char *v = getenv("FASTPATH_SESSION");

	return v ? (pid_t)strtol(v, NULL, 16) : 0;
}

static int run_steps(void);

static void *run_in_thread(void *unused)
{
	int *status = unused;

	*status = run_steps();
	return NULL;
}

static _Noreturn void *run_to_the_end(void *unused)
{
	(void)unused;
	exit(run_steps());
}

static int run_in_clone(void *unused)
{
	(void)unused;
	_exit(run_steps());
}

static int wait_for(const char *step, pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		complain(step, strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int in_thread(const char *step)
{
	pthread_t t;
	int status = 1;

	if (pthread_create(&t, NULL, run_in_thread, &status))
		complain(step, "no thread");
	pthread_join(t, NULL);
	return status;
}

static int in_new_program(bool in_vfork_child)
{
	static char *arguments[256];
	int n = 1;

	arguments[0] = self;
	while (*rest && n < 255)
		arguments[n++] = *rest++;
	if (in_vfork_child) {
		pid_t pid = vfork();

		if (pid)
			return wait_for("vfork", pid);
	}
	execv(self, arguments);
	_exit(99);
}

static int in_clone(const char *step, int flags, bool raw)
{
	static char stack[256 * 1024] __attribute__((aligned(16)));
	long pid;

	if (!raw)
		return wait_for(step,
				clone(run_in_clone, stack + sizeof stack, flags | SIGCHLD, NULL));
	pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
	if (!pid)
		_exit(run_steps());
	return wait_for(step, (pid_t)pid);
}

static void filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &allow};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		complain("filter", strerror(errno));
}

static void must(const char *step, bool good)
{
	if (!good)
		complain(step, strerror(errno));
}

/* A step that changes this process. True: it was one. */
static bool change(const char *step, const char *name, const char *value)
{
	if (!strcmp(name, "uid"))
		must(step, !setuid((uid_t)atol(value)));
	else if (!strcmp(name, "chroot"))
		must(step, !chroot(value) && !chdir("/"));
	else if (!strcmp(name, "unshare"))
		must(step, !unshare(!strcmp(value, "user") ? CLONE_NEWUSER : CLONE_NEWNS));
	else if (!strcmp(name, "nonewprivs"))
		must(step, !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	else if (!strcmp(name, "filter"))
		filter();
	else if (!strcmp(name, "setsid"))
		setsid();
	else if (!strcmp(name, "tmpfs"))
		must(step, !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
			       !mount("none", value, "tmpfs", 0, NULL));
	else if (!strcmp(name, "kill"))
		must(step, broker() > 1 && !kill(broker(), atoi(value)));
	else if (!strcmp(name, "print"))
		must(step, puts(value) >= 0 && !fflush(stdout));
	else
		return false;
	return true;
}

static bool until(const char *name, const char *value)
{
	for (int i = 0; i < 5000; i++, nap(1)) {
		if (!strcmp(name, "await") ? !raw_access(value, F_OK)
					   : kill(broker(), 0) && errno == ESRCH)
			return true;
	}
	return false;
}

static bool do_simple(const char *step, const char *name, const char *value)
{
	if (!strcmp(name, "know")) {
		int i = 0;

		while (!ask(step, value)) {
			if (++i == TRIES)
				complain(step, "it is not served");
			if (i > 20) /* the broker may be at something else */
				nap(1);
		}
	} else if (!strcmp(name, "hit")) {
		if (!ask(step, value))
			complain(step, "it is not served");
	} else if (!strcmp(name, "attach")) {
		for (int i = 0; strcmp(scope_name(), "tree"); i++, nap(1)) {
			if (i == 5000)
				complain(step, scope_name());
			ask(step, "/proc/none/none");
		}
	} else if (!strcmp(name, "gone") || !strcmp(name, "seen")) {
		ask(step, value);
		if (!raw_access(value, F_OK) != (*name == 's'))
			complain(step, "the case is broken");
	} else if (!strcmp(name, "make")) {
		long fd = raw_openat(AT_FDCWD, value, O_CREAT | O_WRONLY, 0666);

		if (fd < 0)
			complain(step, strerror((int)-fd));
		raw_close((int)fd);
	} else if (!strcmp(name, "drop")) {
		if (raw3(SYS_unlinkat, AT_FDCWD, value, 0))
			complain(step, "it cannot be removed");
	} else if (!strcmp(name, "mkdir")) {
		raw3(SYS_mkdirat, AT_FDCWD, value, 0777);
	} else if (!strcmp(name, "scope") || !strcmp(name, "not")) {
		if (!strcmp(scope_name(), value) != (*name == 's'))
			complain(step, scope_name());
	} else if (!strcmp(name, "sleep")) {
		nap(atol(value));
	} else if (!strcmp(name, "await") || !strcmp(name, "end")) {
		if (!until(name, value))
			complain(step, "not within five seconds");
	} else {
		return change(step, name, value);
	}
	return true;
}

/* The steps from `rest` on; a status. */
static int run_steps(void)
{
	while (*rest) {
		const char *step = *rest++, *value = strchr(step, '=');
		char name[32];

		snprintf(name, sizeof name, "%.*s", value ? (int)(value - step) : 31, step);
		value = value ? value + 1 : "";
		if (do_simple(step, name, value))
			continue;
		if (!strcmp(name, "fork") || !strcmp(name, "leave")) {
			pid_t pid = fork();

			if (pid)
				return *name == 'l' ? 0 : wait_for(step, pid);
			if (*name == 'l')
				setsid();
		} else if (!strcmp(name, "exec") || !strcmp(name, "vfork")) {
			return in_new_program(*name == 'v');
		} else if (!strcmp(name, "thread")) {
			return in_thread(step);
		} else if (!strcmp(name, "newns") || !strcmp(name, "rawns")) {
			return in_clone(step, CLONE_NEWNS, *name == 'r');
		} else if (!strcmp(name, "newuser")) {
			return in_clone(step, CLONE_NEWUSER | CLONE_NEWNS, false);
		} else if (!strcmp(name, "mainends")) {
			pthread_t t;

			if (pthread_create(&t, NULL, run_to_the_end, NULL))
				complain(step, "no thread");
			pthread_exit(NULL);
		} else if (!strcmp(name, "die")) {
			raise(SIGKILL);
		} else {
			complain(step, "there is no such step");
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	(void)argc;
	self = realpath("/proc/self/exe", NULL);
	rest = argv + 1;
	return run_steps();
}

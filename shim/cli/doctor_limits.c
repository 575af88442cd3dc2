/*
 * doctor_limits.c - inotify's limits and their use, and who may trace whom.
 */
#include "cli/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define INOTIFY "/proc/sys/fs/inotify/"
#define USER    "/proc/sys/user/"
#define YAMA    "/proc/sys/kernel/yama/ptrace_scope"

struct use {
	long instances, watches;
};

/* The watches of one instance: lines of its fdinfo. */
static long count_watches(const char *file)
{
	FILE *f = fopen(file, "re");
	char line[256];
	long n = 0;

	while (f && fgets(line, sizeof line, f))
		n += !strncmp(line, "inotify wd:", 11);
	if (f)
		(void)fclose(f);
	return n;
}

static void add_process(struct use *u, const char *pid)
{
	char path[600], target[32];
	struct dirent *e;
	DIR *d;

	(void)snprintf(path, sizeof path, "/proc/%s/fd", pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, target, sizeof target - 1);

		target[n > 0 ? n : 0] = 0;
		if (strcmp(target, "anon_inode:inotify") != 0)
			continue;
		u->instances++;
		(void)snprintf(path, sizeof path, "/proc/%s/fdinfo/%s", pid, e->d_name);
		u->watches += count_watches(path);
	}
	if (d)
		(void)closedir(d);
}

/* Of this user's processes, as far as their descriptors show: a page bell's instance has none, and
 * an inherited one is counted in each process. */
static struct use count_use(void)
{
	struct use u = {0, 0};
	DIR *proc = opendir("/proc");
	struct dirent *e;
	struct stat s;

	while (proc && (e = readdir(proc)))
		if (*e->d_name >= '1' && *e->d_name <= '9' &&
		    !fstatat(dirfd(proc), e->d_name, &s, 0) && s.st_uid == getuid())
			add_process(&u, e->d_name);
	if (proc)
		(void)closedir(proc);
	return u;
}

/* The lower of the system's limit and the user namespace's; -1: not known. */
static long limit_of(const char *system, const char *namespace)
{
	long a = doctor_read_number(system), b = doctor_read_number(namespace);

	return b >= 0 && (a < 0 || b < a) ? b : a;
}

/* used < 0: it cannot be counted. */
static void say_limit(struct doctor *d, const char *name, long limit, long used, long least,
		      long better)
{
	char fix[96];

	(void)snprintf(fix, sizeof fix, "sudo sysctl -w fs.inotify.%s=%ld", name, better);
	if (limit < 0)
		doctor_say(d, VERDICT_NOTE, "inotify", name, NULL, "cannot be read");
	else if (limit < least)
		doctor_say(d, VERDICT_PROBLEM, "inotify", name, fix, "%ld is few", limit);
	else if (used > limit / 10 * 8)
		doctor_say(d, VERDICT_PROBLEM, "inotify", name, fix, "%ld of %ld in use", used,
			   limit);
	else if (used >= 0)
		doctor_say(d, VERDICT_OK, "inotify", name, NULL, "%ld of %ld in use", used, limit);
	else
		doctor_say(d, VERDICT_OK, "inotify", name, NULL, "%ld", limit);
}

void doctor_limits(struct doctor *d)
{
	struct use u = count_use();

	say_limit(d, "max_user_instances",
		  limit_of(INOTIFY "max_user_instances", USER "max_inotify_instances"), u.instances,
		  16, 1024);
	say_limit(d, "max_user_watches",
		  limit_of(INOTIFY "max_user_watches", USER "max_inotify_watches"), u.watches, 4096,
		  524288);
	say_limit(d, "max_queued_events", doctor_read_number(INOTIFY "max_queued_events"), -1, 1024,
		  16384);
}

/* As fastpath audit does. 0 or -errno. */
static int try_tracing(void)
{
	pid_t child = fork();
	int status = 0, error = 0;

	if (child < 0)
		return -errno;
	if (!child) {
		(void)kill(getpid(), SIGSTOP);
		_exit(0);
	}
	(void)waitpid(child, &status, WUNTRACED);
	if (ptrace(PTRACE_SEIZE, child, NULL, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL))
		error = -errno;
	(void)kill(child, SIGKILL);
	(void)waitpid(child, &status, 0);
	return error;
}

static pid_t tracer(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[128];
	pid_t pid = 0;

	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "TracerPid:", 10))
			pid = (pid_t)strtol(line + 10, NULL, 10);
	if (f)
		(void)fclose(f);
	return pid;
}

void doctor_tracing(struct doctor *d)
{
	long yama = doctor_read_number(YAMA);
	int error = try_tracing();
	pid_t by = tracer();

	if (!error)
		doctor_say(d, VERDICT_OK, "tracing", NULL, NULL,
			   "children can be traced: fastpath audit works");
	else if (yama >= 2)
		doctor_say(d, VERDICT_PROBLEM, "tracing", NULL,
			   yama == 2 ? "sudo sysctl -w kernel.yama.ptrace_scope=1"
				     : "reboot without kernel.yama.ptrace_scope=3",
			   "kernel.yama.ptrace_scope is %ld: fastpath audit cannot trace", yama);
	else if (by)
		doctor_say(d, VERDICT_NOTE, "tracing", NULL, NULL,
			   "process %d traces this one: fastpath audit cannot", (int)by);
	else
		doctor_say(d, VERDICT_PROBLEM, "tracing", NULL,
			   "permit ptrace (docker run --cap-add SYS_PTRACE)",
			   "children cannot be traced (%s): fastpath audit does not work",
			   strerror(-error));
}

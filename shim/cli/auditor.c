/*
 * auditor.c - the process that traces a command's tree: how it starts, meets the command, and ends.
 *
 * The report is written by a child of it: the tracer itself has to go on serving whatever of the
 * tree outlives the command.
 */
#include "cli/auditor.h"

#include "audit/filter.h"
#include "audit/overhead.h"
#include "audit/tracer.h"
#include "cli/cli.h"

#include <errno.h>
#include <linux/prctl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* What the command's parent knows at its end. */
struct end {
	struct outcome outcome;
	uint64_t cpu_ns;
};

struct work {
	const struct audit_options *options;
	struct model model;
	struct stacks *stacks;
	void *filter;
	int control;
};

static bool receive(int fd, void *to, size_t bytes)
{
	ssize_t n;

	do
		n = recv(fd, to, bytes, MSG_WAITALL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)bytes;
}

/* EPIPE: the other one was killed. */
static bool give(int fd, const void *from, size_t bytes)
{
	return send(fd, from, bytes, MSG_NOSIGNAL) == (ssize_t)bytes;
}

static bool exists(const char *directory)
{
	return !access(directory, F_OK);
}

/* Returns 0 or -errno. */
static int write_into(int fd, const struct audit_report *r,
		      int (*write)(FILE *f, const struct audit_report *r))
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	int error = f ? write(f, r) : -ENOMEM;

	if (f && fclose(f) && !error)
		error = -ENOMEM;
	if (!error && fd >= 0)
		error = cli_write(fd, text, bytes);
	else if (!error)
		cli_write_error(text, bytes);
	free(text);
	return error;
}

static void write_all(const struct audit_report *r)
{
	const struct audit_options *o = r->options;
	int error = write_into(o->out, r, o->json ? audit_write_json : audit_write_text);

	if (error)
		cli_complain("the report: %s", strerror(-error));
	error = o->folded >= 0 ? write_into(o->folded, r, audit_write_folded) : 0;
	if (error)
		cli_complain("the stacks: %s", strerror(-error));
	error = o->html ? audit_write_html(r) : 0;
	if (error)
		cli_complain("%s: %s", o->html, strerror(-error));
}

static _Noreturn void report(const struct work *w)
{
	struct audit_report r = {.options = w->options, .model = &w->model, .stacks = w->stacks};
	struct end e;
	double overhead;
	int error;

	/* Nothing comes if the command could not be executed, or nobody waits any more. */
	if (!receive(w->control, &e, sizeof e))
		_exit(0);
	r.outcome = e.outcome;
	price_measure(&r.prices, &w->model);
	overhead = overhead_measure(w->filter) * (double)audit_all(w->model.all.calls);
	r.traced_ns = (double)e.cpu_ns;
	r.cpu_ns = r.traced_ns > overhead ? r.traced_ns - overhead : r.traced_ns;
	error = audit_compute(&r);
	if (error)
		cli_complain("the report: %s", strerror(-error));
	else
		write_all(&r);
	_exit(give(w->control, "", 1) ? 0 : 1);
}

/* From now on the tracer holds nothing that anybody could wait for. */
static void command_ended(void *context)
{
	struct work *w = context;

	if (!fork())
		report(w);
	(void)close_range(0, ~0U, 0);
}

enum { KEPT = 4 };

static bool is_kept(int fd, const int keep[KEPT])
{
	for (int i = 0; i < KEPT; i++)
		if (keep[i] == fd)
			return true;
	return false;
}

static void let_go(const int keep[KEPT])
{
	int last = 0;

	for (int i = 0; i < KEPT; i++)
		if (keep[i] > last)
			last = keep[i];
	for (int fd = 0; fd < last; fd++)
		if (!is_kept(fd, keep))
			(void)close(fd);
	(void)close_range((unsigned)last + 1, ~0U, 0);
	(void)!chdir("/"); /* fails without search permission: then the old one stays in use */
}

static _Noreturn void audit(const struct audit_options *o, void *filter, int control)
{
	static struct work w;
	sigset_t all;
	pid_t pid;
	int error;

	/* What a terminal says, and what is sent to the group, is for the command. The session
	 * stays the command's: sessions share the processor (autogroups, sched(7)), and the two run
	 * by turns. */
	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	(void)setpgid(0, 0);
	(void)prctl(PR_SET_NAME, "fastpath-audit");
	let_go((const int[KEPT]){2, o->out, o->folded, control});
	w = (struct work){
	    .options = o, .filter = filter, .control = control, .model.exists = exists};
	if (o->callers)
		w.stacks = calloc(1, sizeof *w.stacks);
	if (!receive(control, &pid, sizeof pid))
		_exit(1);
	error = tracer_seize(pid);
	if (!give(control, &error, sizeof error) || error)
		_exit(1);
	tracer_run(&(struct tracer_options){&w.model, w.stacks, command_ended, &w}, pid);
	_exit(0);
}

int auditor_start(struct auditor *a, const struct audit_options *o)
{
	int ends[2];

	a->filter = filter_make();
	if (!a->filter)
		return -ENOSYS;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -errno;
	a->control = ends[0];
	a->pid = fork();
	if (!a->pid)
		audit(o, a->filter, ends[1]);
	(void)close(ends[1]);
	return a->pid < 0 ? -errno : 0;
}

int auditor_enter(void *auditor)
{
	const struct auditor *a = auditor;
	pid_t pid = getpid();
	int error;

	(void)prctl(PR_SET_PTRACER, a->pid, 0, 0, 0); /* EINVAL where Yama does not restrict it */
	if (!give(a->control, &pid, sizeof pid) || !receive(a->control, &error, sizeof error))
		error = -ESRCH;
	if (error) {
		cli_complain("CMD cannot be traced (ptrace: %s): a container or a security module "
			     "may forbid it, or somebody traces already",
			     strerror(-error));
		return error;
	}
	error = filter_load(a->filter);
	if (error)
		cli_complain("no seccomp filter can be used here: %s", strerror(-error));
	return error;
}

static uint64_t ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

int auditor_finish(const struct auditor *a, const struct outcome *o)
{
	struct end e = {.outcome = *o};
	struct rusage used;
	char done;

	if (!getrusage(RUSAGE_CHILDREN, &used))
		e.cpu_ns = ns(&used.ru_utime) + ns(&used.ru_stime);
	if (!give(a->control, &e, sizeof e))
		return -EPIPE;
	return receive(a->control, &done, 1) ? 0 : -EPIPE;
}

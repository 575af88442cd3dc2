/*
 * supervise.c - a command as a child that looks as if it were this process.
 *
 * All signals are blocked while it runs and taken one by one, so nothing here runs in a handler.
 * What a terminal sends reaches the whole process group, the command too, and is not passed on.
 */
#include "cli/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct child {
	pid_t pid;
	bool stopped; /* as last reported by wait */
	bool resumed; /* it was continued, and our own SIGCONT has not been seen yet */
	bool ended;
	siginfo_t end;
};

/* What this process was started with, and the command has to be. */
struct inherited {
	sigset_t mask;
	struct sigaction child_action;
	int subreaper;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void prepare(struct inherited *was)
{
	struct sigaction default_action = {.sa_handler = SIG_DFL};
	sigset_t all;

	sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &was->mask);
	/* An inherited SIG_IGN would make wait() tell nothing. */
	(void)sigaction(SIGCHLD, &default_action, &was->child_action);
	if (prctl(PR_GET_CHILD_SUBREAPER, &was->subreaper))
		was->subreaper = 0;
}

/* What goes through `report`: the errno of an exec that failed, or what `before` returned. */
static _Noreturn void become(char *const *argv, char *const *environment,
			     const struct inherited *was, const struct supervise_before *before,
			     int report)
{
	int error = before ? before->run(before->context) : 0;

	if (error) {
		(void)!write(report, &error, sizeof error);
		_exit(125);
	}
	if (was->subreaper)
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	(void)sigaction(SIGCHLD, &was->child_action, NULL);
	(void)sigprocmask(SIG_SETMASK, &was->mask, NULL);
	(void)execvpe(argv[0], argv, environment);
	error = errno;
	(void)!write(report, &error, sizeof error); /* without it, the exit status still tells */
	_exit(error == ENOENT ? 127 : 126);
}

/* What the command lets go of, a pipe's end, a lock, a directory, is not held here instead. */
static void let_go(const int *keep, size_t n)
{
	for (unsigned first = 0;;) {
		unsigned next = ~0U;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= 0 && (unsigned)keep[i] >= first && (unsigned)keep[i] < next)
				next = (unsigned)keep[i];
		if (next > first)
			(void)close_range(first, next == ~0U ? next : next - 1, 0);
		if (next == ~0U)
			break;
		first = next + 1;
	}
	(void)!chdir("/"); /* fails without search permission: then the old one stays in use */
}

/* Stops this process; returns when it has been continued. */
static void stop(int sig)
{
	struct sigaction default_action = {.sa_handler = SIG_DFL}, was;
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, sig);
	(void)sigaction(sig, &default_action, &was); /* fails for SIGSTOP, which needs none of it */
	(void)kill(getpid(), sig);
	(void)sigprocmask(SIG_UNBLOCK, &one, NULL);
	(void)sigprocmask(SIG_BLOCK, &one, NULL);
	if (sig != SIGSTOP)
		(void)sigaction(sig, &was, NULL);
}

/* One change of the child's state; false: there is none. */
static bool look(struct child *c)
{
	siginfo_t i = {.si_pid = 0};

	if (waitid(P_PID, (id_t)c->pid, &i, WEXITED | WSTOPPED | WCONTINUED | WNOHANG) || !i.si_pid)
		return false;
	switch (i.si_code) {
	case CLD_STOPPED:
		c->stopped = true;
		c->resumed = false;
		stop(i.si_status);
		break;
	case CLD_CONTINUED:
		c->stopped = false;
		c->resumed = true;
		break;
	case CLD_EXITED:
	case CLD_KILLED:
	case CLD_DUMPED:
		c->ended = true;
		c->end = i;
		break;
	default: /* a tracer's stop: the tracer continues it */
		break;
	}
	return true;
}

/* A shell's `fg` continues the whole group; whoever continued this process alone meant the command.
 */
static void pass_on_continue(struct child *c)
{
	const struct timespec ms = {.tv_nsec = 1000000};

	for (int i = 0; i < 10 && c->stopped; i++)
		if (!look(c))
			(void)nanosleep(&ms, NULL);
	if (!c->resumed)
		(void)kill(c->pid, SIGCONT);
	c->resumed = false;
}

/* Of the signals that the kernel itself sends: which does the command not get as well? */
static bool is_for_us_alone(int sig)
{
	switch (sig) {
	case SIGALRM: /* timers that this process was started with */
	case SIGVTALRM:
	case SIGPROF:
		return true;
	case SIGHUP: /* the end of a terminal is told to the session's leader only */
	case SIGCONT:
		return getsid(0) == getpid();
	default:
		return false;
	}
}

/* What was sent to the whole group by kill(2) looks the same: the command gets that twice. */
static void pass_on(struct child *c, const siginfo_t *i)
{
	if (i->si_code > 0 && !(i->si_code == SI_KERNEL && is_for_us_alone(i->si_signo)))
		return;
	/* The command signals its own group: it has it already. */
	if (i->si_code <= 0 && i->si_pid == c->pid)
		return;
	if (i->si_signo == SIGCONT)
		pass_on_continue(c);
	else if (i->si_code == SI_QUEUE)
		(void)sigqueue(c->pid, i->si_signo, i->si_value);
	else
		(void)kill(c->pid, i->si_signo); /* EPERM: the command has other credentials now */
}

static void wait_for(struct child *c)
{
	sigset_t all;
	siginfo_t i;

	sigfillset(&all);
	while (!c->ended) {
		int sig = sigwaitinfo(&all, &i);

		/* Whoever sent SIGCHLD: a second one that comes while one is pending is lost. */
		if (sig == SIGCHLD)
			while (!c->ended && look(c))
				;
		if (sig > 0 && !c->ended)
			pass_on(c, &i);
	}
	/* What the group got, and the command died of, must not end us before it is told. */
	while (sigtimedwait(&all, &i, &(struct timespec){0}) > 0)
		;
}

int supervise(char *const *argv, char *const *environment, const int keep[SUPERVISE_KEPT],
	      const struct supervise_before *before, struct outcome *out)
{
	struct inherited was;
	struct child c = {0};
	uint64_t began = now_ns();
	int report[2], kept[SUPERVISE_KEPT + 2], error;

	if (pipe2(report, O_CLOEXEC))
		return -errno;
	memcpy(kept, keep, SUPERVISE_KEPT * sizeof *kept);
	kept[SUPERVISE_KEPT] = report[0];
	kept[SUPERVISE_KEPT + 1] = 2;
	prepare(&was);
	c.pid = fork();
	if (!c.pid)
		become(argv, environment, &was, before, report[1]);
	error = -errno;
	(void)close(report[1]);
	*out = (struct outcome){0};
	if (c.pid > 0) {
		let_go(kept, SUPERVISE_KEPT + 2);
		wait_for(&c);
		error = 0;
		if (read(report[0], &out->exec_error, sizeof out->exec_error) < 0)
			out->exec_error = 0;
		if (out->exec_error < 0)
			error = out->exec_error;
		out->wall_ns = now_ns() - began;
		out->signal = c.end.si_code == CLD_EXITED ? 0 : c.end.si_status;
		out->status = out->signal ? 128 + out->signal : c.end.si_status;
	}
	(void)close(report[0]);
	(void)sigaction(SIGCHLD, &was.child_action, NULL);
	(void)sigprocmask(SIG_SETMASK, &was.mask, NULL);
	return error;
}

_Noreturn void supervise_end_as(const struct outcome *o)
{
	struct sigaction default_action = {.sa_handler = SIG_DFL};
	sigset_t one;

	if (!o->signal)
		_exit(o->status);
	(void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	(void)prctl(PR_SET_DUMPABLE, 0); /* a core_pattern that is a pipe ignores the limit */
	(void)sigaction(o->signal, &default_action, NULL);
	(void)kill(getpid(), o->signal);
	sigemptyset(&one);
	sigaddset(&one, o->signal);
	(void)sigprocmask(SIG_UNBLOCK, &one, NULL);
	_exit(o->status); /* the first process of a pid namespace survives its own signals */
}

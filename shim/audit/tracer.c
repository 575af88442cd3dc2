/*
 * tracer.c - ptrace(2) on a tree of processes that stop, by the filter, at path lookups alone.
 *
 * A lookup is two stops: one before it, for what is asked, one after it, for the answer. Whoever
 * waits for us is resumed first, and thought about then.
 */
#include "audit/tracer.h"

#include "audit/filter.h"
#include "audit/image.h"
#include "audit/stack.h"
#include "audit/tracee.h"
#include "base/sys.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	OPTIONS = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
		  PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
		  PTRACE_O_EXITKILL,
	SYSCALL_STOP = SIGTRAP | 0x80,
	/* What the kernel says inside of calls that a signal interrupted; only it knows yet whether
	 * they are made again, which counts, or end with EINTR. */
	RESTART_FIRST = 512,
	RESTART_LAST = 530,
	SPIN_NS = 5000,
	SPINS_VAIN = 4, /* two in a row are no sign yet */
	SPINS_OFF_MAX = 255,
	EARLY = 64, /* a power of two */
};

struct tracer {
	const struct tracer_options *o;
	struct tracees tracees;
	pid_t first;
	bool counting;
	uint32_t vain, patient; /* of next_stop() */
	/* Those who came to an end before whoever started them had told: the latest ones. */
	pid_t early[EARLY];
	uint32_t early_used;
};

int tracer_seize(pid_t pid)
{
	return ptrace(PTRACE_SEIZE, pid, NULL, (void *)(uintptr_t)OPTIONS) ? -errno : 0;
}

/* ESRCH: it was killed meanwhile, and its end will be reported. */
static void resume(pid_t tid, enum __ptrace_request how, int sig)
{
	(void)ptrace(how, tid, NULL, (void *)(intptr_t)sig);
}

static pid_t event_message(pid_t tid)
{
	unsigned long message = 0;

	if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message))
		return 0;
	return (pid_t)message;
}

static void read_path(struct tracee *t)
{
	t->length = (uint32_t)image_peek_string(t->tid, t->path_at, t->path, sizeof t->path);
}

static void lookup_begins(struct tracee *t)
{
	struct __ptrace_syscall_info i;
	const struct call *c;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof i, &i) <= 0 ||
	    i.op != PTRACE_SYSCALL_INFO_SECCOMP || i.seccomp.ret_data >= calls_n) {
		resume(t->tid, PTRACE_CONT, 0);
		return;
	}
	c = &calls[i.seccomp.ret_data];
	t->call = c;
	t->at = i.instruction_pointer;
	t->path_at = i.seccomp.args[c->path];
	t->mode = c->mode == CALL_NO_ARGUMENT ? 0 : (uint32_t)i.seccomp.args[c->mode];
	t->foreign = i.arch != filter_architecture;
	t->by_loader = t->at >= t->process->loader && t->at < t->process->loader_end;
	/* The memory of a program that executes another is soon gone. */
	if (c->family == FAMILY_EXEC)
		read_path(t);
	resume(t->tid, PTRACE_SYSCALL, 0);
	if (c->family != FAMILY_EXEC)
		read_path(t);
}

static void count(const struct tracer *r, struct tracee *t, int error)
{
	struct lookup l = {.call = t->call,
			   .path = t->path,
			   .length = t->length,
			   .mode = t->mode,
			   .error = error,
			   .by_loader = t->by_loader,
			   .foreign = t->foreign};

	model_add(r->o->model, &t->process->model, &l);
	t->call = NULL;
}

static void lookup_ends(const struct tracer *r, struct tracee *t)
{
	struct __ptrace_syscall_info i;
	bool told = ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof i, &i) > 0 &&
		    i.op == PTRACE_SYSCALL_INFO_EXIT;
	int error = told && i.exit.is_error ? (int)-i.exit.rval : 0;
	bool counts =
	    told && t->call && r->counting && !(error >= RESTART_FIRST && error <= RESTART_LAST);

	if (counts && error && r->o->stacks)
		stack_take(r->o->stacks, t);
	resume(t->tid, PTRACE_CONT, 0);
	if (counts)
		count(r, t, error);
	t->call = NULL;
}

static void begin_image(const struct tracer *r, struct process *p)
{
	static struct image i;
	struct model *m = r->o->model;

	image_read(&i, p->pid);
	p->loader = i.loader;
	p->loader_end = i.loader_end;
	p->model.program = model_program_starts(m, *i.exe ? i.exe : "?", i.reach);
	p->model.search = i.search ? model_search_add(m, i.search, i.search_bytes) : NAMES_NONE;
}

/* The other threads are gone, and whichever thread it was now has the process's id. */
static void executed(struct tracer *r, struct tracee *t)
{
	struct tracee *was = tracee_find(&r->tracees, event_message(t->tid));

	if (t->tid == r->first)
		r->counting = true;
	if (was && was->call && r->counting)
		count(r, was, 0);
	t->call = NULL;
	tracee_executes(&r->tracees, t);
	if (r->counting)
		begin_image(r, t->process);
	resume(t->tid, PTRACE_CONT, 0);
}

/* A thread of t's process, or a process like it. */
static struct tracee *born(struct tracer *r, pid_t tid, const struct tracee *parent, bool thread)
{
	struct process *p = parent ? parent->process : NULL;
	struct model *m = r->o->model;

	m->threads++;
	m->processes += !thread;
	return tracee_add(&r->tracees, tid, thread ? p : NULL, tid, p);
}

/* Has it come and gone already? */
static bool was_early(struct tracer *r, pid_t tid)
{
	for (uint32_t i = 0; i < EARLY; i++) {
		if (r->early[i] == tid) {
			r->early[i] = 0;
			return true;
		}
	}
	return false;
}

/* The child may have come to its first stop before this, and to its end. */
static void gave_birth(struct tracer *r, const struct tracee *t, bool by_clone)
{
	pid_t tid = event_message(t->tid);
	struct tracee *child = tracee_find(&r->tracees, tid);

	if (tid && !child && !was_early(r, tid))
		child = born(r, tid, t, by_clone && !syscall(SYS_tgkill, t->process->pid, tid, 0));
	if (child)
		child->announced = true;
	resume(t->tid, PTRACE_CONT, 0);
}

/* Whose parent has not told yet, and may never, being killed. */
static struct tracee *foundling(struct tracer *r, pid_t tid)
{
	pid_t pid = image_status(tid, "Tgid:");
	bool thread = pid && pid != tid;

	return born(r, tid, tracee_find(&r->tracees, thread ? pid : image_status(tid, "PPid:")),
		    thread);
}

static bool stops(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

/* A stop that has to do with what the program does, by the event. */
static void happened(struct tracer *r, struct tracee *t, int event)
{
	switch (event) {
	case PTRACE_EVENT_SECCOMP:
		if (r->counting || t->tid == r->first)
			lookup_begins(t);
		else
			resume(t->tid, PTRACE_CONT, 0);
		break;
	case PTRACE_EVENT_EXEC:
		executed(r, t);
		break;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		gave_birth(r, t, event == PTRACE_EVENT_CLONE);
		break;
	default: /* a first stop, or the end of a group's stop */
		resume(t->tid, PTRACE_CONT, 0);
	}
}

static void stopped(struct tracer *r, pid_t tid, int status)
{
	struct tracee *t = tracee_find(&r->tracees, tid);
	int sig = WSTOPSIG(status), event = status >> 16;

	if (!t)
		t = foundling(r, tid);
	if (event == PTRACE_EVENT_STOP && stops(sig))
		resume(tid, PTRACE_LISTEN, 0);
	else if (!event && sig != SYSCALL_STOP)
		resume(tid, PTRACE_CONT, sig);
	else if (!t) /* no memory: it runs on, uncounted */
		resume(tid, PTRACE_CONT, 0);
	else if (sig == SYSCALL_STOP)
		lookup_ends(r, t);
	else
		happened(r, t, event);
}

static void ended(struct tracer *r, pid_t tid)
{
	struct tracee *t = tracee_find(&r->tracees, tid);

	if (t && !t->announced && tid != r->first)
		r->early[r->early_used++ % EARLY] = tid;
	if (t)
		tracee_remove(&r->tracees, t);
	if (tid != r->first)
		return;
	r->first = 0;
	r->counting = false;
	r->o->ended(r->o->context);
}

/*
 * The next stop or end of anyone. Most answers come within microseconds: to look for them takes
 * less time than to be put to sleep and woken. Where looking was in vain, because there are more
 * who want to run than processors, it is left for a while. Returns -1 when nobody is left.
 */
static pid_t next_stop(struct tracer *r, int *status)
{
	uint64_t until;
	pid_t tid;

	if (r->patient) {
		r->patient--;
		return wait4(-1, status, __WALL, NULL);
	}
	until = sys_clock_ns() + SPIN_NS;
	do {
		tid = wait4(-1, status, __WALL | WNOHANG, NULL);
		if (tid) {
			r->vain = 0;
			return tid;
		}
	} while (sys_clock_ns() < until);
	if (r->vain < SPINS_OFF_MAX)
		r->vain = 2 * r->vain + 1;
	r->patient = r->vain / SPINS_VAIN;
	return wait4(-1, status, __WALL, NULL);
}

void tracer_run(const struct tracer_options *o, pid_t first)
{
	static struct tracer r;
	pid_t tid;
	int status;

	r = (struct tracer){.o = o, .first = first};
	(void)born(&r, first, NULL, false);
	while ((tid = next_stop(&r, &status)) > 0) {
		if (WIFSTOPPED(status))
			stopped(&r, tid, status);
		else
			ended(&r, tid);
	}
}

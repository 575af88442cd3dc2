/*
 * doctor_bells.c - which bell works here, and why not the better one. Each is made in a child,
 * since a seccomp filter may kill for the calls that it takes.
 */
#include "cli/doctor.h"

#include "authority/bell.h"
#include "base/subject.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define DISABLED "/proc/sys/kernel/io_uring_disabled"

/* What the child got to. */
struct attempt {
	char shown[BELL_SHOWN_BYTES];
	char hidden[BELL_HIDDEN_BYTES];
	char rings[2 * RING_PAGE_BYTES];
	struct segment segment;
	struct bell bell;
	int ring_error, error; /* 0 or -errno: of a ring alone, of the whole */
	int signal;            /* the child died of; 0: none */
};

static void make(struct attempt *t, unsigned kind)
{
	struct ring r;
	int error = 0;

	if (kind == BELL_TRY_PAGE)
		error = ring_make(&r, t->rings, t->rings + RING_PAGE_BYTES, true);
	t->ring_error = error < 0 ? error : 0;
	t->error = bell_make(&t->bell, &t->segment, t->shown, t->hidden, kind);
}

/* NULL: no memory. */
static struct attempt *attempt(unsigned kind)
{
	struct attempt *t =
	    mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = 0;
	pid_t child;

	if (t == MAP_FAILED)
		return NULL;
	child = fork();
	if (!child) {
		make(t, kind);
		_exit(0);
	}
	if (child < 0)
		t->error = -errno;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	t->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return t;
}

static const char unconfined[] =
    "start the container or service with a filter that permits io_uring_setup, io_uring_enter and "
    "io_uring_register (docker run --security-opt seccomp=unconfined)";

static void say_no_files(struct doctor *d, enum verdict verdict, const char *check, int error)
{
	doctor_say(d, verdict, check, NULL, "mount -t proc proc /proc; permit inotify and epoll",
		   "inotify, epoll or the mount table cannot be had (%s)", strerror(-error));
}

static void say_no_page_bell(struct doctor *d, const struct attempt *t)
{
	int error = t->ring_error ? t->ring_error : t->error;

	if (t->signal)
		doctor_say(d, VERDICT_PROBLEM, "page bell", NULL, unconfined,
			   "a seccomp filter kills for io_uring (%s)", strsignal(t->signal));
	else if ((error == -EPERM || error == -EACCES) && doctor_read_number(DISABLED) > 0)
		doctor_say(d, VERDICT_PROBLEM, "page bell", NULL,
			   "sudo sysctl -w kernel.io_uring_disabled=0",
			   "kernel.io_uring_disabled is %ld", doctor_read_number(DISABLED));
	else if (error == -EMFILE && !t->ring_error)
		doctor_say(d, VERDICT_PROBLEM, "page bell", NULL,
			   "sudo sysctl -w fs.inotify.max_user_instances=1024",
			   "no inotify instance is left for this user");
	else if (error && d->filtered)
		doctor_say(d, VERDICT_PROBLEM, "page bell", NULL, unconfined,
			   "a seccomp filter refuses io_uring (%s)", strerror(-error));
	else if (error == -EPERM || error == -EACCES)
		doctor_say(d, VERDICT_PROBLEM, "page bell", NULL,
			   "permit io_uring in the security module's policy",
			   "io_uring is forbidden (%s)", strerror(-error));
	else if (error == -ENOMEM)
		doctor_say(d, VERDICT_PROBLEM, "page bell", NULL, "ulimit -l unlimited",
			   "io_uring may lock no memory");
	else if (t->error && !t->ring_error)
		say_no_files(d, VERDICT_PROBLEM, "page bell", t->error);
	else
		doctor_say(d, VERDICT_PROBLEM, "page bell", NULL, "boot Linux 6.8 or newer",
			   "this kernel's io_uring cannot do it (%s)",
			   error ? strerror(-error) : "no descriptors from fixed files");
}

static void check_page_bell(struct doctor *d)
{
	struct attempt *t = attempt(BELL_TRY_PAGE);

	if (!t)
		return;
	d->page_bell = !t->signal && !t->error && t->bell.kind == BELL_PAGE;
	if (!d->page_bell)
		say_no_page_bell(d, t);
	else if (d->filtered)
		doctor_say(
		    d, VERDICT_PROBLEM, "page bell", NULL,
		    "start the container or service without a filter (docker run "
		    "--security-opt seccomp=unconfined)",
		    "works, but is not used under a seccomp filter: there is process scope only");
	else
		doctor_say(d, VERDICT_OK, "page bell", NULL, NULL,
			   "works: answers without a system call, sessions in tree scope");
	d->page_bell &= !d->filtered;
	(void)munmap(t, sizeof *t);
}

static void check_pending_check(struct doctor *d)
{
	struct attempt *t = attempt(BELL_TRY_EPOLL);
	bool works = t && !t->signal && !t->error && t->bell.kind == BELL_EPOLL;
	enum verdict bad =
	    d->page_bell ? VERDICT_NOTE : VERDICT_PROBLEM; /* it is not needed then */

	if (!t)
		return;
	d->any_bell = d->page_bell || works;
	if (works)
		doctor_say(d, VERDICT_OK, "pending-check", NULL, NULL,
			   "works: one system call an answer, in process scope%s",
			   d->page_bell ? "; not needed here" : "");
	else if (t->signal)
		doctor_say(d, bad, "pending-check", NULL,
			   "permit inotify_init1, inotify_add_watch, epoll_create1, epoll_ctl and "
			   "epoll_pwait in the filter",
			   "a seccomp filter kills for it (%s)", strsignal(t->signal));
	else if (t->error == -EMFILE)
		doctor_say(d, bad, "pending-check", NULL,
			   "sudo sysctl -w fs.inotify.max_user_instances=1024; ulimit -n 4096",
			   "no inotify instance, or no descriptor from 800, is left");
	else if (t->error == -EINVAL)
		doctor_say(d, bad, "pending-check", NULL, "ulimit -n 4096",
			   "it needs descriptors numbered from 800");
	else
		say_no_files(d, bad, "pending-check", t->error);
	(void)munmap(t, sizeof *t);
}

void doctor_bells(struct doctor *d)
{
	check_page_bell(d);
	check_pending_check(d);
	if (!d->any_bell)
		doctor_say(d, VERDICT_NOTE, "scope", NULL, NULL,
			   "none: nothing is cached, every lookup goes to the kernel");
	else
		doctor_say(d, VERDICT_OK, "scope", NULL, NULL, "%s",
			   d->page_bell ? "tree (fastpath run) and process" : "process");
}

void doctor_kernel(struct doctor *d)
{
	struct utsname u;
	struct subject s;

	(void)uname(&u);
	doctor_say(d, VERDICT_OK, "kernel", NULL, NULL, "%s %s %s", u.sysname, u.release,
		   u.machine);
	d->filtered = subject_is_filtered();
	if (d->filtered)
		doctor_say(d, VERDICT_NOTE, "seccomp", NULL, NULL,
			   "a filter is in place; its processes share no facts");
	else
		doctor_say(d, VERDICT_OK, "seccomp", NULL, NULL, "no filter");
	if (doctor_read_number(DISABLED) >= 0)
		doctor_say(d, VERDICT_OK, "io_uring", NULL, NULL, "kernel.io_uring_disabled is %ld",
			   doctor_read_number(DISABLED));
	if (!subject_read(&s) || (subject_is_labelled() && !subject_read_label(&s)))
		doctor_say(d, VERDICT_NOTE, "identity", NULL, NULL,
			   "real and effective ids or capabilities differ, or cannot be known: "
			   "no session can be shared");
	else if (s.label)
		doctor_say(d, VERDICT_NOTE, "identity", NULL, NULL,
			   "a security label may decide access(): of files that are there, it is "
			   "not answered");
	else
		doctor_say(d, VERDICT_OK, "identity", NULL, NULL, "can share a session");
}

/*
 * audit_tree.c - trees of processes for the tracer of `fastpath audit`: each case makes lookups
 * that can be counted, and finds out by itself whether it was disturbed.
 *
 * usage: audit_tree CASE [ARGUMENT...]; exit status 0, or 1 after a line on stderr
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "audit_tree: %s: %s\n", what, strerror(errno));
	_exit(1);
}

/* `n` lookups that fail. */
static void ask(const char *directory, int n)
{
	char path[256];

	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%s/none-%d", directory, i);
		if (!access(path, F_OK) || errno != ENOENT)
			fail(path);
	}
}

static void *asker(void *directory)
{
	ask(directory, 100);
	return NULL;
}

static void threads(const char *directory)
{
	pthread_t all[8];

	for (int i = 0; i < 8; i++)
		if (pthread_create(&all[i], NULL, asker, (void *)directory))
			fail("pthread_create");
	for (int i = 0; i < 8; i++)
		pthread_join(all[i], NULL);
}

static void reap(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		fail("a child");
}

static void vforks(const char *directory)
{
	char *arguments[] = {"audit_tree", "ask", (char *)directory, NULL};

	for (int i = 0; i < 20; i++) {
		pid_t pid = vfork();

		if (!pid) {
			execv("/none/of/this", arguments);
			execv("/proc/self/exe", arguments);
			_exit(1);
		}
		reap(pid);
	}
}

/* Short-lived children, many at a time: their first stops come before or after their parents' news.
 */
static void forks(const char *directory)
{
	for (int round = 0; round < 20; round++) {
		pid_t all[16];

		for (int i = 0; i < 16; i++) {
			all[i] = fork();
			if (!all[i]) {
				ask(directory, 2);
				_exit(0);
			}
		}
		for (int i = 0; i < 16; i++)
			reap(all[i]);
	}
}

static void *executes(void *directory)
{
	char *arguments[] = {"audit_tree", "ask", directory, NULL};

	execv("/proc/self/exe", arguments);
	fail("execv");
	return NULL;
}

static void *asks_on(void *directory)
{
	for (;;)
		ask(directory, 1);
	return NULL;
}

/* A thread that is not the first executes a program, while others ask: it gets the process's id. */
static void exec_by_thread(const char *directory)
{
	pthread_t t;

	for (int i = 0; i < 4; i++)
		pthread_create(&t, NULL, asks_on, (void *)directory);
	pthread_create(&t, NULL, executes, (void *)directory);
	for (;;)
		pause();
}

static volatile sig_atomic_t got;
static volatile int sum;

static void take(int sig, siginfo_t *i, void *context)
{
	(void)sig, (void)context;
	if (i->si_code == SI_QUEUE && i->si_pid == getpid())
		sum += i->si_value.sival_int, got++;
}

/* Queued signals come one by one, with what they carry, while lookups are made. */
static void signals(const char *directory)
{
	struct sigaction a = {.sa_sigaction = take, .sa_flags = SA_SIGINFO};

	sigaction(SIGRTMIN, &a, NULL);
	for (int i = 1; i <= 500; i++) {
		if (sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}))
			fail("sigqueue");
		ask(directory, 1);
	}
	if (got != 500 || sum != 500 * 501 / 2)
		fail("signals were lost");
}

/* An open that waits is ended by a signal without SA_RESTART, and goes on with it. */
static void interrupted(const char *directory)
{
	struct sigaction a = {.sa_sigaction = take, .sa_flags = SA_SIGINFO};
	char path[256];
	timer_t timer = NULL;
	int fd, status;

	snprintf(path, sizeof path, "%s/fifo", directory);
	sigaction(SIGALRM, &a, NULL);
	if (mkfifo(path, 0600) || timer_create(CLOCK_MONOTONIC, NULL, &timer) ||
	    timer_settime(timer, 0, &(struct itimerspec){.it_value.tv_nsec = 50000000}, NULL))
		fail(path);
	if (open(path, O_RDONLY) >= 0 || errno != EINTR)
		fail("open was not interrupted");
	a.sa_flags |= SA_RESTART;
	sigaction(SIGALRM, &a, NULL);
	if (timer_settime(timer, 0, &(struct itimerspec){.it_value.tv_nsec = 50000000}, NULL))
		fail("timer_settime");
	if (!fork()) {
		usleep(200000);
		_exit(open(path, O_WRONLY) < 0);
	}
	fd = open(path, O_RDONLY);
	if (fd < 0)
		fail("open was not made again");
	if (wait(&status) < 0 || status)
		fail("the writer");
}

/* A parent sees its child stop and go on, and the child stands still meanwhile. */
static void group_stop(const char *directory)
{
	volatile int *asked =
	    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, before;
	pid_t pid = fork();

	if (!pid)
		for (;; (*asked)++)
			ask(directory, 1);
	for (int i = 0; i < 20; i++) {
		usleep(1000);
		kill(pid, SIGSTOP);
		if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status) ||
		    WSTOPSIG(status) != SIGSTOP)
			fail("not stopped");
		before = *asked;
		usleep(5000);
		if (waitpid(pid, &status, WNOHANG | WUNTRACED | WCONTINUED) || *asked != before)
			fail("not stopped for long");
		kill(pid, SIGCONT);
		if (waitpid(pid, &status, WCONTINUED) != pid || !WIFCONTINUED(status))
			fail("not continued");
		while (*asked == before)
			usleep(100);
	}
	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		fail("not killed");
}

/* Outlives its parent; says in a file that its lookups were answered. */
static void survivor(const char *directory)
{
	char path[256];
	int fd;

	if (fork())
		return;
	setsid();
	for (int i = 0; i < 30; i++) {
		usleep(10000);
		ask(directory, 10);
	}
	snprintf(path, sizeof path, "%s/survived", directory);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	_exit(fd < 0);
}

__attribute__((noinline)) static void named_function_that_looks_up(const char *directory)
{
	ask(directory, 20);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	const char *name = argc == 3 ? argv[1] : "";

	if (!strcmp(name, "ask"))
		ask(argv[2], 5);
	else if (!strcmp(name, "threads"))
		threads(argv[2]);
	else if (!strcmp(name, "vforks"))
		vforks(argv[2]);
	else if (!strcmp(name, "forks"))
		forks(argv[2]);
	else if (!strcmp(name, "exec_by_thread"))
		exec_by_thread(argv[2]);
	else if (!strcmp(name, "signals"))
		signals(argv[2]);
	else if (!strcmp(name, "interrupted"))
		interrupted(argv[2]);
	else if (!strcmp(name, "group_stop"))
		group_stop(argv[2]);
	else if (!strcmp(name, "survivor"))
		survivor(argv[2]);
	else if (!strcmp(name, "named"))
		named_function_that_looks_up(argv[2]);
	else if (!strcmp(name, "forever"))
		asks_on(argv[2]);
	else
		fail("no such case");
	return 0;
}

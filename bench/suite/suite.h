/*
 * suite.h - what the C workloads of `fastpath bench` share: the three calls, and a loop that
 * measures itself. A workload has suite_variants, suite_prepare() and suite_run(), each for a
 * variant.
 */
#ifndef SUITE_H
#define SUITE_H

#include "../bench.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* A line of `describe`. The last one has no name. */
struct suite_variant {
	const char *name, *kind, *what;
	int tasks;       /* SUITE_ALL: as many as there are processors */
	intptr_t choice; /* the workload's own */
};
enum { SUITE_ALL = 0 };

extern const struct suite_variant suite_variants[];
void suite_prepare(const struct suite_variant *v); /* in the directory; it may suite_skip() */
void suite_run(const struct suite_variant *v, const char *directory);

__attribute__((noreturn)) static inline void suite_skip(const char *why)
{
	puts(why);
	exit(77);
}

static inline int suite_processors(void)
{
	cpu_set_t usable;

	return sched_getaffinity(0, sizeof usable, &usable) ? 1 : CPU_COUNT(&usable);
}

/* DIRECTORY/... beside this program. */
static inline void suite_beside(char *path, size_t size, const char *name)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);

	if (n < 0)
		bench_die("/proc/self/exe: %s", strerror(errno));
	self[n] = 0;
	*strrchr(self, '/') = 0;
	bench_path(path, size, "%s/%s", self, name);
}

struct suite_loop {
	int tasks;
	bool threads;   /* else processes */
	unsigned batch; /* calls between two looks at the clock: a share of a millisecond */
	void (*start)(int task); /* or NULL; in each task, before */
	void (*ask)(unsigned calls);
};

enum { SUITE_TASKS_MAX = 1024 };

/* Shared by all tasks. Each writes its own counts, and main reads them when it has ended. */
struct suite_shared {
	atomic_int waiting; /* tasks that are not warm yet */
	_Alignas(128) struct suite_task {
		_Alignas(128) double ops, ns;
	} tasks[SUITE_TASKS_MAX];
};

struct suite_arguments {
	const struct suite_loop *loop;
	struct suite_shared *shared;
	int task;
};

/* CPU time of this task, of processes that it waited for too: what others take of the processors is
 * not its own. */
static inline double suite_cpu_ns(const struct suite_loop *l)
{
	struct rusage children;

	if (l->threads || getrusage(RUSAGE_CHILDREN, &children))
		return bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return bench_clock_ns(CLOCK_THREAD_CPUTIME_ID) +
	       (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1e9 +
	       (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1e3;
}

/* Asks until the time is over. */
static inline void suite_spin(const struct suite_loop *l, double for_ns, struct suite_task *t)
{
	double end = bench_clock_ns(CLOCK_MONOTONIC) + for_ns, cpu_ns = suite_cpu_ns(l);

	t->ops = 0;
	do {
		l->ask(l->batch);
		t->ops += l->batch;
	} while (bench_clock_ns(CLOCK_MONOTONIC) < end);
	t->ns = suite_cpu_ns(l) - cpu_ns;
}

/* Half of the time nothing counts: caches are filled, and the library learns what is worth it. */
static inline void *suite_task(void *arguments)
{
	struct suite_arguments *a = arguments;
	const char *ms = getenv("FASTPATH_BENCH_MS");
	double for_ns = (ms ? atof(ms) : 100) * 1e6;

	if (a->loop->start)
		a->loop->start(a->task);
	suite_spin(a->loop, for_ns / 2, &a->shared->tasks[a->task]);
	atomic_fetch_sub(&a->shared->waiting, 1);
	while (atomic_load(&a->shared->waiting) > 0)
		a->loop->ask(1);
	suite_spin(a->loop, for_ns, &a->shared->tasks[a->task]);
	return NULL;
}

static inline void suite_start(struct suite_arguments *a, pthread_t *thread, pid_t *pid)
{
	if (a->loop->threads) {
		if (pthread_create(thread, NULL, suite_task, a))
			bench_die("no thread");
		return;
	}
	*pid = fork();
	if (*pid < 0)
		bench_die("no process");
	if (!*pid) {
		suite_task(a);
		_exit(0);
	}
}

static inline void suite_run_side_by_side(const struct suite_loop *l, struct suite_shared *shared)
{
	static struct suite_arguments arguments[SUITE_TASKS_MAX];
	static pthread_t threads[SUITE_TASKS_MAX];
	static pid_t pids[SUITE_TASKS_MAX];
	int status;

	for (int i = 0; i < l->tasks; i++) {
		arguments[i] = (struct suite_arguments){l, shared, i};
		suite_start(&arguments[i], &threads[i], &pids[i]);
	}
	for (int i = 0; i < l->tasks; i++) {
		if (l->threads)
			pthread_join(threads[i], NULL);
		else if (waitpid(pids[i], &status, 0) != pids[i] || status)
			bench_die("a task ended with status %#x", status);
	}
}

/* Prints "OPS NS" of all tasks together: NS is CPU time. */
static inline void suite_measure(const struct suite_loop *l)
{
	struct suite_shared *shared =
	    mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	double ops = 0, ns = 0;

	if (shared == MAP_FAILED || l->tasks > SUITE_TASKS_MAX)
		bench_die("no memory for %d tasks", l->tasks);
	atomic_store(&shared->waiting, l->tasks);
	if (l->tasks == 1)
		suite_task(&(struct suite_arguments){l, shared, 0});
	else
		suite_run_side_by_side(l, shared);
	for (int i = 0; i < l->tasks; i++) {
		ops += shared->tasks[i].ops;
		ns += shared->tasks[i].ns;
	}
	printf("%.0f %.0f\n", ops, ns);
}

static inline int suite_tasks(const struct suite_variant *v)
{
	return v->tasks == SUITE_ALL ? suite_processors() : v->tasks;
}

static inline const struct suite_variant *suite_find(const char *name)
{
	for (const struct suite_variant *v = suite_variants; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	bench_die("there is no variant %s", name);
}

static inline int suite_main(int argc, char **argv)
{
	char directory[PATH_MAX];
	const struct suite_variant *v;

	if (argc < 3) {
		if (argc < 2 || strcmp(argv[1], "describe"))
			bench_die("usage: %s describe | prepare VARIANT | run VARIANT", argv[0]);
		for (v = suite_variants; v->name; v++)
			printf("%s %s %s\n", v->name, v->kind, v->what);
		return 0;
	}
	v = suite_find(argv[2]);
	if (!strcmp(argv[1], "prepare")) {
		if (v->tasks == SUITE_ALL && suite_processors() == 1)
			suite_skip("one processor only");
		suite_prepare(v);
		return 0;
	}
	if (!getcwd(directory, sizeof directory))
		bench_die("getcwd: %s", strerror(errno));
	suite_run(v, directory);
	return 0;
}

int main(int argc, char **argv)
{
	return suite_main(argc, argv);
}

#endif

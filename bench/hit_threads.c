/*
 * hit_threads.c - the same hit on one and on two threads, interleaved with an arithmetic loop that
 * shares nothing: what the loop gains is what this machine has to give. A line "threads H1 H2 A1
 * A2" a round: hits a µs on one and two threads, loop turns likewise. Arguments: a directory of its
 * own, the number of rounds.
 */
#include "hit.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { HITS = 1 << 13, TURNS = 1 << 17, TRIES = 2000, BOTH = 2 };

enum work { WORK_END, WORK_HIT, WORK_ALU };

/* Written by its worker while it runs, read by main after `done`. A line each: no false sharing. */
struct worker {
	_Alignas(128) pthread_t thread;
	int core;
	sem_t go, done;
	enum work work; /* main writes it before `go` */
	double start_ns, end_ns, cpu_ns;
};

static struct worker workers[BOTH];
static _Alignas(128) atomic_int missing; /* workers of this round that have not started */
static _Alignas(128) volatile uint64_t sink;

static void hit(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		if (access(hit_names[i % HIT_NAMES], F_OK) == 0)
			bench_die("%s is there", hit_names[i % HIT_NAMES]);
}

static uint64_t alu(unsigned turns)
{
	uint64_t x = 88172645463325252u;

	for (unsigned i = 0; i < turns; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

static void do_work(struct worker *w)
{
	atomic_fetch_sub(&missing, 1);
	while (atomic_load(&missing) > 0)
		;
	double cpu_ns = hit_cpu_ns();
	w->start_ns = bench_clock_ns(CLOCK_MONOTONIC);
	if (w->work == WORK_HIT)
		hit(HITS);
	else
		sink = alu(TURNS);
	w->end_ns = bench_clock_ns(CLOCK_MONOTONIC);
	w->cpu_ns = hit_cpu_ns() - cpu_ns;
}

static void *worker_main(void *argument)
{
	struct worker *w = argument;

	bench_pin(w->core);
	for (;;) {
		sem_wait(&w->go);
		if (w->work == WORK_END)
			return NULL;
		do_work(w);
		sem_post(&w->done);
	}
}

/* Ran without being preempted: other people's processes share these cores. */
static bool undisturbed(const struct worker *w)
{
	return w->end_ns - w->start_ns < w->cpu_ns * 1.03 + 2000;
}

/* Two that hardly overlapped did not run side by side. */
static bool side_by_side(const struct worker *a, const struct worker *b)
{
	double start = a->start_ns > b->start_ns ? a->start_ns : b->start_ns;
	double end = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;

	return end - start > 0.9 * (a->end_ns - a->start_ns);
}

static void run_together(enum work work, int first, int last)
{
	atomic_store(&missing, last - first + 1);
	for (int i = first; i <= last; i++) {
		workers[i].work = work;
		sem_post(&workers[i].go);
	}
	for (int i = first; i <= last; i++)
		sem_wait(&workers[i].done);
}

/* Units a µs of workers first..last together, asked again until nobody else was on their cores. */
static double throughput(enum work work, int first, int last)
{
	const double units = work == WORK_HIT ? HITS : TURNS;

	for (int try = 0; try < TRIES; try++) {
		double sum = 0;
		bool clean = true;

		run_together(work, first, last);
		for (int i = first; i <= last; i++) {
			clean &= undisturbed(&workers[i]);
			sum += units * 1e3 / (workers[i].end_ns - workers[i].start_ns);
		}
		if (clean && (first == last || side_by_side(&workers[first], &workers[last])))
			return sum;
		usleep(300);
	}
	bench_die("these cores are too busy: nothing undisturbed in %d tries", TRIES);
}

static void start_workers(void)
{
	cpu_set_t all;
	int found = 0;

	sched_getaffinity(0, sizeof all, &all);
	for (int core = 0; core < CPU_SETSIZE && found < BOTH; core++)
		if (CPU_ISSET(core, &all))
			workers[found++].core = core;
	if (found < BOTH) {
		fprintf(stderr, "one core only\n");
		exit(77);
	}
	for (int i = 0; i < BOTH; i++) {
		sem_init(&workers[i].go, 0, 0);
		sem_init(&workers[i].done, 0, 0);
		if (pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]))
			bench_die("no thread");
	}
}

static void stop_workers(void)
{
	for (int i = 0; i < BOTH; i++) {
		workers[i].work = WORK_END;
		sem_post(&workers[i].go);
		pthread_join(workers[i].thread, NULL);
	}
}

int main(int argc, char **argv)
{
	int rounds = bench_argument(argc, argv, 2, 60);

	if (argc < 2)
		bench_die("usage: hit_threads DIRECTORY [ROUNDS]");
	for (int i = 0; i < HIT_NAMES; i++)
		bench_path(hit_names[i], HIT_NAME_BYTES / 2, "%s/missing-%02d.h", argv[1], i);
	start_workers();
	hit_warm(FASTPATH_ACCESS, hit);
	struct fastpath_stats before = bench_stats();
	for (int i = 0; i < rounds; i++) {
		int one = i % BOTH; /* the cores need not be equally fast */
		double h1 = throughput(WORK_HIT, one, one), a1 = throughput(WORK_ALU, one, one);
		double h2 = throughput(WORK_HIT, 0, 1), a2 = throughput(WORK_ALU, 0, 1);

		printf("threads %.3f %.3f %.3f %.3f\n", h1, h2, a1, a2);
	}
	hit_must_have_served(FASTPATH_ACCESS, &before, (uint64_t)rounds * 3 * HITS);
	stop_workers();
	return 0;
}

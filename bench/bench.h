/*
 * bench.h - what the C workloads share. Results are lines on stdout for bench/run, whose first word
 * names them. Exit status: 0, 1 with the reason on stderr, 77 when it cannot run here.
 */
#ifndef BENCH_H
#define BENCH_H

#define _GNU_SOURCE
#include <errno.h>
#include <fastpath.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

__attribute__((noreturn, format(printf, 1, 2))) static inline void bench_die(const char *format,
									     ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static inline double bench_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void bench_nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static inline int bench_argument(int argc, char **argv, int index, int otherwise)
{
	return argc > index ? atoi(argv[index]) : otherwise;
}

static inline void bench_path(char *path, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static inline void bench_path(char *path, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int length = vsnprintf(path, size, format, args);
	va_end(args);
	if (length < 0 || (size_t)length >= size)
		bench_die("%.40s... is longer than %zu bytes", path, size);
}

static inline void bench_mkdir(const char *path)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		bench_die("mkdir %s: %s", path, strerror(errno));
}

static inline void bench_touch(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	if (fd < 0)
		bench_die("create %s: %s", path, strerror(errno));
	close(fd);
}

static inline void bench_pin(int core)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(core, &one);
	if (sched_setaffinity(0, sizeof one, &one) < 0)
		bench_die("pin to core %d: %s", core, strerror(errno));
}

static inline struct fastpath_stats bench_stats(void)
{
	struct fastpath_stats stats = {0};

	if (!fastpath_stats)
		bench_die("libfastpath.so is not preloaded");
	if (fastpath_stats(&stats, sizeof stats) < 0)
		bench_die("libfastpath.so is inert here: FASTPATH is not set");
	return stats;
}

static inline const char *bench_bell_name(uint32_t bell)
{
	return bell == FASTPATH_BELL_PAGE ? "page" : bell == FASTPATH_BELL_EPOLL ? "epoll" : "none";
}

static inline void bench_why_not_served(const struct fastpath_stats *a,
					const struct fastpath_stats *b)
{
	static const char *const reason[FASTPATH_REASONS] = {
	    "pending", "unknown", "perhaps", "refused", "relative", "argument", "detached"};

	for (int i = 0; i < FASTPATH_REASONS; i++)
		if (b->kernel[i] > a->kernel[i])
			fprintf(stderr, "%s %llu, ", reason[i],
				(unsigned long long)(b->kernel[i] - a->kernel[i]));
}

#endif

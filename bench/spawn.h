/*
 * spawn.h - one exec of a program and its end, as loops of them do it.
 */
#ifndef SPAWN_H
#define SPAWN_H

#include "bench.h"
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

static inline void spawn_wait(const char *program, pid_t pid, struct rusage *used)
{
	int status;

	if (wait4(pid, &status, 0, used) != pid || status)
		bench_die("%s ended with status %#x", program, status);
}

static inline void spawn_once(const char *program, char *const *environment, struct rusage *used)
{
	char *argv[] = {(char *)program, NULL};
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, argv, environment))
		bench_die("cannot run %s", program);
	spawn_wait(program, pid, used);
}

#endif

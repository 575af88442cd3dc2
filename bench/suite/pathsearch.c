/*
 * pathsearch.c - a command that is looked for in 60 directories of PATH, by libc: execvp() and
 * posix_spawnp(). In the last one it is; or it is nowhere.
 */
#define _GNU_SOURCE
#include "../spawn.h"
#include "suite.h"

enum { DIRECTORIES = 60, FILES = 20 };
enum { MISSING, EXECVP, SPAWNP };

const struct suite_variant suite_variants[] = {
    {"missing", "loop", "execvp() of a command in none of 60 directories of PATH", 1, MISSING},
    {"execvp", "loop", "vfork, execvp() of a command in the last of 60 directories of PATH", 1,
     EXECVP},
    {"spawnp", "loop", "posix_spawnp() of a command in the last of 60 directories of PATH", 1,
     SPAWNP},
    {NULL, NULL, NULL, 0, 0}};

static char path[DIRECTORIES * 96];
static char *present[] = {"present-command", NULL}, *missing[] = {"missing-command", NULL};

static void ask_missing(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		if (execvp(missing[0], missing) != -1 || errno != ENOENT)
			bench_die("execvp: %s", strerror(errno));
}

static pid_t start(void)
{
	pid_t pid = vfork();

	if (!pid) {
		execvp(present[0], present);
		_exit(127);
	}
	return pid;
}

static void ask_execvp(unsigned calls)
{
	struct rusage used;

	for (unsigned i = 0; i < calls; i++)
		spawn_wait(present[0], start(), &used);
}

static void ask_spawnp(unsigned calls)
{
	struct rusage used;
	pid_t pid;

	for (unsigned i = 0; i < calls; i++) {
		if (posix_spawnp(&pid, present[0], NULL, NULL, present, environ))
			bench_die("cannot run %s", present[0]);
		spawn_wait(present[0], pid, &used);
	}
}

void suite_prepare(const struct suite_variant *v)
{
	char name[64], program[PATH_MAX];

	(void)v;
	for (int d = 0; d < DIRECTORIES; d++) {
		bench_path(name, sizeof name, "bin-%02d", d);
		bench_mkdir(name);
		for (int f = 0; f < FILES; f++) {
			bench_path(name, sizeof name, "bin-%02d/tool-%02d-%d", d, d, f);
			bench_touch(name);
		}
	}
	suite_beside(program, sizeof program, "programs/static");
	bench_path(name, sizeof name, "bin-%02d/%s", DIRECTORIES - 1, present[0]);
	if (symlink(program, name))
		bench_die("%s: %s", name, strerror(errno));
}

void suite_run(const struct suite_variant *v, const char *directory)
{
	static void (*const asks[])(unsigned) = {ask_missing, ask_execvp, ask_spawnp};
	size_t used = 0;

	for (int d = 0; d < DIRECTORIES; d++) {
		bench_path(path + used, sizeof path - used, "%s%s/bin-%02d", d ? ":" : "",
			   directory, d);
		used += strlen(path + used);
	}
	setenv("PATH", path, 1);
	suite_measure(
	    &(struct suite_loop){1, false, v->choice == MISSING ? 4 : 1, NULL, asks[v->choice]});
}

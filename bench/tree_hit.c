/*
 * tree_hit.c - a hit in a session's second process against one in its first, which taught the
 * session. Both run on one core, in turn. Prints "bell NAME", and "pair FIRST SECOND" and "noise
 * FIRST FIRST" in ns a call. Arguments: a directory of its own, the number of pairs.
 */
#include "hit.h"

#include <sched.h>
#include <sys/wait.h>

enum { BATCH = 16384 };

static void ask(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		if (access(hit_names[i % HIT_NAMES], F_OK) == 0)
			bench_die("%s is there", hit_names[i % HIT_NAMES]);
}

static const struct hit_side side = {ask, BATCH};

static void name_files(const char *directory)
{
	for (int i = 0; i < HIT_NAMES; i++)
		bench_path(hit_names[i], HIT_NAME_BYTES / 2, "%s/missing-%02d.h", directory, i);
}

/* A batch for each line that comes; its ns a call is the answer. */
static int second(void)
{
	uint64_t asked = 0;
	struct fastpath_stats before;
	int c;

	hit_warm(FASTPATH_ACCESS, ask);
	fflush(stdout);
	before = bench_stats();
	while ((c = getchar()) != EOF) {
		printf("%.3f\n", hit_ns_a_call(side));
		fflush(stdout);
		asked += BATCH;
	}
	hit_must_have_served(FASTPATH_ACCESS, &before, asked);
	return 0;
}

struct other {
	FILE *to, *from;
	pid_t pid;
};

static struct other start_second(char *directory)
{
	char *argv[] = {"tree_hit", directory, "second", NULL};
	int to[2], from[2];
	struct other o;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || (o.pid = fork()) < 0)
		bench_die("no second process: %s", strerror(errno));
	if (!o.pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	o.to = fdopen(to[1], "w");
	o.from = fdopen(from[0], "r");
	return o;
}

static double batch_of(struct other *o)
{
	char line[64];

	fputc('\n', o->to);
	fflush(o->to);
	if (!fgets(line, sizeof line, o->from))
		bench_die("the second process ended");
	return atof(line);
}

static void end_second(struct other *o)
{
	int status;

	fclose(o->to);
	if (waitpid(o->pid, &status, 0) < 0 || status)
		bench_die("the second process ended with status %#x", status);
}

static void pin(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
}

static void first(char *directory, int pairs)
{
	struct fastpath_stats before;
	char line[64];

	hit_warm(FASTPATH_ACCESS, ask);
	pin(); /* not before: the broker may be at work on this core */
	struct other o = start_second(directory);
	if (!fgets(line, sizeof line, o.from))
		bench_die("the second process knows nothing");
	before = bench_stats();
	for (int i = 0; i < pairs; i += 2) {
		double a = hit_ns_a_call(side), b = batch_of(&o);
		double c = batch_of(&o), d = hit_ns_a_call(side);

		printf("pair %.3f %.3f\npair %.3f %.3f\nnoise %.3f %.3f\n", a, b, d, c, a, d);
	}
	hit_must_have_served(FASTPATH_ACCESS, &before, (uint64_t)(pairs + pairs % 2) * BATCH);
	end_second(&o);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		bench_die("usage: tree_hit DIRECTORY [PAIRS]");
	name_files(argv[1]);
	if (argc > 2 && !strcmp(argv[2], "second"))
		return second();
	first(argv[1], bench_argument(argc, argv, 2, 60));
	return 0;
}

/*
 * launch.c - becomes a command of a test: in a directory, as a user, with a time limit that
 * outlives exec, with variables set. Never preloaded itself; keeps its process id.
 *
 * usage: launch [-C DIR] [-u UID] [-t SECONDS] [-n FILES] [-v BYTES] [-l BYTES] [NAME=VALUE...]
 *               CMD [ARG...]; -n, -v and -l as of ulimit: descriptors, address space, locked memory
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

static int fail(const char *what)
{
	fprintf(stderr, "launch: %s: %s\n", what, strerror(errno));
	return 125;
}

static int limit(int resource, const char *value)
{
	struct rlimit r;

	r.rlim_cur = r.rlim_max = strtoul(value, NULL, 10);
	return setrlimit(resource, &r);
}

int main(int argc, char **argv)
{
	uid_t uid = 0;
	int opt;

	while ((opt = getopt(argc, argv, "+C:u:t:n:v:l:")) != -1) {
		switch (opt) {
		case 'C':
			if (chdir(optarg) != 0)
				return fail(optarg);
			break;
		case 'u':
			uid = (uid_t)strtoul(optarg, NULL, 10);
			break;
		case 't':
			alarm((unsigned)strtoul(optarg, NULL, 10));
			break;
		case 'n':
			limit(RLIMIT_NOFILE, optarg);
			break;
		case 'v':
			limit(RLIMIT_AS, optarg);
			break;
		case 'l':
			limit(RLIMIT_MEMLOCK, optarg);
			break;
		default:
			return 125;
		}
	}
	if (uid && (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid)))
		return fail("user");
	for (; argv[optind] && strchr(argv[optind], '='); optind++)
		putenv(argv[optind]);
	if (!argv[optind])
		return 125;
	execvp(argv[optind], argv + optind);
	return errno == ENOENT ? (fail(argv[optind]), 127) : (fail(argv[optind]), 126);
}

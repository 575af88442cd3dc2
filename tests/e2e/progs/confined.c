/* link: -lseccomp */
/*
 * confined.c - puts itself under a seccomp filter that kills for every system call but the few it
 * needs, and then looks paths up and ends: it must live.
 * usage: confined hot|cold load|prctl|syscall|strict PATH; hot: PATH is known before the filter.
 */
#define _GNU_SOURCE
#include "raw.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int ask(const char *path, const char *here)
{
	struct stat st;
	int fd, n = 0;

	for (int i = 0; i < 4; i++) {
		n += access(path, F_OK) == 0;
		n += stat(path, &st) == 0;
		n += lstat(path, &st) == 0;
		fd = open(path, O_RDONLY);
		if (fd >= 0)
			close(fd);
		n += fd >= 0;
		n += access(here, F_OK) != 0;
		n += stat(here, &st) != 0;
	}
	return n;
}

int main(int argc, char **argv)
{
	static const int allowed[] = {SCMP_SYS(access), SCMP_SYS(faccessat),  SCMP_SYS(newfstatat),
				      SCMP_SYS(open),   SCMP_SYS(openat),     SCMP_SYS(close),
				      SCMP_SYS(write),  SCMP_SYS(exit_group), SCMP_SYS(fstat),
				      SCMP_SYS(stat),   SCMP_SYS(lstat),      SCMP_SYS(faccessat2)};
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);
	struct sock_filter code[512];
	struct sock_fprog program = {.filter = code};
	char buffer[sizeof code];
	int r = 0, p[2];

	if (argc != 4 || !ctx)
		return 2;
	if (!strcmp(argv[1], "hot") && ask(argv[3], "/usr") != 0)
		return 3;
	for (unsigned i = 0; i < sizeof allowed / sizeof *allowed; i++)
		if (allowed[i] >= 0)
			r |= seccomp_rule_add(ctx, SCMP_ACT_ALLOW, allowed[i], 0);
	if (r || pipe(p))
		return 4;
	if (!strcmp(argv[2], "load")) {
		r = seccomp_load(ctx);
	} else if (!strcmp(argv[2], "strict")) {
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT); /* read, write, exit and sigreturn */
		r = write(1, "alive\n", 6) != 6;
		raw3(SYS_exit, r, 0, 0);
	} else {
		ssize_t n;

		if (seccomp_export_bpf(ctx, p[1]))
			return 5;
		n = read(p[0], buffer, sizeof buffer);
		memcpy(code, buffer, (size_t)n);
		program.len = (unsigned short)((size_t)n / sizeof *code);
		r = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (!strcmp(argv[2], "prctl"))
			r |= prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
		else
			r |= (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	}
	if (r)
		return 6;
	r = ask(argv[3], "/usr");
	if (write(1, r ? "wrong\n" : "alive\n", 6) != 6)
		return 7;
	return r;
}

/* link: -lseccomp */
/*
 * fault.c - becomes a command for which some system calls fail: an inherited seccomp filter.
 * usage: fault ERRNO|KILL SYSCALL[,SYSCALL...] CMD [ARG...]
 * Exit status 77 when there is no such system call here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static uint32_t action(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} errors[] = {{"EPERM", EPERM},   {"ENOSYS", ENOSYS}, {"EMFILE", EMFILE},
		      {"ENOMEM", ENOMEM}, {"ENOSPC", ENOSPC}, {"EACCES", EACCES},
		      {"ENFILE", ENFILE}, {"EINTR", EINTR},   {"EAGAIN", EAGAIN},
		      {"EINVAL", EINVAL}, {"EIO", EIO}};

	for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
		if (!strcmp(errors[i].name, name))
			return SCMP_ACT_ERRNO((uint16_t)errors[i].number);
	return SCMP_ACT_KILL_PROCESS;
}

int main(int argc, char **argv)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	char *save;

	if (argc < 4 || !ctx)
		return 125;
	for (char *w = strtok_r(argv[2], ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		int number = seccomp_syscall_resolve_name(w);

		if (number < 0) {
			fprintf(stderr, "the system call %s\n", w);
			return 77;
		}
		if (seccomp_rule_add(ctx, action(argv[1]), number, 0))
			return 125;
	}
	if (seccomp_load(ctx)) {
		fprintf(stderr, "seccomp filters\n");
		return 77;
	}
	execvp(argv[3], argv + 3);
	fprintf(stderr, "fault: %s: %s\n", argv[3], strerror(errno));
	return 127;
}

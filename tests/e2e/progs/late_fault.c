/* link: -shared -fPIC */
/*
 * late_fault.c - a preload library whose constructor installs a seccomp filter, by inline system
 * calls so that no interposer knows: from then on the calls that a program needs to start fail.
 * LATE_FAULT=mmap: private anonymous memory; madvise; memory: both and mprotect, memfd_create.
 */
#define _GNU_SOURCE
#include "raw.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define REFUSE      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM)
#define ALLOW       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

__attribute__((constructor)) static void start(void)
{
	struct sock_filter anonymous[] = {
	    LOAD(nr),      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
	    LOAD(args[3]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 0, 1),
	    REFUSE,        ALLOW,
	};
	struct sock_filter others[] = {
	    LOAD(nr),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 2, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
	    REFUSE,
	    ALLOW,
	};
	struct sock_fprog a = {sizeof anonymous / sizeof *anonymous, anonymous};
	struct sock_fprog o = {sizeof others / sizeof *others, others};
	const char *what = getenv("LATE_FAULT");

	if (!what)
		return;
	raw5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (strcmp(what, "madvise"))
		raw3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &a);
	if (strcmp(what, "mmap"))
		raw3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &o);
}

/*
 * filter.h - the seccomp filter that stops a tree of processes at path lookups and nowhere else.
 */
#ifndef AUDIT_FILTER_H
#define AUDIT_FILTER_H

#include <stdint.h>

/* What PTRACE_GET_SYSCALL_INFO calls the architecture that the lookups of this program are made on.
 */
extern const uint32_t filter_architecture;

/* Builds the filter; returns NULL where libseccomp cannot. Nothing is in effect yet. */
void *filter_make(void);

/*
 * Puts it on the calling process, for good. Whoever has CAP_SYS_ADMIN needs no no_new_privs, and so
 * set-user-ID programs work as ever; others get it. The stop's data is the number of the row in
 * calls[]. Without a tracer the calls fail with ENOSYS. Returns 0 or -errno. seccomp(2).
 */
int filter_load(void *filter);

#endif

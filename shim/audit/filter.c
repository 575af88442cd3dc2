/*
 * filter.c - the seccomp filter, by libseccomp: for this architecture, and the 32-bit one that its
 * kernels may run too.
 */
#include "audit/filter.h"

#include "audit/calls.h"
#include "base/attributes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <stdbool.h>
#include <sys/prctl.h>

enum { NO_SECOND = 0 };

#if defined(__x86_64__)
const uint32_t filter_architecture = AUDIT_ARCH_X86_64;
static const uint32_t second = SCMP_ARCH_X86;
#elif defined(__aarch64__)
const uint32_t filter_architecture = AUDIT_ARCH_AARCH64;
static const uint32_t second = SCMP_ARCH_ARM;
#elif defined(__i386__)
const uint32_t filter_architecture = AUDIT_ARCH_I386;
static const uint32_t second = NO_SECOND;
#else
const uint32_t filter_architecture = AUDIT_ARCH_RISCV64;
static const uint32_t second = NO_SECOND;
#endif

/* A call that may be fstat(2) in disguise, which is made once for every file that is opened:
 * stopped unless it asks for its descriptor. Then its path is the empty one in all that we know of.
 */
static int add_unless_fstat(scmp_filter_ctx f, uint32_t action, int number, const struct call *c)
{
	struct scmp_arg_cmp plain =
	    SCMP_CMP((unsigned)c->at_flags, SCMP_CMP_MASKED_EQ, (scmp_datum_t)AT_EMPTY_PATH, 0);
	struct scmp_arg_cmp here =
	    SCMP_CMP((unsigned)c->directory, SCMP_CMP_MASKED_EQ, 0xffffffff, (uint32_t)AT_FDCWD);
	int error = seccomp_rule_add_array(f, action, number, 1, &plain);

	return error ? error : seccomp_rule_add_array(f, action, number, 1, &here);
}

static int add(scmp_filter_ctx f, size_t row)
{
	const struct call *c = &calls[row];
	uint32_t action = SCMP_ACT_TRACE((uint16_t)row);
	int number = seccomp_syscall_resolve_name(c->name);

	if (number == __NR_SCMP_ERROR)
		return 0; /* neither architecture has it */
	if (c->at_flags != CALL_NO_ARGUMENT)
		return add_unless_fstat(f, action, number, c);
	return seccomp_rule_add(f, action, number, 0);
}

void *filter_make(void)
{
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
	int error = f ? 0 : -ENOMEM;

	if (!error)
		error = seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW);
	if (!error && second != NO_SECOND && seccomp_arch_exist(f, second))
		error = seccomp_arch_add(f, second);
	if (!error)
		(void)seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE,
				       2); /* libseccomp before 2.5: slower */
	for (size_t i = 0; i < calls_n && !error; i++)
		error = add(f, i);
	if (!error)
		return f;
	if (f)
		seccomp_release(f);
	return NULL;
}

int filter_load(void *filter)
{
	int error = seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);

	if (!error)
		error = seccomp_load(filter);
	if (!error)
		return 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	return seccomp_load(filter);
}

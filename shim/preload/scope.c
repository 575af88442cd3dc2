/*
 * scope.c - start, set-up and end of caching in one process.
 *
 * At start only the environment is read: two thirds of all processes make fewer than five calls
 * that could be avoided and must not pay for more.
 */
#include "preload/scope.h"

#include "base/bytes.h"
#include "base/signals.h"
#include "base/sys.h"
#include "cache/reader.h"
#include "cache/writer.h"
#include "preload/next.h"
#include "preload/profile.h"
#include "preload/report.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* In the page that the loader writes to anyway: counting must not cost a page. */
static struct counters static_slots[STATIC_SLOTS];
static struct loss static_losses[STATIC_LOSSES];

struct scope scope;

static void warn(const char *variable)
{
	static const char before[] = "fastpath: malformed value of ", after[] = ": caching is off\n";
	char line[128];
	size_t n = bytes_length(variable);

	bytes_copy(line, before, sizeof before - 1);
	bytes_copy(line + sizeof before - 1, variable, n);
	bytes_copy(line + sizeof before - 1 + n, after, sizeof after - 1);
	sys3(SYS_write, 2, line, sizeof before - 1 + n + sizeof after - 1);
}

/* The auxiliary vector follows the environment on a new program's stack. */
static bool read_ids(char *const *environment)
{
	unsigned long uid = 0, euid = 1, gid = 0, egid = 1, secure = 1;
	const ElfW(auxv_t) * a;

	while (*environment)
		environment++;
	for (a = (const ElfW(auxv_t) *)(environment + 1); a->a_type != AT_NULL; a++) {
		if (a->a_type == AT_UID)
			uid = a->a_un.a_val;
		else if (a->a_type == AT_EUID)
			euid = a->a_un.a_val;
		else if (a->a_type == AT_GID)
			gid = a->a_un.a_val;
		else if (a->a_type == AT_EGID)
			egid = a->a_un.a_val;
		else if (a->a_type == AT_SECURE)
			secure = a->a_un.a_val;
	}
	scope.uid = (uint32_t)uid;
	scope.plain = uid == euid && gid == egid;
	return !secure;
}

bool scope_is_static(const struct loss *losses)
{
	return losses == static_losses;
}

void scope_start(int argc, char **argv, char **environment)
{
	const char *malformed;

	(void)argc;
	(void)argv;
	if (!environment)
		return; /* a loader that passes none (musl's): inert */
	malformed = settings_read(&scope.settings, environment);
	if (!malformed && scope.settings.mode == MODE_INERT)
		return;
	if (!read_ids(environment))
		return; /* set-user-ID: the variables are not the user's to set */
	if (malformed) {
		warn(malformed);
		return;
	}
	scope.counters = (counters_set)static_slots | STATIC_POWER;
	scope.ledger.losses = static_losses;
	scope.observed = scope.settings.stats || scope.settings.verify || scope.settings.profile;
	if (scope.observed)
		report_start();
	scope.on = 1;
}

void scope_end(void)
{
	if (!scope.on)
		return;
	report_exit();
}

FP_COLD struct region *scope_region(void)
{
	struct region *r = load_relaxed(&scope.region);
	struct region *none = NULL;
	long at;

	if (r)
		return r;
	at = sys6(SYS_mmap, NULL, sizeof *r, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at < 0 && at > -4096)
		return NULL;
	r = (struct region *)at;
	if (sys3(SYS_madvise, r, sizeof *r, MADV_WIPEONFORK)) {
		sys2(SYS_munmap, r, sizeof *r);
		return NULL;
	}
	/* One large page would be all of it in every process. */
	sys3(SYS_madvise, r, sizeof *r, MADV_NOHUGEPAGE);
	if (!__atomic_compare_exchange_n(&scope.region, &none, r, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		sys2(SYS_munmap, r, sizeof *r);
		return none;
	}
	return r;
}

/*
 * May one set of facts serve access() and all other calls? Real and effective ids are those of the
 * start unless a hook saw them change; capabilities count as ids do (access(2), capabilities(7)).
 */
static bool identity_is_plain(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct caps[2];

	if (!scope.plain || sys2(SYS_capget, &header, caps))
		return false;
	for (int i = 0; i < 2; i++)
		if (caps[i].effective != (scope.uid ? 0 : caps[i].permitted))
			return false;
	return true;
}

/* Moves what was counted so far out of static memory, which a forked child would inherit. */
static void move_books(struct region *r)
{
	for (uint32_t i = 0; i < STATIC_LOSSES; i++) {
		struct loss *e = &static_losses[i];

		if (e->key)
			r->losses[e->key & (REGION_LOSSES - 1)] = *e;
	}
	store_release(&scope.ledger.losses, r->losses);
}

static bool start_authority(struct region *r, bool page_bell)
{
	struct authority_options o = {
		.page_bell = page_bell,
		.eager = scope.settings.eager,
		.skip = scope.settings.skip,
		.trust = scope.settings.trust,
		.reserved = sizeof(struct segment),
		.limit = SEGMENT_BYTES,
		.bell_memory = r->bells[r->generation],
	};

	if (authority_start(&r->authority, &r->segment, &o))
		return false;
	store_release(&r->generation, r->generation + 1);
	return true;
}

/* A vfork child borrows its parent's memory: what it set up would be the parent's, and not work. */
static bool is_borrowing(void)
{
	enum { KCMP_VM_ = 1 };

	return sys5(SYS_kcmp, sys_getpid(), sys0(SYS_getppid), KCMP_VM_, 0, 0) == 0;
}

static bool set_up(struct region *r)
{
	/* Under a filter that was there at start, only calls that filters usually allow. */
	bool filtered = sys1(SYS_prctl, PR_GET_SECCOMP) != 0;

	if (next_is_foreign() || !identity_is_plain()) {
		scope_detach();
		return false;
	}
	if (!filtered && is_borrowing())
		return false;
	if (counters_slots(scope.counters) == static_slots)
		report_move_counters(r);
	if (scope_is_static(scope.ledger.losses))
		move_books(r);
	if (start_authority(r, !filtered && !scope.settings.no_page_bell))
		return true;
	r->failures++;
	return false;
}

FP_COLD bool scope_set_up(void)
{
	struct region *r;
	bool good = false;
	uint64_t mask;

	if (load_relaxed(&scope.detached) || signals_on_alternate_stack())
		return false;
	signals_block(&mask);
	r = scope_region();
	if (r && r->failures < 3 && try_claim(&r->starting, 1)) {
		good = !load_relaxed(&r->generation) && set_up(r);
		store_release(&r->starting, 0); /* pairs with try_claim() */
	}
	signals_restore(&mask);
	return good;
}

void scope_detach(void)
{
	store_relaxed(&scope.detached, 1);
}

/*
 * The thread that owned the authority, when it has ended; else 0. Asked now and then: every call of a
 * thread that is not the owner comes here when the bell rang. A vfork child is not of this process.
 */
static uint32_t ended_owner(struct region *r)
{
	uint32_t owner = load_acquire(&r->authority.owner), pid;

	if (!owner || r->turned_away++ % 64)
		return 0;
	pid = (uint32_t)sys_getpid();
	return pid == r->authority.pid && sys3(SYS_tgkill, pid, owner, 0) == -ESRCH ? owner : 0;
}

static bool start_anew(struct region *r)
{
	struct authority *a = &r->authority;

	if (r->generation >= array_size(r->bells))
		return false;
	segment_begin(&r->segment);
	for (size_t i = 0; i < sizeof *a / 8; i++)
		((volatile uint64_t *)a)[i] = 0;
	return start_authority(r, true);
}

/* A ring ends with its thread: abandon it, and make one more, once. The pending-check's descriptors are
 * anyone's. */
static bool take_over(struct region *r)
{
	struct authority *a = &r->authority;
	uint32_t ended = ended_owner(r);
	bool good = false;
	uint64_t mask;

	if (!ended || r->failures >= 3)
		return false;
	signals_block(&mask);
	if (try_claim(&r->starting, 1)) {
		/* Another thread may have been faster. */
		if (load_acquire(&a->owner) == ended) {
			good = a->bell.kind == BELL_EPOLL || start_anew(r);
			if (good && a->bell.kind == BELL_EPOLL)
				authority_adopt(a);
			r->failures += !good;
		}
		store_release(&r->starting, 0);
	}
	signals_restore(&mask);
	return good;
}

uint64_t scope_served(void)
{
	struct counters *c;
	uint64_t sum = 0;

	for (uint32_t i = 0; i <= counters_last(scope.counters); i++) {
		c = &counters_slots(scope.counters)[i];
		for (int k = 0; k < FASTPATH_CALLS; k++)
			sum += load_relaxed(&c->served[k]);
	}
	return sum;
}

FP_COLD bool scope_catch_up(struct region *r)
{
	uint64_t served;

	if (scope.quiet || signals_on_alternate_stack())
		return false;
	if (!authority_is_mine(&r->authority))
		return take_over(r);
	served = scope_served();
	bool good = authority_catch_up(&r->authority,
				       (served - r->served_before) * ledger_saving());
	r->served_before = served;
	if (!good && !take_over(r))
		scope_detach();
	return good;
}

void scope_losing_fd(unsigned first, unsigned last)
{
	struct region *r = scope_attached();
	const struct bell *b;

	if (!r || r->authority.bell.kind != BELL_EPOLL)
		return;
	b = &r->authority.bell;
	if ((first <= (unsigned)b->epoll_fd && (unsigned)b->epoll_fd <= last) ||
	    (first <= (unsigned)b->inotify_fd && (unsigned)b->inotify_fd <= last) ||
	    (first <= (unsigned)b->mounts_fd && (unsigned)b->mounts_fd <= last)) {
		/* A vfork child closes its own. */
		if (r->authority.pid == (uint32_t)sys_getpid())
			scope_detach();
	}
}

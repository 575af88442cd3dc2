/*
 * scope.c - start, set-up and end of caching in one process.
 *
 * At start only the environment is read: two thirds of all processes make fewer than five calls
 * that could be avoided and must not pay for more.
 */
#include "preload/scope.h"

#include "base/bytes.h"
#include "base/signals.h"
#include "base/subject.h"
#include "base/sys.h"
#include "cache/reader.h"
#include "cache/writer.h"
#include "preload/filter.h"
#include "preload/next.h"
#include "preload/profile.h"
#include "preload/report.h"
#include "preload/session.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* In the page that the loader writes to anyway: counting must not cost a page. */
static struct loss static_losses[STATIC_LOSSES];

struct scope scope;

/* Milliseconds, when the kernel is busy: closing an instance with watches waits for a grace period. */
enum { EPOLL_PRICE_NS = 4000000 };

/* What libc knows of a thread lies so near to the thread pointer. */
enum { FIRST_THREAD_BYTES = 4096, FIRST_THREAD_REACH = 2 * FIRST_THREAD_BYTES };

static void warn(const char *variable)
{
	static const char before[] = "fastpath: malformed value of ", after[] = ": caching is off\n";
	char line[128];
	size_t n = bytes_length(variable);

	bytes_copy(line, before, sizeof before - 1);
	bytes_copy(line + sizeof before - 1, variable, n);
	bytes_copy(line + sizeof before - 1 + n, after, sizeof after - 1);
	report_say(2, line, sizeof before - 1 + n + sizeof after - 1);
}

/* Real and effective ids at start; false: a set-user-ID program. */
static bool read_ids(const ElfW(auxv_t) * a)
{
	unsigned long uid = 0, euid = 1, gid = 0, egid = 1, secure = 1;
	const void *random = NULL;

	for (; a->a_type != AT_NULL; a++) {
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
		else if (a->a_type == AT_RANDOM)
			random = (const void *)a->a_un.a_val;
	}
	scope.lot = random ? word_load(random) : 0;
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

	/* A loader that passes no arguments (musl's): inert. */
	if (argv + argc + 1 != environment)
		return;
	malformed = settings_read(&scope.settings, environment);
	/* The auxiliary vector follows the environment on a new program's stack. Programs move the
	 * environment about later: now is the time to look for its end. */
	while (*environment)
		environment++;
	/* In a set-user-ID program the loader took variables out: more than one NULL ends the rest. */
	while (!*environment)
		environment++;
	next_auxiliary = environment;
	if (!malformed && scope.settings.mode == MODE_INERT)
		return;
	if (!read_ids((const ElfW(auxv_t) *)next_auxiliary))
		return; /* set-user-ID: the variables are not the user's to set */
	if (malformed) {
		warn(malformed);
		return;
	}
	scope.ledger.losses = static_losses;
	scope.observed = scope.settings.stats || scope.settings.verify || scope.settings.profile;
	if (scope.observed)
		report_start();
	scope.on = 1;
	if (scope.settings.session)
		session_start();
}

#if defined(__riscv)
/* Its loader does not look at DT_INIT and DT_FINI, which elsewhere say this without a relocation. */
static void (*const start)(int, char **, char **) __attribute__((section(".init_array"), used)) = scope_start;
static void (*const end)(void) __attribute__((section(".fini_array"), used)) = scope_end;
#endif

void scope_end(void)
{
	if (!scope.on)
		return;
	if (scope.settings.session)
		session_report_end(); /* before what was counted is forgotten */
	if (scope.observed)
		report_exit();
}

FP_COLD struct region *scope_region(void)
{
	struct region *r = load_relaxed(&scope.region);
	struct region *none = NULL;
	long at;

	if (r)
		return r;
	at = sys_mmap(sizeof *r, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (sys_is_error(at))
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

	return scope.plain && !sys2(SYS_capget, &header, caps) &&
	       subject_caps_are_plain(caps, scope.uid);
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

/*
 * set_tid_address(2) was told, by libc, where in the first thread's own memory, which stays, the kernel writes
 * the id of a forked child.
 */
uint32_t scope_note_first_thread(void)
{
	uint64_t self = thread_pointer();
	uint32_t *at = NULL;

	store_relaxed(&scope.tid_at, NULL);
	if (scope.filtered || sys2(SYS_prctl, PR_GET_TID_ADDRESS, &at) || !at || !*at ||
	    (uint64_t)at - self + FIRST_THREAD_BYTES > FIRST_THREAD_REACH)
		return (uint32_t)sys_getpid();
	store_relaxed(&scope.thread, self);
	store_relaxed(&scope.tid, load_relaxed(at));
	store_release(&scope.tid_at, at); /* pairs with scope_is_forked() */
	return load_relaxed(at);
}

static int start_authority(struct region *r, unsigned bells)
{
	struct authority_options o = {
		.bells = bells,
		.eager = scope.settings.eager,
		.skip = scope.settings.skip,
		.trust = scope.settings.trust,
		.reserved = sizeof(struct segment),
		.limit = SEGMENT_BYTES,
		.bells_shown = r->bells[r->generation].shown,
		.bells_hidden = r->bells[r->generation].hidden,
	};

	int error = authority_start(&r->authority, &r->segment, &o);

	if (error)
		return error;
	store_relaxed(&scope.caching, 1);
	if (r->authority.first_thread)
		scope_note_first_thread();
	else
		store_relaxed(&scope.tid_at, NULL);
	if (r->authority.bell.kind == BELL_EPOLL)
		store_relaxed(&scope.numbered, 1);
	store_release(&r->generation, r->generation + 1);
	return 0;
}

/* libc registers a list of robust futexes for every thread and forked child, but not for those. */
bool scope_is_borrowing(void)
{
	void *head = NULL;
	size_t length;

	return sys3(SYS_get_robust_list, 0, &head, &length) == 0 && !head;
}

/* Which bells are worth their price: at exit, the pending-check's instance keeps its process waiting. */
static unsigned worthy_bells(const struct region *r, bool filtered, uint64_t lost_ns)
{
	/* Under a filter that was there at start, only calls that filters usually allow. */
	unsigned bells = filtered || scope.settings.no_page_bell || r->no_page_bell ? 0 : BELL_TRY_PAGE;

	if (scope.settings.eager || lost_ns >= EPOLL_PRICE_NS)
		bells |= BELL_TRY_EPOLL;
	return bells;
}

static bool set_up(struct region *r, uint64_t lost_ns)
{
	bool filtered = subject_is_filtered();
	unsigned bells = worthy_bells(r, filtered, lost_ns);
	int error;

	if (!bells || (filtered && filter_kills()) || scope_is_borrowing())
		return false;
	if (next_is_foreign() || !identity_is_plain()) {
		scope_detach();
		return false;
	}
	scope.counters = (counters_set)r->slots | REGION_POWER;
	if (scope_is_static(scope.ledger.losses))
		move_books(r);
	error = start_authority(r, bells);
	r->no_page_bell |= error == -EAGAIN;
	/* Instances that ended processes had are given back a little later. */
	r->failures += error && error != -EAGAIN && error != -EMFILE;
	return !error;
}

FP_COLD bool scope_set_up(uint64_t lost_ns)
{
	struct region *r;
	bool good = false;
	uint64_t mask;

	if (load_relaxed(&scope.detached) || signals_on_alternate_stack())
		return false;
	signals_block(&mask);
	r = scope_region();
	if (r && r->failures < 3 && try_claim(&r->starting, 1)) {
		good = !load_relaxed(&r->generation) && set_up(r, lost_ns);
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

/* Whole words. */
static void zero(void *at, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(long); i++)
		((volatile unsigned long *)at)[i] = 0;
}

static bool start_anew(struct region *r)
{
	struct authority *a = &r->authority;
	uint32_t watches = a->watches_used, places = a->places_used + 1;

	if (r->generation >= array_size(r->bells))
		return false;
	segment_begin(&r->segment);
	zero(a, offsetof(struct authority, watches));
	zero(a->watches, watches * sizeof *a->watches);
	zero(a->places, places * sizeof *a->places);
	return start_authority(r, BELL_TRY_PAGE | BELL_TRY_EPOLL) == 0;
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

uint64_t scope_served_of(int family)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; scope.counters && i <= counters_last(scope.counters); i++)
		sum += load_relaxed(&counters_slots(scope.counters)[i].served[family]);
	return sum;
}

uint64_t scope_served(void)
{
	uint64_t sum = 0;

	for (int k = 0; k < FASTPATH_CALLS; k++)
		sum += scope_served_of(k);
	return sum;
}

FP_COLD void scope_spread(void)
{
	struct region *r = scope_region();
	struct counters *last;

	if (!r || load_relaxed(&scope.counters) != (counters_set)&scope.slot)
		return;
	last = &r->slots[REGION_SLOTS - 1];
	for (int k = 0; k < FASTPATH_CALLS; k++) {
		add_relaxed(&last->calls[k], load_relaxed(&scope.slot.calls[k]));
		add_relaxed(&last->served[k], load_relaxed(&scope.slot.served[k]));
	}
	store_release(&scope.counters, (counters_set)r->slots | REGION_POWER);
}

FP_COLD bool scope_catch_up(void)
{
	struct region *r = scope_attached();
	uint64_t served;

	if (scope_session())
		return session_rang();
	if (!r || scope.quiet || signals_on_alternate_stack())
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
	struct region *r;
	const struct bell *b;

	/* A forked child closes and goes on to exec: it must not fault in a page of the region for that. */
	if (likely(!load_relaxed(&scope.numbered)))
		return;
	r = scope_attached();
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

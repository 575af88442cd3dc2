/*
 * ledger.c - rent or buy.
 *
 * Prices are measured on calls that the process makes anyway: a lookup costs half a microsecond on
 * a local file system, 40 on FUSE and 100 under ptrace.
 */
#include "preload/ledger.h"

#include "base/hash.h"
#include "base/signals.h"
#include "base/sys.h"
#include "preload/next.h"
#include "preload/scope.h"

enum {
	LOST_FIRST = 8,	     /* losses before anything is measured: most processes never get there */
	SAMPLES_FIRST = 8,   /* calls timed one after another then */
	SAMPLE_EVERY = 8,    /* of the calls after that */
	PRICE_GUESS_NS = 500,
	/* Setting up and its undoing at exit: system calls, and work of the kernel that they start. */
	SETUP_CALLS = 40,
	SETUP_WORK_NS = 250000,
	LOSSES_A_LOOK = 64,
	HEIR_DRAWS = 16, /* of so many losses of a forked child of who caches, one is counted, as so many */
	BOLDEST = 7,
};

bool ledger_samples(void)
{
	uint32_t lost = load_relaxed(&scope.ledger.lost);

	return lost >= LOST_FIRST && !scope_is_heir() &&
	       (lost % SAMPLE_EVERY == 0 || load_relaxed(&scope.ledger.samples) < SAMPLES_FIRST);
}

static uint32_t count_samples(void)
{
	count_owned(&scope.ledger.samples, 1);
	return load_relaxed(&scope.ledger.samples);
}

void ledger_price(uint64_t ns)
{
	uint32_t old = load_relaxed(&scope.ledger.price);

	if (ns > UINT32_MAX / 8)
		ns = UINT32_MAX / 8;
	/* A call during which the process was set aside, or that met cold caches, must not pass for the
	 * price of calls: the least of the first ones counts, and later none for more than twice. */
	if (count_samples() <= SAMPLES_FIRST)
		ns = old && old < ns ? old : ns;
	else
		ns = (7 * (uint64_t)old + (ns < 2 * (uint64_t)old ? ns : 2 * (uint64_t)old)) / 8;
	store_relaxed(&scope.ledger.price, (uint32_t)ns);
}

static uint64_t price(void)
{
	uint32_t measured = load_relaxed(&scope.ledger.price);

	return measured ? measured : PRICE_GUESS_NS;
}

uint64_t ledger_saving(void)
{
	return price();
}

/* What setting up would cost here, from the price of a trivial system call. Also tells a forked
 * child, which starts to count anew. */
static uint64_t setup_price(void)
{
	struct ledger *l = &scope.ledger;
	uint64_t began;
	uint32_t pid;

	began = sys_clock_ns();
	pid = (uint32_t)sys_getpid();
	l->setup = (uint32_t)((sys_clock_ns() - began) / 2 * SETUP_CALLS) + SETUP_WORK_NS;
	if (l->pid && l->pid != pid)
		l->lost = l->deferred = 0;
	l->pid = pid;
	return l->setup;
}

static bool buy(const struct path *p, unsigned question, unsigned detail)
{
	struct authority *a = &scope.region->authority;
	enum learned got;

	if (question == QUESTION_NONE)
		got = authority_learn_absent(a, p->text, p->length);
	else
		got = authority_learn_present(a, p->text, p->length, question, detail);
	return got != LEARNED_NOTHING;
}

/* Looked at only now and then: the last two questions cost a system call or three. */
static bool is_worth(const struct ledger *l, uint32_t count, uint64_t lost_ns)
{
	if (lost_ns < SETUP_WORK_NS || l->lost % LOSSES_A_LOOK >= count || l->lost < 2 * l->deferred)
		return false;
	/* Whoever loses less than a sixteenth of its time has little to gain. */
	if (lost_ns < (uint64_t)8 * SETUP_WORK_NS && lost_ns * 16 < sys_cpu_ns())
		return false;
	return setup_price() <= l->lost * price();
}

static bool set_up_when_worth(uint32_t count)
{
	struct ledger *l = &scope.ledger;
	uint64_t lost_ns = l->lost * price();

	if (!scope.settings.eager && !is_worth(l, count, lost_ns))
		return false;
	if (scope_set_up(lost_ns))
		return true;
	l->deferred = l->lost; /* twice as much has to be lost before the next try */
	return false;
}

/*
 * What was gained so far may be risked: a process whose facts have more than paid for themselves buys
 * the next ones sooner, the sooner the more of them it could lose, and still does not lose by caching.
 */
static uint64_t boldness(const struct region *r)
{
	uint64_t spent = r->authority.spent_ns, gained = scope_served() * price();
	uint64_t affordable = gained > spent ? (gained - spent) / (2 * r->authority.learn_ns) : 0;

	return 1 + (affordable < BOLDEST ? affordable : BOLDEST);
}

/*
 * As how many does this loss count? A forked child of who caches asks little before it executes, as a rule:
 * to write it down is two page faults, dearer than all that it asks. Which are counted, the path decides.
 */
static uint32_t count_of(const struct path *p)
{
	if (scope.settings.eager || !scope_is_heir())
		return 1;
	return (hash_string(p->text, p->length) >> 32) % HEIR_DRAWS ? 0 : HEIR_DRAWS;
}

void ledger_loss(const struct path *p, unsigned question, unsigned detail)
{
	struct region *r = scope_attached();
	bool eager = scope.settings.eager;
	struct loss *losses = load_relaxed(&scope.ledger.losses);
	uint32_t count = count_of(p);
	struct bill b;

	if (!count)
		return;
	count_owned(&scope.ledger.lost, count);
	bill_charge(&b, losses, (scope_is_static(losses) ? STATIC_LOSSES : REGION_LOSSES) - 1, p->text,
		    p->length, p->directory, question, count);
	if (!r) {
		/* The ledger moves when caching starts: this bill is paid next time. */
		if (!set_up_when_worth(count) || !eager)
			return;
		r = scope_attached();
		b = (struct bill){0};
	}
	if (!eager && !bill_is_due(&b, price(), r->authority.learn_ns, boldness(r)))
		return;
	if (authority_is_mine(&r->authority) && !signals_on_alternate_stack())
		bill_settle(&b, buy(p, question, detail));
}

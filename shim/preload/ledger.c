/*
 * ledger.c - rent or buy.
 *
 * Prices are measured on calls that the process makes anyway: a lookup costs half a microsecond on
 * a local file system, 40 on FUSE and 100 under ptrace.
 */
#include "preload/ledger.h"

#include "base/hash.h"
#include "base/sys.h"
#include "preload/next.h"
#include "preload/scope.h"

enum {
	LOST_FIRST = 8,	     /* losses before anything is measured: most processes never get there */
	SAMPLE_EVERY = 8,    /* of the calls after that */
	PRICE_GUESS_NS = 500,
	/* Setting up and its undoing at exit: system calls, and work of the kernel that they start. */
	SETUP_CALLS = 40,
	SETUP_WORK_NS = 90000,
	TRIES_MAX = 12,
};

bool ledger_samples(void)
{
	uint32_t lost = load_relaxed(&scope.ledger.lost);

	return lost >= LOST_FIRST && (lost % SAMPLE_EVERY == 0 || !scope.ledger.price);
}

void ledger_price(uint64_t ns)
{
	uint32_t old = load_relaxed(&scope.ledger.price);

	/* A call during which the process was set aside must not pass for the price of calls. */
	if (old && ns > 4 * (uint64_t)old)
		ns = 4 * (uint64_t)old;
	if (ns > UINT32_MAX / 8)
		ns = UINT32_MAX / 8;
	store_relaxed(&scope.ledger.price, old ? (uint32_t)((7 * (uint64_t)old + ns) / 8) : (uint32_t)ns);
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

	if (l->setup && l->lost % 64)
		return l->setup;
	began = sys_clock_ns();
	pid = (uint32_t)sys_getpid();
	l->setup = (uint32_t)((sys_clock_ns() - began) / 2 * SETUP_CALLS) + SETUP_WORK_NS;
	if (l->pid && l->pid != pid)
		l->lost = 0;
	l->pid = pid;
	return l->setup;
}

static struct loss *find(uint32_t key)
{
	struct ledger *l = &scope.ledger;
	struct loss *e = &l->losses[key & l->mask];

	if (e->key == key)
		return e;
	/* The entry of another: it is overwritten when it has not been asked for lately. */
	if (e->count) {
		e->count--;
		return NULL;
	}
	*e = (struct loss){.key = key};
	return e;
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

static bool set_up_when_worth(void)
{
	struct ledger *l = &scope.ledger;

	if (!scope.settings.eager) {
		/* A quarter of the price is lost before even the price is asked for. */
		if (l->lost * price() < SETUP_WORK_NS / 4 || l->lost * price() < setup_price())
			return false;
	}
	l->lost = 0;
	return scope_set_up();
}

FP_COLD void ledger_loss(const struct path *p, unsigned question, unsigned detail)
{
	struct ledger *l = &scope.ledger;
	uint32_t length = question == QUESTION_NONE ? p->directory : p->length;
	uint64_t hash = hash_string(p->text, length) ^ (question + 1) * HASH_MULTIPLY;
	struct loss *e = find((uint32_t)(hash >> 32) | 1);
	struct region *r;

	count_owned(&l->lost, 1);
	if (e && e->count < UINT16_MAX)
		e->count++;
	r = scope_attached();
	if (!r) {
		if (!set_up_when_worth())
			return;
		r = scope_attached();
		e = NULL; /* the ledger has moved: this entry is looked at next time */
		if (!scope.settings.eager)
			return;
	}
	if (!scope.settings.eager &&
	    (!e || e->count * price() < r->authority.learn_ns << e->tries))
		return;
	if (!authority_is_mine(&r->authority))
		return;
	if (e)
		e->count = 0;
	if (!buy(p, question, detail) && e && e->tries < TRIES_MAX)
		e->tries++;
}

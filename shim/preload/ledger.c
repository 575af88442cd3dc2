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
	BOLDEST = 7,
	TRIES_MAX = 12,
};

bool ledger_samples(void)
{
	uint32_t lost = load_relaxed(&scope.ledger.lost);

	return lost >= LOST_FIRST &&
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

static struct loss *find(uint32_t key)
{
	struct loss *losses = load_relaxed(&scope.ledger.losses);
	struct loss *e = &losses[key & (scope_is_static(losses) ? STATIC_LOSSES - 1 : REGION_LOSSES - 1)];

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

/* Looked at only now and then: the last two questions cost a system call or three. */
static bool is_worth(const struct ledger *l, uint64_t lost_ns)
{
	if (lost_ns < SETUP_WORK_NS || l->lost % LOSSES_A_LOOK || l->lost < 2 * l->deferred)
		return false;
	/* Whoever loses less than a sixteenth of its time has little to gain. */
	if (lost_ns < (uint64_t)8 * SETUP_WORK_NS && lost_ns * 16 < sys_cpu_ns())
		return false;
	return lost_ns >= setup_price();
}

static bool set_up_when_worth(void)
{
	struct ledger *l = &scope.ledger;
	uint64_t lost_ns = (uint64_t)l->lost * price();

	if (!scope.settings.eager && !is_worth(l, lost_ns))
		return false;
	if (scope_set_up(lost_ns))
		return true;
	l->deferred = l->lost; /* twice as much has to be lost before the next try */
	return false;
}

/*
 * Which directories may be to blame for an absence: its dirname, or one above that does not exist
 * either (every `#include <boost/...>` fails for want of one name). Each is charged; whichever comes
 * to its price first has the deepest one that exists listed.
 */
enum { BLAMED = 3 };

struct bill {
	struct loss *entry[BLAMED];
	uint64_t highest; /* count among them, in sixteenths of what has to be lost */
	uint32_t tries;
	bool again; /* bought before */
};

/*
 * How much of the price has to be lost before something is bought, in sixteenths. Who always waits for
 * the whole price pays at worst twice what the best choice would have cost; who waits for a share drawn
 * at random, with density e^x/(e-1), pays 1.58 times as much (Karlin et al., Competitive randomized
 * algorithms for nonuniform problems). Drawn by the directory's hash. What has to be bought again and
 * again is not drawn for: somebody may be ending it each time.
 */
static uint64_t sixteenths(const struct loss *e)
{
	static const uint8_t share[] = {2, 4, 7, 9, 11, 12, 14, 15};

	return e->bought ? 16 : share[e->key >> 29];
}

static void charge(struct bill *b, unsigned i, const struct path *p, uint32_t length,
		   unsigned question)
{
	uint64_t hash = hash_string(p->text, length) ^ question * HASH_MULTIPLY;
	struct loss *e = b->entry[i] = find((uint32_t)(hash >> 32) | 1);
	uint64_t sixteen;

	if (!e)
		return;
	if (e->count < UINT16_MAX)
		e->count++;
	sixteen = (uint64_t)16 * e->count / sixteenths(e);
	if (sixteen >= b->highest) {
		b->highest = sixteen;
		b->tries = e->tries;
		b->again = e->bought;
	}
}

static void charge_all(struct bill *b, const struct path *p, unsigned question)
{
	uint32_t length = question == QUESTION_NONE ? p->directory : p->length;

	*b = (struct bill){0};
	charge(b, 0, p, length, question);
	for (unsigned i = 1; i < BLAMED && question == QUESTION_NONE && length; i++) {
		while (p->text[--length] != '/')
			;
		charge(b, i, p, length, question);
	}
}

/* Paid: whatever came of it, the next one is saved up for anew. */
static void settle(struct bill *b, bool bought)
{
	for (unsigned i = 0; i < BLAMED; i++) {
		struct loss *e = b->entry[i];

		if (!e)
			continue;
		e->count = 0;
		e->bought = 1;
		if (!bought && i == 0 && e->tries < TRIES_MAX)
			e->tries++;
	}
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

FP_COLD void ledger_loss(const struct path *p, unsigned question, unsigned detail)
{
	struct region *r = scope_attached();
	bool eager = scope.settings.eager;
	struct bill b;

	count_owned(&scope.ledger.lost, 1);
	charge_all(&b, p, question);
	if (!r) {
		/* The ledger moves when caching starts: this bill is paid next time. */
		if (!set_up_when_worth() || !eager)
			return;
		r = scope_attached();
		b = (struct bill){0};
	}
	if (!eager &&
	    b.highest * price() < (r->authority.learn_ns << b.tries) / (b.again ? 1 : boldness(r)))
		return;
	if (authority_is_mine(&r->authority) && !signals_on_alternate_stack())
		settle(&b, buy(p, question, detail));
}

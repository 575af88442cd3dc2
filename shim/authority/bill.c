/*
 * bill.c - the ledger's entries.
 */
#include "authority/bill.h"

#include "base/hash.h"

#include <stddef.h>

enum { TRIES_MAX = 12 };

static struct loss *find(struct loss *losses, uint32_t mask, uint32_t key)
{
	struct loss *e = &losses[key & mask];

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

static void charge(struct bill *b, unsigned i, struct loss *losses, uint32_t mask, uint64_t hash,
		   uint32_t count)
{
	struct loss *e = b->entry[i] = find(losses, mask, (uint32_t)(hash >> 32) | 1);

	if (e)
		e->count = count < (uint32_t)UINT16_MAX - e->count ? (uint16_t)(e->count + count)
								   : UINT16_MAX;
}

void bill_charge(struct bill *b, struct loss *losses, uint32_t mask, const char *text, uint32_t length,
		 uint32_t directory, unsigned question, uint32_t count)
{
	uint32_t n = question ? length : directory;

	*b = (struct bill){0};
	charge(b, 0, losses, mask, hash_string(text, n) ^ question * HASH_MULTIPLY, count);
	for (unsigned i = 1; i < BLAMED && !question && n; i++) {
		while (text[--n] != '/')
			;
		charge(b, i, losses, mask, hash_string(text, n), count);
	}
}

bool bill_is_due(const struct bill *b, uint64_t price_ns, uint64_t learn_ns, uint64_t boldness)
{
	for (unsigned i = 0; i < BLAMED; i++) {
		const struct loss *e = b->entry[i];

		if (e && price_ns * e->count * 16 / sixteenths(e) >=
				 (learn_ns << e->tries) / (e->bought ? 1 : boldness))
			return true;
	}
	return false;
}

void bill_settle(struct bill *b, bool bought)
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

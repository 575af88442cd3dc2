/*
 * bill.h - rent or buy, a directory at a time: what was lost to the kernel is set against the price of
 * learning, and whoever has lost enough buys.
 */
#ifndef AUTHORITY_BILL_H
#define AUTHORITY_BILL_H

#include <stdbool.h>
#include <stdint.h>

struct loss {
	uint32_t key;
	uint16_t count;
	uint8_t tries; /* failed learnings: each doubles the price */
	uint8_t bought; /* it was bought before: what was gained must have ended */
};

/*
 * Which directories may be to blame for an absence: its dirname, or one above that does not exist
 * either (every `#include <boost/...>` fails for want of one name). Each is charged; whichever comes
 * to its price first has the deepest one that exists listed.
 */
enum { BLAMED = 3 };

struct bill {
	struct loss *entry[BLAMED]; /* NULL: not charged */
};

/*
 * Charges `count` losses of the path `text` (normal form, `length` bytes, its dirname `directory`) to
 * the entries of `losses` (mask + 1 of them, a power of two). `question`: enum question of
 * authority.h; for none of them, the path was absent.
 */
void bill_charge(struct bill *b, struct loss *losses, uint32_t mask, const char *text, uint32_t length,
		 uint32_t directory, unsigned question, uint32_t count);

/* Is it time to pay learn_ns, when one loss costs price_ns? `boldness` divides the price (1: none). */
bool bill_is_due(const struct bill *b, uint64_t price_ns, uint64_t learn_ns, uint64_t boldness);

/* Paid: whatever came of it, the next one is saved up for anew. */
void bill_settle(struct bill *b, bool bought);

#endif

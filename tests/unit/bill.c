/*
 * Rent or buy: who is charged for a loss, and when it is time to pay.
 */
#include "test.h"

#include "authority/bill.h"

static struct loss losses[256];

static struct bill charged(const char *path, unsigned question, uint32_t count)
{
	char text[64] = {0};
	struct bill b;

	strcpy(text, path);
	bill_charge(&b, losses, 255, text, (uint32_t)strlen(text), (uint32_t)(strrchr(text, '/') - text), question,
		    count);
	return b;
}

static void fresh(void)
{
	memset(losses, 0, sizeof losses);
}

static unsigned entries(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 256; i++)
		n += losses[i].key != 0;
	return n;
}

TEST(a_missing_name_is_charged_to_its_directory_and_two_above)
{
	fresh();
	charged("/a/b/c/d/e", 0, 1);
	CHECK_EQ(entries(), 3);
	fresh();
	charged("/e", 0, 1);
	CHECK_EQ(entries(), 1);
}

TEST(a_question_about_a_file_is_charged_to_the_file_alone)
{
	fresh();
	charged("/a/b/c/d/e", 1, 1);
	CHECK_EQ(entries(), 1);
}

TEST(it_is_due_at_a_share_of_the_price_and_never_beyond_the_whole)
{
	for (int d = 0; d < 50; d++) {
		char path[32];
		int n = 0;

		fresh();
		snprintf(path, sizeof path, "/dir%d/none", d);
		do
			n++;
		while (n < 200 && !(bill_is_due(&(struct bill){{charged(path, 0, 1).entry[0]}}, 1, 100, 1)));
		CHECK(n > 5 && n <= 100);
	}
}

TEST(what_was_bought_before_costs_its_whole_price_whatever_the_boldness)
{
	struct bill b;

	fresh();
	b = charged("/a/none", 0, 100);
	CHECK(bill_is_due(&b, 1, 100, 1));
	bill_settle(&b, true);
	b = charged("/a/none", 0, 99);
	CHECK(!bill_is_due(&b, 1, 100, 8));
	b = charged("/a/none", 0, 1);
	CHECK(bill_is_due(&b, 1, 100, 8));
}

TEST(each_failed_try_doubles_the_price_of_its_own_directory_only)
{
	struct bill b;

	fresh();
	b = charged("/a/none", 0, 100);
	for (int i = 0; i < 3; i++)
		bill_settle(&b, false);
	b = charged("/a/none", 0, 200);
	CHECK(!bill_is_due(&(struct bill){{b.entry[0]}}, 1, 100, 1));
	/* A directory below that never failed is not held up by it. */
	b = charged("/a/sub/none", 0, 100);
	CHECK(bill_is_due(&b, 1, 100, 1));
	b = charged("/a/none", 0, 500);
	CHECK(bill_is_due(&(struct bill){{b.entry[0]}}, 1, 100, 1));
}

TEST(a_count_stays_at_its_highest)
{
	struct bill b;

	fresh();
	for (int i = 0; i < 3; i++)
		b = charged("/a/none", 0, UINT32_MAX);
	CHECK_EQ(b.entry[0]->count, UINT16_MAX);
}

/*
 * The graph of places: what ends with what, by hand-made places without any kernel behind them.
 */
#include "session.h"

static struct authority a;
static union {
	struct segment segment;
	char bytes[1024 * 1024];
} memory;

static void fresh(void)
{
	memset(&a, 0, sizeof a);
	memset(&memory, 0, sizeof memory);
	a.segment = &memory.segment;
	segment_begin(a.segment);
	segment_reset(a.segment, sizeof memory.segment, sizeof memory);
	segment_end(a.segment);
	/* Watches 1 to 20, as watch_add() would have made them. */
	for (uint16_t i = 0; i < 20; i++) {
		a.watches[i] = (struct watch){.wd = i + 1};
		a.watch_index[i + 1] = i + 1;
	}
	a.watches_used = a.free_watch = a.unused_watches = 20;
}

static uint32_t place(const char *path, enum place_kind kind, uint32_t parent, uint32_t via, int wd)
{
	char text[64] = {0};

	strcpy(text, path);
	uint32_t n = place_of(&a, text, (uint32_t)strlen(path));
	struct place *p = &a.places[n];
	struct record *r = place_record(&a, n);
	const char *name = strrchr(path, '/');

	CHECK(n);
	p->kind = (uint8_t)kind;
	p->parent = parent;
	p->via = via;
	p->wd = wd;
	p->in_wd = parent ? a.places[place_target(&a, parent)].wd : 0;
	p->name = name ? event_name(name + 1, strlen(name + 1)) : 0;
	watch_use(&a, p->wd);
	watch_use(&a, p->in_wd);
	r->filter = segment_filter(a.segment, 2);
	r->access_ok = ACCESS_EXISTS;
	return n;
}

static uint32_t root, dir, sub, file, target, within, link_, through, outside;

/* /dir/sub/file; /target/within; /dir/link -> /target; /dir/link/within; /outside */
static void tree(void)
{
	fresh();
	root = place("", PLACE_DIRECTORY, 0, 0, 1);
	dir = place("/dir", PLACE_DIRECTORY, root, 0, 2);
	sub = place("/dir/sub", PLACE_DIRECTORY, dir, 0, 3);
	file = place("/dir/sub/file", PLACE_FILE, sub, 0, 4);
	target = place("/target", PLACE_DIRECTORY, root, 0, 5);
	within = place("/target/within", PLACE_DIRECTORY, target, 0, 6);
	link_ = place("/dir/link", PLACE_LINK, dir, target, 7);
	through = place("/dir/link/within", PLACE_DIRECTORY, link_, 0, 6);
	outside = place("/outside", PLACE_DIRECTORY, root, 0, 8);
}

/* Exactly the places in a string of 0s and 1s are alive, in the order of tree(). */
static void check_alive(const char *want)
{
	const uint32_t all[] = {root, dir, sub, file, target, within, link_, through, outside};

	for (int i = 0; want[i]; i++) {
		const struct record *r = place_record(&a, all[i]);
		bool alive = place_alive(&a, all[i]);

		CHECKF(alive == (want[i] == '1'), "%s is %s", (const char *)r->path,
		       alive ? "alive" : "dead");
		CHECKF(!r->filter == !alive && !r->access_ok == !alive, "the facts of %s",
		       (const char *)r->path);
	}
}

TEST(a_place_is_found_by_its_path)
{
	tree();
	CHECK_EQ(place_find(&a, "/dir/sub\0\0\0\0\0\0\0", 8), sub);
	CHECK_EQ(place_find(&a, "\0\0\0\0\0\0\0\0", 0), root);
	CHECK_EQ(place_find(&a, "/none\0\0\0\0\0\0\0", 5), 0);
	CHECK_EQ(place_of(&a, "/dir/sub\0\0\0\0\0\0\0", 8), sub);
	check_alive("111111111");
}

TEST(a_directory_ends_with_all_below_it)
{
	tree();
	place_end(&a, sub);
	check_alive("110011111");
	place_end(&a, sub); /* twice is once */
	check_alive("110011111");
}

TEST(a_links_target_ends_whatever_leads_through_it)
{
	tree();
	place_end(&a, target);
	check_alive("111100001");
	tree();
	place_end(&a, link_);
	check_alive("111111001");
}

TEST(the_root_ends_everything)
{
	tree();
	place_end(&a, root);
	check_alive("000000000");
}

TEST(links_to_links_end_in_one_go_whatever_the_order)
{
	/* The link is made before what it leads to: numbers do not follow dependence. */
	fresh();
	root = place("", PLACE_DIRECTORY, 0, 0, 1);
	uint32_t first = place("/first", PLACE_LINK, root, 0, 2);
	uint32_t below = place("/first/x", PLACE_DIRECTORY, first, 0, 3);
	uint32_t second = place("/second", PLACE_LINK, root, 0, 4);
	uint32_t third = place("/third", PLACE_DIRECTORY, root, 0, 5);

	a.places[first].via = second;
	a.places[second].via = third;
	CHECK_EQ(place_target(&a, first), third);
	place_end(&a, third);
	CHECK(!place_alive(&a, second) && !place_alive(&a, first) && !place_alive(&a, below));
	CHECK(place_alive(&a, root));
	CHECK_EQ(place_target(&a, first), 0);
}

TEST(a_loop_of_links_leads_nowhere)
{
	fresh();
	root = place("", PLACE_DIRECTORY, 0, 0, 1);
	uint32_t one = place("/one", PLACE_LINK, root, 0, 2);
	uint32_t two = place("/two", PLACE_LINK, root, one, 3);

	a.places[one].via = two;
	CHECK_EQ(place_target(&a, one), 0);
	place_end(&a, one);
	CHECK(!place_alive(&a, two));
}

TEST(an_inodes_event_ends_each_place_that_is_it)
{
	tree();
	place_end_watched(&a, 6); /* /target/within, and the same by way of the link */
	check_alive("111110101");
	tree();
	place_end_watched(&a, 5); /* /target */
	check_alive("111100001");
	tree();
	place_end_watched(&a, 19); /* nobody's */
	check_alive("111111111");
}

TEST(a_names_event_ends_that_name_only)
{
	tree();
	place_end_named(&a, 2, event_name("sub", 3));
	check_alive("110011111");
	tree();
	place_end_named(&a, 2, event_name("SUB", 3)); /* case is folded */
	check_alive("110011111");
	tree();
	place_end_named(&a, 2, event_name("other", 5));
	check_alive("111111111");
	tree();
	place_end_named(&a, 3, event_name("sub", 3)); /* in another directory */
	check_alive("111111111");
	tree();
	place_end_named(&a, 5, event_name("within", 6)); /* by whatever way it was reached */
	check_alive("111110101");
}

TEST(a_name_that_cannot_be_folded_may_be_any)
{
	tree();
	CHECK_EQ(event_name("\xc3\xa4", 2), 0);
	place_end_named(&a, 2, 0);
	check_alive("110011001");
	tree();
	a.places[sub].name = 0;
	place_end_named(&a, 2, event_name("other", 5));
	check_alive("110011111");
}

TEST(ending_all_ends_all)
{
	tree();
	place_end_all(&a);
	check_alive("000000000");
	CHECK_EQ(a.unused_watches, a.watches_used);
}

TEST(watches_are_given_back_with_the_places)
{
	tree();
	uint32_t unused = a.unused_watches;

	CHECK_EQ(unused, 20 - 8);
	CHECK_EQ(watch_find(&a, 6)->users, 2);
	CHECK_EQ(watch_find(&a, 1)->users, 1 + 3); /* itself, and three names in it */
	place_end(&a, through);
	CHECK_EQ(watch_find(&a, 6)->users, 1);
	CHECK_EQ(a.unused_watches, unused);
	place_end(&a, within);
	CHECK_EQ(watch_find(&a, 6)->users, 0);
	CHECK_EQ(a.unused_watches, unused + 1);
	place_end(&a, root);
	CHECK_EQ(a.unused_watches, 20);
	for (int wd = 1; wd <= 20; wd++)
		CHECK_EQ(watch_find(&a, wd)->users, 0);
}

TEST(ended_facts_are_counted)
{
	tree();
	place_end(&a, dir);
	CHECK_EQ(a.invalidated, 5);
	place_end(&a, dir);
	CHECK_EQ(a.invalidated, 5);
}

TEST(a_place_of_a_full_table_is_refused)
{
	char text[64];

	fresh();
	for (int i = 0; i < PLACES + 10; i++) {
		memset(text, 0, sizeof text);
		sprintf(text, "/p%d", i);
		uint32_t n = place_of(&a, text, (uint32_t)strlen(text));

		CHECK(n < PLACES);
		CHECK(!n == (i >= PLACES - 1));
	}
}

TEST(a_strike_doubles_the_distance_unless_eager)
{
	tree();
	for (int i = 1; i < 40; i++) {
		place_strike(&a, sub);
		CHECK_EQ(a.places[sub].skip, 1U << (i < 20 ? i : 20));
	}
	tree();
	a.eager = true;
	place_strike(&a, sub);
	CHECK_EQ(a.places[sub].skip, 0);
}

TEST(names_in_events_fold_ascii_case)
{
	CHECK(event_name("Makefile", 8) == event_name("MAKEFILE", 8));
	CHECK(event_name("a", 1) != event_name("b", 1));
	CHECK(event_name("ab", 2) != event_name("ba", 2));
	CHECK(event_name("a", 1) != 0);
	CHECK(event_name("aaaaaaaaaaaaaaaaaaaaaaaaa\x80", 26) == 0);
}

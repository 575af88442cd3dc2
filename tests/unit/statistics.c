/*
 * Statistics lines: the short way of reading tells what the long way tells, and sums are right.
 */
#include "test.h"

#include "cli/statistics.h"

#include <errno.h>
#include <stdlib.h>

static const char line[] = "{\"fastpath\":1,\"pid\":25688,\"ppid\":25678,\"exe\":\"/usr/bin/"
			   "bash\",\"scope\":\"tree\",\"bell\":\"page\","
			   "\"wall_ns\":835480,\"calls\":{\"access\":1,\"stat\":2,\"open\":3,"
			   "\"exec\":4,\"readlink\":5,\"realpath\":6,"
			   "\"xattr\":7},\"served\":{\"access\":11,\"stat\":12,\"open\":13,"
			   "\"exec\":14,\"readlink\":15,\"realpath\":16,"
			   "\"xattr\":17},\"learned\":18,\"kernel\":{\"pending\":21,\"unknown\":22,"
			   "\"perhaps\":23,\"refused\":24,"
			   "\"relative\":25,\"argument\":26,\"detached\":27},\"invalidated\":28,"
			   "\"verify\":{\"checked\":31,\"wrong\":32,"
			   "\"unresolved\":33},\"saved_ns\":-34}";

/* Both ways; false: the short way does not take it. The exe of *read is another allocation's. */
static bool both(const char *text, size_t bytes, struct statistics_line *scanned,
		 struct statistics_line *read, bool *is_line)
{
	json_t *json = json_loadb(text, bytes, 0, NULL);
	bool taken = statistics_line_scan(scanned, text, bytes);

	*is_line = json && statistics_line_read(read, json);
	if (*is_line)
		*is_line = !taken || (read->exe_length == scanned->exe_length &&
				      !memcmp(read->exe, scanned->exe, read->exe_length));
	json_decref(json);
	return taken;
}

static struct statistics_line blank(void)
{
	struct statistics_line l;

	memset(&l, 0, sizeof l);
	return l;
}

TEST(a_line_as_it_is_written_is_read_the_short_way_and_the_long_way_alike)
{
	struct statistics_line a = blank(), b = blank();
	bool is_line;

	CHECK(both(line, strlen(line), &a, &b, &is_line) && is_line);
	CHECK_EQ(a.pid, 25688);
	CHECK_EQ(a.stats.scope, FASTPATH_SCOPE_TREE);
	CHECK_EQ(a.stats.bell, FASTPATH_BELL_PAGE);
	CHECK_EQ(a.stats.calls[FASTPATH_XATTR], 7);
	CHECK_EQ(a.stats.saved_ns, -34);
	CHECK(!memcmp(&a.stats, &b.stats, sizeof a.stats));
}

/* Each byte replaced by each of these, left out, and doubled. */
TEST(a_damaged_line_is_never_read_the_short_way_other_than_the_long_way)
{
	static const char others[] = "\"\\{}[]:,-+.0123456789eE aft\t\377\303/";
	char text[sizeof line + 1];
	int taken = 0;

	for (size_t i = 0; i < strlen(line); i++)
		for (size_t k = 0; k < sizeof others + 1; k++) {
			struct statistics_line a = blank(), b = blank();
			size_t bytes = strlen(line);
			bool is_line;

			memcpy(text, line, sizeof line);
			if (k < sizeof others) {
				text[i] = others[k]; /* the last is NUL */
			} else {
				memmove(text + i, text + i + 1, bytes - i);
				bytes--;
			}
			if (!both(text, bytes, &a, &b, &is_line))
				continue;
			taken++;
			CHECKF(is_line && a.pid == b.pid &&
				   !memcmp(&a.stats, &b.stats, sizeof a.stats),
			       "%s", text);
		}
	CHECK(taken > 100); /* digits of numbers, letters of the path */
}

TEST(a_line_cut_short_is_not_read)
{
	struct statistics_line a;

	for (size_t i = 0; i < strlen(line); i++)
		CHECK(!statistics_line_scan(&a, line, i));
}

static int add(struct statistics *s, uint32_t source, const char *text)
{
	return statistics_add(s, source, text, strlen(text));
}

TEST(what_is_no_statistics_adds_nothing)
{
	struct statistics s = {0};

	CHECK_EQ(add(&s, 0, ""), -EINVAL);
	CHECK_EQ(add(&s, 0, "words"), -EINVAL);
	CHECK_EQ(add(&s, 0, "[1]"), -EINVAL);
	CHECK_EQ(add(&s, 0, "{\"fastpath\":2}"), -EINVAL);
	CHECK_EQ(add(&s, 0, "{\"fastpath\":1}"), -EINVAL);
	CHECK_EQ(add(&s, 0, "{\"fastpath\":1,\"calls\":{},\"served\":3}"), -EINVAL);
	CHECK_EQ(add(&s, 0, "{\"fastpath\":1,\"run\":7}"), -EINVAL);
	CHECK_EQ(s.lines + s.runs + s.programs_used, 0);
	statistics_free(&s);
}

TEST(a_process_that_reports_twice_is_one_and_one_that_ran_two_programs_too)
{
	static const char other[] =
	    "{\"fastpath\":1,\"pid\":25688,\"exe\":\"/other\",\"calls\":{\"stat\":100},"
	    "\"served\":{}}";
	struct statistics s = {0};

	CHECK_EQ(add(&s, 0, line), 0);
	CHECK_EQ(add(&s, 0, line), 0);
	CHECK_EQ(add(&s, 0, other), 0);
	CHECK_EQ(add(&s, 1, line), 0); /* the same number in another file */
	statistics_end(&s);
	CHECK_EQ(s.processes, 2);
	CHECK_EQ(s.lines, 4);
	CHECK_EQ(s.programs_used, 2);
	CHECK(!strcmp(s.programs[0].exe, "/other"));
	CHECK_EQ(s.programs[0].calls, 100);
	CHECK_EQ(s.programs[1].processes, 2);
	CHECK_EQ(s.programs[1].calls, 3 * 28);
	CHECK_EQ(s.totals.saved_ns, 3 * -34);
	CHECK_EQ(s.scopes[FASTPATH_SCOPE_TREE], 3);
	statistics_free(&s);
}

TEST(runs_add_their_programs_and_directories)
{
	static const char run[] =
	    "{\"fastpath\":1,\"run\":{\"processes\":5,\"calls\":{\"open\":9},\"served\":{\"open\":"
	    "8}},"
	    "\"programs\":[{\"exe\":\"/usr/bin/bash\",\"processes\":4,\"calls\":9}],"
	    "\"directories\":[{\"path\":\"/b\",\"lost\":3,\"names\":7,\"rang\":1},"
	    "{\"path\":\"/a\",\"lost\":4,\"names\":6},17]}";
	struct statistics s = {0};

	CHECK_EQ(add(&s, 0, run), 0);
	CHECK_EQ(add(&s, 0, run), 0);
	CHECK_EQ(add(&s, 0, line), 0);
	statistics_end(&s);
	CHECK_EQ(s.runs, 2);
	CHECK_EQ(s.processes, 11);
	CHECK_EQ(s.totals.calls[FASTPATH_OPEN], 21);
	CHECK_EQ(s.programs_used, 1);
	CHECK_EQ(s.programs[0].processes, 9);
	CHECK_EQ(s.directories_used, 3);
	CHECK(!strcmp(s.directories[0].path, "/a"));
	CHECK_EQ(s.directories[0].lost, 8);
	CHECK_EQ(s.directories[0].names, 6);
	CHECK_EQ(s.directories[1].rang, 2);
	statistics_free(&s);
}

TEST(sums_of_the_largest_numbers_stay_and_can_be_read_again)
{
	static const char large[] = "{\"fastpath\":1,\"pid\":1,\"exe\":\"/x\",\"calls\":{\"stat\":"
				    "999999999999999999,\"open\":1000000000000000000},\"served\":{},"
				    "\"saved_ns\":-999999999999999999}";
	struct statistics s = {0};

	for (int i = 0; i < 20; i++)
		CHECK_EQ(add(&s, 0, large), 0);
	statistics_end(&s);
	CHECK_EQ(s.totals.calls[FASTPATH_STAT], 999999999999999999);
	CHECK_EQ(s.totals.calls[FASTPATH_OPEN], 0); /* absurd */
	CHECK_EQ(s.totals.saved_ns, -999999999999999999);
	CHECK_EQ(s.programs[0].calls, 999999999999999999);
	CHECK_EQ(s.programs[0].saved_ns, -999999999999999999);
	statistics_free(&s);
}

TEST(ten_thousand_programs_are_told_apart)
{
	struct statistics s = {0};
	char text[256];

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 10000; i++) {
			snprintf(text, sizeof text,
				 "{\"fastpath\":1,\"pid\":%d,\"exe\":\"/bin/"
				 "p%d\",\"calls\":{\"stat\":%d},"
				 "\"served\":{}}",
				 i, i, i + 1);
			CHECK_EQ(add(&s, 0, text), 0);
		}
	statistics_end(&s);
	CHECK_EQ(s.programs_used, 10000);
	CHECK(!strcmp(s.programs[0].exe, "/bin/p9999"));
	CHECK_EQ(s.programs[0].calls, 20000);
	CHECK_EQ(s.programs[9999].calls, 2);
	CHECK_EQ(s.processes, 10000);
	statistics_free(&s);
}

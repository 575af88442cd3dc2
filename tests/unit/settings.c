/*
 * What the environment asks for, read as design.md's table of variables says.
 */
#include "test.h"

#include "base/settings.h"

static const char *malformed;

/* FASTPATH=1 and one more variable (NULL: none). */
static struct settings with(const char *entry)
{
	char *environment[] = {(char *)"HOME=/root", (char *)entry, (char *)"FASTPATH=1", NULL};
	char *without[] = {(char *)"FASTPATH=1", NULL};
	struct settings s;

	memset(&s, 0xa5, sizeof s);
	malformed = settings_read(&s, entry ? environment : without);
	return s;
}

static struct settings mode_of(const char *entry)
{
	char *environment[] = {(char *)entry, NULL};
	struct settings s;

	memset(&s, 0xa5, sizeof s);
	malformed = settings_read(&s, environment);
	return s;
}

#define CHECK_MALFORMED(entry, name)                                                               \
	do {                                                                                       \
		struct settings m_ = with(entry);                                                  \
		CHECKF(malformed && !strcmp(malformed, name), "%s was taken", entry);              \
		CHECK_EQ(m_.mode, MODE_INERT);                                                     \
	} while (0)

TEST(nothing_is_inert)
{
	char *none[] = {NULL};
	struct settings s;

	CHECK(settings_read(&s, NULL) == NULL);
	CHECK_EQ(s.mode, MODE_INERT);
	CHECK(settings_read(&s, none) == NULL);
	CHECK_EQ(s.mode, MODE_INERT);
}

TEST(the_mode_is_what_FASTPATH_says)
{
	CHECK_EQ(mode_of("FASTPATH=").mode, MODE_INERT);
	CHECK(!malformed);
	CHECK_EQ(mode_of("FASTPATH=0").mode, MODE_INERT);
	CHECK(!malformed);
	CHECK_EQ(mode_of("FASTPATH=off").mode, MODE_INERT);
	CHECK(!malformed);
	CHECK_EQ(mode_of("FASTPATH=1").mode, MODE_ON);
	CHECK_EQ(mode_of("FASTPATH=on").mode, MODE_ON);
	CHECK_EQ(mode_of("FASTPATH=process").mode, MODE_PROCESS_ONLY);
	CHECK(!malformed);
}

TEST(any_other_FASTPATH_is_malformed_and_inert)
{
	static const char *const bad[] = {"FASTPATH=2",  "FASTPATH=ON",        "FASTPATH=11",
					  "FASTPATH= 1", "FASTPATH=processes", "FASTPATH=proces",
					  "FASTPATH=00"};

	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		CHECK_EQ(mode_of(bad[i]).mode, MODE_INERT);
		CHECKF(malformed && !strcmp(malformed, "FASTPATH"), "%s was taken", bad[i]);
	}
}

TEST(other_names_that_begin_alike_are_not_ours)
{
	CHECK_EQ(mode_of("FASTPATHS=1").mode, MODE_INERT);
	CHECK_EQ(mode_of("FASTPATH").mode, MODE_INERT);
	CHECK_EQ(mode_of("XFASTPATH=1").mode, MODE_INERT);
	CHECK_EQ(with("FASTPATH_STATSX=nonsense").stats, STATS_NONE);
	CHECK(!malformed);
	CHECK_EQ(with("FASTPATH_SESSION=1:2:3").mode, MODE_ON);
	CHECK(!malformed);
}

TEST(off_ignores_every_other_variable)
{
	char *environment[] = {(char *)"FASTPATH_STATS=nonsense", (char *)"FASTPATH_VERIFY=9",
			       (char *)"FASTPATH=off", (char *)"FASTPATH_SKIP=relative", NULL};
	struct settings s;

	CHECK(settings_read(&s, environment) == NULL);
	CHECK_EQ(s.mode, MODE_INERT);
	CHECK_EQ(s.stats, STATS_NONE);
	CHECK(!s.skip);
	/* Unset is off. */
	environment[2] = (char *)"A=b";
	CHECK(settings_read(&s, environment) == NULL);
	CHECK_EQ(s.stats, STATS_NONE);
}

TEST(of_a_variable_that_is_there_twice_the_last_counts)
{
	char *environment[] = {(char *)"FASTPATH=1",
			       (char *)"FASTPATH_STATS=/tmp/x",
			       (char *)"FASTPATH_VERIFY=1",
			       (char *)"FASTPATH_TEST=eager,bell=epoll,tick=5",
			       (char *)"FASTPATH_STATS=json",
			       (char *)"FASTPATH_VERIFY=",
			       (char *)"FASTPATH_TEST=tick=6",
			       NULL};
	struct settings s;

	CHECK(settings_read(&s, environment) == NULL);
	CHECK(s.stats == STATS_JSON_STDERR && !s.stats_file);
	CHECK_EQ(s.verify, VERIFY_NONE);
	CHECK(!s.eager && !s.no_page_bell && s.tick_us == 6);
}

TEST(statistics_have_four_forms)
{
	CHECK_EQ(with("FASTPATH_STATS=").stats, STATS_NONE);
	CHECK_EQ(with("FASTPATH_STATS=0").stats, STATS_NONE);
	CHECK_EQ(with("FASTPATH_STATS=1").stats, STATS_TEXT_STDERR);
	CHECK_EQ(with("FASTPATH_STATS=json").stats, STATS_JSON_STDERR);
	CHECK_EQ(with("FASTPATH_STATS=/tmp/x").stats, STATS_JSON_FILE);
	CHECK(!strcmp(with("FASTPATH_STATS=/tmp/x").stats_file, "/tmp/x"));
	CHECK_EQ(with("FASTPATH_STATS=json:/tmp/x").stats, STATS_JSON_FILE);
	CHECK(!strcmp(with("FASTPATH_STATS=json:/tmp/x").stats_file, "/tmp/x"));
	CHECK(!malformed);
	CHECK_MALFORMED("FASTPATH_STATS=2", "FASTPATH_STATS");
	CHECK_MALFORMED("FASTPATH_STATS=json:x", "FASTPATH_STATS");
	CHECK_MALFORMED("FASTPATH_STATS=json:", "FASTPATH_STATS");
	CHECK_MALFORMED("FASTPATH_STATS=text", "FASTPATH_STATS");
	CHECK_MALFORMED("FASTPATH_STATS=1 ", "FASTPATH_STATS");
}

TEST(verification_counts_or_aborts)
{
	CHECK_EQ(with("FASTPATH_VERIFY=").verify, VERIFY_NONE);
	CHECK_EQ(with("FASTPATH_VERIFY=0").verify, VERIFY_NONE);
	CHECK_EQ(with("FASTPATH_VERIFY=1").verify, VERIFY_COUNT);
	CHECK_EQ(with("FASTPATH_VERIFY=abort").verify, VERIFY_ABORT);
	CHECK_MALFORMED("FASTPATH_VERIFY=yes", "FASTPATH_VERIFY");
	CHECK_MALFORMED("FASTPATH_VERIFY=1abort", "FASTPATH_VERIFY");
}

TEST(test_words_come_in_any_order)
{
	CHECK(with("FASTPATH_TEST=eager").eager);
	CHECK(!with("FASTPATH_TEST=eager").no_page_bell);
	CHECK(with("FASTPATH_TEST=bell=epoll").no_page_bell);
	CHECK(!with("FASTPATH_TEST=bell=epoll").eager);
	struct settings s = with("FASTPATH_TEST=tick=20,bell=epoll,eager");

	CHECK(!malformed && s.eager && s.no_page_bell);
	CHECK_EQ(s.tick_us, 20);
	CHECK_EQ(with("FASTPATH_TEST=tick=5,tick=6").tick_us, 6);
	s = with("FASTPATH_TEST=");
	CHECK(!malformed && !s.eager && !s.no_page_bell);
	CHECK_MALFORMED("FASTPATH_TEST=eagerly", "FASTPATH_TEST");
	CHECK_MALFORMED("FASTPATH_TEST=bell=page", "FASTPATH_TEST");
	CHECK_MALFORMED("FASTPATH_TEST=tick=", "FASTPATH_TEST");
	CHECK_MALFORMED("FASTPATH_TEST=tick=x", "FASTPATH_TEST");
	CHECK_MALFORMED("FASTPATH_TEST=eager;bell=epoll", "FASTPATH_TEST");
	CHECK_MALFORMED("FASTPATH_TEST=,", "FASTPATH_TEST");
}

TEST(prefix_lists_must_be_absolute)
{
	CHECK(!strcmp(with("FASTPATH_SKIP=/a:/b").skip, "/a:/b"));
	CHECK(!strcmp(with("FASTPATH_TRUST=/mnt").trust, "/mnt"));
	with("FASTPATH_SKIP=");
	CHECK(!malformed);
	with("FASTPATH_SKIP=:/a::/b:");
	CHECK(!malformed);
	CHECK_MALFORMED("FASTPATH_SKIP=a", "FASTPATH_SKIP");
	CHECK_MALFORMED("FASTPATH_SKIP=/a:b", "FASTPATH_SKIP");
	CHECK_MALFORMED("FASTPATH_TRUST=./a", "FASTPATH_TRUST");
	CHECK(!with(NULL).skip && !with(NULL).trust);
}

TEST(a_profile_is_an_absolute_path)
{
	CHECK(!strcmp(with("FASTPATH_PROFILE=/tmp/p").profile, "/tmp/p"));
	CHECK(!with("FASTPATH_PROFILE=").profile && !malformed);
	CHECK_MALFORMED("FASTPATH_PROFILE=p", "FASTPATH_PROFILE");
}

static bool lists(const char *list, const char *path)
{
	/* The text is not ended by a NUL where its length says. */
	char text[64];
	size_t n = strlen(path);

	memset(text, 'z', sizeof text);
	memcpy(text, path, n);
	return settings_lists(list, text, n);
}

TEST(lists_match_whole_components)
{
	CHECK(lists("/a", "/a"));
	CHECK(lists("/a", "/a/b"));
	CHECK(lists("/a/", "/a/b"));
	CHECK(lists("/a//", "/a"));
	CHECK(!lists("/a", "/ab"));
	CHECK(!lists("/a/b", "/a"));
	CHECK(!lists("/a/b", "/a/bc"));
	CHECK(lists("/x:/a", "/a/b"));
	CHECK(lists(":/x::/a:", "/a"));
	CHECK(!lists("/x:/y", "/a"));
	CHECK(lists("/proc:/sys:/dev", "/dev/shm/x"));
	CHECK(!lists("/proc:/sys:/dev", "/develop"));
}

TEST(a_list_of_the_root_holds_everything)
{
	CHECK(lists("/", "/a/b"));
	CHECK(lists("/", ""));
	CHECK(lists("//", "/a"));
	CHECK(!lists("/a", ""));
}

TEST(an_empty_list_holds_nothing)
{
	CHECK(!lists(NULL, "/a"));
	CHECK(!lists("", "/a"));
	CHECK(!lists(":", "/a"));
	CHECK(!lists("::", ""));
}

/*
 * reader_absent(): the longest known prefix decides, by the rules of design.md, section 3.
 */
#include "test.h"

#include "cache/reader.h"
#include "cache/writer.h"

static union {
	struct segment segment;
	char bytes[64 * 1024];
} memory;
static struct segment *const s = &memory.segment;

static void fresh(void)
{
	memset(&memory, 0, sizeof memory);
	segment_reset(s, sizeof *s, sizeof memory);
}

static struct record *record_of(const char *path)
{
	char text[512] = {0};

	strcpy(text, path);
	struct record *r = segment_record(s, text, (uint32_t)strlen(path));

	r->name_max = 255;
	return r;
}

/* A listed directory ("" is "/") with up to two names. */
static struct record *list(const char *path, const char *one, const char *two)
{
	const char *names[] = {one, two};
	struct record *r = record_of(path);
	char text[512];

	r->filter = segment_filter(s, 16);
	for (int i = 0; i < 2; i++) {
		memset(text, 0, sizeof text);
		if (names[i])
			filter_add(s, r->filter,
				   hash_name(strcpy(text, names[i]), strlen(names[i])));
	}
	return r;
}

static const struct record *by;
static uint32_t at;

static enum found ask(const char *spelled)
{
	static char text[8192] __attribute__((aligned(4096)));
	static struct path p;

	memset(text, 0, sizeof text);
	strcpy(text, spelled);
	if (path_parse(&p, text) != PATH_ABSOLUTE)
		return (enum found) - 1;
	by = NULL;
	at = UINT32_MAX;
	return reader_absent(s, &p, &by, &at);
}

TEST(an_empty_segment_knows_nothing)
{
	fresh();
	CHECK_EQ(ask("/usr/bin/gcc"), FOUND_UNKNOWN);
	memset(&memory, 0, sizeof memory);
	CHECK_EQ(ask("/usr/bin/gcc"), FOUND_UNKNOWN);
}

TEST(a_name_not_in_a_listed_directory_is_absent)
{
	fresh();
	struct record *r = list("/usr/bin", "gcc", "ld");

	CHECK_EQ(ask("/usr/bin/cc1"), FOUND_ABSENT);
	CHECK(by == r);
	CHECK_EQ(at, 8);
	CHECK_EQ(ask("//usr/./bin//cc1"), FOUND_ABSENT);
	CHECK_EQ(ask("/usr/bin/cc1/"), FOUND_ABSENT);
	CHECK_EQ(ask("/usr/bin/gcc"), FOUND_PERHAPS);
	CHECK_EQ(ask("/usr/bin/GCC"), FOUND_PERHAPS);
	CHECK(by == r);
}

TEST(everything_below_an_absent_name_is_absent)
{
	fresh();
	struct record *r = list("/usr/include", "stdio.h", NULL);

	CHECK_EQ(ask("/usr/include/boost/config.hpp"), FOUND_ABSENT);
	CHECK(by == r);
	CHECK_EQ(at, 12);
	CHECK_EQ(ask("/usr/include/boost/a/b/c/d"), FOUND_ABSENT);
	/* ".." behind an absent name: the kernel never gets there. */
	CHECK_EQ(ask("/usr/include/boost/../stdio.h"), FOUND_ABSENT);
}

TEST(below_a_name_that_is_perhaps_present_nothing_is_known)
{
	fresh();
	list("/usr/include", "boost", NULL);
	CHECK_EQ(ask("/usr/include/boost/config.hpp"), FOUND_UNKNOWN);
	CHECK_EQ(ask("/usr/include/boost"), FOUND_PERHAPS);
}

TEST(the_longest_listed_prefix_decides)
{
	fresh();
	struct record *root = list("", "usr", NULL);
	struct record *usr = list("/usr", "lib", NULL);
	struct record *lib = list("/usr/lib", "gcc", NULL);

	CHECK_EQ(ask("/opt/x"), FOUND_ABSENT);
	CHECK(by == root);
	CHECK_EQ(at, 0);
	CHECK_EQ(ask("/usr/bin/x"), FOUND_ABSENT);
	CHECK(by == usr);
	CHECK_EQ(at, 4);
	CHECK_EQ(ask("/usr/lib/x"), FOUND_ABSENT);
	CHECK(by == lib);
	CHECK_EQ(ask("/usr/lib/gcc"), FOUND_PERHAPS);
	CHECK(by == lib);
	CHECK_EQ(ask("/usr/lib/gcc/x"), FOUND_UNKNOWN);
	/* A longer prefix than the one that says absent is not looked for. */
	list("/usr/bin/y", NULL, NULL);
	CHECK_EQ(ask("/usr/bin/y/z"), FOUND_ABSENT);
	CHECK_EQ(at, 10);
}

TEST(a_record_that_is_not_listed_decides_nothing)
{
	fresh();
	list("/usr", "lib", NULL);
	record_of("/usr/bin");
	CHECK_EQ(ask("/usr/bin/gcc"), FOUND_ABSENT); /* by /usr */
	CHECK_EQ(at, 4);
	list("/usr", "bin", NULL);
	CHECK_EQ(ask("/usr/bin/gcc"), FOUND_UNKNOWN);
}

TEST(a_refused_prefix_is_the_kernels)
{
	fresh();
	list("", NULL, NULL);
	struct record *proc = record_of("/proc");

	proc->flags = RECORD_REFUSED;
	CHECK_EQ(ask("/proc/self"), FOUND_REFUSED);
	CHECK_EQ(ask("/proc/1/maps"), FOUND_REFUSED);
	/* /proc itself is a name in "/". */
	CHECK_EQ(ask("/proc"), FOUND_ABSENT);
	/* Refused wins over a filter it may still have. */
	list("/proc", NULL, NULL)->flags = RECORD_REFUSED;
	CHECK_EQ(ask("/proc/x"), FOUND_REFUSED);
}

TEST(prefixes_are_compared_as_spelled)
{
	fresh();
	list("/usr/lib", NULL, NULL);
	CHECK_EQ(ask("/usr/lib64/x"), FOUND_UNKNOWN);
	CHECK_EQ(ask("/usr/li/x"), FOUND_UNKNOWN);
	CHECK_EQ(ask("/Usr/lib/x"), FOUND_UNKNOWN);
	/* /usr/lib/.. is not /usr, nor is /usr/lib/../lib known. */
	CHECK(ask("/usr/lib/../lib/x") != FOUND_ABSENT);
}

TEST(the_root_itself_is_never_absent)
{
	fresh();
	list("", NULL, NULL);
	CHECK_EQ(ask("/"), FOUND_PERHAPS);
	CHECK_EQ(ask("//"), FOUND_PERHAPS);
	CHECK_EQ(ask("/."), FOUND_PERHAPS);
}

TEST(dots_are_the_kernels)
{
	fresh();
	list("/a", NULL, NULL);
	CHECK_EQ(ask("/a/.."), FOUND_PERHAPS);
	CHECK(ask("/a/../b") != FOUND_ABSENT);
	CHECK(ask("/a/../a/x") != FOUND_ABSENT);
	CHECK_EQ(ask("/a/..."), FOUND_ABSENT);
	CHECK_EQ(ask("/a/.x"), FOUND_ABSENT);
	CHECK_EQ(ask("/a/x."), FOUND_ABSENT);
	/* A prefix that ends in ".." is a prefix like any other. */
	list("/a/b/..", NULL, NULL);
	CHECK_EQ(ask("/a/b/../x"), FOUND_ABSENT);
}

TEST(names_longer_than_the_file_systems_are_the_kernels)
{
	char path[400] = "/a/";

	fresh();
	list("/a", NULL, NULL)->name_max = 100;
	memset(path + 3, 'n', 100);
	CHECK_EQ(ask(path), FOUND_ABSENT);
	path[103] = 'n';
	CHECK(ask(path) != FOUND_ABSENT);
	/* Below it, too: ENAMETOOLONG comes first. */
	strcpy(path + 104, "/x");
	CHECK(ask(path) != FOUND_ABSENT);
	/* Behind an absent name the length does not matter: ENOENT comes first. */
	strcpy(path, "/a/x/");
	memset(path + 5, 'n', 300);
	path[305] = 0;
	CHECK_EQ(ask(path), FOUND_ABSENT);
}

TEST(names_that_cannot_be_folded_are_perhaps_present)
{
	fresh();
	list("/a", NULL, NULL);
	CHECK_EQ(ask("/a/\xc3\xa4"), FOUND_PERHAPS);
	CHECK_EQ(ask("/a/nnnnnnn\xff/x"), FOUND_UNKNOWN);
	/* And a directory that holds one answers nothing. */
	list("/b", "plain", "\xc3\xa4");
	CHECK_EQ(ask("/b/other"), FOUND_PERHAPS);
}

TEST(every_name_length_is_cut_out_right)
{
	char path[300], name[300];

	for (int n = 1; n < 250; n++) {
		fresh();
		memset(name, 'k', sizeof name);
		name[n] = 0;
		list("/dir", name, NULL);
		snprintf(path, sizeof path, "/dir/%.*s", n, name);
		CHECKF(ask(path) == FOUND_PERHAPS, "length %d", n);
		snprintf(path, sizeof path, "/dir/%.*s/x", n, name);
		CHECKF(ask(path) == FOUND_UNKNOWN, "length %d, below", n);
		path[5] = 'j';
		CHECKF(ask(path) == FOUND_ABSENT, "length %d, another", n);
	}
}

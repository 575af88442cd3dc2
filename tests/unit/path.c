/*
 * path_parse() against a byte-wise reference, and at the end of a page that nothing follows.
 */
#include "test.h"

#include "base/attributes.h"
#include "base/path.h"
#include "base/settings.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Room behind every string, so that its end of page alone does not decide. */
static char buffer[2 * PATH_PAGE] __attribute__((aligned(PATH_PAGE)));

static enum path_kind parse(struct path *p, const char *spelled)
{
	size_t bytes = strlen(spelled) + 1;

	CHECK(bytes <= sizeof buffer);
	memset(p, 0xa5, sizeof *p);
	memset(buffer, 'x', sizeof buffer);
	memcpy(buffer, spelled, bytes);
	return path_parse(p, buffer);
}

static void check_folded(const char *spelled, const char *want, bool trailing)
{
	struct path p;

	CHECKF(parse(&p, spelled) == PATH_ABSOLUTE, "%s is not absolute", spelled);
	CHECKF(p.length == strlen(want) && !memcmp(p.text, want, p.length), "%s became %.*s",
	       spelled, (int)p.length, p.text);
	CHECKF(p.trailing == trailing, "%s: trailing is %d", spelled, p.trailing);
	CHECKF(p.length == 0 || p.text[p.directory] == '/', "%s: directory at %u", spelled,
	       p.directory);
}

TEST(plain_paths_are_taken_as_they_are)
{
	struct path p;

	check_folded("/a", "/a", false);
	check_folded("/usr/include/boost/config.hpp", "/usr/include/boost/config.hpp", false);
	CHECK(parse(&p, "/usr/bin") == PATH_ABSOLUTE);
	CHECK(p.text == buffer);
	CHECK_EQ(p.directory, 4);
}

TEST(double_slashes_and_single_dots_are_folded)
{
	check_folded("//a", "/a", false);
	check_folded("/./a", "/a", false);
	check_folded("/a//b", "/a/b", false);
	check_folded("/a///././/b", "/a/b", false);
	check_folded("/.hidden/..x/a.", "/.hidden/..x/a.", false);
	check_folded("/aaaaaa//b", "/aaaaaa/b", false);
	check_folded("/aaaaaaa//b", "/aaaaaaa/b", false);
	check_folded("/aaaaaa/./b", "/aaaaaa/b", false);
	check_folded("/aaaaa/./b", "/aaaaa/b", false);
}

TEST(a_slash_or_dot_at_the_end_is_folded_and_remembered)
{
	check_folded("/", "", true);
	check_folded("/.", "", true);
	check_folded("//", "", true);
	check_folded("/a/", "/a", true);
	check_folded("/a/.", "/a", true);
	check_folded("/a//./", "/a", true);
	check_folded("/a/b.", "/a/b.", false);
}

TEST(dot_dot_is_never_folded)
{
	check_folded("/..", "/..", false);
	check_folded("/a/..", "/a/..", false);
	check_folded("/a/../b", "/a/../b", false);
	check_folded("/a/.././../b/", "/a/../../b", true);
	check_folded("/...", "/...", false);
}

TEST(relative_and_empty_paths_are_told_apart)
{
	struct path p;

	CHECK_EQ(parse(&p, "a/b"), PATH_RELATIVE);
	CHECK_EQ(parse(&p, "./a"), PATH_RELATIVE);
	CHECK_EQ(parse(&p, "../a"), PATH_RELATIVE);
	CHECK_EQ(parse(&p, ""), PATH_ARGUMENT);
}

TEST(pointers_that_cannot_be_strings_are_never_read)
{
	struct path p;

	CHECK_EQ(path_parse(&p, NULL), PATH_ARGUMENT);
	for (uintptr_t at = 1; at < PATH_PAGE; at += 61)
		CHECK_EQ(path_parse(&p, (const char *)at), PATH_ARGUMENT);
	CHECK_EQ(path_parse(&p, (const char *)(PATH_PAGE - 1)), PATH_ARGUMENT);
	CHECK_EQ(path_parse(&p, (const char *)UINTPTR_MAX), PATH_ARGUMENT);
	for (int bit = PATH_ADDRESS_BITS; bit < (int)(8 * sizeof(void *)); bit++)
		CHECK_EQ(path_parse(&p, (const char *)((uintptr_t)1 << bit)), PATH_ARGUMENT);
}

TEST(long_paths_go_to_the_kernel_only_when_they_must)
{
	struct path p;
	char *s = buffer;

	/* In the middle of no page end: everything that needs no folding. */
	memset(s, 'a', sizeof buffer);
	s[0] = '/';
	s[PATH_PAGE - 32] = 0;
	CHECK_EQ(path_parse(&p, s), PATH_ABSOLUTE);
	CHECK_EQ(p.length, PATH_PAGE - 32);
	/* PATH_MAX bytes with the NUL, and more: ENAMETOOLONG is the kernel's to say. */
	for (int n = PATH_PAGE; n < PATH_PAGE + 32; n++) {
		memset(s, 'a', sizeof buffer);
		s[0] = '/';
		s[n] = 0;
		CHECK_EQ(path_parse(&p, s), PATH_GOES_ON);
		CHECK_EQ(path_parse_on(&p, s), PATH_ARGUMENT);
	}
	/* What must be folded has a buffer's room. */
	memset(s, 'a', sizeof buffer);
	s[0] = s[1] = '/';
	s[PATH_FOLDED_MAX] = 0;
	CHECK_EQ(path_parse(&p, s), PATH_ABSOLUTE);
	CHECK_EQ(p.length, PATH_FOLDED_MAX - 1);
	s[PATH_FOLDED_MAX] = 'a';
	s[PATH_FOLDED_MAX + 1] = 0;
	CHECK_EQ(path_parse(&p, s), PATH_ARGUMENT);
}

/* Two pages, the second of which may not be touched. */
static char *page_before_nothing(void)
{
	char *page =
	    mmap(NULL, 2 * PATH_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	CHECK(mprotect(page + PATH_PAGE, PATH_PAGE, PROT_NONE) == 0);
	return page;
}

TEST(nothing_behind_a_page_is_read_whatever_the_alignment_and_length)
{
	char *page = page_before_nothing();
	struct path p;

	for (int start = PATH_PAGE - 1; start > PATH_PAGE - 96; start--) {
		for (int end = start; end <= PATH_PAGE; end++) {
			/* The NUL at `end`; at PATH_PAGE there is none. */
			memset(page, 'a', PATH_PAGE);
			page[start] = '/';
			for (int i = start + 3; i < end; i += 7)
				page[i] = '/';
			if (end < PATH_PAGE)
				page[end] = 0;
			enum path_kind kind = path_parse(&p, page + start);

			if (end == start)
				CHECK_EQ(kind, PATH_ARGUMENT);
			if (end == PATH_PAGE)
				CHECKF(kind == PATH_GOES_ON, "unterminated at %d", start);
			if (kind == PATH_ABSOLUTE) {
				CHECK_EQ(p.length + (p.text != p.folded && p.trailing),
					 end - start - (page[end - 1] == '/'));
			}
			/* Only a string that goes on behind the page may be turned away. */
			if (end > start && end < PATH_PAGE)
				CHECKF(kind == PATH_ABSOLUTE, "from %d to %d: kind %d", start, end,
				       kind);
		}
	}
	munmap(page, 2 * PATH_PAGE);
}

TEST(what_goes_on_in_the_next_page_is_read_when_asked_and_no_further)
{
	char *pages = mmap(NULL, 3 * PATH_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct path p;

	CHECK(pages != MAP_FAILED);
	CHECK(mprotect(pages + 2 * PATH_PAGE, PATH_PAGE, PROT_NONE) == 0);
	for (int start = PATH_PAGE - 1; start > PATH_PAGE - 96; start--) {
		/* A NUL is in the last byte that may be read, but where it would be too long. */
		static const int ends[] = {PATH_PAGE, PATH_PAGE + 1, PATH_PAGE + 15, PATH_PAGE + 16, PATH_PAGE + 70};

		for (size_t i = 0; i < array_size(ends); i++) {
			memset(pages, 'a', 2 * PATH_PAGE);
			pages[start] = '/';
			pages[(start + ends[i]) / 2] = '/';
			pages[ends[i]] = 0;
			if (pages[start + 1] == '/' || pages[ends[i] - 1] == '/')
				continue;
			CHECK_EQ(path_parse(&p, pages + start), PATH_GOES_ON);
			CHECK_EQ(path_parse_on(&p, pages + start), PATH_ABSOLUTE);
			CHECK(p.text == pages + start);
			CHECK_EQ(p.length, ends[i] - start);
			CHECK_EQ(p.directory, (start + ends[i]) / 2 - start);
		}
		memset(pages, 'a', 2 * PATH_PAGE);
		pages[start] = '/';
		CHECK_EQ(path_parse_on(&p, pages + start), PATH_GOES_ON);
		/* PATH_MAX, and one less, with the NUL. */
		pages[start + PATH_MAX] = 0;
		CHECK_EQ(path_parse_on(&p, pages + start), PATH_ARGUMENT);
		pages[start + PATH_MAX - 1] = 0;
		CHECK_EQ(path_parse_on(&p, pages + start), PATH_ABSOLUTE);
	}
	munmap(pages, 3 * PATH_PAGE);
}

TEST(a_relative_path_at_the_end_of_a_page_is_not_read_on)
{
	char *page = page_before_nothing();
	struct path p;

	page[PATH_PAGE - 1] = 'a';
	CHECK_EQ(path_parse(&p, page + PATH_PAGE - 1), PATH_RELATIVE);
	page[PATH_PAGE - 1] = 0;
	CHECK_EQ(path_parse(&p, page + PATH_PAGE - 1), PATH_ARGUMENT);
	munmap(page, 2 * PATH_PAGE);
}

/* The normal form, component by component. */
static bool reference(const char *s, char *out, size_t *directory)
{
	bool trailing = false;
	char *end = out;

	*directory = 0;
	while (*s) {
		size_t n = strcspn(s, "/");

		trailing = n == 0 || (n == 1 && *s == '.');
		if (!trailing) {
			*directory = (size_t)(end - out);
			*end++ = '/';
			memcpy(end, s, n);
			end += n;
		}
		s += n;
		if (*s == '/') {
			s++;
			trailing = trailing || !*s;
		}
	}
	*end = 0;
	return trailing;
}

TEST(a_hundred_thousand_random_paths_parse_as_the_reference_says)
{
	static const char alphabet[] = "/.ab/.";
	char spelled[512], want[512];
	struct path p;
	size_t directory;

	srand(1);
	memset(buffer, 'y', sizeof buffer);
	for (int i = 0; i < 100000; i++) {
		size_t n = (size_t)(rand() % (i % 50 ? 40 : 350)) + 1;
		unsigned offset = (unsigned)rand() % 64;
		char *at = buffer + offset;

		spelled[0] = '/';
		for (size_t k = 1; k < n; k++)
			spelled[k] = alphabet[rand() % 6];
		spelled[n] = 0;
		bool trailing = reference(spelled, want, &directory);

		memcpy(at, spelled, n + 1);
		CHECKF(path_parse(&p, at) == PATH_ABSOLUTE, "%s is not absolute", spelled);
		CHECKF(p.length == strlen(want) && !memcmp(p.text, want, p.length),
		       "%s became %.*s, must be %s", spelled, (int)p.length, p.text, want);
		CHECKF(p.directory == directory, "%s: directory is %u, must be %zu", spelled,
		       p.directory, directory);
		CHECKF(!!p.trailing == trailing, "%s: trailing is %d", spelled, p.trailing);
		CHECKF(!memcmp(at, spelled, n + 1), "%s was changed", spelled);
		memset(at, 'y', n + 1);
	}
}

TEST(any_byte_may_be_in_a_name)
{
	struct path p;

	/* Bytes next to '/' and '.', and with the high bit: the word tricks must not carry over. */
	for (int c = 1; c < 256; c++) {
		char s[] = "/aaa?bbbbbb?/cc?c?";

		if (c == '/' || c == '.')
			continue;
		for (char *at = s; (at = strchr(at, '?')); at++)
			*at = (char)c;
		CHECK_EQ(parse(&p, s), PATH_ABSOLUTE);
		CHECKF(p.text == buffer && p.length == strlen(s) && p.directory == 12, "byte %d",
		       c);
	}
}

TEST(a_component_ends_at_a_slash_or_with_the_text)
{
	CHECK_EQ(path_component("/ab/c", 1, 5), 2);
	CHECK_EQ(path_component("/ab/c", 4, 5), 1);
	CHECK_EQ(path_component("/ab/c", 5, 5), 0);
	CHECK_EQ(path_component("/abc", 1, 3), 2);
}

/*
 * test.h - the plain harness of the C tests: one executable a file, one TEST() a promise.
 *
 * Prints "PASS name", "FAIL name: where: what" or "SKIP name: missing kernel feature", one line a
 * test; tests/run.sh adds them up. Exit status: 0, 1 when one failed, 77 when all were skipped.
 * An argument selects the tests whose names contain it.
 */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

static struct test *test_first, **test_last = &test_first;
static jmp_buf test_end;
static char test_why[512];
enum { TEST_PASSED, TEST_FAILED, TEST_SKIPPED };

#define TEST(id)                                                                               \
	static void id(void);                                                                  \
	static struct test test_##id = {#id, id, NULL};                                        \
	__attribute__((constructor)) static void test_add_##id(void)                           \
	{                                                                                      \
		*test_last = &test_##id;                                                       \
		test_last = &test_##id.next;                                                   \
	}                                                                                      \
	static void id(void)

/* A failed check ends its test. Only in the thread and process that runs the test. */
#define CHECK(condition) CHECKF(condition, "%s", #condition)
#define CHECKF(condition, ...)                                                                 \
	do {                                                                                   \
		if (!(condition)) {                                                            \
			int at_ = snprintf(test_why, sizeof test_why, "%s:%d: ", __FILE__,     \
					   __LINE__);                                          \
			snprintf(test_why + at_, sizeof test_why - (size_t)at_, __VA_ARGS__);  \
			longjmp(test_end, TEST_FAILED);                                        \
		}                                                                              \
	} while (0)
#define CHECK_EQ(got, want)                                                                    \
	do {                                                                                   \
		long long got_ = (long long)(got), want_ = (long long)(want);                  \
		CHECKF(got_ == want_, "%s is %lld, must be %lld", #got, got_, want_);          \
	} while (0)

/* Names the kernel feature, or the privilege, that is missing here. */
#define SKIP(...)                                                                              \
	do {                                                                                   \
		snprintf(test_why, sizeof test_why, __VA_ARGS__);                              \
		longjmp(test_end, TEST_SKIPPED);                                               \
	} while (0)

int main(int argc, char **argv)
{
	static int passed, failed;
	static struct test *t;

	for (t = test_first; t; t = t->next) {
		if (argc > 1 && !strstr(t->name, argv[1]))
			continue;
		int how = setjmp(test_end);
		if (how == TEST_PASSED) {
			t->run();
			printf("PASS %s\n", t->name);
			passed++;
		} else if (how == TEST_FAILED) {
			printf("FAIL %s: %s\n", t->name, test_why);
			failed++;
		} else {
			printf("SKIP %s: %s\n", t->name, test_why);
		}
		fflush(stdout);
	}
	return failed ? 1 : passed ? 0 : 77;
}

#endif

/*
 * audit.c - the model of fastpath audit: what counts as asked before, what could have been answered
 * and in which scope, and why a lookup was made.
 */
#include "test.h"

#include "audit/model.h"
#include "audit/symbol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* What a model or a table of symbols allocates lives until exit. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static struct model model;
static struct model_process shell, other;
static const char *missing; /* a directory that is not there, nor what is below it */

static bool exists(const char *directory)
{
	return !missing || strncmp(directory, missing, strlen(missing)) != 0;
}

static void process(struct model_process *p, const char *exe, enum model_reach reach,
		    const char *search)
{
	*p = (struct model_process){.program = model_program_starts(&model, exe, reach),
				    .search = model_search_add(&model, search, strlen(search))};
}

static void begin(void)
{
	memset(&model, 0, sizeof model);
	model.exists = exists;
	missing = NULL;
	process(&shell, "/bin/sh", REACH_DYNAMIC, "/usr/bin:/bin/::relative:/sbin");
	process(&other, "/bin/sh", REACH_DYNAMIC, "/usr/bin:/bin/::relative:/sbin");
}

static const struct call *call(const char *name)
{
	for (size_t i = 0; i < calls_n; i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	return NULL;
}

static struct lookup lookup(const char *name, const char *path, uint32_t mode, int error)
{
	return (struct lookup){.call = call(name),
			       .path = path,
			       .length = (uint32_t)strlen(path),
			       .mode = mode,
			       .error = error};
}

static void ask(struct model_process *p, const char *name, const char *path, uint32_t mode,
		int error)
{
	struct lookup l = lookup(name, path, mode, error);

	model_add(&model, p, &l);
}

static uint64_t sum(const model_counts c)
{
	uint64_t n = 0;

	for (int f = 0; f < CALL_FAMILIES; f++)
		n += c[f][RESULT_DONE] + c[f][RESULT_FAILED];
	return n;
}

static uint64_t served(enum model_scope s)
{
	return sum(model.all.served[s]);
}

TEST(the_same_answer_to_the_same_question_is_a_repeat)
{
	begin();
	ask(&shell, "stat", "/a/b", 0, ENOENT);
	CHECK_EQ(model.all.repeats[SCOPE_PROCESS], 0);
	ask(&shell, "access", "/a/b", 0, ENOENT); /* whichever call */
	CHECK_EQ(model.all.repeats[SCOPE_PROCESS], 1);
	ask(&shell, "stat", "/a/b", 0, EACCES);
	ask(&shell, "stat", "/a/b", 0, 0);
	ask(&shell, "stat", "/a/c", 0, ENOENT);
	CHECK_EQ(model.all.repeats[SCOPE_PROCESS], 1);
	ask(&shell, "stat", "/a/b", 0, 0);
	CHECK_EQ(model.all.repeats[SCOPE_PROCESS], 2);
	CHECK_EQ(model.all.repeats[SCOPE_TREE], 2);
	CHECK_EQ(sum(model.all.calls), 6);
	CHECK_EQ(model.all.calls[FAMILY_STAT][RESULT_FAILED], 3);
}

TEST(what_another_process_asked_is_a_repeat_of_the_tree_alone)
{
	begin();
	ask(&shell, "stat", "/a/b", 0, ENOENT);
	ask(&other, "stat", "/a/b", 0, ENOENT);
	CHECK_EQ(model.all.repeats[SCOPE_PROCESS], 0);
	CHECK_EQ(model.all.repeats[SCOPE_TREE], 1);
	CHECK_EQ(served(SCOPE_PROCESS), 0);
	CHECK_EQ(served(SCOPE_TREE), 1);
}

TEST(relative_paths_of_other_processes_are_other_paths)
{
	begin();
	ask(&shell, "stat", "b", 0, ENOENT);
	ask(&other, "stat", "b", 0, ENOENT);
	CHECK_EQ(model.all.repeats[SCOPE_TREE], 0);
	ask(&shell, "stat", "c", 0, ENOENT);
	CHECK_EQ(sum(model.relative.calls), 3);
	CHECK_EQ(sum(model.relative.served[SCOPE_PROCESS]), 1);
	CHECK_EQ(sum(model.relative.served[SCOPE_TREE]), 0);
	CHECK_EQ(served(SCOPE_PROCESS), 0); /* they always go to the kernel */
	CHECK_EQ(served(SCOPE_TREE), 0);
}

TEST(a_second_failure_in_a_directory_could_have_been_answered_whatever_the_name)
{
	begin();
	ask(&shell, "stat", "/a/b", 0, ENOENT);
	ask(&shell, "openat", "/a/c", O_RDONLY, ENOENT);
	ask(&shell, "execve", "/a/d", 0, ENOENT);
	CHECK_EQ(served(SCOPE_PROCESS), 2);
	ask(&shell, "stat", "/a/e", 0, EACCES);
	ask(&shell, "stat", "/a/f", 0, 0);
	ask(&shell, "stat", "/other/b", 0, ENOENT);
	CHECK_EQ(served(SCOPE_PROCESS), 2);
	CHECK_EQ(served(SCOPE_TREE), 2);
}

TEST(below_a_missing_directory_the_one_that_exists_is_what_counts)
{
	begin();
	missing = "/a/none";
	ask(&shell, "stat", "/a/none/x/y", 0, ENOENT);
	ask(&shell, "stat", "/a/none/z/y", 0, ENOENT);
	ask(&shell, "stat", "/a/b", 0, ENOENT);
	CHECK_EQ(served(SCOPE_PROCESS), 2);
	ask(&shell, "stat", "/b", 0, ENOENT);
	CHECK_EQ(served(SCOPE_PROCESS), 2);
}

TEST(creation_and_success_are_never_answered)
{
	begin();
	for (int i = 0; i < 3; i++) {
		ask(&shell, "openat", "/a/b", O_CREAT | O_WRONLY, ENOENT);
		ask(&shell, "openat", "/a/b", O_TMPFILE | O_RDWR, ENOENT);
		ask(&shell, "openat", "/etc/passwd", O_RDONLY, 0);
		ask(&shell, "stat", "/etc/passwd", 0, 0);
		ask(&shell, "access", "/etc/passwd", W_OK, 0);
		ask(&shell, "readlink", "/etc/link", 0, 0);
	}
	CHECK_EQ(served(SCOPE_PROCESS), 0);
	CHECK_EQ(served(SCOPE_TREE), 0);
}

TEST(repeats_of_what_rests_on_a_file_alone_are_answered)
{
	begin();
	for (int i = 0; i < 2; i++) {
		ask(&shell, "access", "/etc/passwd", R_OK, 0);
		ask(&shell, "readlink", "/etc/passwd", 0, EINVAL);
		ask(&shell, "lgetxattr", "/etc/passwd", 0, ENODATA);
		ask(&shell, "access", "/etc/shadow", R_OK, EACCES);
	}
	CHECK_EQ(served(SCOPE_PROCESS), 3);
}

TEST(static_and_foreign_programs_and_the_loader_and_locales_are_out_of_reach)
{
	struct lookup loader;

	begin();
	process(&shell, "/bin/busybox", REACH_STATIC, "");
	process(&other, "/bin/narrow", REACH_FOREIGN, "");
	for (int i = 0; i < 3; i++) {
		ask(&shell, "stat", "/a/b", 0, ENOENT);
		ask(&other, "stat", "/a/b", 0, ENOENT);
	}
	process(&shell, "/bin/sh", REACH_DYNAMIC, "");
	loader = lookup("openat", "/lib/x/libc.so.6", O_RDONLY, ENOENT);
	loader.by_loader = true;
	for (int i = 0; i < 3; i++) {
		model_add(&model, &shell, &loader);
		ask(&shell, "openat", "/usr/lib/locale/C/LC_ALL", O_RDONLY, ENOENT);
	}
	CHECK_EQ(served(SCOPE_PROCESS), 0);
	CHECK_EQ(served(SCOPE_TREE), 0);
	CHECK_EQ(sum(model.origin[ORIGIN_LOADER].calls), 3);
	CHECK_EQ(sum(model.origin[ORIGIN_LOCALE].calls), 3);
}

TEST(a_command_looked_for_in_PATH_is_told_from_other_lookups)
{
	begin();
	ask(&shell, "stat", "/usr/bin/none", 0, ENOENT);
	ask(&shell, "execve", "/bin/none", 0, ENOENT); /* of "/bin/" */
	ask(&shell, "access", "/sbin/none", X_OK, ENOENT);
	CHECK_EQ(sum(model.origin[ORIGIN_PATH].calls), 3);
	ask(&shell, "openat", "/usr/bin/none", O_RDONLY, ENOENT);
	ask(&shell, "stat", "/usr/none", 0, ENOENT);
	ask(&shell, "stat", "/usr/bin/none/none", 0, ENOENT);
	CHECK_EQ(sum(model.origin[ORIGIN_PATH].calls), 3);
	CHECK_EQ(sum(model.origin[ORIGIN_OTHER].calls), 3);
}

TEST(a_header_looked_for_by_a_compiler_is_told_from_other_lookups)
{
	static const char *const compilers[] = {"/usr/lib/gcc/x/12/cc1",
						"/usr/lib/gcc/x/12/cc1plus", "/usr/bin/clang-14"};

	begin();
	for (int i = 0; i < 3; i++) {
		process(&shell, compilers[i], REACH_DYNAMIC, "/usr/bin");
		ask(&shell, "openat", "/usr/include/none.h", O_RDONLY, ENOENT);
		ask(&shell, "openat", "/usr/include/stdio.h", O_RDONLY, 0);
		ask(&shell, "openat", "/usr/include/c++/12/vector", O_RDONLY, 0);
	}
	CHECK_EQ(sum(model.origin[ORIGIN_INCLUDE].calls), 9);
	ask(&shell, "openat", "/tmp/ccXXXXXX.s", O_RDWR, 0);
	ask(&other, "openat", "/usr/include/stdio.h", O_RDONLY, 0);
	process(&shell, "/usr/bin/clang-format", REACH_DYNAMIC, "/usr/bin");
	ask(&shell, "openat", "/usr/include/stdio.h", O_RDONLY, 0);
	CHECK_EQ(sum(model.origin[ORIGIN_INCLUDE].calls), 9);
}

TEST(every_table_adds_up_to_all)
{
	uint64_t by_call = 0, by_program = 0, by_directory = 0, by_origin = 0, errors = 0;
	char path[64];

	begin();
	process(&other, "/usr/lib/gcc/x/12/cc1", REACH_DYNAMIC, "");
	for (int i = 0; i < 20000; i++) {
		snprintf(path, sizeof path, i % 7 ? "/d%d/n%d" : "d%d/n%d", i % 300, i % 5000);
		ask(i % 3 ? &shell : &other, calls[(size_t)i % calls_n].name, path, 0,
		    i % 5   ? ENOENT
		    : i % 2 ? 0
			    : 200);
	}
	for (size_t i = 0; i < calls_n; i++) {
		by_call += sum(model.call[i].tally.calls);
		for (int e = 0; e < MODEL_ERRNOS; e++)
			errors += model.call[i].errors[e];
	}
	for (uint32_t i = 0; i < model.programs.used; i++)
		by_program += sum(model.program[i].tally.calls);
	for (uint32_t i = 0; i < model.directories.used; i++)
		by_directory += sum(model.directory[i].tally.calls);
	for (int i = 0; i < MODEL_ORIGINS; i++)
		by_origin += sum(model.origin[i].calls);
	CHECK_EQ(sum(model.all.calls), 20000);
	CHECK_EQ(by_call, 20000);
	CHECK_EQ(by_program, 20000);
	CHECK_EQ(by_directory + sum(model.relative.calls), 20000);
	CHECK_EQ(by_origin, 20000);
	CHECK_EQ(errors, 18000);
	CHECK_EQ(model.dropped, 0);
}

TEST(samples_are_paths_of_their_family_and_result)
{
	char path[64];

	begin();
	for (int i = 0; i < 1000; i++) {
		snprintf(path, sizeof path, "/sample/%d", i);
		ask(&shell, "stat", path, 0, ENOENT);
	}
	CHECK_EQ(model.sample[FAMILY_STAT][RESULT_FAILED].seen, 1000);
	CHECK_EQ(model.sample[FAMILY_STAT][RESULT_DONE].seen, 0);
	for (int i = 0; i < MODEL_SAMPLES; i++)
		CHECK(!strncmp(
		    model.names.all[model.sample[FAMILY_STAT][RESULT_FAILED].paths[i]].text,
		    "/sample/", 8));
}

TEST(odd_paths_are_counted_and_harm_nothing)
{
	static const char *const odd[] = {"",    "/", "//", "///a", "/a//",
					  "/a/", ".", "..", "a/",   "/./"};

	begin();
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		for (int e = 0; e < 3; e++)
			ask(&shell, "stat", odd[i], 0, e ? ENOENT : 0);
	CHECK_EQ(sum(model.all.calls), 30);
}

TEST(functions_are_named_by_their_place_in_a_file)
{
	const char *self = realpath("/proc/self/exe", NULL);
	struct symbols *s = symbols_read(self);
	uint64_t start, end, offset, at = (uint64_t)(uintptr_t)&sum;
	char line[512], x;
	bool found = false;
	FILE *f = fopen("/proc/self/maps", "r");
	const char *name;

	while (!found && fgets(line, sizeof line, f))
		found = sscanf(line, "%lx-%lx %*c%*c%c%*c %lx", &start, &end, &x, &offset) == 4 &&
			x == 'x' && at >= start && at < end;
	fclose(f);
	CHECK(s && found);
	name = symbols_name(s, at - start + offset + 1);
	CHECKF(name && !strcmp(name, "sum"), "the name is %s", name ? name : "unknown");
	CHECK(!symbols_name(s, UINT64_C(1) << 39));
	CHECK(!symbols_name(NULL, 0));
	CHECK(!symbols_read("/"));
	CHECK(!symbols_read("/none"));
}

TEST(corrupted_files_have_no_functions_or_other_ones)
{
	char bytes[65536], name[] = "/tmp/fastpath-symbols.XXXXXX";
	int from = open("/proc/self/exe", O_RDONLY), to = mkstemp(name);
	ssize_t n = read(from, bytes, sizeof bytes);
	unsigned seed = 1;

	CHECK(n > 4096 && to >= 0);
	for (int i = 0; i < 300; i++) {
		struct symbols *s;

		for (int k = 0; k < 8; k++)
			bytes[k < 4 ? 24 + rand_r(&seed) % 40 : rand_r(&seed) % (int)n] =
			    (char)rand_r(&seed);
		memcpy(bytes, "\177ELF\2", 5);
		CHECK(pwrite(to, bytes, (size_t)n, 0) == n);
		s = symbols_read(name);
		for (uint64_t at = 0; at < 65536; at += 997)
			symbols_name(s, at);
	}
	unlink(name);
	close(to);
	close(from);
}

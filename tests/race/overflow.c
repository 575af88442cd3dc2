/*
 * More events than the kernel keeps: what is made after the queue ran over makes no event at all.
 * The looker is stopped meanwhile, so that it cannot keep up.
 */
#include "race.h"

static unsigned queue_limit(void)
{
	char text[32] = "16384";
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/sys/fs/inotify/max_queued_events", O_RDONLY);

	if (fd >= 0 && syscall(SYS_read, fd, text, sizeof text - 1) > 0)
		syscall(SYS_close, fd);
	return (unsigned)atoi(text);
}

/* kill() returns before its victim has stopped, or come to its end. */
static bool is_stopped(int pid)
{
	char name[64], text[256] = "";

	snprintf(name, sizeof name, "/proc/%d/stat", pid);
	long fd = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || syscall(SYS_read, fd, text, sizeof text - 1) <= 0)
		return true;
	syscall(SYS_close, fd);
	return strstr(text, ") T ");
}

static void stop_looker(void)
{
	int pid;

	while (!(pid = atomic_load(&race_shared->looker)) && !atomic_load(&race_shared->stop))
		usleep(100);
	if (!pid || syscall(SYS_kill, pid, SIGSTOP))
		return; /* it has come to its end */
	while (!is_stopped(pid) && !atomic_load(&race_shared->broken))
		usleep(100);
}

static void continue_looker(void)
{
	syscall(SYS_kill, atomic_load(&race_shared->looker), SIGCONT);
}

static unsigned flood;

/* Hard links, as no inode need be made for them; a file has room for 65,000. */
static void flooded_dirs(void)
{
	flood = queue_limit() + 2000;
	if (flood > 60000)
		SKIP("max_queued_events of at most 58000, it is %u", flood - 2000);
	make_dir("d");
	make_dir("e");
	make_dir("e/sub");
	make_file("e/seed");
	make_file_mode("e/prog", 0755);
}

static const char *flood_name(unsigned i)
{
	static char name[32];

	snprintf(name, sizeof name, "d/%u", i);
	return name;
}

/* The last ones are not announced, nor is what then happens elsewhere. */
static void flood_then_more(unsigned state, unsigned cycle)
{
	if (state == 1) {
		drop_file(numbered("e/f#", cycle));
		set_mode("e/prog", 0755);
		for (unsigned i = 0; i < flood; i++)
			drop_file(flood_name(i));
		return;
	}
	stop_looker();
	for (unsigned i = 0; i < flood && !atomic_load(&race_shared->broken); i++)
		make_hard_link("e/seed", flood_name(i));
	make_file(numbered("d/f#", cycle));
	make_file(numbered("e/f#", cycle));
	set_mode("e/prog", 0644);
	continue_looker();
}

static void flood_in_three(unsigned state, unsigned cycle)
{
	switch (state) {
	case 0: flood_then_more(0, cycle); break;
	case 1: flood_then_more(1, cycle); break;
	case 2: drop_file(numbered("d/f#", cycle)); break;
	}
}

TEST(what_is_made_after_the_event_queue_ran_over_is_seen)
{
	static const struct race r = {
		.states = 3,
		.prepare = flooded_dirs,
		.change = flood_in_three,
		.ways = ONLY(BY_PROCESS) | ONLY(FORGETTING),
		.hits = 50,
		.hot = 2,
		.asks = {{ask_access, "d/f#", {-ENOENT, 0, 0}},
			 {ask_stat, "e/f#", {-ENOENT, 0, -ENOENT}},
			 {ask_exec, "e/prog", {0, -EACCES, 0}},
			 {ask_stat, "d/0", {-ENOENT, 0, -ENOENT}},
			 {ask_open, "d/17999", {-ENOENT, 0, -ENOENT}},
			 NEVER("d/never"),
			 NEVER("e/sub/never")},
	};
	if (queue_limit() != 16384)
		SKIP("max_queued_events of 16384, the kernel's own number");
	race_run(&r);
}

/* A hundred at a time, without a stop: the owner is kept draining while more come. */
static void hundred(unsigned state, unsigned cycle)
{
	char name[64];

	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "d/%u-%u", cycle, i);
		if (state == 0)
			make_hard_link("e/seed", name);
		else
			drop_file(name);
	}
}

TEST(a_hundred_names_made_in_a_row_are_seen)
{
	static const struct race r = {
		.states = 2,
		.prepare = flooded_dirs,
		.change = hundred,
		.asks = {{ask_access, "d/#-0", {-ENOENT, 0}},
			 {ask_stat, "d/#-50", {-ENOENT, 0}},
			 {ask_open, "d/#-99", {-ENOENT, 0}},
			 {ask_realpath, "d/#-99", {-ENOENT, 'd'}},
			 NEVER("d/never")},
	};
	race_run(&r);
}

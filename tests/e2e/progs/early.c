/* link: -Wl,-z,lazy */
/*
 * early.c - path calls before the constructors of any library have run: in preinit_array and in an
 * IFUNC resolver; and after main: in an atexit function and in a destructor.
 * usage: early, in a directory that holds "present"; prints what it found.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int found[2][6];
static char absent[5000], present[5000];

static void ask(int *f)
{
	struct stat st;
	int fd;

	f[0] = access(absent, F_OK) ? errno : 0;
	f[1] = access(present, F_OK) ? errno : 0;
	f[2] = stat(absent, &st) ? errno : 0;
	f[3] = stat(present, &st) ? errno : 0;
	f[4] = (fd = open(absent, O_RDONLY)) < 0 ? errno : 0;
	f[5] = (fd = open(present, O_RDONLY)) < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
}

static void name(void)
{
	size_t n;

	if (!getcwd(absent, sizeof absent - 20))
		return;
	n = strlen(absent);
	memcpy(present, absent, n);
	memcpy(absent + n, "/absent", 8);
	memcpy(present + n, "/present", 9);
}

static void before(int argc, char **argv, char **env)
{
	(void)argc, (void)argv, (void)env;
	name();
	for (int i = 0; i < 3; i++)
		ask(found[0]);
}
__attribute__((section(".preinit_array"), used)) static void (*const preinit)(int, char **,
									      char **) = before;

static int chosen(void)
{
	return 42;
}

__attribute__((used)) static int (*choose(void))(void)
{
	ask(found[1]); /* the names are empty yet: ENOENT */
	return chosen;
}
int ifunc(void) __attribute__((ifunc("choose")));

static void tell(const char *when)
{
	int f[6];

	ask(f);
	printf("%s %d %d %d %d %d %d\n", when, f[0], f[1], f[2], f[3], f[4], f[5]);
	fflush(stdout);
}

static void at_exit(void)
{
	tell("atexit");
}

__attribute__((destructor)) static void after(void)
{
	tell("destructor");
}

__attribute__((constructor)) static void construct(void)
{
	tell("constructor");
}

int main(void)
{
	atexit(at_exit);
	for (int i = 0; i < 2; i++)
		printf("early %d %d %d %d %d %d\n", found[i][0], found[i][1], found[i][2],
		       found[i][3], found[i][4], found[i][5]);
	for (int i = 0; i < 3; i++)
		tell("main");
	printf("ifunc %d\n", ifunc());
	return 0;
}

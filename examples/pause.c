/*
 * pause.c - a critical section in which every question goes to the kernel.
 *
 *	FASTPATH=1 LD_PRELOAD=build/libfastpath.so build/examples/pause
 *
 * fastpath's answers are the kernel's, so a program need not pause it for correctness. It may want
 * to where it is itself the instrument: here it times the kernel. Calls nest, and the pair may be
 * used in a signal handler.
 */
#include <fastpath.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 20000 };

static double ns_a_call(void)
{
	struct timespec start, end;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < CALLS; i++)
		access("/usr/include/no-such-header.h", F_OK);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
	       CALLS;
}

static void enter_critical_section(void)
{
	if (fastpath_pause)
		fastpath_pause();
}

static void leave_critical_section(void)
{
	if (fastpath_resume)
		fastpath_resume();
}

int main(void)
{
	ns_a_call(); /* until the library has found it worth while to set up */
	printf("caching %s: %.0f ns a call\n", fastpath_pause ? "on" : "absent", ns_a_call());

	enter_critical_section();
	printf("paused: %.0f ns a call\n", ns_a_call());
	leave_critical_section();

	printf("resumed: %.0f ns a call\n", ns_a_call());
	return 0;
}

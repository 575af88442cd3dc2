/*
 * own-stats.c - the smallest program that prints its own statistics.
 *
 *	FASTPATH=1 LD_PRELOAD=build/libfastpath.so build/examples/own-stats
 *
 * Works without the library too: every function of fastpath.h is weak.
 */
#include <fastpath.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	struct fastpath_stats stats;

	for (int i = 0; i < 10000; i++)
		access("/usr/include/no-such-header.h", F_OK);

	if (!fastpath_stats || fastpath_stats(&stats, sizeof stats) != 0) {
		puts("libfastpath.so is not preloaded, or FASTPATH is not set");
		return 0;
	}
	printf("fastpath %s: access() asked %llu times, answered without the kernel %llu times\n",
	       fastpath_version(), (unsigned long long)stats.calls[FASTPATH_ACCESS],
	       (unsigned long long)stats.served[FASTPATH_ACCESS]);
	return 0;
}

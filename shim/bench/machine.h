/*
 * machine.h - what stands above a table of measurements: on what they were made.
 */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

enum { MACHINE_TEXT = 512 };

/* Each is a phrase for people; "unknown" where the system does not say. */
struct machine {
	char cpu[MACHINE_TEXT]; /* model, how many, memory */
	char kernel[MACHINE_TEXT];
	char libc[MACHINE_TEXT];
	char mitigations[MACHINE_TEXT];
	char load[MACHINE_TEXT];
	char date[MACHINE_TEXT];
};

/* `environment` is for a program that is asked. */
void machine_look(struct machine *m, char *const *environment);

#endif

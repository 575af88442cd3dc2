/*
 * overhead.h - what being traced adds to the CPU time of those who are.
 */
#ifndef AUDIT_OVERHEAD_H
#define AUDIT_OVERHEAD_H

/*
 * Traces a process of its own for some hundred lookups, with a filter of filter.h. Returns the
 * nanoseconds of its CPU time that the two stops of one lookup cost; 0: not to be known.
 */
double overhead_measure(void *filter);

#endif

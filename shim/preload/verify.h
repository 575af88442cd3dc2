/*
 * verify.h - FASTPATH_VERIFY: every hit is compared with the kernel.
 */
#ifndef PRELOAD_VERIFY_H
#define PRELOAD_VERIFY_H

#include "preload/client.h"

/* Does the kernel say the same? Counts; reports a wrong answer; may end the process. False: let the
 * caller ask the kernel. */
bool verify_agrees(struct lookup *q, enum verdict verdict);

#endif

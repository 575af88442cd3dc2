/*
 * report.h - what the broker says of itself at the end of a session.
 */
#ifndef BROKER_REPORT_H
#define BROKER_REPORT_H

#include "authority/authority.h"
#include "broker/programs.h"

enum { BROKER_LOSSES = 8192 };

/* Why there was no tree scope, in the same form. */
void report_failure(int fd, const char *why);

/* Writes one JSON object on one line. lost_at: losses told, by place. */
void report_write(int fd, const struct authority *a, const struct inbox *in, const struct programs *p,
		  const uint32_t lost_at[PLACES]);

#endif

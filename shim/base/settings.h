/*
 * settings.h - what the environment asked for, read once, before anything else happens.
 */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum settings_mode {
	MODE_INERT = 0,	  /* unset, empty, 0, off, or a malformed variable */
	MODE_ON,	  /* 1, on: tree scope when there is a session, else process scope */
	MODE_PROCESS_ONLY /* process */
};

enum settings_stats {
	STATS_NONE = 0,
	STATS_TEXT_STDERR, /* 1 */
	STATS_JSON_STDERR, /* json */
	STATS_JSON_FILE,   /* /path, json:/path */
};

enum settings_verify {
	VERIFY_NONE = 0,
	VERIFY_COUNT, /* 1 */
	VERIFY_ABORT, /* abort */
};

/* Strings point into the environment as it was at start. */
struct settings {
	uint8_t mode;	/* enum settings_mode */
	uint8_t stats;	/* enum settings_stats */
	uint8_t verify; /* enum settings_verify */
	bool eager;	/* FASTPATH_TEST: no thresholds, no giving up */
	bool no_page_bell;
	uint32_t tick_us; /* FASTPATH_TEST; 0: not set */
	const char *stats_file;
	const char *skip;
	const char *trust;
	const char *profile;
	const char *session; /* FASTPATH_SESSION: as it is */
};

/*
 * Reads the FASTPATH* variables of `environment` (a NULL-terminated array; NULL is empty). Returns
 * the name of the first malformed variable, for one warning, and then leaves mode MODE_INERT; NULL
 * when all is well. With FASTPATH off no other variable is looked at.
 */
const char *settings_read(struct settings *out, char *const *environment);

/* Is `path` (length bytes, without a last slash) one of, or below one of, a colon-separated list of
 * absolute prefixes? Whole components only. A NULL list holds nothing. */
bool settings_lists(const char *list, const char *path, size_t length);

#endif

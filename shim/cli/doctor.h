/*
 * doctor.h - fastpath doctor: can this machine run fastpath, and how well? doctor.c is the
 * subcommand, each doctor_*.c some of its checks, which all end in doctor_say().
 */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum verdict {
	VERDICT_OK,
	VERDICT_NOTE,   /* good to know: nothing is lost, or nothing can be done */
	VERDICT_PROBLEM /* fastpath does not work, or not as well as it could; each has a fix */
};

struct doctor {
	json_t *findings;
	int count[3]; /* by verdict */
	/* What later checks build on. */
	bool page_bell, any_bell; /* they were tried, and work */
	bool filtered;            /* there is a seccomp filter */
	const char *skip, *trust; /* FASTPATH_SKIP, FASTPATH_TRUST; NULL: none */
};

/* `subject`: what of several was checked, `fix`: a command; both may be NULL. */
void doctor_say(struct doctor *d, enum verdict verdict, const char *check, const char *subject,
		const char *fix, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* The beginning of a file, up to its first line's end; false: it cannot be read. */
bool doctor_read(const char *file, char *out, size_t size);
/* The number in it; -1: there is none. */
long doctor_read_number(const char *file);

/* A word for a shell, quoted if need be. `out` has 4 * strlen(text) + 3 bytes of room. */
const char *doctor_quote(char *out, const char *text);

void doctor_settings(struct doctor *d); /* the environment's variables */
void doctor_kernel(struct doctor *d);   /* what kernel and confinement permit */
void doctor_bells(struct doctor *d);
void doctor_limits(struct doctor *d);
void doctor_loader(struct doctor *d);
void doctor_programs(struct doctor *d);
void doctor_tracing(struct doctor *d);
/* PATH, the current directory, and these (the last is NULL); and a change made and seen. */
void doctor_places(struct doctor *d, char *const *directories);

#endif

/*
 * cli.h - what the subcommands of `fastpath` have in common.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stddef.h>
#include <stdio.h>

/* Exit statuses of our own, as env(1) and timeout(1) have them. */
enum cli_status {
	CLI_FAILED = 125,         /* wrong usage, or something of ours failed */
	CLI_NOT_EXECUTABLE = 126, /* the command is there and cannot be run */
	CLI_NOT_FOUND = 127
};

/* A row of the table in main.c. */
struct cli_command {
	const char *name;
	const char *arguments;             /* after the name, in the usage line */
	const char *does;                  /* one line of `fastpath --help` */
	int (*run)(int argc, char **argv); /* argv[0] is the name; the result is the exit status */
};

/* Notes which file descriptor 2 is: it is written to only as long as it is that file. */
void cli_start(void);

/* One write to standard error, whole unless the file takes only a part. */
void cli_write_error(const char *text, size_t bytes);

/* The length of the UTF-8 character that `bytes` bytes of text begin with; 0: it is none, or one that would change
 * how others are shown (controls, those of two bytes too, and overrides of the writing direction). */
size_t cli_character(const char *text, size_t bytes);

/* A path, or other words of strangers, that terminals are not to obey: '?' for each byte that is no such character.
 */
void cli_put_path(FILE *f, const char *path);

/* "fastpath: ...": one line on standard error, without control characters. */
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what was mistyped, and the nearest of `names` (the last is NULL) when one is near. Returns
 * CLI_FAILED. */
int cli_unknown(const char *what, const char *typed, const char *const *names);

/* Says what getopt_long() found wrong: `found` is its result, `before` was optind. The option
 * string begins with ':'; `names` are as of cli_unknown(). */
void cli_misused(char **argv, int found, int before, const char *const *names);

/* Writes all of it. Returns 0 or -errno. */
int cli_write(int fd, const char *text, size_t bytes);

/* Prints on standard output. Returns 0, or CLI_FAILED with a line when it cannot be written. */
int cli_print(const char *text);

/* After an exec of `command` failed with `error`: a line, and the exit status that tells. */
int cli_not_run(const char *command, int error);

int audit_main(int argc, char **argv);
int doctor_main(int argc, char **argv);
int report_main(int argc, char **argv);
int run_main(int argc, char **argv);
int bench_main(int argc, char **argv);

#endif

/*
 * text.h - what a child printed: a file in memory, used again for each one.
 */
#ifndef BENCH_TEXT_H
#define BENCH_TEXT_H

#include <stddef.h>

/* A descriptor that children can write to, or -errno. */
int text_open(void);

/* Empties it. */
void text_clear(int fd);

/* What is in it, as far as it fits; a string. */
void text_read(int fd, char *text, size_t size);

/* The last line that says something, without control characters; "" when there is none. */
void text_last_line(int fd, char *line, size_t size);

/* "exit status 3", "killed by signal 11 (Segmentation fault)", from wait(2)'s status. */
void text_of_status(int status, char *text, size_t size);

#endif

/*
 * fuzz.h - what the fuzz targets share: one file a target, each with LLVMFuzzerTestOneInput().
 *
 * A target asserts properties, by a slow model where there is one: not only that nothing crashes.
 * Its first line says how many inputs tests/fuzz.sh tries; its corpus is tests/fuzz/corpus/TARGET.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition) MUSTF(condition, "%s", #condition)
#define MUSTF(condition, ...)                                                                      \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                            \
			fprintf(stderr, __VA_ARGS__);                                              \
			fputc('\n', stderr);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* What is left of the input. */
struct input {
	const uint8_t *at, *end;
};

static inline bool input_left(const struct input *in)
{
	return in->at < in->end;
}

/* 0 where there is none. */
__attribute__((unused)) static inline uint8_t input_byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

/* Passes over what comes between two words of a line. */
__attribute__((unused)) static inline void input_space(struct input *in)
{
	in->at += in->at < in->end && *in->at != '\n';
}

/* Up to `stop` or the end, as a string of at most room - 1 bytes; its length. What does not fit is
 * left out. */
__attribute__((unused)) static inline size_t input_until(struct input *in, char stop, char *out,
							 size_t room)
{
	size_t n = 0;

	for (; in->at < in->end && *in->at != (uint8_t)stop; in->at++)
		if (n + 1 < room)
			out[n++] = (char)*in->at;
	in->at += in->at < in->end;
	out[n] = 0;
	return n;
}

/* Hexadecimal digits, as many as there are, and input_space(). */
__attribute__((unused)) static inline uint64_t input_hex(struct input *in)
{
	uint64_t n = 0;

	for (; in->at < in->end; in->at++) {
		if (*in->at >= '0' && *in->at <= '9')
			n = n << 4 | (uint64_t)(*in->at - '0');
		else if (*in->at >= 'a' && *in->at <= 'f')
			n = n << 4 | (uint64_t)(*in->at - 'a' + 10);
		else
			break;
	}
	input_space(in);
	return n;
}

/* `bytes` (whole pages) of memory, after which a page without access comes. */
__attribute__((unused)) static inline char *guarded(size_t bytes)
{
	char *at =
	    mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	MUST(at != MAP_FAILED && !mprotect(at + bytes, 4096, PROT_NONE));
	return at;
}

#endif

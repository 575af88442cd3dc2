/*
 * path.h - paths as the caller spelled them, taken apart without a system call.
 *
 * `//` and `/./` are folded, as are a trailing `/` or `/.`; `..` never is. Owns no memory.
 */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/page.h"

#include <stddef.h>
#include <stdint.h>

enum {
	PATH_FOLDED_MAX = 384, /* longer paths that need folding go to the kernel */
	PATH_PAGE = PAGE_LEAST,
	PATH_NAME_MAX = 255,
#if defined(__x86_64__) || defined(__riscv)
	PATH_ADDRESS_BITS = 47, /* of a canonical user address */
#else
	PATH_ADDRESS_BITS = 48,
#endif
};

/* No program's memory: the kernel says EFAULT. Of 32 bits only the last page, where (char *)-1 points to. */
#if __SIZEOF_POINTER__ == 4
#define PATH_BEYOND(at) ((at) >= (uintptr_t)-PATH_PAGE)
#else
#define PATH_BEYOND(at) ((at) >> PATH_ADDRESS_BITS)
#endif

enum path_kind {
	PATH_ARGUMENT = 0, /* NULL, empty, too long, or not surely a string: the kernel's to judge */
	PATH_RELATIVE,
	PATH_ABSOLUTE,
	PATH_GOES_ON, /* an absolute one, into the next page */
};

/*
 * An absolute path: text[0] is '/', no component is empty or ".", and no slash ends it but for "/"
 * itself, whose length is 0: prefixes are written without their last slash.
 */
struct path {
	const char *text;
	uint32_t length;
	uint32_t directory; /* length of the dirname: offset of the last slash */
	uint8_t trailing;   /* the caller's spelling ended in "/" or "/." */
	char folded[PATH_FOLDED_MAX + 8]; /* as a string */
};

/* Reads no byte outside the page that `spelled` begins in. Async-signal-safe. */
enum path_kind path_parse(struct path *p, const char *spelled);

/* The same, for who knows that the next page can be read too. PATH_GOES_ON: into a third. */
enum path_kind path_parse_on(struct path *p, const char *spelled);

/* The length of the component that begins at text[from], in a text of `length` bytes. */
static inline uint32_t path_component(const char *text, uint32_t from, uint32_t length)
{
	uint32_t i = from;

	while (i < length && text[i] != '/')
		i++;
	return i - from;
}

#endif

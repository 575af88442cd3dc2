/*
 * attributes.h - compiler attributes, each named once.
 */
#ifndef BASE_ATTRIBUTES_H
#define BASE_ATTRIBUTES_H

#define FP_EXPORT __attribute__((visibility("default")))
#define FP_COLD	  __attribute__((cold, noinline))
#define FP_INLINE static inline __attribute__((always_inline))

/* Reads whole aligned words around a string: never past its page, but past its end. */
#define FP_WORD_READS __attribute__((no_sanitize("address")))

/* A word of 64 bits that several threads use: i386 would align it to 4 bytes, and split it between two lines. */
#define FP_WHOLE __attribute__((aligned(8)))

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define array_size(a) (sizeof(a) / sizeof((a)[0]))

#endif

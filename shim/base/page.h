/*
 * page.h - what is known of pages before a kernel is asked: the one place.
 */
#ifndef BASE_PAGE_H
#define BASE_PAGE_H

/* No kernel has smaller ones: what lies in one of these is mapped as a whole or not at all. */
enum { PAGE_LEAST = 4096 };

/* And what a kernel of this architecture may have: memory that it shares with the kernel, or that is protected apart,
 * takes so much and is aligned so. Tests set it. The Makefile's MAX_PAGE is the same, for the linker. */
#if !defined(PAGE_MOST)
#if defined(__aarch64__)
#define PAGE_MOST 65536
#else
#define PAGE_MOST 4096
#endif
#endif

/* Bytes in whole ones of those. */
#define PAGE_ROUND(bytes) (((bytes) + PAGE_MOST - 1) / PAGE_MOST * PAGE_MOST)

#endif

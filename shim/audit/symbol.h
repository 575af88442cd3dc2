/*
 * symbol.h - the function that an address in an ELF file belongs to.
 */
#ifndef AUDIT_SYMBOL_H
#define AUDIT_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

struct symbols;

/* Reads the functions of a file, or what of them is not stripped. NULL: none. Trusts nothing that
 * it reads. Never freed. */
struct symbols *symbols_read(const char *file);

/* The name of the function at a file offset; NULL: unknown. `s` may be NULL. */
const char *symbols_name(const struct symbols *s, uint64_t offset);

#endif

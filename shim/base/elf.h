/*
 * elf.h - can a library of ours be preloaded into a program?
 */
#ifndef BASE_ELF_H
#define BASE_ELF_H

#include <stdbool.h>

/*
 * Reads the program behind `fd`. False when a preload would be refused, with a message or worse: another
 * architecture or word size, or a sanitizer's shared runtime, which must come first. True for scripts,
 * for static programs (no loader looks) and whatever cannot be read or understood. elf(5).
 */
bool elf_takes_preload(int fd);

#endif

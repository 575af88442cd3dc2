/*
 * builtins.c - the functions that a compiler may call of its own accord: nothing is imported.
 */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int byte, size_t n);

__attribute__((visibility("hidden"))) void *memcpy(void *restrict to, const void *restrict from,
						   size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = ((const char *)from)[i];
	return to;
}

__attribute__((visibility("hidden"))) void *memset(void *to, int byte, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)to)[i] = (char)byte;
	return to;
}

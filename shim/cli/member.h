/*
 * member.h - members of JSON objects, read whatever is there and written without being looked
 * after: what is missing, or of another type, reads as nothing; without memory a member is left
 * out.
 */
#ifndef CLI_MEMBER_H
#define CLI_MEMBER_H

#include <jansson.h>
#include <stdint.h>

/* Numbers of more than eighteen digits are absurd. */
#define MEMBER_MOST INT64_C(999999999999999999)

/* As a number; 0 when it is missing or of another type. `object` may be NULL. */
double member_number(const json_t *object, const char *key);
/* The same as an integer, exact where it is one there; 0 also when it is absurd. */
int64_t member_integer(const json_t *object, const char *key);
/* The same; 0 when it is negative. */
uint64_t member_count(const json_t *object, const char *key);
/* The same as a string; "" when missing. */
const char *member_string(const json_t *object, const char *key);

void member_set_number(json_t *object, const char *key, int64_t value);
void member_set_string(json_t *object, const char *key, const char *value);
/* Returns `value`, which `object` has taken; both are NULL without memory. */
json_t *member_set_new(json_t *object, const char *key, json_t *value);
/* An object of n members. */
void member_set_counts(json_t *object, const char *key, const char *const *names,
		       const uint64_t *values, int n);

/* The whole on standard output, on one line. Returns 0, or CLI_FAILED with a line. */
int member_print(const json_t *object);

#endif

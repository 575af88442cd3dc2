/*
 * member.c - members of JSON objects.
 */
#include "cli/member.h"

#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>

double member_number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

int64_t member_integer(const json_t *object, const char *key)
{
	const json_t *item = json_object_get(object, key);
	double real = json_real_value(item);
	/* 10^18 is a double, the number below it is none. */
	int64_t n = json_is_integer(item) ? json_integer_value(item) : real > -1e18 && real < 1e18 ? (int64_t)real : 0;

	return n >= -MEMBER_MOST && n <= MEMBER_MOST ? n : 0;
}

uint64_t member_count(const json_t *object, const char *key)
{
	int64_t n = member_integer(object, key);

	return n > 0 ? (uint64_t)n : 0;
}

const char *member_string(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

void member_set_number(json_t *object, const char *key, int64_t value)
{
	(void)json_object_set_new(object, key, json_integer(value));
}

void member_set_string(json_t *object, const char *key, const char *value)
{
	(void)json_object_set_new(object, key, json_string(value));
}

json_t *member_set_new(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) ? NULL : value;
}

void member_set_counts(json_t *object, const char *key, const char *const *names,
		       const uint64_t *values, int n)
{
	json_t *counts = member_set_new(object, key, json_object());

	for (int i = 0; i < n; i++)
		member_set_number(counts, names[i], (int64_t)values[i]);
}

int member_print(const json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT), *line = NULL;
	int status = CLI_FAILED;

	if (!text || asprintf(&line, "%s\n", text) < 0)
		cli_complain("no memory for the report");
	else
		status = cli_print(line);
	free(text);
	free(line);
	return status;
}

/* JSON (RFC 8259), strictly: what it does not allow is refused, and so is nesting deeper than 64. */
#ifndef SSPUR_RUNTIME_JSON_READER_H
#define SSPUR_RUNTIME_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/base/arena.h"
#include "utils/base/text.h"

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
	enum json_kind kind;
	const char *name;                /* of a member of an object; else NULL */
	const char *string;              /* STRING: its text, in UTF-8, without a zero byte */
	bool whole;                      /* NUMBER: digits alone, below 2^64 */
	uint64_t number;                 /* of a whole one */
	struct json_value *first, *next; /* elements or members of it; what follows it in what it is part of */
};

/* The document, in the arena. NULL with one line in *error, which names the line. Reads nothing past `size`. */
const struct json_value *json_read(struct arena *arena, const void *bytes, size_t size, struct text *error);
/* The first member of the name; NULL: `v` is NULL or no object, or has none of the name and kind. */
const struct json_value *json_member(const struct json_value *v, const char *name, enum json_kind kind);
/* The text of such a member, else NULL. */
const char *json_member_string(const struct json_value *v, const char *name);
/* A member that is a whole number of at most `most`; false: there is none. */
bool json_member_number(const struct json_value *v, const char *name, uint64_t most, uint64_t *number);

#endif

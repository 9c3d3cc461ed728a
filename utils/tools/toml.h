/* TOML 1.0, as far as manifests need it: all of its syntax is read and checked, the values of strings and of arrays of
 * strings are kept. */
#ifndef SSPUR_TOOLS_TOML_H
#define SSPUR_TOOLS_TOML_H

#include <stdbool.h>

#include "utils/base/arena.h"
#include "utils/base/source.h"
#include "utils/base/table.h"
#include "utils/base/text.h"

enum toml_kind { TOML_STRING, TOML_INTEGER, TOML_FLOAT, TOML_BOOL, TOML_TIME, TOML_ARRAY, TOML_TABLE };

struct toml_value {
	enum toml_kind kind;
	struct span span;
	const char *text;          /* STRING: its bytes, without NUL */
	struct toml_value **items; /* ARRAY */
	uint32_t item_count, item_capacity;
	struct toml_entry **entries; /* TABLE: in the order of the file */
	uint32_t entry_count, entry_capacity;
	struct table names; /* TABLE: of its entries */
	bool is_closed;     /* TABLE: written with braces, ARRAY: with brackets: nothing may be added */
	bool is_header;     /* TABLE: had its own [header] */
	bool is_dotted;     /* TABLE: made by a dotted key */
};

struct toml_entry {
	const char *key;
	struct span span; /* of the key */
	struct toml_value *value;
};

/* The file's table, in the arena; NULL when it is not TOML: then *place is where, and *error says why in one line. */
struct toml_value *toml_read(struct arena *arena, const struct source *source, struct span *place, struct text *error);
/* NULL: no such key. */
struct toml_entry *toml_find(const struct toml_value *table, const char *key);
/* "a string", "an array". */
const char *toml_kind_text(enum toml_kind kind);

#endif

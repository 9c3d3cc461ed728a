/* Hash table from byte strings to pointers; and interning of strings. */
#ifndef SSPUR_BASE_TABLE_H
#define SSPUR_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct table_entry {
	const char *key; /* NUL-terminated copy in the table's arena; NULL: free slot */
	size_t length;
	uint64_t hash;
	void *value;
};

/* Zero-initialise `entries`, `count`, `capacity`; set `arena`. Freed with its arena. */
struct table {
	struct arena *arena;
	struct table_entry *entries;
	size_t count, capacity;
};

/* NULL when absent. */
void *table_get(const struct table *t, const char *key);
void *table_get_n(const struct table *t, const char *key, size_t n);
/* Sets and returns the previous value, or NULL. */
void *table_set(struct table *t, const char *key, void *value);
void *table_set_n(struct table *t, const char *key, size_t n, void *value);

/* FNV-1a over bytes, continuing from `seed` (start with HASH_SEED). */
#define HASH_SEED 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t n);

#endif

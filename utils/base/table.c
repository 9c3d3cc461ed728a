#include "utils/base/table.h"

#include <string.h>

#include "utils/base/arena.h"

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	for (size_t i = 0; i < n; i++)
		seed = (seed ^ p[i]) * 0x100000001b3u;
	return seed;
}

/* FNV's low bits are weak; the slot takes the high ones too. */
static size_t first_slot(uint64_t hash, size_t capacity)
{
	return (size_t)(hash ^ hash >> 32) & (capacity - 1);
}

/* The entry of the key, or the free slot where it belongs. The capacity is a power of two, never full. */
static struct table_entry *find(struct table_entry *entries, size_t capacity, uint64_t hash, const char *key, size_t n)
{
	for (size_t i = first_slot(hash, capacity);; i = (i + 1) & (capacity - 1)) {
		struct table_entry *e = &entries[i];
		if (!e->key || (e->hash == hash && e->length == n && (n == 0 || memcmp(e->key, key, n) == 0)))
			return e;
	}
}

static void grow(struct table *t)
{
	size_t capacity = t->capacity ? t->capacity * 2 : 16;
	struct table_entry *entries = ARENA_ARRAY(t->arena, struct table_entry, capacity);
	for (size_t i = 0; i < t->capacity; i++) {
		struct table_entry *old = &t->entries[i];
		if (old->key)
			*find(entries, capacity, old->hash, old->key, old->length) = *old;
	}
	t->entries = entries;
	t->capacity = capacity;
}

void *table_get(const struct table *t, const char *key)
{
	return table_get_n(t, key, strlen(key));
}

void *table_get_n(const struct table *t, const char *key, size_t n)
{
	if (t->count == 0)
		return NULL;
	return find(t->entries, t->capacity, hash_bytes(HASH_SEED, key, n), key, n)->value;
}

void *table_set(struct table *t, const char *key, void *value)
{
	return table_set_n(t, key, strlen(key), value);
}

void *table_set_n(struct table *t, const char *key, size_t n, void *value)
{
	if (t->count + t->count / 2 >= t->capacity)
		grow(t);
	uint64_t hash = hash_bytes(HASH_SEED, key, n);
	struct table_entry *e = find(t->entries, t->capacity, hash, key, n);
	void *previous = e->value;
	if (!e->key) {
		*e = (struct table_entry){arena_string_n(t->arena, key, n), n, hash, NULL};
		t->count++;
	}
	e->value = value;
	return previous;
}

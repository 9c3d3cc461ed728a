#include <stdio.h>
#include <string.h>

#include "test/base/test_base.h"
#include "utils/base/arena.h"
#include "utils/base/table.h"

void test_table(void)
{
	struct arena arena = {0};
	struct table t = {.arena = &arena};
	static int values[5000];
	char key[32];
	EXPECT(table_get(&t, "absent") == NULL);
	for (int i = 0; i < 5000; i++) {
		snprintf(key, sizeof key, "key%d", i);
		EXPECT(table_set(&t, key, &values[i]) == NULL);
	}
	EXPECT(t.count == 5000);
	for (int i = 0; i < 5000; i++) {
		snprintf(key, sizeof key, "key%d", i);
		EXPECT(table_get(&t, key) == &values[i]);
	}
	EXPECT(table_get(&t, "key5000") == NULL);
	EXPECT(table_set(&t, "key7", &values[8]) == &values[7]);
	EXPECT(table_get(&t, "key7") == &values[8]);
	EXPECT(t.count == 5000);

	/* Keys are bytes: a NUL counts, and so does the length. */
	EXPECT(table_set_n(&t, "a\0b", 3, &values[0]) == NULL);
	EXPECT(table_get_n(&t, "a\0c", 3) == NULL);
	EXPECT(table_get(&t, "a") == NULL);
	EXPECT(table_get_n(&t, "a\0b", 3) == &values[0]);
	EXPECT(table_set(&t, "", &values[1]) == NULL);
	EXPECT(table_get_n(&t, NULL, 0) == &values[1]);

	EXPECT(hash_bytes(HASH_SEED, "", 0) == HASH_SEED);
	EXPECT(hash_bytes(HASH_SEED, "a", 1) == 0xaf63dc4c8601ec8cu);
	EXPECT(hash_bytes(hash_bytes(HASH_SEED, "foo", 3), "bar", 3) == 0x85944171f73967e8u);
	arena_free(&arena);
}

void test_arena(void)
{
	struct arena a = {0};
	char *previous = arena_alloc(&a, 0);
	for (size_t size = 0; size < 300000; size = size * 3 + 1) {
		char *p = arena_alloc(&a, size);
		EXPECT(p != previous && (uintptr_t)p % 16 == 0);
		size_t nonzero = 0;
		for (size_t i = 0; i < size; i++)
			nonzero += p[i] != 0;
		EXPECT(nonzero == 0);
		memset(p, 0xff, size);
		previous = p;
	}
	int *items = NULL;
	size_t count = 0, capacity = 0;
	for (int i = 0; i < 1000; i++)
		*ARENA_PUSH(&a, items, count, capacity) = i;
	size_t wrong = 0;
	for (int i = 0; i < 1000; i++)
		wrong += items[i] != i;
	EXPECT(count == 1000 && wrong == 0);
	EXPECT_TEXT(arena_format(&a, "%s-%d", "x", 7), "x-7");
	EXPECT_TEXT(arena_string_n(&a, "abc", 2), "ab");
	arena_free(&a);
	EXPECT(a.head == NULL && a.total == 0);
}

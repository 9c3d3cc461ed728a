/* Region allocator: one arena a module, one scratch arena a pass (style: memory). */
#ifndef SSPUR_BASE_ARENA_H
#define SSPUR_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/* Zero-initialise, use, then arena_free. Not thread-safe: one thread an arena. */
struct arena {
	struct arena_block *head; /* newest block */
	size_t total;             /* bytes handed out */
};

/* Zeroed memory aligned for any type. Never returns NULL: out of memory prints
 * `sspur: out of memory` and exits with status 3. `size` 0 gives a unique pointer. */
void *arena_alloc(struct arena *a, size_t size);
/* Zeroed array; checks `count * size` for overflow. */
void *arena_array(struct arena *a, size_t count, size_t size);
/* Moves `old` (of `old_count` elements) into a larger array, rest zeroed. */
void *arena_grow(struct arena *a, void *old, size_t old_count, size_t new_count, size_t size);
/* NUL-terminated copies. */
char *arena_string(struct arena *a, const char *s);
char *arena_string_n(struct arena *a, const char *s, size_t n);
char *arena_format(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_array((a), (n), sizeof(type)))

/* Grows a pointer/count/capacity triple that lives in an arena by one; yields the new slot. */
#define ARENA_PUSH(a, items, count, capacity)                                                                          \
	((count) == (capacity)                                                                                         \
	     ? ((items) = arena_grow((a), (items), (count), (capacity) ? (capacity)*2 : 8, sizeof *(items)),           \
	        (capacity) = (capacity) ? (capacity)*2 : 8, &(items)[(count)++])                                       \
	     : &(items)[(count)++])

/* malloc family that never returns NULL (same failure as arena_alloc); free with free(). */
void *memory_alloc(size_t size);
void *memory_zeroed(size_t count, size_t size);
void *memory_aligned(size_t alignment, size_t size); /* a power of two; of any content */
void *memory_resize(void *p, size_t size);

#endif

#include "utils/base/arena.h"

#include <stdarg.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024, ALIGNMENT = 16 };

struct arena_block {
	struct arena_block *next;
	size_t used, size; /* of bytes[] */
	alignas(ALIGNMENT) char bytes[];
};

static _Noreturn void out_of_memory(void)
{
	fputs("sspur: out of memory\n", stderr);
	exit(3);
}

void *arena_alloc(struct arena *a, size_t size)
{
	if (size == 0)
		size = 1;
	if (size > SIZE_MAX / 2)
		out_of_memory();
	size_t rounded = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	struct arena_block *head = a->head;
	if (!head || head->size - head->used < rounded) {
		size_t capacity = rounded > BLOCK_SIZE ? rounded : BLOCK_SIZE;
		struct arena_block *block = memory_zeroed(1, sizeof *block + capacity);
		block->size = capacity;
		/* A block made for one large object goes behind the one still being filled. */
		if (head && rounded > BLOCK_SIZE / 2 && head->size - head->used > capacity - rounded) {
			block->next = head->next;
			head->next = block;
		} else {
			block->next = head;
			a->head = block;
		}
		head = block;
	}
	void *p = head->bytes + head->used;
	head->used += rounded;
	a->total += size;
	return p;
}

static size_t multiply(size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	return bytes;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	return arena_alloc(a, multiply(count, size));
}

void *arena_grow(struct arena *a, void *old, size_t old_count, size_t new_count, size_t size)
{
	void *p = arena_array(a, new_count, size);
	if (old_count)
		memcpy(p, old, old_count * size);
	return p;
}

char *arena_string(struct arena *a, const char *s)
{
	return arena_string_n(a, s, strlen(s));
}

char *arena_string_n(struct arena *a, const char *s, size_t n)
{
	char *copy = arena_alloc(a, n + 1);
	if (n)
		memcpy(copy, s, n);
	return copy;
}

char *arena_format(struct arena *a, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (n < 0)
		out_of_memory();
	char *s = arena_alloc(a, (size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, format, args);
	va_end(args);
	return s;
}

void arena_free(struct arena *a)
{
	while (a->head) {
		struct arena_block *next = a->head->next;
		free(a->head);
		a->head = next;
	}
	a->total = 0;
}

void *memory_alloc(size_t size)
{
	void *p = malloc(size ? size : 1);
	if (!p)
		out_of_memory();
	return p;
}

void *memory_zeroed(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);
	if (!p)
		out_of_memory();
	return p;
}

void *memory_aligned(size_t alignment, size_t size)
{
	void *p = NULL;
	if (posix_memalign(&p, alignment, size ? size : 1))
		out_of_memory();
	return p;
}

void *memory_resize(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		out_of_memory();
	return p;
}

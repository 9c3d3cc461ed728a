/* A source file in memory and places in it. */
#ifndef SSPUR_BASE_SOURCE_H
#define SSPUR_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A byte range of a source file; zero length is a point. */
struct span {
	uint32_t start; /* byte offset */
	uint32_t end;   /* byte offset, exclusive */
};

/* Line and column, from 1; the column counts code points (spec 3.5). Line 0: no place. */
struct place {
	uint32_t line;
	uint32_t column;
	uint32_t file; /* id in the module's list of files (ir.h); 0: the kernel's own, or not known */
};

/* `count` code points begin before the byte at `offset`, where one begins. */
struct source_mark {
	uint32_t offset;
	uint32_t count;
};

/* `bytes` is NUL-terminated after `length` bytes and may hold NUL bytes inside. */
struct source {
	const char *name; /* as the user gave it; `-` is `<stdin>`: what diagnostics call it */
	char *recorded;   /* what artifacts and traps call it (recorded_path) */
	const char *bytes;
	size_t length;
	uint32_t *line_starts; /* byte offsets, line_count of them */
	uint32_t line_count;
	struct source_mark *marks; /* at regular distances, for source_place alone */
};

/* Takes a copy of the bytes. Files of 2^31 bytes or more are refused by file_read. */
void source_init(struct source *s, const char *name, const char *bytes, size_t length);
void source_free(struct source *s);
struct place source_place(const struct source *s, uint32_t offset);
struct span span_join(struct span a, struct span b);

/* Decodes one code point at bytes[0..n), n > 0. Sets *size to the bytes used (>= 1).
 * Invalid UTF-8 gives -1 and size 1. */
int32_t utf8_decode(const char *bytes, size_t n, size_t *size);
/* Code points in n bytes; each invalid byte counts as one. */
size_t utf8_count(const char *bytes, size_t n);
/* Writes code point c at out[0..4); returns the bytes written. */
size_t utf8_encode(char *out, uint32_t c);

#endif

/* Growing byte buffer for text and artifacts. Heap-owned; may hold NUL bytes. */
#ifndef SSPUR_BASE_TEXT_H
#define SSPUR_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise, use, then text_free. `data` is NUL-terminated whenever it is not NULL. */
struct text {
	char *data;
	size_t length;
	size_t capacity;
};

void text_add(struct text *t, const char *s);                 /* a C string */
void text_add_n(struct text *t, const void *bytes, size_t n); /* n bytes */
void text_add_char(struct text *t, char c);
void text_add_repeat(struct text *t, char c, size_t n);
void text_add_format(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_format_v(struct text *t, const char *format, va_list args);
/* Appends s as a JSON string with its quotes; control characters and invalid UTF-8 escaped (U+FFFD). */
void text_add_json(struct text *t, const char *s, size_t n);
/* The contents as a C string ("" when empty); stays owned by t. */
const char *text_string(const struct text *t);
/* Hands the bytes to the caller (free()); t is empty after. Never NULL. */
char *text_take(struct text *t);
void text_clear(struct text *t);
void text_free(struct text *t);

/* Numbers as text, spec/sspur.md 2.6. */
void text_add_int(struct text *t, int64_t v);
/* Shortest digits that read back as the same F64, fixed notation, always a point;
 * `NaN`, `inf`, `-inf`, `-0.0`. */
void text_add_f64(struct text *t, double v);
/* Shortest digits that read back as the same F32 (as a decimal literal, may use an exponent). */
void text_add_f32(struct text *t, float v);
/* So many digits after the point, rounded to nearest; at most 80. */
void text_add_fixed(struct text *t, double v, int digits);

#endif

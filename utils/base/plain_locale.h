/* What the C library does otherwise in another locale, as the locale "C" has it: a program that uses the library may
 * have chosen any (setlocale). The one home of such functions (utils/dev/check_locale). */
#ifndef SSPUR_BASE_PLAIN_LOCALE_H
#define SSPUR_BASE_PLAIN_LOCALE_H

#include <stdbool.h>
#include <stddef.h>

/* The number that `text` begins with, to the nearest, as strtod and strtof read it, and in *end what follows; NULL: not
 * asked for. Too large: infinity. */
double plain_read_f64(const char *text, const char **end);
float plain_read_f32(const char *text, const char **end);

/* What printf has of a number with a fraction: %f, %e, %g, %a. */
enum plain_form { PLAIN_FIXED, PLAIN_EXPONENT, PLAIN_GENERAL, PLAIN_HEXADECIMAL };

enum { PLAIN_LONGEST = 400 }; /* bytes that hold any number of up to 80 digits after its point */

/* Prints v with so many digits, as printf counts them; below 0: as many as it has. Exact, rounded to nearest. */
void plain_print(char *out, size_t size, enum plain_form form, int precision, double v);

/* What an errno says, in English. */
const char *plain_error_text(int number);

/* Whether they are the same but for capital letters of ASCII. */
bool plain_is_alike(const char *a, const char *b);

static inline bool plain_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool plain_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool plain_is_letter(char c)
{
	return plain_is_upper(c) || (c >= 'a' && c <= 'z');
}

#endif

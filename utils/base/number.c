/* Numbers as text (spec/sspur.md 2.6): text_add_int, text_add_f64, text_add_f32. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/base/text.h"

/* 0.DIGITS * 10^point, digits without zeros at either end. */
struct decimal {
	char digits[20];
	int count;
	int point;
};

/* What a width of float needs to be read back. */
struct width {
	int sure; /* decimals of so many digits survive in every normal number (FLT_DIG, DBL_DIG) */
	int most; /* so many digits always read back (FLT_DECIMAL_DIG, DBL_DECIMAL_DIG) */
	double least_normal;
	bool single;
};

static const struct width width_f32 = {FLT_DIG, FLT_DECIMAL_DIG, FLT_MIN, true};
static const struct width width_f64 = {DBL_DIG, DBL_DECIMAL_DIG, DBL_MIN, false};

void text_add_int(struct text *t, int64_t v)
{
	char buffer[24];
	char *p = buffer + sizeof buffer;
	uint64_t magnitude = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	do
		*--p = (char)('0' + magnitude % 10);
	while (magnitude /= 10);
	if (v < 0)
		*--p = '-';
	text_add_n(t, p, (size_t)(buffer + sizeof buffer - p));
}

/* The digits are passed without a point, so that the locale's point does not matter. */
static bool reads_back(const struct decimal *d, double v, const struct width *width)
{
	char buffer[40];
	snprintf(buffer, sizeof buffer, "%.*se%d", d->count, d->digits, d->point - d->count);
	return width->single ? strtof(buffer, NULL) == (float)v : strtod(buffer, NULL) == v;
}

static void strip_zeros(struct decimal *d)
{
	while (d->count > 1 && d->digits[d->count - 1] == '0')
		d->count--;
}

/* The decimal of `count` digits nearest to v > 0. */
static void round_to_digits(struct decimal *d, double v, int count)
{
	char buffer[40];
	snprintf(buffer, sizeof buffer, "%.*e", count - 1, v);
	d->count = 0;
	const char *p = buffer;
	for (; *p != 'e'; p++)
		if (*p >= '0' && *p <= '9')
			d->digits[d->count++] = *p;
	d->point = atoi(p + 1) + 1;
}

/* The next larger decimal of as many digits. */
static void step_up(struct decimal *d)
{
	int i = d->count;
	while (i > 0 && d->digits[i - 1] == '9')
		d->digits[--i] = '0';
	if (i > 0) {
		d->digits[i - 1]++;
	} else {
		d->digits[0] = '1';
		d->point++;
	}
}

/* Shortest for v > 0. In a normal number `sure` digits hold any shorter decimal, so it shows as
 * zeros at the end. Below a power of two the numbers lie closer than above it, so there the
 * decimal nearest to it may miss while the next larger one reads back. */
static void shortest(struct decimal *d, double v, const struct width *width)
{
	int exponent;
	bool power_of_two = frexp(v, &exponent) == 0.5;
	for (int count = v < width->least_normal ? 1 : width->sure;; count++) {
		round_to_digits(d, v, count);
		bool found = count >= width->most || reads_back(d, v, width);
		if (!found && power_of_two) {
			step_up(d);
			found = reads_back(d, v, width);
		}
		if (found) {
			strip_zeros(d);
			return;
		}
	}
}

static void add_fixed(struct text *t, const struct decimal *d)
{
	if (d->point <= 0) {
		text_add(t, "0.");
		text_add_repeat(t, '0', (size_t)-d->point);
		text_add_n(t, d->digits, (size_t)d->count);
	} else if (d->point >= d->count) {
		text_add_n(t, d->digits, (size_t)d->count);
		text_add_repeat(t, '0', (size_t)(d->point - d->count));
		text_add(t, ".0");
	} else {
		text_add_n(t, d->digits, (size_t)d->point);
		text_add_char(t, '.');
		text_add_n(t, d->digits + d->point, (size_t)(d->count - d->point));
	}
}

/* Writes what has no digits, and the sign of what has; false when v > 0 is left to write. */
static bool add_special(struct text *t, double v)
{
	if (isnan(v)) {
		text_add(t, "NaN");
		return true;
	}
	if (signbit(v))
		text_add_char(t, '-');
	if (isinf(v) || v == 0)
		text_add(t, v == 0 ? "0.0" : "inf");
	return isinf(v) || v == 0;
}

void text_add_f64(struct text *t, double v)
{
	if (add_special(t, v))
		return;
	v = fabs(v);
	if (v < 0x1p53 && v == trunc(v)) {
		text_add_int(t, (int64_t)v);
		text_add(t, ".0");
		return;
	}
	struct decimal d;
	shortest(&d, v, &width_f64);
	add_fixed(t, &d);
}

void text_add_f32(struct text *t, float v)
{
	if (add_special(t, v))
		return;
	struct decimal d;
	shortest(&d, fabs(v), &width_f32);
	if (d.point > -5 && d.point <= 16) {
		add_fixed(t, &d);
		return;
	}
	int exponent = d.point - 1;
	d.point = 1;
	add_fixed(t, &d);
	text_add_format(t, "e%d", exponent);
}

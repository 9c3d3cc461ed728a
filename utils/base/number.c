/* Numbers as text (spec/sspur.md 2.6): text_add_int, text_add_f64, text_add_f32; and text_add_fixed. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utils/base/plain_locale.h"
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

/* Up to 15 digits and a power of ten up to 22 are exact as F64, so one division or product of them
 * is rounded as reading is. */
static bool reads_back_exactly(const struct decimal *d, double v)
{
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
	                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	int64_t digits = 0;
	for (int i = 0; i < d->count; i++)
		digits = digits * 10 + (d->digits[i] - '0');
	int power = d->point - d->count;
	return (power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power]) == v;
}

static bool reads_back(const struct decimal *d, double v, const struct width *width)
{
	int power = d->point - d->count;
	if (!width->single && d->count <= DBL_DIG && power >= -22 && power <= 22)
		return reads_back_exactly(d, v);
	char buffer[40];
	memcpy(buffer, d->digits, (size_t)d->count);
	snprintf(buffer + d->count, sizeof buffer - sizeof d->digits, "e%d", power);
	return width->single ? plain_read_f32(buffer, NULL) == (float)v : plain_read_f64(buffer, NULL) == v;
}

static void strip_zeros(struct decimal *d)
{
	while (d->count > 1 && d->digits[d->count - 1] == '0')
		d->count--;
}

/* The decimal of `count` digits nearest to v > 0, exactly. */
static void round_to_digits(struct decimal *d, double v, int count)
{
	char buffer[40];
	plain_print(buffer, sizeof buffer, PLAIN_EXPONENT, count - 1, v);
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

/* The same from `most` digits, which saves the slow exact division; false if those end in an exact
 * half of the last digit kept, which does not tell on which side v lies. */
static bool round_digits(struct decimal *d, const struct decimal *most, int count)
{
	*d = *most;
	d->count = count;
	int dropped = most->count - count;
	if (dropped <= 0)
		return dropped == 0;
	int order = memcmp(most->digits + count, "50000000000000000", (size_t)dropped);
	if (order > 0)
		step_up(d);
	return order != 0;
}

/* Shortest for v > 0. In a normal number `sure` digits hold any shorter decimal, so it shows as
 * zeros at the end. Below a power of two the numbers lie closer than above it, so there the
 * decimal nearest to it may miss while the next larger one reads back. */
static void shortest(struct decimal *d, double v, const struct width *width)
{
	int exponent;
	bool power_of_two = frexp(v, &exponent) == 0.5;
	struct decimal most;
	round_to_digits(&most, v, width->most);
	for (int count = v < width->least_normal ? 1 : width->sure; count < width->most; count++) {
		if (!round_digits(d, &most, count))
			round_to_digits(d, v, count);
		bool found = reads_back(d, v, width);
		if (!found && power_of_two) {
			step_up(d);
			found = reads_back(d, v, width);
		}
		if (found) {
			strip_zeros(d);
			return;
		}
	}
	*d = most;
	strip_zeros(d);
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

void text_add_fixed(struct text *t, double v, int digits)
{
	char buffer[PLAIN_LONGEST];
	plain_print(buffer, sizeof buffer, PLAIN_FIXED, digits, v);
	text_add(t, buffer);
}

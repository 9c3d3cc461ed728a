/* The host's order: F64 by the total order with all NaNs equal (spec 2.4), containers element by element. */
#include <math.h>
#include <string.h>

#include "frontend/ssp/host_value.h"

static int compare_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* -inf .. -0.0, 0.0 .. inf, NaN. */
static int compare_f64(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (isnan(a) != 0) - (isnan(b) != 0);
	if (a == 0 && b == 0)
		return (signbit(a) == 0) - (signbit(b) == 0);
	return (a > b) - (a < b);
}

static int compare_strings(const struct string *a, const struct string *b)
{
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->bytes, b->bytes, shorter);
	return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_lists(const struct list *a, const struct list *b)
{
	int64_t shorter = a->count < b->count ? a->count : b->count;
	for (int64_t i = 0; i < shorter; i++) {
		struct value x = list_item(a, i), y = list_item(b, i);
		int order = value_compare(x, y);
		value_release(x);
		value_release(y);
		if (order)
			return order;
	}
	return compare_int(a->count, b->count);
}

static int compare_tuples(const struct tuple *a, const struct tuple *b)
{
	for (uint32_t i = 0; i < a->count && i < b->count; i++) {
		int order = value_compare(a->items[i], b->items[i]);
		if (order)
			return order;
	}
	return compare_int(a->count, b->count);
}

/* Values of one type: kinds differ only between none and some (none is less), ok and error (ok is less). */
int value_compare(struct value a, struct value b)
{
	if (a.kind != b.kind)
		return compare_int(a.kind, b.kind);
	switch (a.kind) {
	case VALUE_UNIT:
	case VALUE_NONE: return 0;
	case VALUE_INT: return compare_int(a.integer, b.integer);
	case VALUE_F64: return compare_f64(a.real, b.real);
	case VALUE_BOOL: return compare_int(a.truth, b.truth);
	case VALUE_STRING: return compare_strings(a.string, b.string);
	case VALUE_LIST: return compare_lists(a.list, b.list);
	case VALUE_TUPLE: return compare_tuples(a.tuple, b.tuple);
	case VALUE_SOME:
	case VALUE_OK:
	case VALUE_ERROR: return value_compare(a.wrapper->item, b.wrapper->item);
	case VALUE_FUNCTION:
	case VALUE_LAMBDA:
	case VALUE_DEVBUF: break; /* by identity; the checker lets none through */
	}
	return compare_int((intptr_t)a.object, (intptr_t)b.object);
}

bool value_equal(struct value a, struct value b)
{
	if (a.kind == VALUE_LIST && b.kind == VALUE_LIST && a.list->count != b.list->count)
		return false;
	return value_compare(a, b) == 0;
}

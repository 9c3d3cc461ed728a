/* Methods of List that call no function, and of Opt and Res (spec 2.5). */
#include <stdlib.h>

#include "frontend/ssp/host_internal.h"

bool builtin_list_len(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give(t, a, value_int(a->list->count));
}

bool builtin_list_is_empty(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give(t, a, value_bool(a->list->count == 0));
}

/* ---- Parts ---- */

/* Elements [first, last) in place of the list; of a range, a range. */
static bool give_part(struct task *t, struct value *a, int64_t first, int64_t last)
{
	const struct list *l = a->list;
	if (l->storage == STORAGE_RANGE)
		return give(t, a, list_range(last > first ? list_item(l, first).integer : 0, l->step, last - first));
	struct value part = list_new(l->storage, last - first);
	list_append(part.list, l, first, last);
	return give(t, a, part);
}

static int64_t clamp_index(int64_t i, int64_t count)
{
	return i < 0 ? 0 : i > count ? count : i;
}

bool builtin_list_take(struct task *t, const struct node *n, struct value *a)
{
	if (a[1].integer < 0)
		return trap_raise(t, n, "negative count");
	return give_part(t, a, 0, clamp_index(a[1].integer, a->list->count));
}

bool builtin_list_drop(struct task *t, const struct node *n, struct value *a)
{
	if (a[1].integer < 0)
		return trap_raise(t, n, "negative count");
	return give_part(t, a, clamp_index(a[1].integer, a->list->count), a->list->count);
}

bool builtin_list_slice(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	int64_t first = clamp_index(a[1].integer, a->list->count), last = clamp_index(a[2].integer, a->list->count);
	return give_part(t, a, first, last > first ? last : first);
}

/* ---- Making longer ---- */

bool builtin_list_push(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	struct list *l = list_own(a, 1);
	list_push(l, pop(t));
	return true;
}

bool builtin_list_concat(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	list_append(list_own(a, a[1].list->count), a[1].list, 0, a[1].list->count);
	cut(t, a + 1);
	return true;
}

/* ---- Order ---- */

bool builtin_list_reverse(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	const struct list *l = a->list;
	if (l->storage == STORAGE_RANGE) {
		int64_t last = l->count ? list_item(l, l->count - 1).integer : 0;
		return give(t, a, list_range(last, (int64_t)(0 - (uint64_t)l->step), l->count));
	}
	struct value out = list_new(l->storage, l->count);
	for (int64_t i = l->count; i-- > 0;)
		list_push(out.list, list_item(l, i));
	return give(t, a, out);
}

static int compare_integers(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return (a > b) - (a < b);
}

static int compare_reals(const void *x, const void *y)
{
	return value_compare(value_f64(*(const double *)x), value_f64(*(const double *)y));
}

static int compare_truths(const void *x, const void *y)
{
	return (int)*(const bool *)x - (int)*(const bool *)y;
}

static int compare_values(const void *x, const void *y)
{
	return value_compare(*(const struct value *)x, *(const struct value *)y);
}

/* Equal elements cannot be told apart, so stability does not matter. */
bool builtin_list_sort(struct task *t, const struct node *n, struct value *a)
{
	(void)t, (void)n;
	struct list *l = list_own(a, 0);
	if (l->count < 2)
		return true;
	switch (l->storage) {
	case STORAGE_INT: qsort(l->items, (size_t)l->count, sizeof *l->integers, compare_integers); break;
	case STORAGE_F64: qsort(l->items, (size_t)l->count, sizeof *l->reals, compare_reals); break;
	case STORAGE_BOOL: qsort(l->items, (size_t)l->count, sizeof *l->truths, compare_truths); break;
	case STORAGE_VALUE: qsort(l->items, (size_t)l->count, sizeof *l->values, compare_values); break;
	case STORAGE_RANGE: break; /* list_own gives none */
	}
	return true;
}

/* ---- Looking ---- */

bool builtin_list_contains(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	bool found = false;
	for (int64_t i = 0; i < a->list->count && !found; i++) {
		struct value v = list_item(a->list, i);
		found = value_equal(v, a[1]);
		value_release(v);
	}
	return give(t, a, value_bool(found));
}

static bool give_element(struct task *t, struct value *a, int64_t i)
{
	if (i < 0 || i >= a->list->count)
		return give(t, a, value_none());
	return give(t, a, wrapper_new(VALUE_SOME, list_item(a->list, i)));
}

bool builtin_list_get(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_element(t, a, a[1].integer);
}

bool builtin_list_first(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_element(t, a, 0);
}

bool builtin_list_last(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_element(t, a, a->list->count - 1);
}

/* The first element that compares with `sign` to all before it. */
static bool give_extreme(struct task *t, struct value *a, int sign)
{
	int64_t best = 0;
	for (int64_t i = 1; i < a->list->count; i++) {
		struct value x = list_item(a->list, i), y = list_item(a->list, best);
		if (value_compare(x, y) * sign > 0)
			best = i;
		value_release(x);
		value_release(y);
	}
	return give_element(t, a, best);
}

bool builtin_list_min(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_extreme(t, a, -1);
}

bool builtin_list_max(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give_extreme(t, a, 1);
}

/* ---- Others ---- */

bool builtin_list_zip(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	const struct list *x = a[0].list, *y = a[1].list;
	int64_t count = x->count < y->count ? x->count : y->count;
	struct value out = list_new(STORAGE_VALUE, count);
	for (int64_t i = 0; i < count; i++) {
		struct value pair = tuple_new(2);
		pair.tuple->items[0] = list_item(x, i);
		pair.tuple->items[1] = list_item(y, i);
		list_push(out.list, pair);
	}
	return give(t, a, out);
}

bool builtin_list_enumerate(struct task *t, const struct node *n, struct value *a)
{
	push(t, list_range(0, 1, a->list->count));
	struct value indices = a[1];
	a[1] = a[0];
	a[0] = indices;
	return builtin_list_zip(t, n, a);
}

bool builtin_list_join(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	struct text out = {0};
	for (int64_t i = 0; i < a->list->count; i++) {
		if (i)
			text_add_n(&out, a[1].string->bytes, a[1].string->length);
		struct value v = list_item(a->list, i);
		value_print(&out, v, false);
		value_release(v);
	}
	return give(t, a, string_from_text(&out));
}

/* Ints from a while below b (above b for a negative step). */
bool builtin_range(struct task *t, const struct node *n, struct value *a)
{
	__int128 first = a[0].integer, end = a[1].integer, step = a[2].integer;
	if (step == 0)
		return trap_raise(t, n, "range step is zero");
	__int128 count = step > 0 ? (end - first + step - 1) / step : (end - first + step + 1) / step;
	count = count < 0 ? 0 : count;
	if (count > INT64_MAX)
		return trap_overflow(t, n);
	return give(t, a, list_range(a[0].integer, a[2].integer, (int64_t)count));
}

/* ---- Opt and Res ---- */

static bool is_present(struct value v)
{
	return v.kind == VALUE_SOME || v.kind == VALUE_OK;
}

bool builtin_opt_or(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	struct value v = is_present(a[0]) ? a[0].wrapper->item : a[1];
	value_retain(v);
	return give(t, a, v);
}

bool builtin_opt_get(struct task *t, const struct node *n, struct value *a)
{
	if (a->kind == VALUE_ERROR)
		return trap_raise(t, n, "%s", a->wrapper->item.string->bytes);
	if (a->kind == VALUE_NONE)
		return trap_raise(t, n, "get on none");
	struct value v = a->wrapper->item;
	value_retain(v);
	return give(t, a, v);
}

bool builtin_opt_is_some(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give(t, a, value_bool(is_present(*a)));
}

bool builtin_opt_is_none(struct task *t, const struct node *n, struct value *a)
{
	(void)n;
	return give(t, a, value_bool(!is_present(*a)));
}

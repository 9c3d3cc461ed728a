/* Whether two accesses of one phase may conflict: which of the proofs of spec/sspur.md 1.5 holds. */
#include "ir/phase.h"

/* The two differ by their constants alone. What is made of variables of a loop is unrelated in two of its rounds. */
static bool comparable(const struct phase_form *a, const struct phase_form *b, int level)
{
	return a->variable == b->variable && a->level < level && b->level < level;
}

/* One lane makes both. */
static bool same_lane(const struct phase_class *a, const struct phase_class *b, int level)
{
	for (uint32_t n = 0; n < a->lanes.count; n++)
		for (uint32_t m = 0; m < b->lanes.count; m++)
			if (comparable(&a->lanes.items[n], &b->lanes.items[m], level) &&
			    a->lanes.items[n].constant == b->lanes.items[m].constant)
				return true;
	return false;
}

static bool ends_before(const struct phase_class *a, const struct phase_class *b, int level)
{
	for (uint32_t n = 0; n < a->highs.count; n++)
		for (uint32_t m = 0; m < b->lows.count; m++)
			if (comparable(&a->highs.items[n], &b->lows.items[m], level) &&
			    a->highs.items[n].constant <= b->lows.items[m].constant)
				return true;
	return false;
}

/* Some d of -bound..bound with low <= stride * d <= high, as *from..*to; what lies outside cannot count. */
static void narrow(__int128 stride, __int128 low, __int128 high, int64_t *from, int64_t *to)
{
	if (!stride)
		return;
	if (stride < 0) {
		__int128 other = -low;
		low = -high;
		high = other;
		stride = -stride;
	}
	/* One more at each end is harmless: the division truncates. */
	__int128 least = low / stride - 1, most = high / stride + 1;
	if (least > *from)
		*from = least > *to ? *to + 1 : (int64_t)least;
	if (most < *to)
		*to = most < *from ? *from - 1 : (int64_t)most;
}

/* Whether strides * d == difference for some d of lanes' differences on axes 0..axis; not all 0 unless `moved`. */
static bool reaches(const struct ir_kernel *k, const int64_t *strides, int axis, __int128 difference, bool moved)
{
	if (axis < 0)
		return moved && !difference;
	int64_t bound = axis < k->axes ? (int64_t)k->group[axis] - 1 : 0, from = -bound, to = bound;
	__int128 rest = 0;
	for (int n = 0; n < axis; n++)
		rest += (strides[n] < 0 ? -(__int128)strides[n] : strides[n]) * (k->group[n] - 1);
	narrow(strides[axis], difference - rest, difference + rest, &from, &to);
	for (int64_t d = from; d <= to; d++)
		if (reaches(k, strides, axis - 1, difference - (__int128)strides[axis] * d, moved || d))
			return true;
	return false;
}

/* Elements of two different lanes are never one. */
static bool injective(const struct phase_accesses *all, const struct phase_class *a, const struct phase_class *b,
                      int level)
{
	if (!comparable(&a->offset, &b->offset, level))
		return false;
	for (unsigned axis = 0; axis < 3; axis++)
		if (a->strides[axis] != b->strides[axis])
			return false;
	const struct ir_kernel *k = all->race->kernel;
	return !reaches(k, a->strides, k->axes - 1, (__int128)b->offset.constant - a->offset.constant, false);
}

bool phase_meet(const struct phase_accesses *all, const struct phase_class *a, const struct phase_class *b, int level)
{
	if (a->memory != b->memory || (!a->write && !b->write))
		return false;
	if (a->atomic || b->atomic)
		return !a->atomic || !b->atomic || race_atomic_reason(all->race, a->atomic, b->atomic);
	if (same_lane(a, b, level))
		return false;
	if (!a->linear || !b->linear)
		return true;
	return !ends_before(a, b, level) && !ends_before(b, a, level) && !injective(all, a, b, level);
}

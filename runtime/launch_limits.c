#include "runtime/launch_limits.h"

typedef unsigned long long number;

static bool is_narrow(const struct ir_kernel *k)
{
	return k->index == IR_TYPE_u32;
}

static bool refuse(struct launch_excess *excess, const char *hint)
{
	excess->hint = hint;
	return false;
}

static bool check_axis(const struct ir_kernel *k, bool narrow, unsigned axis, uint64_t extent,
                       struct launch_excess *excess)
{
	if (axis >= k->axes && extent != 1) {
		text_add_format(&excess->what, "it has %u ax%s, no %c, and %llu is given there", k->axes,
		                k->axes == 1 ? "is" : "es", "xyz"[axis], (number)extent);
		return refuse(excess, "give 1 there");
	}
	if (narrow && extent > (uint64_t)1 << 32) {
		text_add_format(&excess->what, "too many threads along %c: %llu, and ids have 32 bits", "xyz"[axis],
		                (number)extent);
		return refuse(excess, "an id is less than 4294967296");
	}
	return true;
}

bool launch_limits_extents(const struct ir_kernel *k, bool narrow_ids, const uint64_t extents[3],
                           struct launch_excess *excess)
{
	static const char *const before[3] = {"", " times those along x", " times those along x and y"};
	bool none = !extents[0] || !extents[1] || !extents[2];
	uint64_t threads = 1;
	for (unsigned axis = 0; axis < 3; axis++) {
		if (!check_axis(k, narrow_ids || is_narrow(k), axis, extents[axis], excess))
			return false;
		if (none || (!__builtin_mul_overflow(threads, extents[axis], &threads) && threads <= INT64_MAX))
			continue;
		text_add_format(&excess->what, "too many threads along %c: %llu%s, and there are less than 2^63",
		                "xyz"[axis], (number)extents[axis], before[axis]);
		return refuse(excess, "give fewer");
	}
	return true;
}

bool launch_limits_groups(const struct ir_kernel *k, bool narrow_ids, const uint64_t groups[3], uint64_t extents[3],
                          struct launch_excess *excess)
{
	for (unsigned axis = 0; axis < 3; axis++) {
		if (!__builtin_mul_overflow(groups[axis], (uint64_t)k->group[axis], &extents[axis]))
			continue;
		text_add_format(&excess->what,
		                "too many threads along %c: %llu groups of %u, and there are less than 2^63",
		                "xyz"[axis], (number)groups[axis], (unsigned)k -> group[axis]);
		return refuse(excess, narrow_ids || is_narrow(k) ? "an id is less than 4294967296" : "give fewer");
	}
	return launch_limits_extents(k, narrow_ids, extents, excess);
}

bool launch_limits_length(const struct ir_kernel *k, const struct ir_type *element, uint64_t count, uint64_t *size,
                          struct launch_excess *excess)
{
	if (is_narrow(k) && count > UINT32_MAX) {
		text_add_format(&excess->what, "too many elements: %llu, and lengths have 32 bits", (number)count);
		return refuse(excess, "a slice has at most 4294967295");
	}
	if (__builtin_mul_overflow(count, (uint64_t)element->size, size) || *size > INT64_MAX) {
		text_add_format(&excess->what, "too many: %llu elements of %u bytes", (number)count, element->size);
		return refuse(excess, "give fewer");
	}
	return true;
}

#include "runtime/launch_check.h"

#include <string.h>

/* One launch being checked. */
struct check {
	const struct ir_kernel *kernel;
	const struct ir_argument *arguments;
	uint64_t *extents;
	struct launch_refusal *refusal;
};

static bool evaluate(const struct check *c, const struct ir_expression *e, uint64_t *result)
{
	struct kernel_trap trap = {0};
	if (ir_evaluate_expression(c->kernel, e, c->arguments, result, &trap))
		return true;
	trap_text(&c->refusal->text, &trap);
	c->refusal->place = (struct place){trap.line, trap.column, trap.file};
	return false;
}

static bool check_pre(const struct check *c)
{
	const struct ir_kernel *k = c->kernel;
	for (uint32_t i = 0; i < k->pre_count; i++) {
		uint64_t holds;
		if (!evaluate(c, &k->pre[i], &holds))
			return false;
		if (!holds) {
			c->refusal->is_contract = true;
			text_add_format(&c->refusal->text, "contract violated: pre %s in %s", k->pre[i].text, k->name);
			return false;
		}
	}
	return true;
}

static bool find_extents(const struct check *c)
{
	int64_t threads = 1;
	bool none = false;
	for (uint8_t axis = 0; axis < c->kernel->axes; axis++) {
		if (!evaluate(c, &c->kernel->grid[axis], &c->extents[axis]))
			return false;
		none = none || (int64_t)c->extents[axis] <= 0;
	}
	for (uint8_t axis = 0; axis < 3; axis++) {
		if (none)
			c->extents[axis] = 0;
		else if (axis >= c->kernel->axes)
			c->extents[axis] = 1;
		if (__builtin_mul_overflow(threads, (int64_t)c->extents[axis], &threads)) {
			trap_text(&c->refusal->text, &(struct kernel_trap){.kind = TRAP_OVERFLOW});
			return false;
		}
	}
	return true;
}

/* A grouped kernel runs whole groups only (spec 1.5). */
static bool check_groups(const struct check *c)
{
	static const char *const names[3] = {"width", "height", "depth"};
	const struct ir_kernel *k = c->kernel;
	struct text *text = &c->refusal->text;
	for (uint8_t axis = 0; c->extents[0] && axis < k->axes && ir_is_grouped(k); axis++) {
		unsigned long long count = c->extents[axis];
		if (count % k->group[axis] == 0)
			continue;
		if (k->axes == 1)
			text_add_format(
			    text, "dev: the thread count of %s is not a multiple of its group size %u (count = %llu)",
			    k->name, k->group[0], count);
		else
			text_add_format(text, "dev: the %s of %s is not a multiple of its group %s %u (%s = %llu)",
			                names[axis], k->name, names[axis], k->group[axis], names[axis], count);
		return false;
	}
	return true;
}

bool launch_check(const struct ir_kernel *k, const struct ir_argument *arguments, uint64_t extents[3],
                  struct launch_refusal *refusal)
{
	const struct check c = {k, arguments, extents, refusal};
	return check_pre(&c) && find_extents(&c) && check_groups(&c);
}

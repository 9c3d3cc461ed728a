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

bool launch_check_aliases(const struct ir_kernel *k, const struct queue_argument *arguments, struct text *error)
{
	const struct ir_parameter *p = k->parameters;
	for (uint32_t i = 0; i < k->parameter_count; i++)
		for (uint32_t j = i + 1; arguments[i].buffer && j < k->parameter_count; j++)
			if (arguments[j].buffer == arguments[i].buffer &&
			    (p[i].memory->writable || p[j].memory->writable)) {
				text_add_format(error, "dev: arguments %s and %s of %s are the same buffer", p[i].name,
				                p[j].name, k->name);
				return false;
			}
	return true;
}

bool launch_check_groups(const struct ir_kernel *k, const uint64_t extents[3], struct text *error)
{
	static const char *const names[3] = {"width", "height", "depth"};
	for (uint8_t axis = 0; axis < k->axes; axis++) {
		if (extents[axis] % k->group[axis] == 0)
			continue;
		bool line = k->axes == 1;
		text_add_format(error, "dev: the %s of %s is not a multiple of its group %s %u (%s = %llu)",
		                line ? "thread count" : names[axis], k->name, line ? "size" : names[axis],
		                k->group[axis], line ? "count" : names[axis], (unsigned long long)extents[axis]);
		return false;
	}
	return true;
}

bool launch_check(const struct ir_kernel *k, const struct ir_argument *arguments, uint64_t extents[3],
                  struct launch_refusal *refusal)
{
	const struct check c = {k, arguments, extents, refusal};
	return check_pre(&c) && find_extents(&c) &&
	       (!ir_is_grouped(k) || launch_check_groups(k, extents, &refusal->text));
}

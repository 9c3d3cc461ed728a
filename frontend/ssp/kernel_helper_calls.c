/* Calls of helpers, and the check of their bodies (spec/sspur.md 1.7). */
#include "frontend/ssp/kernel_check.h"

static bool is_scalar(const struct type *t)
{
	return kernel_is_integer(t) || kernel_is_float(t) || t->kind == TYPE_BOOL;
}

/* ---- What a kernel may call ---- */

static void hint_scalars(struct kernel_checker *c, struct diagnostic *item)
{
	kernel_hint(c, item, "a kernel calls functions over `Int`, `I32`, `U32`, `F32`, `F64` and `Bool`");
}

/* False when an ordinary fn is none that kernels can call, which is reported at the call. A device fn was refused at
 * its definition. */
static bool allow_types(struct kernel_checker *c, const struct node *n, const struct definition *d)
{
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		const struct parameter *p = &d->parameters[i];
		if (p->variable->type == &type_error)
			return false;
		if (!is_scalar(p->variable->type)) {
			hint_scalars(c, kernel_report(c, "E_KERNEL_SIG", n->span,
			                              "a kernel cannot call `%s`: its parameter `%s` is no scalar",
			                              d->name, p->name));
			return false;
		}
		if (kernel_find_intrinsic(p->name)) {
			kernel_hint(
			    c,
			    kernel_report(c, "E_KERNEL_SIG", n->span,
			                  "a kernel cannot call `%s`: its parameter `%s` is named like an intrinsic",
			                  d->name, p->name),
			    "give the parameter another name");
			return false;
		}
	}
	if (!is_scalar(d->result) && d->result != &type_error)
		hint_scalars(c, kernel_report(c, "E_KERNEL_SIG", n->span, "a kernel cannot call `%s`: it gives %s",
		                              d->name, d->result == &type_unit ? "no value" : "no scalar"));
	return is_scalar(d->result);
}

static bool allow_definition(struct kernel_checker *c, const struct node *n, const struct definition *d)
{
	if (d->has_faults || d->generic_count > 0) /* reported at the definition */
		return false;
	if (d->is_device)
		return true;
	if (d->effects != 0) {
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL_EFFECT", n->span, "a kernel cannot call `%s`, which has effects",
		                          d->name),
		            "only functions without effects run on a device");
		return false;
	}
	if (d->pre_count + d->post_count > 0) {
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL_SIG", n->span,
		                          "a kernel cannot call `%s`, which has a `%s` clause", d->name,
		                          d->pre_count ? "pre" : "post"),
		            "write a `pre` of the kernel, or an `if` before the call");
		return false;
	}
	return allow_types(c, n, d);
}

/* ---- The body of a helper ---- */

static void check_body(struct kernel_checker *c, struct kernel_helper *h)
{
	struct definition *d = h->definition;
	c->names.arena = &c->scratch;
	c->slot_count = d->parameter_count;
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		struct variable *v = ARENA_NEW(&c->program->arena, struct variable);
		*v = (struct variable){.name = d->parameters[i].name,
		                       .type = d->parameters[i].variable->type,
		                       .span = d->parameters[i].span,
		                       .slot = i};
		table_set(&c->names, v->name, v);
	}
	kernel_require(c, h->body, d->result, arena_format(&c->scratch, "the result of `%s`", d->name));
	h->slots = c->slot_count;
	h->nesting = c->deepest;
	h->size = c->size + c->inlined_size;
	arena_free(&c->scratch);
}

static void check_helper(struct program *p, struct kernel_helper *h, uint32_t level)
{
	struct definition *d = h->definition;
	struct kernel_checker c = {
	    .program = p,
	    .definition = d,
	    .helper = h,
	    .level = level,
	    .part = KERNEL_BODY,
	    .float_default = kernel_float_default(d),
	};
	h->state = HELPER_IN_PROGRESS;
	h->level = 1;
	if (d->body && !d->has_faults) {
		h->body = d->is_device ? d->body : kernel_clone(&p->arena, d->body);
		check_body(&c, h);
	}
	h->state = d->body && !d->has_faults ? HELPER_SOUND : HELPER_FAULTY;
}

static struct kernel_helper *find_helper(struct program *p, struct definition *d, struct span call)
{
	if (!d->helper) {
		d->helper = ARENA_NEW(&p->arena, struct kernel_helper);
		d->helper->definition = d;
		d->helper->first_call = call;
	}
	return d->helper;
}

void kernel_check_device_fn(struct program *p, struct definition *d)
{
	struct kernel_helper *h = find_helper(p, d, (struct span){0});
	if (h->state == HELPER_UNCHECKED)
		check_helper(p, h, 1);
}

/* ---- Calls ---- */

static void report_recursion(struct kernel_checker *c, const struct node *n, const struct definition *d)
{
	struct diagnostic *item =
	    d == c->definition
	        ? kernel_report(c, "E_KERNEL", n->span, "`%s` calls itself: kernels have no recursion", d->name)
	        : kernel_report(c, "E_KERNEL", n->span, "`%s` calls itself through `%s`: kernels have no recursion",
	                        d->name, c->definition->name);
	kernel_hint(c, item, "write a `for` loop");
}

static void report_levels(struct kernel_checker *c, const struct node *n, const struct definition *d)
{
	kernel_hint(c,
	            kernel_report(c, "E_KERNEL", n->span, "helpers call each other more than %d levels deep, here `%s`",
	                          KERNEL_MAX_LEVELS, d->name),
	            "write the body of `%s` in place of the call", d->name);
}

/* The limits on what inlining makes; the size is reported where it is first exceeded. */
static void add_inlined(struct kernel_checker *c, const struct node *n, const struct kernel_helper *h)
{
	const char *name = h->definition->name;
	bool fitted = c->inlined_size <= KERNEL_MAX_INLINED;
	c->inlined_size += h->size;
	if (fitted && c->inlined_size > KERNEL_MAX_INLINED)
		kernel_report(c, "E_KERNEL", n->span,
		              "with `%s` inlined here, the helpers of this body have more than %d expressions", name,
		              KERNEL_MAX_INLINED);
	uint32_t nesting = c->nesting + h->nesting;
	if (nesting > KERNEL_MAX_NESTING)
		kernel_report(c, "E_KERNEL", n->span, "with `%s` inlined here, `if` and `for` nest more than %d deep",
		              name, KERNEL_MAX_NESTING);
	else if (nesting > c->deepest)
		c->deepest = nesting;
}

static void use_helper(struct kernel_checker *c, const struct node *n, struct definition *d)
{
	struct kernel_helper *h = find_helper(c->program, d, n->span);
	if (h->state == HELPER_IN_PROGRESS) {
		report_recursion(c, n, d);
		return;
	}
	if (h->state == HELPER_UNCHECKED && c->level == KERNEL_MAX_LEVELS) {
		report_levels(c, n, d);
		return;
	}
	if (h->state == HELPER_UNCHECKED)
		check_helper(c->program, h, c->level + 1);
	if (h->state == HELPER_FAULTY) {
		c->definition->has_faults = true;
		return;
	}
	if (c->helper && h->level == KERNEL_MAX_LEVELS) {
		report_levels(c, n, d);
		return;
	}
	if (c->helper && h->level + 1 > c->helper->level)
		c->helper->level = h->level + 1;
	add_inlined(c, n, h);
}

static const char *argument_name(struct kernel_checker *c, const struct definition *d, uint32_t i)
{
	return arena_format(&c->scratch, "the argument `%s` of `%s`", d->parameters[i].name, d->name);
}

static bool check_arguments(struct kernel_checker *c, struct node *n, const struct definition *d)
{
	uint32_t receivers = n->kind == NODE_METHOD, given = n->part_count + receivers;
	if (given != d->parameter_count) {
		kernel_infer_arguments(c, n);
		kernel_report(c, "E_ARITY", n->at, "`%s` takes %u argument%s, not %u", d->name, d->parameter_count,
		              d->parameter_count == 1 ? "" : "s", given);
		return false;
	}
	if (receivers)
		kernel_expect(c, n->left, d->parameters[0].variable->type, argument_name(c, d, 0));
	for (uint32_t i = 0; i < n->part_count; i++)
		kernel_require(c, n->parts[i], d->parameters[i + receivers].variable->type,
		               argument_name(c, d, i + receivers));
	return true;
}

struct type *kernel_infer_helper_call(struct kernel_checker *c, struct node *n, struct definition *d)
{
	n->definition = d;
	if (n->kind == NODE_METHOD)
		n->builtin = KERNEL_METHOD_helper;
	if (c->part != KERNEL_BODY) {
		kernel_infer_arguments(c, n);
		kernel_report(c, "E_KERNEL", n->span, "functions cannot be called in %s",
		              c->part == KERNEL_PRE ? "`pre`" : "`@grid`");
		return &type_error;
	}
	if (!allow_definition(c, n, d)) {
		kernel_infer_arguments(c, n);
		c->definition->has_faults = true;
		return is_scalar(d->result) ? d->result : &type_error;
	}
	if (!check_arguments(c, n, d))
		return d->result;
	use_helper(c, n, d);
	return d->result;
}

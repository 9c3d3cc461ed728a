/* kernel_signatures: parameters, effects, clauses and grid of every kernel (spec/sspur.md 1.1), and signatures of
 * device fns (1.7). */
#include <string.h>

#include "frontend/ssp/kernel_check.h"

static struct type *const scalar_types[] = {&type_int, &type_i32, &type_u32, &type_f32, &type_f64, &type_bool};

static struct type *find_scalar(const struct type_syntax *syntax)
{
	if (!syntax || syntax->borrow || syntax->count > 0 || !syntax->name)
		return NULL;
	for (size_t i = 0; i < sizeof scalar_types / sizeof scalar_types[0]; i++)
		if (strcmp(syntax->name, kernel_type_name(scalar_types[i])) == 0)
			return scalar_types[i];
	return NULL;
}

static struct type *find_element(const struct type_syntax *syntax)
{
	struct type *t = find_scalar(syntax);
	return t == &type_bool ? NULL : t;
}

static void report_parameter_type(struct kernel_checker *c, const struct type_syntax *syntax)
{
	struct type *item = syntax->count == 1 ? find_element(syntax->arguments[0]) : NULL;
	struct type_syntax value = *syntax; /* what is borrowed */
	value.borrow = false;
	if (syntax->borrow && syntax->name && strcmp(syntax->name, "[]") == 0) {
		struct diagnostic *d =
		    kernel_report(c, "E_KERNEL_SIG", syntax->span, "a slice of this type cannot be passed to a kernel");
		kernel_hint(c, d, "the elements of a slice are `Int`, `I32`, `U32`, `F32` or `F64`");
		return;
	}
	struct diagnostic *d =
	    kernel_report(c, "E_KERNEL_SIG", syntax->span, "a kernel cannot have a parameter of this type");
	if (item)
		kernel_hint(c, d, "write a slice: `&[%s]`, or `&mut [%s]` to write it", kernel_type_name(item),
		            kernel_type_name(item));
	else if (syntax->borrow_mutable && find_element(&value))
		kernel_hint(c, d, "write into a slice: `&mut [%s]`", syntax->name);
	else if (syntax->borrow && find_scalar(&value))
		kernel_hint(c, d, "scalars are passed by value: `%s`", syntax->name);
	else
		kernel_hint(
		    c, d, "parameters are `Int`, `I32`, `U32`, `F32`, `F64`, `Bool`, or slices `&[T]` and `&mut [T]`");
}

/* type_error after reporting. */
static struct type *parameter_type(struct kernel_checker *c, const struct type_syntax *syntax)
{
	if (!syntax) {
		c->definition->has_faults = true; /* the parser has reported it */
		return &type_error;
	}
	struct type *scalar = find_scalar(syntax);
	if (scalar)
		return scalar;
	if (syntax->borrow && syntax->name && strcmp(syntax->name, "[]") == 0 && syntax->count == 1) {
		struct type *element = find_element(syntax->arguments[0]);
		if (element)
			return type_new(&c->program->arena, TYPE_LIST, 1, element);
	}
	report_parameter_type(c, syntax);
	return &type_error;
}

/* `read` gives the parameter's type. */
static void check_parameter(struct kernel_checker *c, uint32_t index,
                            struct type *(*read)(struct kernel_checker *c, const struct type_syntax *syntax))
{
	struct parameter *p = &c->definition->parameters[index];
	struct variable *v = ARENA_NEW(&c->program->arena, struct variable);
	v->name = p->name;
	v->span = p->span;
	v->slot = index;
	v->type = read(c, p->syntax);
	v->mutable = v->type->kind == TYPE_LIST && p->syntax->borrow_mutable;
	p->variable = v;
	if (kernel_find_intrinsic(p->name))
		kernel_report(c, "E_KERNEL_SIG", p->span, "a parameter cannot be named like the intrinsic `%s`",
		              p->name);
	for (uint32_t i = 0; i < index; i++)
		if (strcmp(c->definition->parameters[i].name, p->name) == 0) {
			kernel_report(c, "E_DUP_DEF", p->span, "there are two parameters named `%s`", p->name);
			break;
		}
}

static void check_shape(struct kernel_checker *c)
{
	struct definition *d = c->definition;
	if (d->result_syntax)
		kernel_hint(c, kernel_report(c, "E_KERNEL_SIG", d->result_syntax->span, "a kernel has no result"),
		            "write results into a `&mut [T]` parameter");
	if (d->generic_count > 0)
		kernel_report(c, "E_KERNEL_SIG", d->generics[0].span, "a kernel cannot be generic");
	for (uint32_t i = 0; i < d->post_count; i++)
		kernel_report(c, "E_KERNEL_SIG", d->post[i].span, "a kernel cannot have a `post` clause");
	for (uint32_t i = 0; i < d->effect_count; i++)
		if (strcmp(d->effect_names[i].name, "dev") != 0)
			kernel_hint(c,
			            kernel_report(c, "E_KERNEL_EFFECT", d->effect_names[i].span,
			                          "a kernel cannot have the effect `%s`", d->effect_names[i].name),
			            "a kernel's only effect is `dev`, which need not be written");
}

/* One literal of the group's size; 0 after reporting. */
static uint64_t group_extent(struct kernel_checker *c, const struct node *n, const char *example)
{
	if (n->kind == NODE_ERROR) {
		c->definition->has_faults = true;
	} else if (n->kind != NODE_INT) {
		kernel_hint(c, kernel_report(c, "E_KERNEL_GRID", n->span, "the group size must be an integer literal"),
		            "for example `%s`", example);
	} else if (n->negative || n->number < 1 || n->number > 1024) {
		kernel_report(c, "E_KERNEL_GRID", n->span, "the group size must be from 1 to 1024");
	} else {
		return n->number;
	}
	return 0;
}

static void check_group(struct kernel_checker *c)
{
	const struct definition *d = c->definition;
	if (d->grid_axes == 1) {
		group_extent(c, d->grid[1], "256");
		return;
	}
	uint64_t width = group_extent(c, d->grid[2], "16"), height = group_extent(c, d->grid[3], "16");
	if (width * height > 1024)
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL_GRID",
		                          (struct span){d->grid[2]->span.start, d->grid[3]->span.end},
		                          "a group has not more than 1024 threads, this has %llu",
		                          (unsigned long long)(width * height)),
		            "for example `16, 16` or `32, 32`");
}

static void check_grid(struct kernel_checker *c)
{
	struct definition *d = c->definition;
	if (d->grid_axes == 0) {
		d->has_faults = true; /* E_PARSE_KERNEL */
	} else if (d->grid_axes > 2) {
		kernel_report(c, "E_UNSUPPORTED", d->grid_span, "3D grids (`@grid3`, spec 5) are not supported yet");
	} else if (d->grid_count == 2 * d->grid_axes) {
		check_group(c);
	} else {
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL_GRID", d->grid_span, "`@grid%s` takes %u arguments, not %u",
		                          d->grid_axes == 1 ? "" : "2", 2 * d->grid_axes, d->grid_count),
		            d->grid_axes == 1 ? "write `@grid(threads, group size)`, for example `@grid(y.len, 256)`"
		                              : "write `@grid2(width, height, group width, group height)`, for example "
		                                "`@grid2(w, h, 16, 16)`");
	}
}

/* ---- Device fns ---- */

static bool is_device_type(const struct type_syntax *syntax)
{
	struct type *t = find_scalar(syntax);
	return t == &type_f32 || t == &type_i32 || t == &type_u32;
}

/* A fn that takes or returns F32, I32 or U32. The host's checker refuses generics. */
static bool is_device_fn(const struct definition *d)
{
	bool device = is_device_type(d->result_syntax);
	for (uint32_t i = 0; i < d->parameter_count; i++)
		device |= is_device_type(d->parameters[i].syntax);
	return device && d->generic_count == 0;
}

static const char scalars_hint[] = "write one of `Int`, `I32`, `U32`, `F32`, `F64`, `Bool`";

static struct type *device_parameter(struct kernel_checker *c, const struct type_syntax *syntax)
{
	struct type *t = find_scalar(syntax);
	if (!syntax)
		c->definition->has_faults = true; /* the parser has reported it */
	else if (!t && syntax->borrow)
		kernel_hint(c, kernel_report(c, "E_KERNEL_SIG", syntax->span, "a helper cannot take a slice"),
		            "pass it elements, `x[i]`: only a kernel has slices");
	else if (!t)
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL_SIG", syntax->span, "a helper cannot take a value of this type"),
		            scalars_hint);
	return t ? t : &type_error;
}

static struct type *device_result(struct kernel_checker *c, const struct type_syntax *syntax)
{
	struct type *t = find_scalar(syntax);
	if (!t)
		kernel_hint(
		    c,
		    syntax ? kernel_report(c, "E_KERNEL_SIG", syntax->span, "a helper cannot give a value of this type")
		           : kernel_report(c, "E_KERNEL_SIG", c->definition->name_span,
		                           "the helper `%s` gives no value", c->definition->name),
		    syntax ? scalars_hint : "write its result type: ` -> F32`");
	return t ? t : &type_error;
}

static void check_device_fn(struct kernel_checker *c)
{
	struct definition *d = c->definition;
	d->is_device = true;
	for (uint32_t i = 0; i < d->parameter_count; i++)
		check_parameter(c, i, device_parameter);
	d->result = device_result(c, d->result_syntax);
	for (uint32_t i = 0; i < d->effect_count; i++)
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL_EFFECT", d->effect_names[i].span,
		                          "a helper cannot have the effect `%s`", d->effect_names[i].name),
		            "it runs in kernels, which have none");
	for (uint32_t i = 0; i < d->pre_count; i++)
		kernel_report(c, "E_KERNEL_SIG", d->pre[i].span, "a helper cannot have a `pre` clause");
	for (uint32_t i = 0; i < d->post_count; i++)
		kernel_report(c, "E_KERNEL_SIG", d->post[i].span, "a helper cannot have a `post` clause");
}

static void check_kernel(struct kernel_checker *c)
{
	struct definition *d = c->definition;
	d->result = &type_unit;
	d->effects = EFFECT_DEV;
	for (uint32_t i = 0; i < d->parameter_count; i++)
		check_parameter(c, i, parameter_type);
	check_shape(c);
	check_grid(c);
}

void kernel_signatures(struct program *p)
{
	for (uint32_t i = 0; i < p->definition_count; i++) {
		struct definition *d = p->definitions[i];
		struct kernel_checker c = {.program = p, .definition = d};
		if (d->kind == DEFINITION_KERNEL)
			check_kernel(&c);
		else if (d->kind == DEFINITION_FUNCTION && is_device_fn(d))
			check_device_fn(&c);
	}
}

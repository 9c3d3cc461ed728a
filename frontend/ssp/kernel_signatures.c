/* kernel_signatures: parameters, effects, clauses and grid of every kernel (spec/sspur.md 1.1). */
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

static void check_parameter(struct kernel_checker *c, uint32_t index)
{
	struct parameter *p = &c->definition->parameters[index];
	struct variable *v = ARENA_NEW(&c->program->arena, struct variable);
	v->name = p->name;
	v->span = p->span;
	v->slot = index;
	v->type = parameter_type(c, p->syntax);
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

/* The group size of @grid(n, g). */
static void check_group(struct kernel_checker *c, struct node *group)
{
	if (group->kind == NODE_ERROR) {
		c->definition->has_faults = true;
	} else if (group->kind != NODE_INT) {
		kernel_hint(c,
		            kernel_report(c, "E_KERNEL_GRID", group->span, "the group size must be an integer literal"),
		            "for example `256`");
	} else if (group->negative || group->number < 1 || group->number > 1024) {
		kernel_report(c, "E_KERNEL_GRID", group->span, "the group size must be from 1 to 1024");
	}
}

static void check_grid(struct kernel_checker *c)
{
	struct definition *d = c->definition;
	switch (d->grid_axes) {
	case 0:
		d->has_faults = true; /* E_PARSE_KERNEL */
		break;
	case 1:
		if (d->grid_count != 2)
			kernel_hint(c,
			            kernel_report(c, "E_KERNEL_GRID", d->grid_span, "`@grid` takes 2 arguments, not %u",
			                          d->grid_count),
			            "write `@grid(threads, group size)`, for example `@grid(y.len, 256)`");
		else
			check_group(c, d->grid[1]);
		break;
	case 2:
		kernel_report(c, "E_UNSUPPORTED", d->grid_span, "2D grids (`@grid2`, spec 1.1) are not supported yet");
		break;
	default:
		kernel_report(c, "E_UNSUPPORTED", d->grid_span, "3D grids (`@grid3`, spec 5) are not supported yet");
		break;
	}
}

void kernel_signatures(struct program *p)
{
	for (uint32_t i = 0; i < p->definition_count; i++) {
		struct definition *d = p->definitions[i];
		if (d->kind != DEFINITION_KERNEL)
			continue;
		struct kernel_checker c = {.program = p, .definition = d};
		d->result = &type_unit;
		d->effects = EFFECT_DEV;
		for (uint32_t k = 0; k < d->parameter_count; k++)
			check_parameter(&c, k);
		check_shape(&c);
		check_grid(&c);
	}
}

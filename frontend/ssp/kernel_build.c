/* kernel_build: every sound kernel of a program as IR. */
#include <assert.h>
#include <stdio.h>

#include "frontend/ssp/kernel_check.h"
#include "frontend/ssp/kernel_emit.h"
#include "ir/ir_verify.h"

static void add_parameters(struct kernel_emitter *e, const struct definition *d)
{
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		const struct variable *v = d->parameters[i].variable;
		if (v->type->kind == TYPE_LIST)
			ir_add_buffer(e->kernel, v->name, kernel_ir_type(v->type->items[0]), v->mutable);
		else
			ir_add_scalar(e->kernel, v->name, kernel_ir_type(v->type));
		e->kernel->parameters[i].place = kernel_place(e, v->span);
	}
}

static void emit_expression(struct kernel_emitter *e, struct ir_expression *expression, const struct node *n)
{
	expression->place = kernel_place(e, n->span);
	e->builder = (struct ir_builder){.kernel = e->kernel, .region = &expression->region};
	struct ir_instruction *value = kernel_emit(e, n);
	e->builder.place = expression->place;
	ir_build_yield(&e->builder, value);
}

static void emit_extent(struct kernel_emitter *e, struct ir_expression *extent, const struct node *n)
{
	struct text text = {0};
	format_expression(n, &text);
	extent->text = arena_string(&e->kernel->module->arena, text_string(&text));
	text_free(&text);
	emit_expression(e, extent, n);
}

/* Whether a kernel's body has a barrier or a shared array (1.5). */
static bool is_grouped(const struct node *n)
{
	if (n->kind == NODE_BLOCK) {
		for (uint32_t i = 0; i < n->part_count; i++)
			if (is_grouped(n->parts[i]))
				return true;
		return false;
	}
	return n->kind == NODE_CALL || n->holds_barrier || (n->kind == NODE_LET && n->left->kind == NODE_SHARED);
}

static void emit_kernel(struct kernel_emitter *e, const struct definition *d)
{
	struct ir_kernel *k = e->kernel;
	k->file = arena_string(&k->module->arena, e->source->recorded);
	k->place = kernel_place(e, d->name_span);
	k->axes = (uint8_t)d->grid_axes;
	for (unsigned axis = 0; axis < d->grid_axes; axis++)
		k->group[axis] = kernel_group(d, axis);
	add_parameters(e, d);
	for (uint32_t i = 0; i < d->pre_count; i++)
		emit_expression(e, ir_add_pre(k, d->pre[i].text), d->pre[i].condition);
	for (unsigned axis = 0; axis < d->grid_axes; axis++)
		emit_extent(e, &k->grid[axis], d->grid[axis]);
	e->builder = (struct ir_builder){.kernel = k, .region = &k->body};
	e->lockstep = is_grouped(d->body);
	kernel_emit_statement(e, d->body);
	ir_kernel_number(k);
}

/* What kernel_emit_* builds is sound, or it is our bug. */
static void verify(const struct ir_kernel *k)
{
#ifndef NDEBUG
	struct text faults = {0};
	bool sound = ir_verify_kernel(k, &faults);
	if (!sound)
		fputs(text_string(&faults), stderr);
	text_free(&faults);
	assert(sound);
#else
	(void)k;
#endif
}

static void build(struct program *p, struct definition *d)
{
	struct arena scratch = {0};
	struct kernel_emitter e = {.source = p->source, .scratch = &scratch, .parameter_count = d->parameter_count};
	e.kernel = ir_kernel_new(p->module, d->name);
	e.bindings = ARENA_ARRAY(&scratch, struct kernel_binding, d->frame_slots);
	e.local_names.arena = &scratch;
	emit_kernel(&e, d);
	verify(e.kernel);
	if (kernel_check_races(p, d, &e))
		d->kernel = e.kernel;
	else
		p->module->kernel_count--; /* the last one made */
	arena_free(&scratch);
}

static void name_definitions(struct program *p)
{
	p->definition_names = (struct table){.arena = &p->arena};
	for (uint32_t i = p->definition_count; i > 0; i--)
		if (p->definitions[i - 1]->kind != DEFINITION_TEST)
			table_set(&p->definition_names, p->definitions[i - 1]->name, p->definitions[i - 1]);
}

void kernel_build(struct program *p)
{
	if (!p->module)
		p->module = ir_module_new();
	name_definitions(p);
	for (uint32_t i = 0; i < p->definition_count; i++) {
		struct definition *d = p->definitions[i];
		if (d->kind == DEFINITION_FUNCTION && d->is_device)
			kernel_check_device_fn(p, d);
		if (d->kind != DEFINITION_KERNEL || d->grid_axes > 2)
			continue;
		kernel_check(p, d);
		/* Two definitions of one name: the checker has reported it. */
		if (!d->has_faults && d->body && !ir_module_find(p->module, d->name))
			build(p, d);
	}
}

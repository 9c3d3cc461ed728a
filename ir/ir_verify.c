/* The verifier's order of work, and visibility of values. */
#include "ir/ir_verify.h"

#include "ir/ir_text.h"
#include "ir/ir_verify_rules.h"

void ir_verify_fault(struct ir_verifier *v, const struct ir_instruction *i, const char *sentence)
{
	v->sound = false;
	v->report(v->context, i, sentence);
}

static void verify_region(struct ir_verifier *v, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		ir_verify_operation(v, i);
		/* The result of a `for` is visible in its region alone, any other after its instruction. */
		v->visible[i->id] = i->op == IR_OP_loop || i->op == IR_OP_if ? NULL : i;
		for (int n = 0; n < 2; n++)
			verify_region(v, &i->regions[n]);
		if (i->op == IR_OP_for)
			v->visible[i->id] = NULL;
	}
	for (const struct ir_instruction *i = region->first; i; i = i->next)
		v->visible[i->id] = NULL;
}

static void verify_expression(struct ir_verifier *v, const struct ir_expression *e, enum ir_type_kind kind,
                              const char *sentence)
{
	const struct ir_instruction *last = e->region.last;
	v->expression = e;
	verify_region(v, &e->region);
	ir_verify_locals(v, &e->region);
	v->expression = NULL;
	if (!last || last->op != IR_OP_yield)
		ir_verify_fault(v, last, "an expression ends in a yield");
	else if (last->operands[0]->type->kind != kind)
		ir_verify_fault(v, last, sentence);
}

static void verify_grid(struct ir_verifier *v)
{
	const struct ir_kernel *k = v->kernel;
	for (int axis = 0; axis < 3; axis++) {
		const struct ir_expression *e = &k->grid[axis];
		if (!e->region.first)
			continue;
		if (axis >= k->axes)
			ir_verify_fault(v, NULL, "a grid expression is for an axis that the kernel has");
		verify_expression(v, e, IR_TYPE_i64, "a grid expression yields an i64");
	}
}

static bool verify_all_links(struct ir_verifier *v)
{
	const struct ir_kernel *k = v->kernel;
	for (uint32_t n = 0; n < k->pre_count; n++)
		if (!ir_verify_links(v, &k->pre[n].region))
			return false;
	for (int axis = 0; axis < 3; axis++)
		if (!ir_verify_links(v, &k->grid[axis].region))
			return false;
	return ir_verify_links(v, &k->body);
}

bool ir_verify_each(const struct ir_kernel *k,
                    void (*fault)(void *context, const struct ir_instruction *i, const char *sentence), void *context)
{
	struct ir_verifier v = {.kernel = k, .report = fault, .context = context, .sound = true};
	v.memories.arena = &v.scratch;
	v.visible = ARENA_ARRAY(&v.scratch, const struct ir_instruction *, k->next_id);
	ir_verify_header(&v);
	if (v.sound && verify_all_links(&v)) {
		for (uint32_t id = 0; id < k->next_id; id++) /* the links' check left them there */
			v.visible[id] = NULL;
		for (uint32_t n = 0; n < k->pre_count; n++)
			verify_expression(&v, &k->pre[n], IR_TYPE_bool, "a pre yields a bool");
		verify_grid(&v);
		verify_region(&v, &k->body);
		ir_verify_locals(&v, &k->body);
		if (v.sound)
			ir_verify_lockstep(&v);
	}
	arena_free(&v.scratch);
	return v.sound;
}

struct fault_lines {
	struct text *out;
	const struct ir_kernel *kernel;
};

static void add_line(void *context, const struct ir_instruction *i, const char *sentence)
{
	struct fault_lines *lines = context;
	text_add(lines->out, "kernel ");
	ir_print_name(lines->out, lines->kernel->name);
	if (i)
		text_add_format(lines->out, ": %%%u %s: %s\n", i->id,
		                i->op < IR_OP_COUNT ? ir_op_infos[i->op].name : "?", sentence);
	else
		text_add_format(lines->out, ": %s\n", sentence);
}

bool ir_verify_kernel(const struct ir_kernel *k, struct text *faults)
{
	return ir_verify_each(k, add_line, &(struct fault_lines){faults, k});
}

bool ir_verify(const struct ir_module *m, struct text *faults)
{
	bool sound = true;
	struct arena scratch = {0};
	struct table names = {.arena = &scratch};
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		const struct ir_kernel *k = m->kernels[n];
		if (table_set(&names, k->name, m->kernels[n])) {
			add_line(&(struct fault_lines){faults, k}, NULL, "two kernels have this name");
			sound = false;
		}
		sound &= ir_verify_kernel(k, faults);
	}
	arena_free(&scratch);
	return sound;
}

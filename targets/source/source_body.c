/* Regions and control. Neither language has labels that Metal would take: a jump to a loop further out sets a flag and
 * leaves the loops in between, each of which looks at it. */
#include <assert.h>

#include "targets/source/source_writer.h"

/* ---- Jumps ---- */

struct jump_search {
	const struct ir_instruction *target;
	enum ir_op op;
};

static bool is_loop(const struct ir_instruction *i)
{
	return i->op == IR_OP_for || i->op == IR_OP_loop;
}

static const struct ir_instruction *innermost_loop(const struct ir_instruction *i)
{
	i = i->parent;
	while (i && !is_loop(i))
		i = i->parent;
	return i;
}

static bool is_no_far_jump(void *context, struct ir_instruction *i)
{
	const struct jump_search *s = context;
	return i->op != s->op || i->target != s->target || innermost_loop(i) == s->target;
}

static bool is_no_jump(void *context, struct ir_instruction *i)
{
	const struct jump_search *s = context;
	return i->op != s->op || i->target != s->target;
}

static bool has_far_jump(const struct ir_instruction *loop, enum ir_op op)
{
	return !ir_visit(&loop->regions[0], is_no_far_jump, &(struct jump_search){loop, op});
}

static const char *flag(struct source_writer *w, const struct ir_instruction *target, enum ir_op op)
{
	return arena_format(w->arena, op == IR_OP_break ? "leave%u" : "next%u", target->id);
}

/* Behind a loop that holds jumps to loops around it. */
static void go_on_jumping(struct source_writer *w, const struct ir_instruction *loop)
{
	static const enum ir_op ops[] = {IR_OP_break, IR_OP_continue};
	for (const struct source_loop *l = w->loops; l; l = l->outer)
		for (int n = 0; n < 2; n++) {
			bool far = n ? l->continues : l->breaks;
			if (!far || ir_visit(&loop->regions[0], is_no_jump, &(struct jump_search){l->control, ops[n]}))
				continue;
			bool here = l == w->loops && ops[n] == IR_OP_continue;
			source_line(w, "if (%s)", flag(w, l->control, ops[n]));
			source_line(w, here ? "\tcontinue;" : "\tbreak;");
		}
}

static void print_jump(struct source_writer *w, const struct ir_instruction *i)
{
	bool near = innermost_loop(i) == i->target;
	if (!near)
		source_line(w, "%s = true;", flag(w, i->target, i->op));
	source_line(w, near && i->op == IR_OP_continue ? "continue;" : "break;");
}

static void print_return(struct source_writer *w)
{
	if (w->together) {
		source_line(w, "%s = %s != 0 ? %s : 16;", w->bad, w->bad, w->bad);
		return;
	}
	source_report(w);
	source_line(w, "return;");
}

/* ---- Control ---- */

static bool has_statement(const struct source_writer *w, const struct ir_instruction *i)
{
	return !w->folded[i->id] && !source_is_given(i);
}

/* The `if` that is all that a region does. */
static const struct ir_instruction *only_if(const struct source_writer *w, const struct ir_region *region)
{
	const struct ir_instruction *i = region->first;
	while (i && !has_statement(w, i))
		i = i->next;
	return i && i->op == IR_OP_if && !i->next ? i : NULL;
}

static void print_if(struct source_writer *w, const struct ir_instruction *i)
{
	source_open(w, "if (%s)", source_whole(w, i->operands[0]));
	source_region(w, &i->regions[0]);
	while (i->regions[1].first) {
		const struct ir_instruction *other = only_if(w, &i->regions[1]);
		w->depth--;
		if (!other) {
			source_open(w, "} else");
			source_region(w, &i->regions[1]);
			break;
		}
		source_open(w, "} else if (%s)", source_whole(w, other->operands[0]));
		source_region(w, &other->regions[0]);
		i = other;
	}
	source_close(w);
}

static void print_rounds(struct source_writer *w, const struct ir_instruction *i)
{
	struct source_loop loop = {i, has_far_jump(i, IR_OP_break), has_far_jump(i, IR_OP_continue), w->loops};
	if (loop.breaks)
		source_line(w, "bool %s = false;", flag(w, i, IR_OP_break));
	if (loop.continues)
		source_line(w, "bool %s = false;", flag(w, i, IR_OP_continue));
	w->loops = &loop;
	source_region(w, &i->regions[0]);
	w->loops = loop.outer;
	source_close(w);
	go_on_jumping(w, i);
}

static void print_for(struct source_writer *w, const struct ir_instruction *i)
{
	const char *goes_on = source_goes_on(w, i), *type = source_type_name(i->type);
	const char *first = source_whole(w, i->operands[0]), *end = source_value(w, i->operands[1]);
	const char *v = source_new_name(w, &w->names, arena_format(w->arena, "i%u", i->id));
	w->values[i->id] = v;
	source_open(w, "for (%s %s = %s; %s < %s%s%s; %s++)", type, v, first, v, end, goes_on ? " && " : "",
	            goes_on ? goes_on : "", v);
	print_rounds(w, i);
}

/* A condition that is constant, or that compilers cannot know: none may take the loop to end. */
static void print_loop(struct source_writer *w, const struct ir_instruction *i)
{
	const char *goes_on = source_goes_on(w, i);
	source_open(w, "while (%s)", w->dialect->always);
	if (goes_on) {
		source_line(w, "if (!(%s))", goes_on);
		source_line(w, "\tbreak;");
	}
	print_rounds(w, i);
}

/* ---- Statements ---- */

static void print_value(struct source_writer *w, const struct ir_instruction *i)
{
	if (ir_op_infos[i->op].flags & IR_FLAG_TRAP)
		source_trap(w, i);
	if (i->type->kind == IR_TYPE_void || !w->uses[i->id])
		return;
	const char *name = source_new_name(w, &w->names, arena_format(w->arena, "t%u", i->id));
	source_line(w, "const %s %s = %s;", source_type_name(i->type), name, source_compute(w, i, true));
	w->values[i->id] = name;
}

static void print_set(struct source_writer *w, const struct ir_instruction *i)
{
	const char *v = source_whole(w, i->operands[0]), *name = w->locals[i->local->index];
	if (w->homes[i->local->index] == i)
		source_line(w, "%s %s = %s;", source_type_name(i->local->type), name, v);
	else
		source_line(w, "%s = %s;", name, v);
}

static void print_instruction(struct source_writer *w, const struct ir_instruction *i)
{
	if (!has_statement(w, i) || i->op == IR_OP_cut)
		return;
	source_comment(w, i->place);
	switch (i->op) {
	case IR_OP_const:
	case IR_OP_parameter:
	case IR_OP_length:
	case IR_OP_global_id:
	case IR_OP_local_id:
	case IR_OP_group_id:
	case IR_OP_group_size:
	case IR_OP_grid_size:
	case IR_OP_iadd:
	case IR_OP_isub:
	case IR_OP_imul:
	case IR_OP_ineg:
	case IR_OP_iadd_trap:
	case IR_OP_isub_trap:
	case IR_OP_imul_trap:
	case IR_OP_ineg_trap:
	case IR_OP_iabs_trap:
	case IR_OP_idiv_trap:
	case IR_OP_irem_trap:
	case IR_OP_idiv:
	case IR_OP_irem:
	case IR_OP_band:
	case IR_OP_bor:
	case IR_OP_bxor:
	case IR_OP_bnot:
	case IR_OP_ishl:
	case IR_OP_ishr:
	case IR_OP_fadd:
	case IR_OP_fsub:
	case IR_OP_fmul:
	case IR_OP_fdiv:
	case IR_OP_fneg:
	case IR_OP_fabs:
	case IR_OP_fsqrt:
	case IR_OP_ffloor:
	case IR_OP_fceil:
	case IR_OP_fround:
	case IR_OP_eq:
	case IR_OP_ne:
	case IR_OP_lt:
	case IR_OP_le:
	case IR_OP_gt:
	case IR_OP_ge:
	case IR_OP_select:
	case IR_OP_convert:
	case IR_OP_convert_trap:
	case IR_OP_convert_saturate:
	case IR_OP_math:
	case IR_OP_math2:
	case IR_OP_bitcast:
	case IR_OP_check_index:
	case IR_OP_check_range:
	case IR_OP_check:
	case IR_OP_load:
	case IR_OP_get: print_value(w, i); return;
	case IR_OP_atomic_load:
	case IR_OP_atomic_store:
	case IR_OP_atomic_swap:
	case IR_OP_atomic_add:
	case IR_OP_atomic_sub:
	case IR_OP_atomic_min:
	case IR_OP_atomic_max:
	case IR_OP_atomic_and:
	case IR_OP_atomic_or:
	case IR_OP_atomic_xor:
	case IR_OP_atomic_cas: source_atomic(w, i); return;
	case IR_OP_set: print_set(w, i); return;
	case IR_OP_barrier: source_line(w, "%s", w->dialect->barriers[i->barrier]); return;
	case IR_OP_cut: return;
	case IR_OP_if: print_if(w, i); return;
	case IR_OP_for: print_for(w, i); return;
	case IR_OP_loop: print_loop(w, i); return;
	case IR_OP_break:
	case IR_OP_continue: print_jump(w, i); return;
	case IR_OP_return: print_return(w); return;
	case IR_OP_store: /* source_region's */
	case IR_OP_yield: /* in expressions only */
	case IR_OP_COUNT: break;
	}
	assert(!"not an operation of a body");
}

void source_region(struct source_writer *w, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		/* Stores that follow one another share one test of `bad`. */
		if (i->op == IR_OP_store)
			i = source_stores(w, i);
		else
			print_instruction(w, i);
	}
}

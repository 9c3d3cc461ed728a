/* Atomics: relaxed ones, with a fence before a release and after an acquire. */
#include <assert.h>
#include <string.h>

#include "targets/source/source_writer.h"

static enum source_space space_of(const struct ir_memory *base)
{
	return base->kind == IR_MEMORY_SHARED ? SOURCE_SPACE_SHARED : SOURCE_SPACE_GLOBAL;
}

static const struct ir_type *type_of(const struct ir_instruction *i)
{
	return i->op == IR_OP_atomic_store ? i->operands[0]->type : i->type;
}

static void fence(struct source_writer *w, const struct ir_instruction *i)
{
	enum source_helper helper =
	    i->scope == IR_SCOPE_DEVICE ? SOURCE_HELPER_FENCE_DEVICE : SOURCE_HELPER_FENCE_WORKGROUP;
	source_line(w, "%s();", source_helper(w, helper, NULL, SOURCE_SPACE_GLOBAL));
}

/* ---- OpenCL C ---- */

/* The address as 32-bit words of one kind; relaxed loads are volatile ones, as OpenCL 1.2 has none. */
static const char *opencl_text(struct source_writer *w, const struct ir_instruction *i)
{
	static const struct {
		enum ir_op op;
		const char *name;
	} rows[] = {
	    {IR_OP_atomic_store, "atomic_xchg"}, {IR_OP_atomic_swap, "atomic_xchg"}, {IR_OP_atomic_add, "atomic_add"},
	    {IR_OP_atomic_sub, "atomic_sub"},    {IR_OP_atomic_min, "atomic_min"},   {IR_OP_atomic_max, "atomic_max"},
	    {IR_OP_atomic_and, "atomic_and"},    {IR_OP_atomic_or, "atomic_or"},     {IR_OP_atomic_xor, "atomic_xor"},
	};
	const char *place = source_place_text(w, i), *space = w->dialect->spaces[space_of(i->base)];
	const char *x = i->operands[0] ? source_whole(w, i->operands[0]) : NULL;
	if (i->op == IR_OP_atomic_load)
		return arena_format(w->arena, "*(volatile %s const %s *)&%s", space, source_type_name(i->type), place);
	if (i->op == IR_OP_atomic_cas)
		return arena_format(w->arena, "atomic_cmpxchg(&%s, %s, %s)", place, x, source_whole(w, i->operands[1]));
	if (ir_type_is_float(type_of(i)))
		return arena_format(w->arena, "%s((volatile %s uint *)&%s, %s)",
		                    source_helper(w, SOURCE_HELPER_ATOMIC_ADD, i->type, space_of(i->base)), space,
		                    place, x);
	for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
		if (rows[n].op == i->op)
			return arena_format(w->arena, "%s(&%s, %s)", rows[n].name, place, x);
	assert(!"an atomic");
	return "";
}

/* ---- Metal ---- */

static const char *metal_text(struct source_writer *w, const struct ir_instruction *i)
{
	static const struct {
		enum ir_op op;
		const char *name;
	} rows[] = {
	    {IR_OP_atomic_store, "store"},   {IR_OP_atomic_swap, "exchange"}, {IR_OP_atomic_add, "fetch_add"},
	    {IR_OP_atomic_sub, "fetch_sub"}, {IR_OP_atomic_min, "fetch_min"}, {IR_OP_atomic_max, "fetch_max"},
	    {IR_OP_atomic_and, "fetch_and"}, {IR_OP_atomic_or, "fetch_or"},   {IR_OP_atomic_xor, "fetch_xor"},
	};
	const struct ir_type *t = type_of(i);
	const char *x = i->operands[0] ? source_whole(w, i->operands[0]) : NULL;
	bool constant = i->base->kind == IR_MEMORY_BUFFER && !i->base->writable;
	const char *at = arena_format(w->arena, "(%s%s metal::atomic_%s *)&%s", constant ? "const " : "",
	                              w->dialect->spaces[space_of(i->base)],
	                              ir_type_is_float(t) ? "uint" : source_type_name(t), source_place_text(w, i));
	if (i->op == IR_OP_atomic_load)
		return arena_format(w->arena, "metal::atomic_load_explicit(%s, metal::memory_order_relaxed)", at);
	if (i->op == IR_OP_atomic_cas)
		return arena_format(w->arena, "%s(%s, %s, %s)",
		                    source_helper(w, SOURCE_HELPER_ATOMIC_CAS, t, space_of(i->base)), at, x,
		                    source_whole(w, i->operands[1]));
	if (ir_type_is_float(t))
		return arena_format(w->arena, "%s(%s, %s)",
		                    source_helper(w, SOURCE_HELPER_ATOMIC_ADD, t, space_of(i->base)), at, x);
	for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
		if (rows[n].op == i->op)
			return arena_format(w->arena, "metal::atomic_%s_explicit(%s, %s, metal::memory_order_relaxed)",
			                    rows[n].name, at, x);
	assert(!"an atomic");
	return "";
}

/* ---- Both ---- */

/* Sums of floats depend on the order of threads, but for some that are exact (spec/sspur.md 1.6). */
static void require_exact(struct source_writer *w, const struct ir_instruction *i, const char *before)
{
	const char *x = source_whole(w, i->operands[0]);
	const char *exact = source_helper(w, SOURCE_HELPER_EXACT_SUM, NULL, SOURCE_SPACE_GLOBAL);
	source_require(
	    w, i, TRAP_INEXACT,
	    arena_format(w->arena, "%s(%s, %s, %s + %s)", exact, x, before, before, source_value(w, i->operands[0])),
	    NULL);
}

void source_atomic(struct source_writer *w, const struct ir_instruction *i)
{
	const char *good = source_good(w), *name = NULL;
	bool inexact = source_may_be_inexact(w, i) && !source_proved(w);
	source_comment(w, i->place);
	if (i->op != IR_OP_atomic_store && (w->uses[i->id] || inexact)) {
		name = source_new_name(w, &w->names, arena_format(w->arena, "t%u", i->id));
		source_line(w, "%s %s = 0;", source_type_name(i->type), name);
	}
	if (good)
		source_open(w, "if (%s)", good);
	w->known_good = good != NULL;
	if (i->order == IR_ORDER_RELEASE || i->order == IR_ORDER_ACQ_REL)
		fence(w, i);
	const char *text = w->dialect->atomics_cast ? metal_text(w, i) : opencl_text(w, i);
	source_line(w, "%s%s%s;", name ? name : "", name ? " = " : "", text);
	if (i->order == IR_ORDER_ACQUIRE || i->order == IR_ORDER_ACQ_REL)
		fence(w, i);
	w->known_good = false;
	if (good)
		source_close(w);
	w->values[i->id] = name;
	if (inexact)
		require_exact(w, i, name);
}

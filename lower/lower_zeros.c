/* Rewrites: comparisons of order between floats of which an operand is zero, or may turn out to be once loops are
 *           unrolled and stores are read back: a zero that no compiler knows is added to it, or stands for it. LLVM 15
 *           takes `x > 0.0 ? -0.0 : x` for a minimum and makes it `x < -0.0 ? x : -0.0`; its code generator for PTX
 *           makes `x < 0.0 ? x : 0.0` a `min`, in which -0.0 is less than 0.0. Each takes the zero of the other sign
 *           where both are equal, and so do the compilers of drivers that are made of LLVM. They do so only where they
 *           know that they compare with a zero. So is the F32 constant -0.0 that is chosen, stored or kept in a local:
 *           NVIDIA's ptxas (13.0, for sm_75 to sm_120) makes one instruction, FSET.BF, of `x < y ? 1.0 : -0.0`, which
 *           gives 1.0 or +0.0.
 * Needs:    a verified module, on which no pass runs after this one that computes constants.
 * Leaves:   `pre` and grid expressions, which the host evaluates; comparisons of which no compiler can know an operand,
 *           or one with a constant other than zero.
 * Drops:    nothing. */
#include "lower/lower_zeros.h"

#include <stdlib.h>

#include "lower/hidden_zero.h"
#include "utils/base/arena.h"

typedef struct ir_instruction *value;

/* What a compiler may come to know: values, what is in locals, what is in memories. */
struct knowledge {
	struct ir_kernel *kernel;
	bool *values, *locals, *memories; /* by id and by index */
	bool changed;
};

static void learn(struct knowledge *k, bool *known)
{
	k->changed |= !*known;
	*known = true;
}

static bool *memory_of(struct knowledge *k, const struct ir_memory *m)
{
	uint32_t n = 0;
	while (k->kernel->memories[n] != m)
		n++;
	return &k->memories[n];
}

/* It has values before anything is stored there, which are known. */
static bool starts_known(const struct ir_memory *m)
{
	switch (m->kind) {
	case IR_MEMORY_PRIVATE:
	case IR_MEMORY_TABLE: return true;
	case IR_MEMORY_SHARED: return m->zeroed;
	case IR_MEMORY_BUFFER:
	case IR_MEMORY_VALUE: break;
	}
	return false;
}

static bool all_known(const struct knowledge *k, const struct ir_instruction *i)
{
	for (int n = 0; n < ir_op_infos[i->op].arity; n++)
		if (!k->values[i->operands[n]->id])
			return false;
	return true;
}

/* Integers become constants in too many ways to follow: by products, masks and comparisons. */
static bool may_be_known(struct knowledge *k, const struct ir_instruction *i)
{
	if (!ir_type_is_float(i->type))
		return true;
	if (i->base)
		return *memory_of(k, i->base);
	switch ((int)i->op) {
	case IR_OP_parameter: return false;
	case IR_OP_get: return k->locals[i->local->index];
	case IR_OP_select: return k->values[i->operands[1]->id] || k->values[i->operands[2]->id];
	}
	return all_known(k, i);
}

/* Where it is equal to a known one it is that one; so is what else was read there. */
static void learn_by_equality(struct knowledge *k, const struct ir_instruction *v, const struct ir_instruction *other)
{
	if (!ir_type_is_float(v->type) || !k->values[other->id])
		return;
	learn(k, &k->values[v->id]);
	if (v->base)
		learn(k, memory_of(k, v->base));
	else if (v->op == IR_OP_get)
		learn(k, &k->locals[v->local->index]);
}

static void look_at(struct knowledge *k, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		if (!k->values[i->id] && may_be_known(k, i))
			learn(k, &k->values[i->id]);
		if (i->op == IR_OP_set && k->values[i->operands[0]->id])
			learn(k, &k->locals[i->local->index]);
		if (i->op == IR_OP_store && k->values[i->operands[0]->id])
			learn(k, memory_of(k, i->base));
		if (i->op == IR_OP_eq || i->op == IR_OP_ne) {
			learn_by_equality(k, i->operands[0], i->operands[1]);
			learn_by_equality(k, i->operands[1], i->operands[0]);
		}
		for (int n = 0; n < 2; n++)
			look_at(k, &i->regions[n]);
	}
}

static struct knowledge knowledge_of(struct ir_kernel *kernel)
{
	struct knowledge k = {.kernel = kernel,
	                      .values = memory_zeroed(kernel->next_id + 1, sizeof(bool)),
	                      .locals = memory_zeroed(kernel->local_count + 1, sizeof(bool)),
	                      .memories = memory_zeroed(kernel->memory_count + 1, sizeof(bool))};
	for (uint32_t n = 0; n < kernel->memory_count; n++)
		k.memories[n] = starts_known(kernel->memories[n]);
	do {
		k.changed = false;
		look_at(&k, &kernel->body);
	} while (k.changed);
	return k;
}

static void knowledge_free(struct knowledge *k)
{
	free(k->values);
	free(k->locals);
	free(k->memories);
}

/* ---- Comparisons ---- */

static bool is_zero(const struct ir_instruction *v)
{
	return v->op == IR_OP_const && !(v->bits & ~(UINT64_C(1) << (ir_type_bits(v->type) - 1)));
}

/* The operand to compare instead; NULL: it may stay. */
static value hidden_operand(const struct knowledge *k, struct ir_builder *b, value v,
                            const struct ir_instruction *other)
{
	if ((other->op == IR_OP_const && !is_zero(other)) || !k->values[v->id] || (v->op == IR_OP_const && !is_zero(v)))
		return NULL;
	value zero = hidden_zero(b, v->type);
	return v->op == IR_OP_const ? zero : ir_build_binary(b, IR_OP_fadd, v, zero);
}

static bool is_order(const struct ir_instruction *i)
{
	return (i->op == IR_OP_lt || i->op == IR_OP_le || i->op == IR_OP_gt || i->op == IR_OP_ge) &&
	       ir_type_is_float(i->operands[0]->type);
}

/* ---- -0.0 beside 1.0 ---- */

static bool is_negative_zero(const struct knowledge *k, const struct ir_instruction *v)
{
	if (v->type->kind != IR_TYPE_f32)
		return false;
	return (v->op == IR_OP_const && v->bits == UINT32_C(1) << 31) ||
	       (v->op == IR_OP_fneg && k->values[v->operands[0]->id]);
}

/* Whether its n-th operand may become one side of a choice. */
static bool is_chosen(const struct ir_instruction *i, int n)
{
	switch ((int)i->op) {
	case IR_OP_select: return n > 0;
	case IR_OP_set:
	case IR_OP_store: return n == 0;
	}
	return false;
}

static bool hide_chosen(const struct knowledge *k, struct ir_builder *b, struct ir_instruction *i)
{
	bool changed = false;
	for (int n = 0; n < ir_op_infos[i->op].arity; n++) {
		if (!is_chosen(i, n) || !is_negative_zero(k, i->operands[n]))
			continue;
		const struct ir_type *word = &ir_types[IR_TYPE_u32];
		value bits = ir_build_convert(b, IR_OP_bitcast, word, i->operands[n]);
		bits = ir_build_binary(b, IR_OP_bxor, bits, hidden_zero(b, word));
		i->operands[n] = ir_build_convert(b, IR_OP_bitcast, &ir_types[IR_TYPE_f32], bits);
		changed = true;
	}
	return changed;
}

static bool hide_ordered(const struct knowledge *k, struct ir_builder *b, struct ir_instruction *i)
{
	if (!is_order(i))
		return false;
	value x = hidden_operand(k, b, i->operands[0], i->operands[1]);
	value y = hidden_operand(k, b, i->operands[1], i->operands[0]);
	i->operands[0] = x ? x : i->operands[0];
	i->operands[1] = y ? y : i->operands[1];
	return x || y;
}

static bool hide(const struct knowledge *k, struct ir_region *region)
{
	bool changed = false;
	for (struct ir_instruction *i = region->first; i; i = i->next) {
		for (int n = 0; n < 2; n++)
			changed |= hide(k, &i->regions[n]);
		struct ir_region added = {0};
		struct ir_builder b = {k->kernel, &added, i->parent, i->place};
		changed |= hide_ordered(k, &b, i);
		changed |= hide_chosen(k, &b, i);
		for (struct ir_instruction *a = added.first; a; a = added.first) {
			ir_unlink(&added, a);
			ir_insert(region, i, a);
		}
	}
	return changed;
}

bool lower_zeros(struct ir_module *m)
{
	bool any = false;
	for (uint32_t n = 0; n < m->kernel_count; n++) {
		struct knowledge k = knowledge_of(m->kernels[n]);
		bool changed = hide(&k, &m->kernels[n]->body);
		knowledge_free(&k);
		if (changed)
			ir_kernel_number(m->kernels[n]);
		any |= changed;
	}
	return any;
}

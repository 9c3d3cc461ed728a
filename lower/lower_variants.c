/* Rewrites: nothing. Adds after each kernel of a policy its variants: NAME__proved, without checks,
 *           and NAME__narrow, which also computes every i64 as i32 and every u64 as u32, and has indices of that
 *           type. ir/proof.h says for which launches they do what the kernel does.
 * Needs:    a verified module without variants.
 * Leaves:   the kernels; in the variants parameters and memories, whose elements keep their size: they are converted
 *           where they are read and written.
 * Drops:    in the variants checks, `pre` and grid expressions, and zeroing shared memory that is filled at once. */
#include "lower/lower_variants.h"

#include <stdlib.h>

#include "ir/ir_clone.h"
#include "ir/ir_dead.h"
#include "ir/ir_fold.h"
#include "ir/ir_variant.h"

/* ---- 32 bits ---- */

struct narrowing {
	struct ir_kernel *kernel;
	struct ir_instruction **values; /* by id: what stands for the value; NULL: itself */
};

static const struct ir_type *narrow_type(const struct ir_type *t)
{
	switch (t->kind) {
	case IR_TYPE_i64: return &ir_types[IR_TYPE_i32];
	case IR_TYPE_u64: return &ir_types[IR_TYPE_u32];
	case IR_TYPE_void:
	case IR_TYPE_bool:
	case IR_TYPE_i8:
	case IR_TYPE_u8:
	case IR_TYPE_i16:
	case IR_TYPE_u16:
	case IR_TYPE_i32:
	case IR_TYPE_u32:
	case IR_TYPE_f32:
	case IR_TYPE_f64:
	case IR_TYPE_array:
	case IR_TYPE_struct: break;
	}
	return t;
}

static struct ir_instruction *convert_before(struct narrowing *n, struct ir_region *region,
                                             struct ir_instruction *before, const struct ir_type *to,
                                             struct ir_instruction *x)
{
	struct ir_builder b = {n->kernel, region, before ? before->parent : x->parent, x->place};
	struct ir_instruction *convert = ir_build_convert(&b, IR_OP_convert, to, x);
	ir_unlink(region, convert);
	ir_insert(region, before, convert);
	return convert;
}

static struct ir_instruction *resolve(const struct narrowing *n, struct ir_instruction *value)
{
	return value && n->values[value->id] ? n->values[value->id] : value;
}

static void narrow_instruction(struct narrowing *n, struct ir_region *region, struct ir_instruction *i)
{
	const struct ir_op_info *info = &ir_op_infos[i->op];
	bool placed = info->flags & IR_FLAG_PLACED;
	const struct ir_type *narrow = narrow_type(i->type);
	const struct ir_type *stored = placed ? ir_place_type(i->base, i->path, i->path_count) : NULL;
	for (int o = 0; o < info->arity; o++) {
		i->operands[o] = resolve(n, i->operands[o]);
		if (placed && i->operands[o]->type != stored)
			i->operands[o] = convert_before(n, region, i, stored, i->operands[o]);
	}
	for (uint32_t s = 0; s < i->path_count; s++)
		i->path[s].index = resolve(n, i->path[s].index);
	if (narrow == i->type)
		return;
	if (placed || i->op == IR_OP_parameter) {
		n->values[i->id] = convert_before(n, region, i->next, narrow, i);
		return;
	}
	i->type = narrow;
	if (i->op == IR_OP_const)
		i->bits = ir_canonical_bits(narrow, i->bits);
}

static void narrow_region(struct narrowing *n, struct ir_region *region)
{
	for (struct ir_instruction *i = region->first, *next; i; i = next) {
		next = i->next;
		narrow_instruction(n, region, i);
		for (int r = 0; r < 2; r++)
			narrow_region(n, &i->regions[r]);
	}
}

static void narrow_kernel(struct ir_kernel *k)
{
	struct narrowing n = {k, memory_zeroed(k->next_id, sizeof *n.values)};
	k->index = narrow_type(&ir_types[k->index])->kind;
	for (uint32_t local = 0; local < k->local_count; local++)
		k->locals[local]->type = narrow_type(k->locals[local]->type);
	narrow_region(&n, &k->body);
	free(n.values);
}

/* ---- Shared memory that need not be zeroed ---- */

static bool is_of(const struct ir_instruction *i, const struct ir_memory *memory)
{
	return (ir_op_infos[i->op].flags & IR_FLAG_PLACED) && i->base == memory;
}

static bool is_elsewhere(void *context, struct ir_instruction *i)
{
	return !is_of(i, context);
}

/* Every thread of a group stores to its own element before it does anything else with the memory, and they are as many
 * as the elements. What another thread stored is read after a barrier (spec/sspur.md 1.5). */
static bool is_filled(const struct ir_kernel *k, struct ir_memory *memory)
{
	const struct ir_instruction *i = k->body.first;
	for (; i && !is_of(i, memory); i = i->next)
		for (int n = 0; n < 2; n++)
			if (!ir_visit(&i->regions[n], is_elsewhere, memory))
				return false;
	return i && i->op == IR_OP_store && i->path_count == 1 && i->path[0].index &&
	       i->path[0].index->op == IR_OP_local_id && k->axes == 1 && memory->type->count == k->group[0];
}

static void drop_zeros(struct ir_kernel *k)
{
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->zeroed && is_filled(k, k->memories[n]))
			k->memories[n]->zeroed = false;
}

/* ---- Both ---- */

static void add_variant(const struct ir_kernel *k, enum kernel_variant variant)
{
	struct text name = {0};
	ir_variant_name(k, variant, &name);
	struct ir_kernel *copy = ir_clone(k, text_string(&name));
	text_free(&name);
	copy->policy = IR_POLICY_PROVED;
	if (variant == KERNEL_NARROW)
		narrow_kernel(copy);
	ir_kernel_number(copy);
	ir_fold(copy);
	ir_remove_dead(copy); /* checks too, under this policy */
	drop_zeros(copy);
	ir_kernel_number(copy);
}

/* Names are looked up among the kernels as they were: what exists is found before anything is added. */
static bool add_variants(struct ir_module *m, enum ir_policy policy)
{
	static const enum kernel_variant added[] = {KERNEL_PROVED, KERNEL_NARROW};
	enum { ADDED = sizeof added / sizeof *added };
	uint32_t count = m->kernel_count;
	bool *exists = memory_zeroed(count * ADDED, sizeof *exists);
	struct ir_kernel **kernels = m->kernels;
	for (uint32_t n = 0; n < count; n++)
		for (uint32_t v = 0; v < ADDED; v++)
			exists[n * ADDED + v] = kernels[n]->policy == policy && ir_variant_exists(kernels[n], added[v]);
	m->kernels = NULL;
	m->kernel_count = m->kernel_capacity = 0;
	for (uint32_t n = 0; n < count; n++) {
		*ARENA_PUSH(&m->arena, m->kernels, m->kernel_count, m->kernel_capacity) = kernels[n];
		for (uint32_t v = 0; v < ADDED; v++)
			if (exists[n * ADDED + v])
				add_variant(kernels[n], added[v]);
	}
	free(exists);
	return m->kernel_count != count;
}

bool lower_variants(struct ir_module *m)
{
	return add_variants(m, IR_POLICY_STOP);
}

bool lower_variants_recorded(struct ir_module *m)
{
	return add_variants(m, IR_POLICY_RECORD);
}

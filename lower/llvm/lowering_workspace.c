/* The workspace of a grouped kernel's sequential code: shared memories, and private memories, values and locals of
 * every lane of a group. Each part is a parameter of its own, so that LLVM knows them to be apart. */
#include <llvm-c/Target.h>
#include <string.h>

#include "lower/llvm/lowering_lockstep.h"

enum { PART_ALIGN = 64, OWN_PARAMETERS = 64 }; /* parts from OWN_PARAMETERS on share one more parameter */

/* ---- Layout ---- */

static uint32_t add_part(struct lockstep *g, uint64_t size)
{
	*ARENA_PUSH(g->l->arena, g->parts, g->part_count, g->part_capacity) =
	    (struct workspace_part){size, g->size, NULL};
	g->size += (size + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
	return g->part_count - 1;
}

/* A truth value is a byte there. */
static uint64_t lane_size(const struct ir_type *t)
{
	return t->kind == IR_TYPE_bool ? 1 : t->size;
}

static bool visit_value(void *context, struct ir_instruction *i)
{
	struct lockstep *g = context;
	if (g->segments.values[i->id] == CARRIED_LANES)
		g->value_parts[i->id] = add_part(g, lane_size(i->type) * g->lanes);
	return true;
}

static void lay_out(struct lockstep *g)
{
	const struct ir_kernel *k = g->l->kernel;
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind == IR_MEMORY_SHARED)
			g->memory_parts[n] = add_part(g, k->memories[n]->type->size);
		else if (k->memories[n]->kind == IR_MEMORY_PRIVATE)
			g->memory_parts[n] = add_part(g, k->memories[n]->type->size * g->lanes);
	ir_visit(&k->body, visit_value, g);
	for (uint32_t n = 0; n < k->local_count; n++)
		if (g->segments.locals[n] == CARRIED_LANES)
			g->local_parts[n] = add_part(g, lane_size(k->locals[n]->type) * g->lanes);
	if (g->segments.ends_lanes)
		g->live_part = add_part(g, g->lanes);
}

struct lockstep *lockstep_new(struct lowering *l)
{
	const struct ir_kernel *k = l->kernel;
	struct lockstep *g = ARENA_NEW(l->arena, struct lockstep);
	g->l = l;
	g->segments = segments_find(k, l->arena);
	/* Which lanes of a chunk there are in a group at the grid's edge. */
	g->segments.ends_lanes |= l->width && k->policy == IR_POLICY_RECORD;
	g->lanes = (uint64_t)k->group[0] * k->group[1] * k->group[2];
	g->memory_parts = ARENA_ARRAY(l->arena, uint32_t, k->memory_count);
	g->value_parts = ARENA_ARRAY(l->arena, uint32_t, k->next_id);
	g->local_parts = ARENA_ARRAY(l->arena, uint32_t, k->local_count);
	g->value_slots = ARENA_ARRAY(l->arena, LLVMValueRef, k->next_id);
	g->local_slots = ARENA_ARRAY(l->arena, LLVMValueRef, k->local_count);
	g->local_next = ARENA_ARRAY(l->arena, LLVMValueRef, k->local_count);
	g->known = ARENA_ARRAY(l->arena, uint32_t, k->next_id);
	lay_out(g);
	return g;
}

/* ---- Parameters ---- */

unsigned lockstep_parameters(const struct lockstep *g)
{
	return g->part_count <= OWN_PARAMETERS ? g->part_count : OWN_PARAMETERS + 1;
}

LLVMTypeRef lockstep_parameter_type(const struct lockstep *g)
{
	return LLVMPointerType(lowering_int(g->l, 8), 0);
}

static LLVMValueRef at_offset(struct lowering *l, LLVMValueRef address, uint64_t offset)
{
	LLVMValueRef index = lowering_i64(l, offset);
	return LLVMBuildInBoundsGEP2(l->builder, lowering_int(l, 8), address, &index, 1, "");
}

void lockstep_split(const struct lockstep *g, LLVMValueRef workspace, LLVMValueRef *values)
{
	for (unsigned n = 0; n < lockstep_parameters(g); n++)
		values[n] = at_offset(g->l, workspace, g->parts[n].offset);
}

static void mark_parameter(struct lockstep *g, unsigned parameter, uint64_t size)
{
	struct lowering *l = g->l;
	const struct {
		const char *name;
		uint64_t value;
	} attributes[] = {{"noalias", 0}, {"align", PART_ALIGN}, {"dereferenceable", size}};
	for (unsigned n = 0; n < 3; n++) {
		unsigned kind = LLVMGetEnumAttributeKindForName(attributes[n].name, strlen(attributes[n].name));
		LLVMAddAttributeAtIndex(l->function, parameter + 1,
		                        LLVMCreateEnumAttribute(l->context, kind, attributes[n].value));
	}
}

static bool visit_slot(void *context, struct ir_instruction *i)
{
	struct lockstep *g = context;
	if (g->segments.values[i->id] == CARRIED_ONCE)
		g->value_slots[i->id] = lowering_alloca(g->l, lowering_type(g->l, i->type), "once");
	return true;
}

static void make_slots(struct lockstep *g)
{
	struct lowering *l = g->l;
	ir_visit(&l->kernel->body, visit_slot, g);
	for (uint32_t n = 0; n < l->kernel->local_count; n++) {
		const struct ir_local *local = l->kernel->locals[n];
		if (g->segments.locals[n] != CARRIED_ONCE)
			continue;
		g->local_slots[n] = lowering_alloca(l, lowering_type(l, local->type), local->name);
		g->local_next[n] = lowering_alloca(l, lowering_type(l, local->type), local->name);
	}
	if (g->segments.ends_lanes)
		g->live = lowering_alloca(l, lowering_int(l, 64), "live");
}

void lockstep_bind(struct lockstep *g, unsigned first)
{
	struct lowering *l = g->l;
	for (uint32_t n = 0; n < g->part_count; n++) {
		struct workspace_part *part = &g->parts[n];
		if (n < OWN_PARAMETERS) {
			part->address = LLVMGetParam(l->function, first + n);
			mark_parameter(g, first + n, part->size);
			continue;
		}
		const struct workspace_part *start = &g->parts[OWN_PARAMETERS];
		LLVMValueRef rest = LLVMGetParam(l->function, first + OWN_PARAMETERS);
		mark_parameter(g, first + OWN_PARAMETERS, g->size - start->offset);
		part->address = at_offset(l, rest, part->offset - start->offset);
	}
	for (uint32_t n = 0; n < l->kernel->memory_count; n++)
		if (l->kernel->memories[n]->kind == IR_MEMORY_SHARED)
			l->memories[n] = g->parts[g->memory_parts[n]].address;
	make_slots(g);
}

/* ---- Elements ---- */

static LLVMValueRef element(struct lockstep *g, uint32_t part, LLVMTypeRef type)
{
	LLVMBuilderRef b = g->l->builder;
	LLVMValueRef elements = LLVMBuildBitCast(b, g->parts[part].address, LLVMPointerType(type, 0), "");
	return LLVMBuildInBoundsGEP2(b, type, elements, &g->lane, 1, "");
}

static LLVMTypeRef kept_type(const struct lockstep *g, LLVMTypeRef type)
{
	return type == lowering_int(g->l, 1) ? lowering_int(g->l, 8) : type;
}

LLVMValueRef lockstep_load(struct lockstep *g, uint32_t part, LLVMTypeRef type)
{
	LLVMBuilderRef b = g->l->builder;
	LLVMTypeRef kept = kept_type(g, type);
	LLVMValueRef v = LLVMBuildLoad2(b, kept, element(g, part, kept), "");
	return kept == type ? v : LLVMBuildTrunc(b, v, type, "");
}

void lockstep_store(struct lockstep *g, uint32_t part, LLVMValueRef v)
{
	LLVMBuilderRef b = g->l->builder;
	LLVMTypeRef type = LLVMTypeOf(v), kept = kept_type(g, type);
	LLVMBuildStore(b, kept == type ? v : LLVMBuildZExt(b, v, kept, ""), element(g, part, kept));
}

/* ---- Elements of several lanes ---- */

static LLVMTypeRef element_type(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

/* The type of as many elements. */
static LLVMTypeRef alike(const struct lockstep *g, LLVMTypeRef type, LLVMTypeRef element)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMVectorType(element, g->l->width) : element;
}

static LLVMValueRef vector_element(struct lockstep *g, uint32_t part, LLVMTypeRef kept, LLVMTypeRef type)
{
	return LLVMBuildBitCast(g->l->builder, element(g, part, kept), LLVMPointerType(type, 0), "");
}

static unsigned alignment(const struct lockstep *g, LLVMTypeRef kept)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(g->l->module);
	return LLVMABIAlignmentOfType(layout, kept);
}

LLVMValueRef lockstep_load_vector(struct lockstep *g, uint32_t part, LLVMTypeRef type)
{
	LLVMBuilderRef b = g->l->builder;
	LLVMTypeRef kept = kept_type(g, element_type(type)), all = alike(g, type, kept);
	LLVMValueRef v = LLVMBuildLoad2(b, all, vector_element(g, part, kept, all), "");
	LLVMSetAlignment(v, alignment(g, kept));
	return all == type ? v : LLVMBuildTrunc(b, v, type, "");
}

void lockstep_store_vector(struct lockstep *g, uint32_t part, LLVMValueRef v)
{
	LLVMBuilderRef b = g->l->builder;
	if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind)
		v = lowering_vector_splat(g->l, v);
	LLVMTypeRef type = LLVMTypeOf(v), kept = kept_type(g, element_type(type)), all = alike(g, type, kept);
	LLVMValueRef store =
	    LLVMBuildStore(b, all == type ? v : LLVMBuildZExt(b, v, all, ""), vector_element(g, part, kept, all));
	LLVMSetAlignment(store, alignment(g, kept));
}

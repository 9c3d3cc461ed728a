/* The verifier's rules of a kernel's header, and of its links. */
#include <string.h>

#include "ir/ir_verify_rules.h"

/* ---- Header ---- */

static void verify_group(struct ir_verifier *v)
{
	const struct ir_kernel *k = v->kernel;
	if (k->axes < 1 || k->axes > 3) {
		ir_verify_fault(v, NULL, "a grid has 1 to 3 axes");
		return;
	}
	uint64_t threads = 1;
	bool sound = true;
	for (int axis = 0; axis < 3; axis++) {
		sound &= k->group[axis] >= 1 && k->group[axis] <= 1024 && (axis < k->axes || k->group[axis] == 1);
		threads *= k->group[axis];
	}
	if (!sound || threads > 1024)
		ir_verify_fault(v, NULL,
		                "a group has 1 to 1024 threads on each axis and in all, and 1 on an axis not used");
	if (k->index != IR_TYPE_i64 && k->index != IR_TYPE_u64 && k->index != IR_TYPE_i32 && k->index != IR_TYPE_u32)
		ir_verify_fault(v, NULL, "the index type is i64, u64, i32 or u32");
}

static void verify_parameter(struct ir_verifier *v, uint32_t n)
{
	const struct ir_kernel *k = v->kernel;
	const struct ir_parameter *p = &k->parameters[n];
	switch (p->kind) {
	case IR_PARAMETER_SCALAR:
		if (!ir_type_is_scalar(p->type))
			ir_verify_fault(v, NULL, "a scalar parameter has a scalar type");
		return;
	case IR_PARAMETER_VALUE:
		if (p->type->kind != IR_TYPE_struct)
			ir_verify_fault(v, NULL, "a parameter that is neither scalar nor buffer is a struct");
		break;
	case IR_PARAMETER_BUFFER:
		if (p->type->kind == IR_TYPE_void)
			ir_verify_fault(v, NULL, "a buffer has elements of a type");
		break;
	}
	enum ir_memory_kind kind = p->kind == IR_PARAMETER_BUFFER ? IR_MEMORY_BUFFER : IR_MEMORY_VALUE;
	const struct ir_memory *memory = p->memory;
	if (!memory || memory->kind != kind || memory->parameter != n || memory->type != p->type ||
	    strcmp(memory->name, p->name) != 0 || !table_get_n(&v->memories, (const char *)&memory, sizeof memory))
		ir_verify_fault(v, NULL, "a buffer or value parameter has a memory of its name, type and number");
}

static void verify_memory(struct ir_verifier *v, const struct ir_memory *memory)
{
	const struct ir_kernel *k = v->kernel;
	switch (memory->kind) {
	case IR_MEMORY_BUFFER:
	case IR_MEMORY_VALUE:
		if (memory->parameter >= k->parameter_count || k->parameters[memory->parameter].memory != memory)
			ir_verify_fault(v, NULL, "the memory of a buffer or value is its parameter's");
		if (memory->kind == IR_MEMORY_VALUE && memory->writable)
			ir_verify_fault(v, NULL, "a value parameter is read-only");
		break;
	case IR_MEMORY_PRIVATE: break;
	case IR_MEMORY_SHARED:
		if (!memory->writable || memory->init)
			ir_verify_fault(v, NULL, "a shared memory is writable and starts zeroed or undefined");
		break;
	case IR_MEMORY_TABLE:
		if (memory->writable || !memory->init)
			ir_verify_fault(v, NULL, "a table is read-only and has its bytes");
		break;
	}
}

/* Parameters and memories are of one name space, locals of another. */
static void verify_names(struct ir_verifier *v)
{
	const struct ir_kernel *k = v->kernel;
	struct table names = {.arena = &v->scratch};
	bool unique = true;
	for (uint32_t n = 0; n < k->parameter_count; n++)
		unique &= !table_set(&names, k->parameters[n].name, v);
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind != IR_MEMORY_BUFFER && k->memories[n]->kind != IR_MEMORY_VALUE)
			unique &= !table_set(&names, k->memories[n]->name, v);
	if (!unique)
		ir_verify_fault(v, NULL, "parameters, privates, tables and shared memories have different names");
	names = (struct table){.arena = &v->scratch};
	unique = true;
	for (uint32_t n = 0; n < k->local_count; n++)
		unique &= !table_set(&names, k->locals[n]->name, v);
	if (!unique)
		ir_verify_fault(v, NULL, "locals have different names");
}

void ir_verify_header(struct ir_verifier *v)
{
	const struct ir_kernel *k = v->kernel;
	uint64_t bytes = 0, shared = 0;
	verify_group(v);
	for (uint32_t n = 0; n < k->memory_count; n++) {
		struct ir_memory *memory = k->memories[n];
		table_set_n(&v->memories, (const char *)&memory, sizeof memory, memory);
		verify_memory(v, memory);
		if (memory->kind == IR_MEMORY_PRIVATE || memory->kind == IR_MEMORY_TABLE)
			bytes += memory->type->size;
		if (memory->kind == IR_MEMORY_SHARED)
			shared += memory->type->size;
	}
	if (bytes > IR_MAX_OWN_BYTES)
		ir_verify_fault(v, NULL, "privates and tables have not more than 1 MiB in all");
	if (shared > IR_MAX_SHARED_BYTES)
		ir_verify_fault(v, NULL, "shared memories have not more than 32 KiB in all");
	for (uint32_t n = 0; n < k->parameter_count; n++)
		verify_parameter(v, n);
	for (uint32_t n = 0; n < k->local_count; n++)
		if (!ir_type_is_scalar(k->locals[n]->type))
			ir_verify_fault(v, NULL, "a local is a scalar");
	verify_names(v);
}

/* ---- Links ---- */

static const char *missing_part(struct ir_verifier *v, const struct ir_instruction *i)
{
	const struct ir_kernel *k = v->kernel;
	const struct ir_op_info *info = &ir_op_infos[i->op];
	for (int n = 0; n < IR_MAX_OPERANDS; n++)
		if ((n < info->arity) != (i->operands[n] != NULL))
			return "an operation has as many operands as its row says";
	for (int n = 0; n < 2; n++)
		if ((i->regions[n].first || i->regions[n].last) &&
		    (!(info->flags & IR_FLAG_CONTROL) || (n == 1 && i->op != IR_OP_if)))
			return "if has two regions, for and loop have one, others none";
	if (i->op == IR_OP_parameter &&
	    (i->parameter >= k->parameter_count || k->parameters[i->parameter].kind != IR_PARAMETER_SCALAR))
		return "parameter names a scalar parameter of the kernel";
	if ((i->op == IR_OP_get || i->op == IR_OP_set) &&
	    (!i->local || i->local->index >= k->local_count || k->locals[i->local->index] != i->local))
		return "get and set name a local of the kernel";
	if ((i->op == IR_OP_length || info->flags & IR_FLAG_PLACED) &&
	    !table_get_n(&v->memories, (const char *)&i->base, sizeof i->base))
		return "a place starts at a memory of the kernel";
	return NULL;
}

static const char *broken_link(struct ir_verifier *v, const struct ir_instruction *i,
                               const struct ir_instruction *previous, const struct ir_instruction *parent)
{
	if (i->op >= IR_OP_COUNT || !i->type)
		return "an instruction has an operation and a type";
	if (i->id >= v->kernel->next_id || v->visible[i->id])
		return "instructions have different numbers, below the kernel's next";
	v->visible[i->id] = i;
	if (i->previous != previous || i->parent != parent)
		return "an instruction is linked to its neighbours and its parent";
	return missing_part(v, i);
}

static bool verify_links(struct ir_verifier *v, const struct ir_region *region, const struct ir_instruction *parent,
                         unsigned depth)
{
	const struct ir_instruction *previous = NULL;
	for (const struct ir_instruction *i = region->first; i; previous = i, i = i->next) {
		const char *sentence = broken_link(v, i, previous, parent);
		if (!sentence && depth == IR_MAX_NESTING && (i->regions[0].first || i->regions[1].first))
			sentence = "control is not nested deeper than 1000";
		if (sentence) {
			ir_verify_fault(v, i, sentence);
			return false;
		}
		for (int n = 0; n < 2; n++)
			if (!verify_links(v, &i->regions[n], i, depth + 1))
				return false;
	}
	if (region->last != previous)
		ir_verify_fault(v, previous, "a region ends at its last instruction");
	return region->last == previous;
}

bool ir_verify_links(struct ir_verifier *v, const struct ir_region *region)
{
	return verify_links(v, region, NULL, 0);
}

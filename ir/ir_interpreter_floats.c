/* Which operations a device that flushes subnormals may compute otherwise. */
#include "ir/ir_interpreter_frame.h"

/* The bits without the sign, and those of the least normal value. */
static uint64_t magnitude(const struct ir_type *type, uint64_t bits)
{
	return bits & (type->kind == IR_TYPE_f32 ? UINT32_MAX >> 1 : UINT64_MAX >> 1);
}

static uint64_t least_normal(const struct ir_type *type)
{
	return type->kind == IR_TYPE_f32 ? UINT64_C(1) << 23 : UINT64_C(1) << 52;
}

static bool is_subnormal(const struct ir_type *type, uint64_t bits)
{
	return ir_type_is_float(type) && magnitude(type, bits) - 1 < least_normal(type) - 1;
}

/* As a result: also the least normal value, to which what is smaller may have been rounded, and which a device that
 * flushes before it rounds makes zero. */
static bool may_be_flushed(const struct ir_type *type, uint64_t bits)
{
	return ir_type_is_float(type) && magnitude(type, bits) - 1 < least_normal(type);
}

void interpreter_note_subnormals(struct interpreter_frame *frame, const struct ir_instruction *i)
{
	bool computes = true; /* of results of the others, none is subnormal that no operand is */
	switch ((int)i->op) {
	case IR_OP_select:
	case IR_OP_bitcast: return; /* these move bits */
	case IR_OP_fneg:
	case IR_OP_fabs:
	case IR_OP_ffloor:
	case IR_OP_fceil:
	case IR_OP_fround: computes = false; break;
	}
	bool met = computes && may_be_flushed(i->type, frame->values[i->id]);
	for (unsigned n = 0; n < IR_MAX_OPERANDS && i->operands[n]; n++)
		met |= is_subnormal(i->operands[n]->type, frame->values[i->operands[n]->id]);
	*frame->subnormals |= met;
}

#include "ir/ir_words.h"

const char *ir_trap_word(enum trap_kind kind)
{
	switch (kind) {
	case TRAP_NONE: return "none";
	case TRAP_INDEX: return "index";
	case TRAP_RANGE: return "range";
	case TRAP_PANIC: return "panic";
	case TRAP_ALLOCATION: return "allocation";
	case TRAP_OVERFLOW: return "overflow";
	case TRAP_DIVISION: return "division";
	case TRAP_CONVERSION: return "conversion";
	case TRAP_INEXACT: return "inexact";
	}
	return "unknown";
}

const char *ir_scope_word(enum ir_scope scope)
{
	switch (scope) {
	case IR_SCOPE_DEVICE: return "device";
	case IR_SCOPE_WORKGROUP: return "workgroup";
	}
	return "unknown";
}

const char *ir_order_word(enum ir_order order)
{
	switch (order) {
	case IR_ORDER_RELAXED: return "relaxed";
	case IR_ORDER_ACQUIRE: return "acquire";
	case IR_ORDER_RELEASE: return "release";
	case IR_ORDER_ACQ_REL: return "acq_rel";
	}
	return "unknown";
}

const char *ir_barrier_word(enum ir_barrier barrier)
{
	switch (barrier) {
	case IR_BARRIER_WORKGROUP: return "workgroup";
	case IR_BARRIER_STORAGE: return "storage";
	}
	return "unknown";
}

const char *ir_policy_word(enum ir_policy policy)
{
	switch (policy) {
	case IR_POLICY_STOP: return "stop";
	case IR_POLICY_RECORD: return "record";
	case IR_POLICY_PROVED: return "proved";
	}
	return "unknown";
}

const char *ir_math_word(enum ir_math math)
{
	static const char *const words[] = {
#define MATH(name, arity, description) #name,
#include "ir/math.def"
#undef MATH
	};
	return math < IR_MATH_COUNT ? words[math] : "unknown";
}

const char *ir_axis_word(uint32_t axis)
{
	return axis == 0 ? "x" : axis == 1 ? "y" : axis == 2 ? "z" : "unknown";
}

/* The operations, what they are by C's arithmetic, and the rule of flags, written down again without the compiler. */
#include "utils/dev/exactness/exactness.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define F32 IR_TYPE_f32
#define F64 IR_TYPE_f64

const struct exactness_operation exactness_operations[] = {
    {"add", IR_OP_fadd, 2, F32, F32},
    {"sub", IR_OP_fsub, 2, F32, F32},
    {"mul", IR_OP_fmul, 2, F32, F32},
    {"div", IR_OP_fdiv, 2, F32, F32},
    {"sqrt", IR_OP_fsqrt, 1, F32, F32},
    {"floor", IR_OP_ffloor, 1, F32, F32},
    {"ceil", IR_OP_fceil, 1, F32, F32},
    {"round", IR_OP_fround, 1, F32, F32},
    {"neg", IR_OP_fneg, 1, F32, F32},
    {"abs", IR_OP_fabs, 1, F32, F32},
    {"to_f64", IR_OP_convert, 1, F32, F64},
    {"to_f32", IR_OP_convert, 1, IR_TYPE_i32, F32},
    {"to_f32", IR_OP_convert, 1, IR_TYPE_u32, F32},
    {"to_f32", IR_OP_convert, 1, IR_TYPE_i64, F32},
    {"to_f32", IR_OP_convert, 1, F64, F32},
    {"add", IR_OP_fadd, 2, F64, F64},
    {"sub", IR_OP_fsub, 2, F64, F64},
    {"mul", IR_OP_fmul, 2, F64, F64},
    {"div", IR_OP_fdiv, 2, F64, F64},
    {"sqrt", IR_OP_fsqrt, 1, F64, F64},
    {"floor", IR_OP_ffloor, 1, F64, F64},
    {"ceil", IR_OP_fceil, 1, F64, F64},
    {"round", IR_OP_fround, 1, F64, F64},
    {"neg", IR_OP_fneg, 1, F64, F64},
    {"abs", IR_OP_fabs, 1, F64, F64},
    {"to_f64", IR_OP_convert, 1, IR_TYPE_i32, F64},
    {"to_f64", IR_OP_convert, 1, IR_TYPE_u32, F64},
    {"to_f64", IR_OP_convert, 1, IR_TYPE_i64, F64},
    {NULL, IR_OP_COUNT, 0, F32, F32},
};

struct ir_module *exactness_kernel(const struct exactness_operation *o)
{
	static const char *const names[] = {"x", "y"};
	struct ir_module *m = ir_module_new();
	struct ir_kernel *k = ir_kernel_new(m, "k");
	struct ir_memory *inputs[2], *output;
	struct ir_builder b = {.kernel = k, .region = &k->body};
	struct ir_instruction *operands[2] = {NULL, NULL}, *result;
	k->group[0] = 256;
	for (int n = 0; n < o->arity; n++)
		inputs[n] = ir_add_buffer(k, names[n], &ir_types[o->from], false);
	output = ir_add_buffer(k, "o", &ir_types[o->to], true);
	struct ir_step at = {.index = ir_build_id(&b, IR_OP_global_id, 0)};
	for (int n = 0; n < o->arity; n++)
		operands[n] = ir_build_load(&b, inputs[n], &at, 1);
	if (o->op == IR_OP_convert)
		result = ir_build_convert(&b, o->op, &ir_types[o->to], operands[0]);
	else
		result = o->arity == 1 ? ir_build_unary(&b, o->op, operands[0])
		                       : ir_build_binary(&b, o->op, operands[0], operands[1]);
	ir_build_store(&b, output, &at, 1, result);
	ir_build_return(&b);
	ir_kernel_number(k);
	return m;
}

/* ---- Values ---- */

static float f32_of(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float v;
	memcpy(&v, &low, sizeof v);
	return v;
}

static double f64_of(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

static uint64_t bits_of_f32(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static uint64_t bits_of_f64(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static uint64_t expected_f32(enum ir_op op, float x, float y)
{
	switch ((int)op) {
	case IR_OP_fadd: return bits_of_f32(x + y);
	case IR_OP_fsub: return bits_of_f32(x - y);
	case IR_OP_fmul: return bits_of_f32(x * y);
	case IR_OP_fdiv: return bits_of_f32(x / y);
	case IR_OP_fsqrt: return bits_of_f32(sqrtf(x));
	case IR_OP_ffloor: return bits_of_f32(floorf(x));
	case IR_OP_fceil: return bits_of_f32(ceilf(x));
	case IR_OP_fround: return bits_of_f32(roundf(x));
	case IR_OP_fneg: return bits_of_f32(-x);
	}
	return bits_of_f32(fabsf(x));
}

static uint64_t expected_f64(enum ir_op op, double x, double y)
{
	switch ((int)op) {
	case IR_OP_fadd: return bits_of_f64(x + y);
	case IR_OP_fsub: return bits_of_f64(x - y);
	case IR_OP_fmul: return bits_of_f64(x * y);
	case IR_OP_fdiv: return bits_of_f64(x / y);
	case IR_OP_fsqrt: return bits_of_f64(sqrt(x));
	case IR_OP_ffloor: return bits_of_f64(floor(x));
	case IR_OP_fceil: return bits_of_f64(ceil(x));
	case IR_OP_fround: return bits_of_f64(round(x));
	case IR_OP_fneg: return bits_of_f64(-x);
	}
	return bits_of_f64(fabs(x));
}

static uint64_t converted(const struct exactness_operation *o, uint64_t x)
{
	bool single = o->to == F32;
	if (o->from == F32)
		return bits_of_f64(f32_of(x));
	if (o->from == F64)
		return bits_of_f32((float)f64_of(x));
	if (o->from == IR_TYPE_u32)
		return single ? bits_of_f32((float)(uint32_t)x) : bits_of_f64((uint32_t)x);
	return single ? bits_of_f32((float)(int64_t)x) : bits_of_f64((double)(int64_t)x);
}

uint64_t exactness_expected(const struct exactness_operation *o, const uint64_t *operands)
{
	uint64_t y = o->arity == 2 ? operands[1] : 0;
	if (o->op == IR_OP_convert)
		return converted(o, operands[0]);
	return o->from == F32 ? expected_f32(o->op, f32_of(operands[0]), f32_of(y))
	                      : expected_f64(o->op, f64_of(operands[0]), f64_of(y));
}

bool exactness_same(const struct exactness_operation *o, uint64_t x, uint64_t y)
{
	if (o->to == F32)
		return x == y || (isnan(f32_of(x)) && isnan(f32_of(y)));
	return x == y || (isnan(f64_of(x)) && isnan(f64_of(y)));
}

/* ---- The rule ---- */

double exactness_double(enum ir_type_kind type, uint64_t bits)
{
	return type == F32 ? (double)f32_of(bits) : f64_of(bits);
}

static bool flushes(enum ir_type_kind type, uint32_t hazards)
{
	return (type == F32 && (hazards & IR_HAZARD_FLUSH_F32)) || (type == F64 && (hazards & IR_HAZARD_FLUSH_F64));
}

/* The operands force an exact zero. */
static bool is_zero_forced(enum ir_op op, double x, double y)
{
	if (op == IR_OP_fadd)
		return x == -y;
	if (op == IR_OP_fsub)
		return x == y;
	return x == 0 || (op == IR_OP_fmul ? y == 0 : isinf(y));
}

bool exactness_flagged(const struct exactness_operation *o, uint32_t hazards, const uint64_t *operands)
{
	double least = o->from == F32 ? FLT_MIN : DBL_MIN;
	if (flushes(o->from, hazards))
		for (int n = 0; n < o->arity; n++) {
			double magnitude = fabs(exactness_double(o->from, operands[n]));
			if (magnitude > 0 && magnitude < least)
				return true;
		}
	if (!flushes(o->to, hazards))
		return false;
	if (o->op == IR_OP_convert && o->from == F64) {
		double magnitude = fabs(f64_of(operands[0]));
		return magnitude > 0 && magnitude < FLT_MIN;
	}
	if (o->arity != 2)
		return false;
	double result = fabs(exactness_double(o->to, exactness_expected(o, operands)));
	return result < 2 * least &&
	       !is_zero_forced(o->op, exactness_double(o->from, operands[0]), exactness_double(o->from, operands[1]));
}

void exactness_report(const struct exactness_operation *o, const char *device, const struct exactness_count *count,
                      const uint64_t *first_operands)
{
	printf("%s %s%s%s, %s, tried %llu, differences %llu, flagged %llu\n", o->name, ir_type_kind_name(o->from),
	       o->from == o->to ? "" : " to ", o->from == o->to ? "" : ir_type_kind_name(o->to), device,
	       (unsigned long long)count->tried, (unsigned long long)count->differences,
	       (unsigned long long)count->flagged);
	if (count->differences)
		printf("  first: 0x%llx 0x%llx, expected 0x%llx\n", (unsigned long long)first_operands[0],
		       (unsigned long long)(o->arity == 2 ? first_operands[1] : 0),
		       (unsigned long long)exactness_expected(o, first_operands));
	fflush(stdout);
}

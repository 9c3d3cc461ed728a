/* Exact values of operations, against other ways to compute them. */
#include <math.h>
#include <string.h>

#include "ir/ir_fold.h"
#include "test/ir/test_ir.h"

static const struct ir_type *type_of(enum ir_type_kind kind)
{
	return &ir_types[kind];
}

static uint64_t f32(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static uint64_t f64(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static enum trap_kind last_trap;

static uint64_t run(enum ir_op op, enum ir_type_kind from, enum ir_type_kind to, uint64_t x, uint64_t y)
{
	uint64_t result, operands[] = {x, y, 0};
	last_trap = ir_evaluate_op(op, type_of(from), type_of(to), operands, &result);
	return result;
}

/* The operation's value and trap. */
static bool gives(enum ir_op op, enum ir_type_kind kind, uint64_t x, uint64_t y, uint64_t wanted)
{
	uint64_t got = run(op, kind, kind, x, y);
	return last_trap == TRAP_NONE && got == wanted;
}

static bool traps(enum ir_op op, enum ir_type_kind kind, uint64_t x, uint64_t y, enum trap_kind trap)
{
	run(op, kind, kind, x, y);
	return last_trap == trap;
}

/* Trapping operations in 8 bits: the value in int, in range or not. */
static bool small_agrees(enum ir_op op, enum ir_type_kind kind, int x, int y, int exact)
{
	int low = kind == IR_TYPE_i8 ? -128 : 0, high = kind == IR_TYPE_i8 ? 127 : 255;
	if (exact < low || exact > high)
		return traps(op, kind, (uint64_t)x, (uint64_t)y, TRAP_OVERFLOW);
	return gives(op, kind, (uint64_t)x, (uint64_t)y, (uint64_t)exact);
}

static bool wraps(enum ir_op op, enum ir_type_kind kind, int x, int y, int exact)
{
	return gives(op, kind, (uint64_t)x, (uint64_t)y,
	             kind == IR_TYPE_i8 ? (uint64_t)(int8_t)exact : (uint64_t)(uint8_t)exact);
}

static int shifted(enum ir_type_kind kind, int x, int y)
{
	unsigned count = (uint8_t)y;
	return count >= 8 ? (kind == IR_TYPE_i8 && x < 0 ? -1 : 0) : x >> count;
}

static bool pair_agrees(enum ir_type_kind kind, int x, int y)
{
	bool sound = small_agrees(IR_OP_iadd_trap, kind, x, y, x + y) &&
	             small_agrees(IR_OP_isub_trap, kind, x, y, x - y) &&
	             small_agrees(IR_OP_imul_trap, kind, x, y, x * y) && wraps(IR_OP_iadd, kind, x, y, x + y) &&
	             wraps(IR_OP_isub, kind, x, y, x - y) && wraps(IR_OP_imul, kind, x, y, x * y);
	sound = sound && wraps(IR_OP_ishl, kind, x, y, (uint8_t)y >= 8 ? 0 : x * (1 << (uint8_t)y)) &&
	        wraps(IR_OP_ishr, kind, x, y, shifted(kind, x, y));
	sound = sound && gives(IR_OP_lt, kind, (uint64_t)x, (uint64_t)y, x < y) &&
	        gives(IR_OP_ge, kind, (uint64_t)x, (uint64_t)y, x >= y) &&
	        gives(IR_OP_ne, kind, (uint64_t)x, (uint64_t)y, x != y);
	if (y == 0)
		return sound && traps(IR_OP_idiv_trap, kind, (uint64_t)x, 0, TRAP_DIVISION) &&
		       traps(IR_OP_irem_trap, kind, (uint64_t)x, 0, TRAP_DIVISION);
	bool overflows = kind == IR_TYPE_i8 && x == -128 && y == -1;
	return sound && small_agrees(IR_OP_idiv_trap, kind, x, y, x / y) &&
	       small_agrees(IR_OP_irem_trap, kind, x, y, overflows ? 128 : x % y);
}

static void test_small_integers(void)
{
	bool sound = true;
	for (int x = -128; x < 256; x++)
		for (int y = -128; y < 256; y++) {
			if (x < 128 && y < 128)
				sound = sound && pair_agrees(IR_TYPE_i8, x, y);
			if (x >= 0 && y >= 0)
				sound = sound && pair_agrees(IR_TYPE_u8, x, y);
		}
	EXPECT(sound);
	for (int x = -128; x < 128; x++)
		sound = sound && small_agrees(IR_OP_ineg_trap, IR_TYPE_i8, x, 0, -x) &&
		        wraps(IR_OP_ineg, IR_TYPE_i8, x, 0, -x) &&
		        small_agrees(IR_OP_iabs_trap, IR_TYPE_i8, x, 0, x < 0 ? -x : x) &&
		        wraps(IR_OP_bnot, IR_TYPE_i8, x, 0, ~x);
	for (int x = 0; x < 256; x++)
		sound = sound && small_agrees(IR_OP_ineg_trap, IR_TYPE_u8, x, 0, -x) &&
		        wraps(IR_OP_bnot, IR_TYPE_u8, x, 0, ~x);
	EXPECT(sound);
}

static void test_wide_integers(void)
{
	uint64_t least = (uint64_t)INT64_MIN, most = INT64_MAX;
	EXPECT(traps(IR_OP_imul_trap, IR_TYPE_i64, least, (uint64_t)-1, TRAP_OVERFLOW));
	EXPECT(gives(IR_OP_imul_trap, IR_TYPE_i64, least, 1, least));
	EXPECT(traps(IR_OP_imul_trap, IR_TYPE_u64, UINT64_MAX, UINT64_MAX, TRAP_OVERFLOW));
	EXPECT(traps(IR_OP_imul_trap, IR_TYPE_u64, UINT64_C(1) << 32, UINT64_C(1) << 32, TRAP_OVERFLOW));
	EXPECT(gives(IR_OP_imul_trap, IR_TYPE_u64, UINT64_C(1) << 32, 0xffffffff, UINT64_C(0xffffffff00000000)));
	EXPECT(traps(IR_OP_iadd_trap, IR_TYPE_u64, UINT64_MAX, 1, TRAP_OVERFLOW));
	EXPECT(traps(IR_OP_isub_trap, IR_TYPE_i64, least, 1, TRAP_OVERFLOW));
	EXPECT(gives(IR_OP_iadd, IR_TYPE_i64, most, 1, least));
	EXPECT(traps(IR_OP_irem_trap, IR_TYPE_i64, least, (uint64_t)-1, TRAP_OVERFLOW));
	EXPECT(gives(IR_OP_irem_trap, IR_TYPE_i64, (uint64_t)-7, 3, (uint64_t)-1));
	EXPECT(gives(IR_OP_ishr, IR_TYPE_i64, least, 63, (uint64_t)-1) && gives(IR_OP_ishr, IR_TYPE_u64, least, 63, 1));
	EXPECT(gives(IR_OP_ishr, IR_TYPE_i64, least, 64, (uint64_t)-1) && gives(IR_OP_ishr, IR_TYPE_u64, least, 64, 0));
	EXPECT(gives(IR_OP_ishl, IR_TYPE_i64, 1, 63, least) && gives(IR_OP_ishl, IR_TYPE_i64, 1, (uint64_t)-1, 0));
	EXPECT(gives(IR_OP_check_index, IR_TYPE_i64, 2, 3, 0) &&
	       traps(IR_OP_check_index, IR_TYPE_i64, 3, 3, TRAP_INDEX));
	EXPECT(traps(IR_OP_check_index, IR_TYPE_i64, (uint64_t)-1, 3, TRAP_INDEX));
	EXPECT(traps(IR_OP_check_index, IR_TYPE_u32, 0xffffffff, 3, TRAP_INDEX));
	EXPECT(gives(IR_OP_check_index, IR_TYPE_u32, 3, 0xffffffff, 0));
}

static void test_floats(void)
{
	/* 0.1 + 0.2 in each width; a product that rounds twice through double is wrong in f32. */
	EXPECT(gives(IR_OP_fadd, IR_TYPE_f32, f32(0.1f), f32(0.2f), f32(0.3f)));
	EXPECT(gives(IR_OP_fadd, IR_TYPE_f64, f64(0.1), f64(0.2), f64(0.30000000000000004)));
	EXPECT(gives(IR_OP_fdiv, IR_TYPE_f32, f32(1.0f), f32(3.0f), 0x3eaaaaab));
	EXPECT(gives(IR_OP_fmul, IR_TYPE_f32, 1, f32(0.5f), 0) && gives(IR_OP_fmul, IR_TYPE_f32, 3, f32(0.5f), 2));
	EXPECT(gives(IR_OP_fdiv, IR_TYPE_f32, f32(-1.0f), f32(0.0f), f32(-INFINITY)));
	EXPECT(gives(IR_OP_fsqrt, IR_TYPE_f32, f32(2.0f), 0, 0x3fb504f3) &&
	       gives(IR_OP_fsqrt, IR_TYPE_f32, f32(-0.0f), 0, f32(-0.0f)));
	EXPECT(gives(IR_OP_fneg, IR_TYPE_f32, 0x7f800001, 0, 0xff800001) &&
	       gives(IR_OP_fabs, IR_TYPE_f64, f64(-0.0), 0, 0));
	EXPECT(gives(IR_OP_fround, IR_TYPE_f64, f64(0.49999999999999994), 0, 0));
	EXPECT(gives(IR_OP_fround, IR_TYPE_f32, f32(0.49999997f), 0, 0) &&
	       gives(IR_OP_fround, IR_TYPE_f32, f32(8388609.0f), 0, f32(8388609.0f)));
	EXPECT(gives(IR_OP_fround, IR_TYPE_f32, f32(2.5f), 0, f32(3.0f)) &&
	       gives(IR_OP_fround, IR_TYPE_f32, f32(-2.5f), 0, f32(-3.0f)));
	EXPECT(gives(IR_OP_fround, IR_TYPE_f64, f64(-0.3), 0, f64(-0.0)) &&
	       gives(IR_OP_fceil, IR_TYPE_f64, f64(-0.3), 0, f64(-0.0)));
	EXPECT(gives(IR_OP_ffloor, IR_TYPE_f32, f32(-0.5f), 0, f32(-1.0f)));
	uint64_t nan = f64(NAN);
	EXPECT(gives(IR_OP_eq, IR_TYPE_f64, nan, nan, 0) && gives(IR_OP_ne, IR_TYPE_f64, nan, nan, 1));
	EXPECT(gives(IR_OP_lt, IR_TYPE_f64, nan, 0, 0) && gives(IR_OP_ge, IR_TYPE_f64, nan, 0, 0));
	EXPECT(gives(IR_OP_eq, IR_TYPE_f32, f32(0.0f), f32(-0.0f), 1) &&
	       gives(IR_OP_lt, IR_TYPE_f32, f32(-1.0f), 0, 1));
}

static bool converts(enum ir_op op, enum ir_type_kind from, uint64_t x, enum ir_type_kind to, uint64_t wanted)
{
	uint64_t got = run(op, from, to, x, 0);
	return last_trap == TRAP_NONE && got == wanted;
}

static void test_conversions(void)
{
	/* Rounded once: through double the first would end at 2^62, a tie to even. */
	EXPECT(converts(IR_OP_convert, IR_TYPE_i64, 0x4000004000000001, IR_TYPE_f32, 0x5e800001));
	EXPECT(converts(IR_OP_convert, IR_TYPE_u64, 0x8000008000000001, IR_TYPE_f32, 0x5f000001));
	EXPECT(converts(IR_OP_convert, IR_TYPE_u64, UINT64_MAX, IR_TYPE_f32, 0x5f800000));
	EXPECT(converts(IR_OP_convert, IR_TYPE_i64, (uint64_t)-1, IR_TYPE_f64, f64(-1.0)));
	EXPECT(converts(IR_OP_convert, IR_TYPE_u64, UINT64_MAX, IR_TYPE_f64, f64(18446744073709551616.0)));
	EXPECT(converts(IR_OP_convert, IR_TYPE_f64, f64(1.0 + 0x1p-24), IR_TYPE_f32, f32(1.0f)));
	EXPECT(converts(IR_OP_convert, IR_TYPE_f64, f64(1e300), IR_TYPE_f32, f32(INFINITY)));
	EXPECT(converts(IR_OP_convert, IR_TYPE_f32, 1, IR_TYPE_f64, f64(0x1p-149)));
	EXPECT(converts(IR_OP_convert, IR_TYPE_bool, 1, IR_TYPE_f32, f32(1.0f)));
	EXPECT(converts(IR_OP_convert, IR_TYPE_i64, 0x1234567890, IR_TYPE_i8, (uint64_t)-112));
	EXPECT(converts(IR_OP_convert, IR_TYPE_i32, (uint64_t)-1, IR_TYPE_u64, UINT64_MAX));
	EXPECT(converts(IR_OP_convert_trap, IR_TYPE_i64, 255, IR_TYPE_u8, 255));
	EXPECT(converts(IR_OP_convert_trap, IR_TYPE_u64, INT64_MAX, IR_TYPE_i64, INT64_MAX));
	run(IR_OP_convert_trap, IR_TYPE_u64, IR_TYPE_i64, UINT64_MAX, 0);
	EXPECT(last_trap == TRAP_OVERFLOW);
	run(IR_OP_convert_trap, IR_TYPE_i64, IR_TYPE_u64, UINT64_MAX, 0);
	EXPECT(last_trap == TRAP_OVERFLOW);
	EXPECT(converts(IR_OP_bitcast, IR_TYPE_f32, 0x80000000, IR_TYPE_i32, UINT64_C(0xffffffff80000000)));
	EXPECT(converts(IR_OP_bitcast, IR_TYPE_i32, UINT64_C(0xffffffff80000000), IR_TYPE_f32, 0x80000000));
}

void test_evaluate(void)
{
	test_small_integers();
	test_wide_integers();
	test_floats();
	test_conversions();
	uint64_t result, operands[] = {0, 5, 6};
	EXPECT(ir_evaluate_op(IR_OP_select, type_of(IR_TYPE_i64), type_of(IR_TYPE_i64), operands, &result) ==
	           TRAP_NONE &&
	       result == 6);
	EXPECT(ir_evaluate_op(IR_OP_check_range, type_of(IR_TYPE_i64), type_of(IR_TYPE_void), operands, &result) ==
	       TRAP_NONE);
	operands[0] = 6;
	EXPECT(ir_evaluate_op(IR_OP_check_range, type_of(IR_TYPE_i64), type_of(IR_TYPE_void), operands, &result) ==
	       TRAP_RANGE);
}

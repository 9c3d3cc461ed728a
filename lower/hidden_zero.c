#include "lower/hidden_zero.h"

/* Bits 0 and 2 of a square, modulo 2^32 too, are not both set. What is squared has no factor that a compiler knows: in
 * native objects of Cone the grid is a multiple of the group, of at most 2^10 threads. */
struct ir_instruction *hidden_zero(struct ir_builder *b, const struct ir_type *type)
{
	struct ir_instruction *threads = ir_build_id(b, IR_OP_grid_size, 0);
	threads = ir_build_binary(b, IR_OP_ishr, threads, ir_build_int(b, threads->type, 10));
	struct ir_instruction *square = ir_build_binary(b, IR_OP_imul, threads, threads);
	struct ir_instruction *shifted = ir_build_binary(b, IR_OP_ishr, square, ir_build_int(b, square->type, 2));
	struct ir_instruction *both = ir_build_binary(b, IR_OP_band, square, shifted);
	struct ir_instruction *bit = ir_build_binary(b, IR_OP_band, both, ir_build_int(b, square->type, 1));
	return bit->type == type ? bit : ir_build_convert(b, IR_OP_convert, type, bit);
}

/* Types and their limits; regions, visits, numbers and uses. */
#include <stdio.h>
#include <string.h>

#include "ir/ir_text.h"
#include "ir/ir_verify.h"
#include "test/ir/test_ir.h"

static void test_layout(struct ir_module *m)
{
	const struct ir_type *byte = &ir_types[IR_TYPE_u8], *wide = &ir_types[IR_TYPE_f64];
	struct ir_field fields[] = {{"a", byte, 0}, {"b", wide, 0}, {"c", byte, 0}};
	const struct ir_type *mixed = ir_type_struct(m, "mixed", fields, 3);
	EXPECT(mixed->size == 24 && mixed->align == 8 && mixed->fields[1].offset == 8 && mixed->fields[2].offset == 16);
	struct ir_field vector[] = {{"v", ir_type_array(m, &ir_types[IR_TYPE_f32], 3), 0},
	                            {"w", &ir_types[IR_TYPE_bool], 0}};
	const struct ir_type *tight = ir_type_struct(m, "tight", vector, 2);
	EXPECT(tight->size == 16 && tight->align == 4 && tight->fields[1].offset == 12);
	EXPECT(ir_type_struct(m, "mixed", fields, 3) == mixed);
	EXPECT(!ir_type_struct(m, "mixed", fields, 2));
	EXPECT(ir_type_array(m, mixed, 4) == ir_type_array(m, mixed, 4));
	EXPECT(ir_type_array(m, mixed, 4) != ir_type_array(m, mixed, 5));
	EXPECT(ir_type_find_struct(m, "mixed") == mixed && !ir_type_find_struct(m, "other"));
}

void test_types(void)
{
	struct ir_module *m = ir_module_new();
	test_layout(m);
	EXPECT(!ir_type_array(m, &ir_types[IR_TYPE_void], 1));
	EXPECT(!ir_type_array(m, &ir_types[IR_TYPE_f32], 0));
	EXPECT(!ir_type_array(m, &ir_types[IR_TYPE_f32], UINT64_MAX));
	EXPECT(!ir_type_array(m, &ir_types[IR_TYPE_f64], UINT64_C(1) << 61));
	const struct ir_type *t = &ir_types[IR_TYPE_f32];
	for (int depth = 0; depth < IR_MAX_TYPE_DEPTH; depth++)
		t = ir_type_array(m, t, 1);
	EXPECT(t && t->depth == IR_MAX_TYPE_DEPTH && t->size == 4);
	EXPECT(!ir_type_array(m, t, 1));
	EXPECT(!ir_type_struct(m, "deep", &(struct ir_field){"a", t, 0}, 1));
	for (int kind = IR_TYPE_bool; kind < IR_TYPE_array; kind++)
		EXPECT(ir_canonical_bits(&ir_types[kind], ir_canonical_bits(&ir_types[kind], UINT64_MAX)) ==
		       ir_canonical_bits(&ir_types[kind], UINT64_MAX));
	EXPECT(ir_canonical_bits(&ir_types[IR_TYPE_i8], 0x80) == (uint64_t)-128);
	EXPECT(ir_canonical_bits(&ir_types[IR_TYPE_u8], 0x180) == 0x80);
	EXPECT(ir_canonical_bits(&ir_types[IR_TYPE_bool], 3) == 1);
	ir_module_free(m);
}

static bool stop_at_third(void *context, struct ir_instruction *i)
{
	(void)i;
	return ++*(int *)context < 3;
}

/* Numbers that are not dense print as the ones that ir_kernel_number gives. */
static void test_numbers_in_text(struct ir_module *m, struct ir_kernel *k)
{
	struct text sparse = {0}, dense = {0};
	ir_print(&sparse, m);
	ir_kernel_number(k);
	ir_print(&dense, m);
	EXPECT(strcmp(text_string(&sparse), text_string(&dense)) == 0);
	EXPECT(ir_verify(m, &sparse));
	text_free(&sparse);
	text_free(&dense);
}

void test_structure(void)
{
	struct ir_module *m = ir_module_new();
	struct ir_kernel *k = ir_kernel_new(m, "k");
	const struct ir_type *type = &ir_types[IR_TYPE_i64];
	EXPECT(ir_module_find(m, "k") == k && !ir_module_find(m, "j"));
	struct ir_builder b = {.kernel = k, .region = &k->body};
	struct ir_instruction *first = ir_build_int(&b, type, 1), *second = ir_build_int(&b, type, 2);
	struct ir_instruction *sum = ir_build_binary(&b, IR_OP_iadd, first, first);
	struct ir_instruction *loop = ir_build_for(&b, first, sum);
	struct ir_builder inside = ir_builder_enter(&b, loop, 0);
	struct ir_instruction *inner = ir_build_unary(&inside, IR_OP_ineg, first);
	EXPECT(ir_region_of(k, sum) == &k->body && ir_region_of(k, inner) == &loop->regions[0]);
	ir_replace_uses(k, first, second);
	EXPECT(sum->operands[0] == second && sum->operands[1] == second && inner->operands[0] == second);
	int visited = 0;
	EXPECT(!ir_visit_kernel(k, stop_at_third, &visited) && visited == 3);
	ir_unlink(&k->body, first);
	EXPECT(k->body.first == second && !second->previous);
	ir_insert(&k->body, sum, first);
	EXPECT(second->next == first && first->next == sum && sum->previous == first);
	ir_unlink(&k->body, first);
	ir_insert(&k->body, NULL, first);
	EXPECT(k->body.last == first && first->previous == loop);
	test_numbers_in_text(m, k);
	EXPECT(second->id == 0 && inner->id == 3 && first->id == 4 && k->next_id == 5);
	ir_module_free(m);
	ir_module_free(NULL);
}

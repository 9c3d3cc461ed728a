/* Rules of the verifier that text cannot break: links, numbers, types and rows. */
#include <string.h>

#include "ir/ir_verify.h"
#include "test/ir/test_ir.h"

/* A small sound kernel; each test breaks one thing of a fresh one. */
struct sample {
	struct ir_module *module;
	struct ir_kernel *kernel;
	struct ir_memory *buffer;
	struct ir_local *local;
	struct ir_instruction *id, *sum, *set, *loop, *exit, *branch, *inner, *store;
};

static struct sample sample_new(void)
{
	struct sample s = {.module = ir_module_new()};
	s.kernel = ir_kernel_new(s.module, "k");
	ir_add_scalar(s.kernel, "n", &ir_types[IR_TYPE_i64]);
	s.buffer = ir_add_buffer(s.kernel, "y", &ir_types[IR_TYPE_i64], true);
	s.local = ir_add_local(s.kernel, "l", &ir_types[IR_TYPE_i64]);
	struct ir_builder b = {.kernel = s.kernel, .region = &s.kernel->body};
	s.id = ir_build_id(&b, IR_OP_global_id, 0);
	s.sum = ir_build_binary(&b, IR_OP_iadd, s.id, s.id);
	s.set = ir_build_set(&b, s.local, s.sum);
	s.loop = ir_build_loop(&b);
	struct ir_builder inside = ir_builder_enter(&b, s.loop, 0);
	s.exit = ir_build_break(&inside, s.loop);
	s.branch = ir_build_if(&b, ir_build_binary(&b, IR_OP_lt, s.id, s.sum));
	inside = ir_builder_enter(&b, s.branch, 1);
	s.inner = ir_build_parameter(&inside, 0);
	struct ir_step step = {.index = s.id};
	s.store = ir_build_store(&b, s.buffer, &step, 1, s.sum);
	return s;
}

/* The first line that the verifier has to say ends in the sentence; NULL: it says nothing. */
static void expect_fault(struct sample *s, const char *sentence, int line)
{
	struct text faults = {0};
	bool sound = ir_verify(s->module, &faults);
	const char *got = text_string(&faults);
	bool as_expected = sound == !sentence && sound == (faults.length == 0);
	if (sentence && !sound) {
		size_t end = strcspn(got, "\n"), n = strlen(sentence);
		as_expected = as_expected && end >= n && memcmp(got + end - n, sentence, n) == 0;
	}
	test_expect(as_expected, __FILE__, line, faults.length ? got : "a fault");
	text_free(&faults);
	ir_module_free(s->module);
}

#define BREAK(change, sentence)                                                                                        \
	do {                                                                                                           \
		struct sample s = sample_new();                                                                        \
		change;                                                                                                \
		expect_fault(&s, sentence, __LINE__);                                                                  \
	} while (0)

static const char linked[] = "an instruction is linked to its neighbours and its parent";
static const char numbers[] = "instructions have different numbers, below the kernel's next";
static const char operands[] = "an operation has as many operands as its row says";
static const char regions[] = "if has two regions, for and loop have one, others none";
static const char result[] = "the result has the type that the operation's row says";

static void test_broken_links(void)
{
	BREAK((void)s, NULL);
	BREAK(s.sum->previous = NULL, linked);
	BREAK(s.exit->parent = NULL, linked);
	BREAK(s.exit->parent = s.branch, linked);
	BREAK(s.kernel->body.last = s.sum, "a region ends at its last instruction");
	BREAK(s.store->next = s.id, numbers); /* a ring */
	BREAK(s.exit->next = s.exit, numbers);
	BREAK(s.loop->regions[0].first = NULL, "a region ends at its last instruction");
	BREAK(s.loop->regions[0] = s.branch->regions[1], linked);
	BREAK(s.sum->id = s.id->id, numbers);
	BREAK(s.store->id = s.kernel->next_id, numbers);
}

static void test_broken_parts(void)
{
	BREAK(s.sum->operands[1] = NULL, operands);
	BREAK(s.sum->operands[2] = s.id, operands);
	BREAK(s.loop->regions[1] = s.branch->regions[1], regions);
	BREAK(s.sum->regions[0] = s.branch->regions[1], regions);
	BREAK(s.sum->op = IR_OP_COUNT, "an instruction has an operation and a type");
	BREAK(s.sum->type = NULL, "an instruction has an operation and a type");
	BREAK(s.inner->parameter = 7, "parameter names a scalar parameter of the kernel");
	BREAK(s.inner->parameter = 1, "parameter names a scalar parameter of the kernel");
	BREAK(s.set->local = NULL, "get and set name a local of the kernel");
	BREAK(s.local->index = 9, "get and set name a local of the kernel");
	BREAK(s.store->base = NULL, "a place starts at a memory of the kernel");
	struct ir_memory other = {
	    .kind = IR_MEMORY_BUFFER, .name = "o", .type = &ir_types[IR_TYPE_i64], .writable = true};
	BREAK(s.store->base = &other, "a place starts at a memory of the kernel");
	BREAK(s.exit->target = NULL, "the target is a for or loop around it");
}

static void test_broken_types(void)
{
	BREAK(s.sum->type = &ir_types[IR_TYPE_i32], result);
	BREAK(s.inner->type = &ir_types[IR_TYPE_i32], result);
	BREAK(s.loop->type = &ir_types[IR_TYPE_i32], result);
	BREAK(s.kernel->axes = 0, "a grid has 1 to 3 axes");
	BREAK(s.kernel->axes = 4, "a grid has 1 to 3 axes");
	BREAK(s.kernel->group[2] = 2,
	      "a group has 1 to 1024 threads on each axis and in all, and 1 on an axis not used");
	BREAK(s.kernel->parameters[0].type = ir_type_array(s.module, &ir_types[IR_TYPE_i8], 2),
	      "a scalar parameter has a scalar type");
	BREAK(s.kernel->parameters[1].type = &ir_types[IR_TYPE_i8],
	      "a buffer or value parameter has a memory of its name, type and number");
	BREAK(ir_kernel_new(s.module, "k"), "two kernels have this name");
}

/* A value taken out of its region is visible nowhere, also when another has its number. */
static void test_unlinked(void)
{
	struct sample s = sample_new();
	struct ir_builder b = {.kernel = s.kernel, .region = &s.kernel->body};
	struct ir_instruction *gone = ir_build_const(&b, &ir_types[IR_TYPE_i64], 1);
	ir_unlink(&s.kernel->body, gone);
	gone->id = s.id->id;
	s.sum->operands[0] = gone;
	expect_fault(&s, "an operand is a value defined before, in the same region or one around it", __LINE__);
}

static void nest(struct sample *s, int depth)
{
	struct ir_builder b = {.kernel = s->kernel, .region = &s->kernel->body};
	for (int n = 0; n < depth; n++) {
		struct ir_instruction *i = ir_build_if(&b, ir_build_const(&b, &ir_types[IR_TYPE_bool], 1));
		struct ir_builder otherwise = ir_builder_enter(&b, i, 1);
		ir_build_const(&otherwise, &ir_types[IR_TYPE_i64], 1);
		b = ir_builder_enter(&b, i, 0);
	}
	ir_build_return(&b);
}

void test_links(void)
{
	test_broken_links();
	test_broken_parts();
	test_broken_types();
	test_unlinked();
	BREAK(nest(&s, IR_MAX_NESTING), NULL);
	BREAK(nest(&s, IR_MAX_NESTING + 1), "control is not nested deeper than 1000");
}

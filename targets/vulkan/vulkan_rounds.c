/* Loops that the device may end early (IR_HAZARD_ROUNDS): lavapipe lets a thread do 65,535 rounds in all, then ends
 * every loop after a round without a word. So a thread counts the loops that it is in: up before each, down on every
 * way out of it. Where it is in none and the count is not 0, one was cut, and the thread fails as inexact.
 *
 * The count must not be a value that the driver's compiler follows, for by the program's own logic it is always right:
 * it lies in an array, at an index that is always 0 without the compiler's knowing.
 *
 * Without a mask nothing else says which threads did, and another failure may be the one that is described: bit 31 of
 * the count of failures says that some were. */
#include "ir/hazard.h"
#include "ir/ir_analysis.h"
#include "targets/vulkan/vulkan_writer.h"

bool vulkan_rounds_needed(const struct vulkan_form *form, const struct ir_kernel *k)
{
	return form->hazards & IR_HAZARD_ROUNDS && ir_has_rounds(k);
}

void vulkan_rounds_start(struct vulkan_writer *w)
{
	enum { COUNTS = 4 };
	struct vulkan_module *m = w->module;
	if (!vulkan_rounds_needed(m->form, w->kernel))
		return;
	uint32_t word = vulkan_int(m, 32), type = VULKAN_TYPE(m, SpvOpTypeArray, word, vulkan_u32(m, COUNTS));
	uint32_t counts = vulkan_local(w, type, vulkan_null(m, type), "rounds");
	uint32_t index = vulkan_hidden_index(w);
	w->rounds = vulkan_access(w, SpvStorageClassFunction, word, counts, &index, 1);
}

static void add(struct vulkan_writer *w, SpvOp op)
{
	uint32_t count = vulkan_load_variable(w, vulkan_int(w->module, 32), w->rounds);
	VULKAN_DO(w, SpvOpStore, w->rounds, vulkan_word(w, op, count, vulkan_u32(w->module, 1)));
}

void vulkan_rounds_enter(struct vulkan_writer *w)
{
	if (w->rounds)
		add(w, SpvOpIAdd);
}

void vulkan_rounds_leave(struct vulkan_writer *w)
{
	if (w->rounds && !w->ended)
		add(w, SpvOpISub);
}

void vulkan_rounds_check(struct vulkan_writer *w, const struct ir_instruction *loop)
{
	if (!w->rounds)
		return;
	uint32_t count = vulkan_load_variable(w, vulkan_int(w->module, 32), w->rounds);
	vulkan_require(w, loop, TRAP_INEXACT, vulkan_test(w, SpvOpIEqual, count, vulkan_u32(w->module, 0)), 0);
}

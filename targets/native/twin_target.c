#include "targets/native/twin_target.h"

#include <string.h>

#include "lower/llvm/compilation.h"
#include "lower/llvm/lowering.h"
#include "lower/pipeline.h"
#include "targets/entry_name.h"
#include "targets/native/native_environment.h"
#include "targets/native/native_target.h"
#include "targets/native/twin_support.h"

static void twin_name(const struct ir_kernel *k, struct text *out)
{
	entry_name("twin", k, out);
}

static void mark_entry(struct lowering *l, LLVMValueRef exported)
{
	(void)l, (void)exported; /* a global symbol as it is */
}

static const struct machine twin_machine = {
    .mode = MACHINE_INVOCATION,
    .overflow_intrinsics = true,
    .entry_name = twin_name,
    .mark_entry = mark_entry,
    .failed = twin_support_failed,
    .barrier = twin_support_barrier,
};

struct twin_work {
	const struct ir_module *module;
	const struct target_options *options;
	struct text *out;
};

static bool work(struct compilation *c, void *context)
{
	struct twin_work *w = context;
	struct ir_module *copy = pipeline_invocation(w->module, c->error);
	/* Unoptimized code would not fit the fibers' stacks (runtime/twin_program.c). */
	bool ok = copy && native_set_target(c, w->options, LLVMCodeGenLevelAggressive);
	if (ok) {
		twin_support_add(c->module);
		ok = lower_llvm(&twin_machine, copy, c->module, c->error);
		native_environment_add(c->module);
		ok = ok && compilation_optimise(c, w->options->optimize ? "default<O3>" : "") &&
		     compilation_emit(c, LLVMObjectFile, w->out);
	}
	ir_module_free(copy);
	return ok;
}

bool twin_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
               struct text *error)
{
	struct twin_work w = {module, options, out};
	return compilation_run("sspur", false, work, &w, error);
}

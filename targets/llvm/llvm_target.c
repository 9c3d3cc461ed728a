#include "targets/llvm/llvm_target.h"

#include "targets/native/native_target.h"

struct llvm_work {
	const struct ir_module *module;
	const struct target_options *options;
	struct text *out;
};

static bool work(struct compilation *c, void *context)
{
	struct llvm_work *w = context;
	if (!native_build(c, w->module, w->options))
		return false;
	compilation_print(c, w->out);
	return true;
}

bool llvm_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
               struct text *error)
{
	struct llvm_work w = {module, options, out};
	return compilation_run("sspur", false, work, &w, error);
}

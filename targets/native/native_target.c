#include "targets/native/native_target.h"

#include <llvm-c/Target.h>
#include <pthread.h>
#include <string.h>

#include "lower/llvm/lowering.h"
#include "lower/llvm/machine.h"
#include "targets/entry_name.h"
#include "targets/native_abi.h"

static void native_name(const struct ir_kernel *k, struct text *out)
{
	entry_name("native", k, out);
}

static void native_workspace_name(const struct ir_kernel *k, struct text *out)
{
	native_name(k, out);
	out->length -= strlen(NATIVE_SEQUENTIAL_SUFFIX);
	text_add(out, NATIVE_WORKSPACE_SUFFIX);
}

static void mark_entry(struct lowering *l, LLVMValueRef exported)
{
	(void)l;
	LLVMSetVisibility(exported, LLVMHiddenVisibility);
}

static const struct machine native_machine = {
    .mode = MACHINE_SEQUENTIAL,
    .overflow_intrinsics = true,
    .entry_name = native_name,
    .mark_entry = mark_entry,
    .workspace_name = native_workspace_name,
};

static void initialize(void)
{
	LLVMInitializeNativeTarget();
	LLVMInitializeNativeAsmPrinter();
}

bool native_build(struct compilation *c, const struct ir_module *module, const struct target_options *options)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, initialize);
	char *triple = LLVMGetDefaultTargetTriple();
	char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
	bool host = !options->cpu;
	bool ok = compilation_set_target(c, triple, host ? cpu : options->cpu, host ? features : "") &&
	          lower_llvm(&native_machine, module, c->module, c->error) &&
	          compilation_optimise(c, options->optimize ? "default<O3>" : "");
	LLVMDisposeMessage(triple);
	LLVMDisposeMessage(cpu);
	LLVMDisposeMessage(features);
	return ok;
}

struct native_work {
	const struct ir_module *module;
	const struct target_options *options;
	struct text *out;
};

static bool work(struct compilation *c, void *context)
{
	struct native_work *w = context;
	return native_build(c, w->module, w->options) && compilation_emit(c, LLVMObjectFile, w->out);
}

bool native_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                 struct text *error)
{
	struct native_work w = {module, options, out};
	return compilation_run("sspur", false, work, &w, error);
}

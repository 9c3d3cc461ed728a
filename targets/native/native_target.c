#include "targets/native/native_target.h"

#include <llvm-c/Target.h>
#include <pthread.h>
#include <string.h>

#include "lower/llvm/lowering.h"
#include "lower/llvm/machine.h"
#include "lower/pipeline.h"
#include "targets/entry_name.h"
#include "targets/native/native_environment.h"
#include "targets/native_abi.h"

static void native_name(const struct ir_kernel *k, struct text *out)
{
	entry_name("native", k, out);
}

static void name_with(const struct ir_kernel *k, const char *suffix, struct text *out)
{
	native_name(k, out);
	out->length -= strlen(NATIVE_SEQUENTIAL_SUFFIX);
	text_add(out, suffix);
}

static void native_workspace_name(const struct ir_kernel *k, struct text *out)
{
	name_with(k, NATIVE_WORKSPACE_SUFFIX, out);
}

static void native_lanes_name(const struct ir_kernel *k, struct text *out)
{
	name_with(k, NATIVE_LANES_SUFFIX, out);
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
    .lanes_name = native_lanes_name,
};

/* Two vectors of 32-bit values, so that one sum need not wait for the one before it. */
static unsigned lanes_of(const char *features)
{
	return strstr(features, "+avx512dq") ? NATIVE_LANES_MOST : strstr(features, "+avx2") ? 16 : 8;
}

static void initialize(void)
{
	LLVMInitializeNativeTarget();
	LLVMInitializeNativeAsmPrinter();
}

bool native_set_target(struct compilation *c, const struct target_options *options, LLVMCodeGenOptLevel level)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, initialize);
	char *triple = LLVMGetDefaultTargetTriple();
	char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
	bool host = !options->cpu;
	bool ok = compilation_set_target(c, triple, host ? cpu : options->cpu, host ? features : "", level);
	LLVMDisposeMessage(triple);
	LLVMDisposeMessage(cpu);
	LLVMDisposeMessage(features);
	return ok;
}

static bool build(struct compilation *c, const struct ir_module *module, const struct target_options *options)
{
	LLVMCodeGenOptLevel level = options->optimize ? LLVMCodeGenLevelAggressive : LLVMCodeGenLevelNone;
	if (!native_set_target(c, options, level))
		return false;
	char *features = LLVMGetTargetMachineFeatureString(c->target);
	struct machine machine = native_machine;
	machine.lanes = options->ordered_only ? 0 : lanes_of(features);
	LLVMDisposeMessage(features);
	if (!lower_llvm(&machine, module, c->module, c->error))
		return false;
	native_environment_add(c->module);
	return compilation_optimise(c, options->optimize ? "default<O3>" : "");
}

bool native_build(struct compilation *c, const struct ir_module *module, const struct target_options *options)
{
	bool variants = !options->ordered_only && !options->checked_only;
	struct ir_module *copy = pipeline_native(module, variants, c->error);
	bool ok = copy && build(c, copy, options);
	ir_module_free(copy);
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

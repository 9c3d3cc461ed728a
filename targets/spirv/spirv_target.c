#include "targets/spirv/spirv_target.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lower/llvm/compilation.h"
#include "lower/pipeline.h"
#include "targets/spirv/spirv_machine.h"

#ifdef SSPUR_SPIRV_BACKEND

const char *sspur_compiler_version(void)
{
	return "LLVM " LLVM_VERSION_STRING;
}

static void initialize(void)
{
	LLVMInitializeSPIRVTargetInfo();
	LLVMInitializeSPIRVTarget();
	LLVMInitializeSPIRVTargetMC();
	LLVMInitializeSPIRVAsmPrinter();
}

static bool set_target(struct compilation *c)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, initialize);
	return compilation_set_target(c, "spirv64v1.1-unknown-unknown", "", "", LLVMCodeGenLevelAggressive);
}

static bool write_module(struct compilation *c, struct text *out)
{
	return compilation_emit(c, LLVMObjectFile, out);
}

bool sspur_compiler_spirv_to_bitcode(const void *spirv, size_t size, struct text *out, struct text *error)
{
	(void)spirv;
	(void)size;
	(void)out;
	text_add(error, "this build has no SPIR-V translator: the device must take SPIR-V itself");
	return false;
}

#else

#include "targets/spirv/translator_shim.h"

#define SPIRV_VERSION 0x00010100

/* The translator has LLVM's major version. */
const char *sspur_compiler_version(void)
{
	return "LLVM " LLVM_VERSION_STRING ", SPIRV-LLVM-Translator";
}

static bool set_target(struct compilation *c)
{
	LLVMSetTarget(c->module, "spir64-unknown-unknown");
	LLVMSetDataLayout(c->module,
	                  "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024");
	return true;
}

static bool translator_failed(struct text *error, char *message)
{
	text_add_format(error, "SPIR-V translator: %.*s", (int)strcspn(message, "\n"), message);
	free(message);
	return false;
}

static bool write_module(struct compilation *c, struct text *out)
{
	char *bytes, *message;
	size_t size;
	if (translator_write(c->module, SPIRV_VERSION, &bytes, &size, &message))
		return translator_failed(c->error, message);
	text_add_n(out, bytes, size);
	free(bytes);
	return true;
}

struct read_work {
	const void *spirv;
	size_t size;
	struct text *out;
};

/* The translator ends the process over a module that is not whole. Its instructions hold their lengths. */
static bool is_whole(const void *spirv, size_t size)
{
	const uint32_t *words = spirv;
	size_t count = size / 4, n = 5;
	if (size % 4 || count < n || words[0] != 0x07230203)
		return false;
	while (n < count) {
		size_t length = words[n] >> 16;
		if (!length || length > count - n)
			return false;
		n += length;
	}
	return true;
}

/* PoCL 3.1 has no `mem_fence`, which the translator makes of OpMemoryBarrier. */
static void define_fence(LLVMContextRef context, LLVMModuleRef module)
{
	LLVMValueRef function = LLVMGetNamedFunction(module, "_Z9mem_fencej");
	if (!function)
		return;
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
	LLVMBuildFence(builder, LLVMAtomicOrderingAcquireRelease, false, "");
	LLVMBuildRetVoid(builder);
	LLVMDisposeBuilder(builder);
	LLVMSetLinkage(function, LLVMInternalLinkage);
}

static bool read_module(struct compilation *c, void *context)
{
	struct read_work *w = context;
	LLVMModuleRef module;
	char *message;
	if (translator_read(c->context, w->spirv, w->size, &module, &message))
		return translator_failed(c->error, message);
	define_fence(c->context, module);
	LLVMMemoryBufferRef buffer = LLVMWriteBitcodeToMemoryBuffer(module);
	text_add_n(w->out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
	LLVMDisposeMemoryBuffer(buffer);
	LLVMDisposeModule(module);
	return true;
}

bool sspur_compiler_spirv_to_bitcode(const void *spirv, size_t size, struct text *out, struct text *error)
{
	struct read_work w = {spirv, size, out};
	if (!is_whole(spirv, size)) {
		text_add(error, "not a SPIR-V module");
		return false;
	}
	return compilation_run("spirv", true, read_module, &w, error);
}

#endif

/* No instruction combining: it makes intrinsics that the translator refuses. */
static const char passes[] = "function(sroa,early-cse,simplifycfg)";

struct spirv_work {
	const struct ir_module *module;
	const struct target_options *options;
	struct text *out;
};

static bool work(struct compilation *c, void *context)
{
	struct spirv_work *w = context;
	if (!set_target(c) || !lower_llvm(&spirv_machine, w->module, c->module, c->error))
		return false;
	spirv_mark_module(c->module);
	if (!compilation_optimise(c, w->options->optimize ? passes : ""))
		return false;
	spirv_remove_freezes(c->module);
	spirv_order_blocks(c->module);
	return write_module(c, w->out);
}

bool spirv_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                struct text *error)
{
	struct ir_module *copy = pipeline_thread_hidden(module, options->hazards, !options->checked_only, error);
	if (!copy)
		return false;
	struct spirv_work w = {copy, options, out};
	bool ok = compilation_run("sspur", true, work, &w, error);
	ir_module_free(copy);
	return ok;
}

bool bitcode_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
                  struct text *error)
{
	struct text spirv = {0};
	bool ok = spirv_emit(module, options, &spirv, error) &&
	          sspur_compiler_spirv_to_bitcode(spirv.data, spirv.length, out, error);
	text_free(&spirv);
	return ok;
}

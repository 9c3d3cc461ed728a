#include "targets/nvptx/ptx_target.h"

#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <string.h>

#include "lower/llvm/compilation.h"
#include "lower/llvm/lowering.h"
#include "lower/pipeline.h"
#include "targets/entry_name.h"
#include "targets/nvptx/ptx_rotations.h"

enum { PTX_KERNEL = 71, SPACE_GLOBAL = 1, SPACE_SHARED = 3 };

/* An unknown name is no error to LLVM: it would silently write `.target sm_90` into PTX 3.2. */
static const struct {
	const char *name;
	unsigned since; /* LLVM */
} processors[] = {
    {"sm_70", 15}, {"sm_72", 15}, {"sm_75", 15}, {"sm_80", 15},  {"sm_86", 15},
    {"sm_87", 16}, {"sm_89", 16}, {"sm_90", 16}, {"sm_100", 20}, {"sm_120", 20},
};

static void ptx_name(const struct ir_kernel *k, struct text *out)
{
	entry_name("ptx", k, out);
}

static LLVMValueRef special_register(struct lowering *l, const char *name, unsigned axis)
{
	const char *full = arena_format(l->arena, "llvm.nvvm.read.ptx.sreg.%s.%c", name, "xyz"[axis]);
	return LLVMBuildZExt(l->builder, lowering_intrinsic(l, full, NULL, NULL, 0), lowering_int(l, 64), "");
}

static LLVMValueRef local_id(struct lowering *l, unsigned axis)
{
	return special_register(l, "tid", axis);
}

static LLVMValueRef group_id(struct lowering *l, unsigned axis)
{
	return special_register(l, "ctaid", axis);
}

static void fence(struct lowering *l, enum ir_scope scope)
{
	lowering_intrinsic(l, scope == IR_SCOPE_DEVICE ? "llvm.nvvm.membar.gl" : "llvm.nvvm.membar.cta", NULL, NULL, 0);
}

/* `bar.sync 0` for both kinds: it orders shared and global memory. LLVM has renamed the intrinsic. */
static void barrier(struct lowering *l, enum ir_barrier kind)
{
	static const char old[] = "llvm.nvvm.barrier0", later[] = "llvm.nvvm.barrier.cta.sync.aligned.all";
	(void)kind;
	LLVMValueRef number = lowering_i32(l, 0);
	bool is_old = LLVMLookupIntrinsicID(old, strlen(old)) != 0;
	lowering_mark_barrier(l, lowering_intrinsic(l, is_old ? old : later, NULL, &number, is_old ? 0 : 1));
}

static LLVMMetadataRef number(struct lowering *l, uint32_t v)
{
	return LLVMValueAsMetadata(lowering_i32(l, v));
}

static LLVMMetadataRef string(struct lowering *l, const char *s)
{
	return LLVMMDStringInContext2(l->context, s, strlen(s));
}

/* The group's size as .maxntid: LLVM reads it from an annotation up to 20, from an attribute later. */
static void mark_entry(struct lowering *l, LLVMValueRef function)
{
	static const char attribute[] = "nvvm.maxntid";
	const uint32_t *group = l->kernel->group;
	LLVMMetadataRef parts[] = {
	    LLVMValueAsMetadata(function), string(l, "maxntidx"), number(l, group[0]), string(l, "maxntidy"),
	    number(l, group[1]),           string(l, "maxntidz"), number(l, group[2]),
	};
	LLVMMetadataRef node = LLVMMDNodeInContext2(l->context, parts, sizeof parts / sizeof *parts);
	LLVMAddNamedMetadataOperand(l->module, "nvvm.annotations", LLVMMetadataAsValue(l->context, node));
	const char *size = arena_format(l->arena, "%u,%u,%u", group[0], group[1], group[2]);
	LLVMAddAttributeAtIndex(
	    function, LLVMAttributeFunctionIndex,
	    LLVMCreateStringAttribute(l->context, attribute, strlen(attribute), size, (unsigned)strlen(size)));
}

static const struct machine ptx_machine = {
    .mode = MACHINE_THREAD,
    .global_space = SPACE_GLOBAL,
    .table_space = SPACE_GLOBAL,
    .shared_space = SPACE_SHARED,
    .convention = PTX_KERNEL,
    .lines = true,
    .unrolls = true,
    .overflow_intrinsics = true,
    .entry_name = ptx_name,
    .local_id = local_id,
    .group_id = group_id,
    .barrier = barrier,
    .fence = fence,
    .mark_entry = mark_entry,
};

static void initialize(void)
{
	LLVMInitializeNVPTXTargetInfo();
	LLVMInitializeNVPTXTarget();
	LLVMInitializeNVPTXTargetMC();
	LLVMInitializeNVPTXAsmPrinter();
}

struct ptx_work {
	const struct ir_module *module;
	const struct target_options *options;
	const char *processor;
	struct text *out;
};

static bool work(struct compilation *c, void *context)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct ptx_work *w = context;
	pthread_once(&once, initialize);
	struct text ptx = {0};
	bool ok = compilation_set_target(c, "nvptx64-nvidia-cuda", w->processor, "", LLVMCodeGenLevelAggressive) &&
	          lower_llvm(&ptx_machine, w->module, c->module, c->error) &&
	          compilation_optimise(c, w->options->optimize ? "default<O2>" : "") &&
	          compilation_emit(c, LLVMAssemblyFile, &ptx);
	if (ok)
		ptx_mask_rotations(text_string(&ptx), w->out);
	text_free(&ptx);
	return ok;
}

static bool processor_known(const char *name)
{
	for (size_t n = 0; n < sizeof processors / sizeof *processors; n++)
		if (strcmp(processors[n].name, name) == 0)
			return processors[n].since <= LLVM_VERSION_MAJOR;
	return false;
}

bool ptx_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
              struct text *error)
{
	const char *processor = options->cpu ? options->cpu : "sm_70";
	if (!processor_known(processor)) {
		text_add_format(error, "ptx: LLVM %d has no processor `%s`", LLVM_VERSION_MAJOR, processor);
		return false;
	}
	struct ir_module *copy = pipeline_thread_hidden(module, options->hazards, !options->checked_only, error);
	if (!copy)
		return false;
	struct ptx_work w = {copy, options, processor, out};
	bool ok = compilation_run("sspur", false, work, &w, error);
	ir_module_free(copy);
	return ok;
}

/* One LLVM context at work: module, target machine, passes, bytes; LLVM's errors become messages. */
#ifndef SSPUR_LOWER_LLVM_COMPILATION_H
#define SSPUR_LOWER_LLVM_COMPILATION_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "utils/base/text.h"

struct compilation {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMTargetMachineRef target; /* NULL until compilation_set_target */
	struct text *error;          /* one line */
	bool failed;                 /* LLVM reported an error */
};

/* Runs `work` with a context and an empty module of the given name. False with one line in *error if `work` answers
 * false or LLVM reports an error, a fatal one included. Any number may run at once. `typed_pointers`: what the
 * SPIR-V translator of LLVM 15 and 16 needs; no effect later. */
bool compilation_run(const char *name, bool typed_pointers, bool (*work)(struct compilation *c, void *context),
                     void *context, struct text *error);

/* Makes the target machine, with a code generator of that level; sets the module's triple and data layout. */
bool compilation_set_target(struct compilation *c, const char *triple, const char *cpu, const char *features,
                            LLVMCodeGenOptLevel level);
/* Verifies, runs the passes (LLVM's pipeline text; "": none), and verifies again. */
bool compilation_optimise(struct compilation *c, const char *passes);
bool compilation_emit(struct compilation *c, LLVMCodeGenFileType type, struct text *out);
/* The module as LLVM IR text. */
void compilation_print(struct compilation *c, struct text *out);

#endif

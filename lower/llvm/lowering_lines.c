/* Source lines of instructions, for a machine whose artifacts can hold them. */
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "lower/llvm/lowering.h"

/* LLVM's DebugDirectivesOnly, which its C enumeration lacks: `.file` and `.loc`, and no sections for a debugger. */
enum { DIRECTIVES_ONLY = 3 };

/* PTX has no escapes in the string of `.file`. */
static bool can_be_written(const char *name)
{
	for (; name && *name; name++)
		if (*name == '"' || *name == '\\' || (unsigned char)*name < ' ')
			return false;
	return name != NULL;
}

LLVMDIBuilderRef lowering_lines_begin(const struct machine *machine, const struct ir_module *module, LLVMModuleRef llvm)
{
	const char *name = module->kernel_count ? module->kernels[0]->file : NULL;
	if (!machine->lines || !can_be_written(name))
		return NULL;
	LLVMContextRef context = LLVMGetModuleContext(llvm);
	LLVMValueRef version = LLVMConstInt(LLVMInt32TypeInContext(context), LLVMDebugMetadataVersion(), false);
	LLVMAddModuleFlag(llvm, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18, LLVMValueAsMetadata(version));
	LLVMDIBuilderRef lines = LLVMCreateDIBuilder(llvm);
	LLVMMetadataRef file = LLVMDIBuilderCreateFile(lines, name, strlen(name), "", 0);
	LLVMDIBuilderCreateCompileUnit(lines, LLVMDWARFSourceLanguageC, file, "sspur", 5, true, "", 0, 0, "", 0,
	                               (LLVMDWARFEmissionKind)DIRECTIVES_ONLY, 0, false, false, "", 0, "", 0);
	return lines;
}

void lowering_lines_kernel(struct lowering *l)
{
	LLVMDIBuilderRef lines = l->lines;
	const struct ir_kernel *k = l->kernel;
	if (!lines || !can_be_written(k->file))
		return;
	LLVMMetadataRef file = LLVMDIBuilderCreateFile(lines, k->file, strlen(k->file), "", 0);
	LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(lines, file, NULL, 0, LLVMDIFlagZero);
	l->scope = LLVMDIBuilderCreateFunction(lines, file, k->name, strlen(k->name), k->name, strlen(k->name), file,
	                                       k->place.line, type, false, true, k->place.line, LLVMDIFlagZero, true);
	LLVMSetSubprogram(l->function, l->scope);
	lowering_locate(l, k->place);
}

void lowering_lines_end(LLVMDIBuilderRef lines)
{
	if (!lines)
		return;
	LLVMDIBuilderFinalize(lines);
	LLVMDisposeDIBuilder(lines);
}

void lowering_locate(struct lowering *l, struct place place)
{
	if (!l->scope || !place.line)
		return;
	LLVMSetCurrentDebugLocation2(
	    l->builder, LLVMDIBuilderCreateDebugLocation(l->context, place.line, place.column, l->scope, NULL));
}

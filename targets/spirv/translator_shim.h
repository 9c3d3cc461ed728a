/* The SPIR-V translator's C++ interface, in C. Results are malloc'ed. */
#ifndef SSPUR_TARGETS_SPIRV_TRANSLATOR_SHIM_H
#define SSPUR_TARGETS_SPIRV_TRANSLATOR_SHIM_H

#include <llvm-c/Core.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes the module. `version` is SPIR-V's, 0x00010100 for 1.1. 0, or 1 with *error. */
int translator_write(LLVMModuleRef module, unsigned version, char **bytes, size_t *size, char **error);
/* LLVM 15 and 16: the context must have typed pointers. 0, or 1 with *error. */
int translator_read(LLVMContextRef context, const void *bytes, size_t size, LLVMModuleRef *module, char **error);

#ifdef __cplusplus
}
#endif

#endif

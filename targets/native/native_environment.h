/* Functions of native objects that compute the same in every floating-point environment of their caller. */
#ifndef SSPUR_TARGETS_NATIVE_ENVIRONMENT_H
#define SSPUR_TARGETS_NATIVE_ENVIRONMENT_H

#include <llvm-c/Core.h>

/* Around each function that the lowered module exports, if there are floats in it: one of its name that sets the usual
 * environment, if it is another, calls it, and sets what was. Sticky flags are raised as any function of C raises them,
 * unless the environment was another: then they stay as they were. x86-64; elsewhere nothing. */
void native_environment_add(LLVMModuleRef module);

#endif

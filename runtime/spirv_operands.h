/* Which words of a SPIR-V instruction are ids. */
#ifndef SSPUR_RUNTIME_SPIRV_OPERANDS_H
#define SSPUR_RUNTIME_SPIRV_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

/* Calls `see` with the place, from 1 on, of each word of the instruction that is an id, its result among them. False:
 * the operation is not one of those known here, and `see` was called with every word. */
bool spirv_ids(const uint32_t *instruction, uint32_t length, void (*see)(void *context, uint32_t at), void *context);

#endif

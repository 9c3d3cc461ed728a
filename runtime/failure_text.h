/* What a status record says of a kernel that records failures, in words. */
#ifndef SSPUR_RUNTIME_FAILURE_TEXT_H
#define SSPUR_RUNTIME_FAILURE_TEXT_H

#include "ir/ir.h"

/* The name of the file with this id in the kernel's module; `path` where it lists none and the kernel names none. */
const char *failure_file(const struct ir_kernel *k, uint32_t file, const char *path);
/* What a record (docs/abi.md) of which nothing else is known says of the invocation that it describes: an index has the
 * limit -1. */
struct kernel_trap failure_of_record(const struct ir_kernel *k, const uint32_t words[8]);
/* The other way: the record of a launch in which so many threads failed, of which this is told. */
void failure_to_record(const struct ir_kernel *k, const struct kernel_trap *trap, uint64_t failed, uint32_t words[8]);
/* `kernels.cone:37: index 165 past the end of 128, invocation (37, 0, 0), 1 failed`: `failed` of them, one being
 * `trap`. */
void failure_text(struct text *out, const struct ir_kernel *k, const struct kernel_trap *trap, uint32_t failed,
                  const char *path);

#endif

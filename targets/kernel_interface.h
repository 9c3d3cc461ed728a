/* The launch interface of a kernel, flattened: one entry an argument, in the order of the device ABI (docs/abi.md).
 * The reflection file and the C header are both printed from it. */
#ifndef SSPUR_TARGETS_KERNEL_INTERFACE_H
#define SSPUR_TARGETS_KERNEL_INTERFACE_H

#include "ir/ir.h"
#include "targets/targets.h"

struct interface_argument {
	const char *name;                     /* "x", "x_length", "n", "first_group", "status", "mask"; arena */
	const char *type;                     /* "f32", ..., "bool" (as 32 bits), "address", "u64" */
	uint32_t size, offset;                /* bytes, in the packed struct; each is aligned to its size */
	const struct ir_parameter *parameter; /* NULL for what is not in the source */
};

struct kernel_interface {
	struct interface_argument *arguments;
	uint32_t count;
	uint32_t size;         /* of the packed struct, a multiple of 8 */
	bool uses_f64;         /* the device must have 64-bit floats */
	bool grouped;          /* threads of a group share memory or meet at barriers (ir/ir.h) */
	uint32_t shared_bytes; /* of a group */
};

struct kernel_interface kernel_interface_make(const struct ir_kernel *k, struct arena *arena);
/* Whether an artifact of this target was written. */
bool artifact_find(const struct artifact_file *files, const char *target);
/* Why the file does not have the kernel; NULL: it does. */
const char *artifact_lacks(const struct artifact_file *f, const struct ir_kernel *k);
/* Whether an artifact of this target (NULL: any) was written that has the kernel. */
bool artifact_has(const struct artifact_file *files, const char *target, const struct ir_kernel *k);
/* The module with these kernels alone, which stay the module's own. */
struct ir_module artifact_module(const struct artifact_file *files, const char *target, const struct ir_module *m,
                                 struct arena *arena);
/* NAME.json */
void reflection_print(const struct ir_module *m, const struct artifact_file *files, struct text *out);
/* NAME.h */
void header_print(const struct ir_module *m, const struct artifact_file *files, struct text *out);

#endif

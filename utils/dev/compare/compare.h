/* Parts of the developer tool `kernel-compare`: kernels in .kir files on a device against the interpreter. */
#ifndef SSPUR_DEV_COMPARE_H
#define SSPUR_DEV_COMPARE_H

#include "ir/ir.h"
#include "ir/ir_interpreter.h"
#include "ir/ir_variant.h"
#include "targets/targets.h"
#include "utils/base/text.h"

/* The compiler module, opened at run time. */
struct compare_compiler {
	bool (*emit)(const char *target, const struct ir_module *module, const struct target_options *options,
	             struct text *out, struct text *error);
	bool (*to_bitcode)(const void *spirv, size_t size, struct text *out, struct text *error);
};
bool compare_compiler_open(struct compare_compiler *c, struct text *error);

/* One launch: arguments and what the interpreter says of it. */
struct compare_case {
	const struct ir_kernel *kernel;
	struct ir_argument *arguments; /* one a parameter; `data` of buffers is the state before */
	void **expected;               /* one a parameter: the state after */
	uint64_t extents[3], total;
	bool grouped; /* groups run as wholes, and at most the first trap of a kernel that stops is known */
	bool inexact; /* a device may flag sums of floats (spec/sspur.md 1.6) */
	struct kernel_trap *traps; /* in thread order; of a grouped kernel in the order of its lockstep */
	uint64_t *trap_threads;    /* linear indices, in thread order */
	uint64_t trap_count;
	bool fits; /* whole groups, and an element a thread in every buffer: few checks fail */
	bool with_mask;
	enum kernel_variant variant; /* the function to run, which has neither status nor mask if it is a variant */
};

/* What a device left. */
struct compare_result {
	void **buffers;            /* one a parameter; NULL for scalars */
	uint32_t status[8];        /* GPU form */
	uint32_t *mask;            /* GPU form; NULL without one */
	struct kernel_trap *traps; /* native form, as struct compare_case; of a grouped kernel the first alone */
	uint64_t trap_count;
	bool first_alone; /* of the traps, only the first is known */
	bool skipped;     /* the launch is none that the device runs */
};

/* How a kernel runs. `open` once a module; messages are one line. */
struct compare_device {
	const char *name;
	bool gpu;
	/* `artifact` NULL: compile. */
	bool (*open)(const struct ir_module *m, const struct compare_compiler *c, const struct target_options *options,
	             const struct text *artifact, struct text *error);
	bool (*run)(const struct compare_case *c, struct compare_result *r, struct text *error);
	void (*close)(void);
};
extern const struct compare_device compare_native, compare_lanes, compare_proved, compare_opencl, compare_opencl_c,
    compare_cuda, compare_vulkan, compare_metal;

/* The launch arguments of the device ABI (design, Device ABI) but for addresses, which the device fills in. */
enum compare_value_kind { COMPARE_BITS, COMPARE_BUFFER, COMPARE_FIRST_GROUP, COMPARE_STATUS, COMPARE_MASK };
struct compare_value {
	enum compare_value_kind kind;
	uint64_t bits;
	uint32_t size, index; /* index: the parameter of a BUFFER, the axis of a FIRST_GROUP */
};
/* Writes them to values, which has room for 2 a parameter and 8 more; returns how many. */
unsigned compare_values(const struct compare_case *c, struct compare_value *values);
/* Appends the name of the function to run in a target's artifact. */
void compare_entry_name(const struct compare_case *c, const char *target, struct text *out);
/* Bytes of a parameter's data; 0 for a scalar. */
uint64_t compare_bytes(const struct compare_case *c, uint32_t parameter);
uint64_t compare_groups(const struct compare_case *c, unsigned axis);

/* compare_arguments.c: case `seed` of a kernel. `gpu`: a failed thread of a commit-safe kernel that stops writes
 * nothing (spec/sspur.md 3.4). False: the interpreter takes too many steps. */
bool compare_case_make(struct compare_case *c, const struct ir_kernel *k, uint64_t seed, bool fits, bool gpu,
                       struct arena *arena);

#endif

/* The device interface: what the runtime asks of every device (design, Runtime).
 * All functions are called with the launch lock held, one thread at a time, unless said otherwise. */
#ifndef SSPUR_RUNTIME_DEVICE_H
#define SSPUR_RUNTIME_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/ir_variant.h"
#include "utils/base/text.h"
#include "utils/base/trap.h"

struct barrier_wait;
struct ir_kernel;
struct ir_module;
struct device;
struct device_buffer;
struct device_program;

/* Where a device gets the artifact it loads: NATIVE object bytes for `cpu`. SPIR_BITCODE is the SPIR-V as LLVM bitcode,
 * for OpenCL devices that take no SPIR-V. */
enum artifact_kind {
	ARTIFACT_NATIVE,
	ARTIFACT_NATIVE_ORDERED, /* native object with the functions that run threads in order, alone; NATIVE will do */
	ARTIFACT_PTX,
	ARTIFACT_SPIRV,
	ARTIFACT_SPIR_BITCODE,
	ARTIFACT_VULKAN, /* SPIR-V, Vulkan form */
	ARTIFACT_OPENCL_C,
	ARTIFACT_METAL,
	ARTIFACT_LLVM,
	ARTIFACT_KIR,
	ARTIFACT_TWIN, /* native object for `twin` */
};

/* Gives artifacts of a module to devices; the driver's goes through the cache and the compiler. */
struct artifact_provider {
	void *context;
	/* Appends the bytes, of code for a device with these hazards (a set of enum ir_hazard); false with one line in
	 * *error. */
	bool (*get)(void *context, const struct ir_module *module, enum artifact_kind kind, uint32_t hazards,
	            struct text *bytes, struct text *error);
};

/* One argument a kernel parameter, in order. */
struct device_argument {
	uint64_t bits;                /* scalar in 64-bit form (ir/ir.h) */
	struct device_buffer *buffer; /* slice; NULL for a scalar */
	uint64_t length;              /* slice: elements */
};

enum { KERNEL_VARIANTS = KERNEL_NARROW + 1 };

struct device_launch {
	const struct ir_kernel *kernel;
	const struct device_argument *arguments;
	uint64_t extents[3];  /* threads on each axis, 1 on unused axes; the product is above 0 and below 2^63 */
	uint64_t first, last; /* exact devices: runs threads [first, last) by linear index alone; 0, 0: all */
	/* What was proved: threads [proved_first, proved_last), of which there are some, may run this variant, one that
	 * `variants` has. Devices with `submit` get all threads or none. KERNEL_CHECKED: nothing. */
	enum kernel_variant variant;
	uint64_t proved_first, proved_last;
	uint64_t *failed; /* exact devices, IR_POLICY_RECORD: set to how many threads failed; NULL: nobody asks */
	/* The same devices: filled where a workgroup would wait for ever, zeroed before the launch; NULL: nobody asks.
	 * Its threads go on without those that left; `launch` is false then too, failed threads or none. */
	struct barrier_wait *stuck;
};

/* What a device can do exactly, and its limits. */
struct device_capabilities {
	bool is_gpu;         /* hardware of its own: `auto` takes no other */
	bool float64;        /* has F64 at all */
	bool subnormals_f32; /* promises to keep them; also for F64 below */
	bool subnormals_f64;
	bool exact_f32, exact_f64; /* division and square root are correctly rounded */
	bool own_floats; /* where a module takes buffers alone, floats are the device's own, and right as they are */
	bool ends_loops; /* without a word, after many rounds (IR_HAZARD_ROUNDS) */
	bool mistakes_barriers; /* its compiler may end the process, or be wrong, over those of ir_has_uneasy_barrier */
	uint32_t group_limit;   /* threads of a workgroup */
	uint64_t shared_limit;  /* bytes of shared memory a workgroup */
	uint64_t groups_limit[3]; /* workgroups of a launch on each axis; larger grids are launched in parts */
	uint64_t memory;          /* bytes in all; 0: not known */
	uint32_t record_stride;   /* bytes from a status record to the next; 0: 32 */
};

/* Where a submitted launch says what failed (docs/abi.md). Buffers of the same device, zeroed by the caller. */
struct device_flags {
	struct device_buffer *status; /* records of 8 words */
	uint64_t record;              /* which record is this launch's */
	struct device_buffer *mask;   /* one bit a thread; NULL: none */
};

/* Two kinds of device. One that computes exactly in host memory has `launch`, which completes. Any other has
 * `submit`, `flush` and `finish`: it runs the `thread` code, which flags what it could not do, and the queue
 * (runtime/queue.h) reruns that. */
struct device_functions {
	/* Device. */
	uint32_t (*count)(struct text *error);              /* how many of this name there are; 0 with why. NULL: one */
	bool (*open)(struct device *d, struct text *error); /* once, before anything else; may be NULL */
	void (*close)(struct device *d);                    /* frees everything the device still holds */
	void (*describe)(struct device *d, struct text *out); /* one line for `sspur devices` */
	/* Memory. Sizes are bytes; 0 is allowed. NULL: out of memory. */
	struct device_buffer *(*buffer_new)(struct device *d, uint64_t size);
	void (*buffer_free)(struct device *d, struct device_buffer *b);
	bool (*buffer_write)(struct device *d, struct device_buffer *b, const void *bytes, uint64_t size);
	bool (*buffer_read)(struct device *d, struct device_buffer *b, void *bytes, uint64_t size);
	/* Host address of a buffer that lives in host memory, to save a copy; NULL elsewhere. May be NULL. */
	void *(*buffer_host)(struct device_buffer *b);
	/* Copies in order with the launches before and after it. Devices with `submit` only. */
	bool (*buffer_copy)(struct device *d, struct device_buffer *to, struct device_buffer *from, uint64_t size);
	/* Program: all kernels of a module. NULL with *error set. `module` outlives the program. */
	struct device_program *(*program_load)(struct device *d, const struct ir_module *module,
	                                       const struct artifact_provider *provider, struct text *error);
	void (*program_free)(struct device *d, struct device_program *p);
	/* The functions it has of a kernel, besides KERNEL_CHECKED: a sum of 1 << KERNEL_PROVED and 1 << KERNEL_NARROW.
	 * Called at every launch. NULL: none, and no launch is proved. */
	uint32_t (*variants)(const struct device_program *p, const struct ir_kernel *k);
	/* Queue of an exact device: runs to completion; false with *trap filled for the first trap in order. Under
	 * IR_POLICY_RECORD all threads run, and it is false when some failed. */
	bool (*launch)(struct device *d, struct device_program *p, const struct device_launch *launch,
	               struct kernel_trap *trap);
	/* Queue of any other device. `submit` takes a launch, in order; buffer_read, buffer_write and buffer_copy are
	 * in order with launches, buffer_read waits. `flush` lets the device start on what was submitted. `finish`
	 * waits for all of it. Each is false, with the driver's call and its own error name in *error, when the device
	 * failed; then buffer_read is false too if its memory is lost; where it is not, launches may not have run, but
	 * what was written and copied is. Nothing runs of a launch that `submit` refuses. A launch of another variant
	 * than KERNEL_CHECKED writes no status record and has no mask. */
	bool (*submit)(struct device *d, struct device_program *p, const struct device_launch *launch,
	               const struct device_flags *flags, struct text *error);
	bool (*flush)(struct device *d, struct text *error);
	bool (*finish)(struct device *d, struct text *error);
	const struct device_capabilities *(*capabilities)(struct device *d); /* NULL function: everything, exactly */
};

struct device {
	const char *name; /* "interp", "seq" */
	const struct device_functions *functions;
	uint32_t number; /* which of those with the name, from 0; set before `open` */
	void *state;
};

/* Devices of this build, by name, with `:N` for the N-th, from 0; NULL: unknown. The caller opens and closes. One
 * object a name: one of them is open at a time. `fault:SEED:NAME` is another device under injected faults
 * (runtime/device_fault.h). */
struct device *device_find(const char *name);
/* Names in the order `sspur devices` lists them; NULL-terminated. */
extern const char *const device_names[];

#endif

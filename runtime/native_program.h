/* A module's native object and calls of its kernels, for the devices that run it. */
#ifndef SSPUR_RUNTIME_NATIVE_PROGRAM_H
#define SSPUR_RUNTIME_NATIVE_PROGRAM_H

#include <stdatomic.h>

#include "runtime/device.h"
#include "targets/native_abi.h"

/* As device_functions has them; the program is a native one. */
struct device_program *native_program_load(struct device *d, const struct ir_module *module,
                                           const struct artifact_provider *provider, struct text *error);
/* The same of what runs threads in order alone, which takes a fraction of the time to compile: `in_order` is there,
 * `lanes` may not be. */
struct device_program *native_program_load_ordered(struct device *d, const struct ir_module *module,
                                                   const struct artifact_provider *provider, struct text *error);
void native_program_free(struct device *d, struct device_program *p);

uint32_t native_program_variants(const struct device_program *p, const struct ir_kernel *k);

struct native_function {
	native_sequential *run;  /* NULL: the object has none */
	uint64_t workspace_size; /* 0: none */
	uint64_t together;       /* a part is best a multiple of so many threads */
	bool all;                /* a run is of all threads, whichever fail, and says how many did */
	_Atomic uint64_t *time;  /* picoseconds of a thread at the last launch that was measured; 0: none was */
};

struct native_kernel {
	struct native_function in_order;               /* the first trap in order; always there */
	struct native_function lanes[KERNEL_VARIANTS]; /* threads in no order; KERNEL_CHECKED: the first trap */
	_Atomic uint64_t times[KERNEL_VARIANTS + 1];
	bool ordered; /* it has atomics on buffers, or may have (a bare artifact): what checks it runs on one
	                 thread of the host */
};

const struct native_kernel *native_program_kernel(const struct device_program *p, const struct ir_kernel *k);

enum { NATIVE_ARGUMENTS_USUAL = 256 };

/* One launch, ready to run any part of itself. */
struct native_call {
	struct native_function function; /* in_order, until the caller picks another one of the kernel */
	uint64_t first, last;            /* threads of the launch, by linear index */
	uint64_t extents[2];             /* of the grid, x and y */
	bool records;                    /* IR_POLICY_RECORD */
	uint8_t *arguments;              /* packed */
	uint64_t usual[NATIVE_ARGUMENTS_USUAL / 8];
};

/* Not moved until it is closed. */
void native_call_open(struct native_call *call, const struct device_program *p, const struct device_launch *launch);
void native_call_close(struct native_call *call);
/* Runs threads [first, last), all of them if the kernel records its failures. How many failed, and *trap of the first;
 * of one that does not record, 1 is all there is to know. */
uint64_t native_call_run(const struct native_call *call, uint64_t first, uint64_t last, struct kernel_trap *trap,
                         void *workspace);
/* What `run` takes, for one thread of the host at a time. NULL: the kernel needs none. Freed with free(). */
void *native_call_workspace(const struct native_call *call);

#endif

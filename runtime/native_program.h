/* A module's native object and calls of its kernels, for the devices that run it. Nothing of ir/ is called. */
#ifndef SSPUR_RUNTIME_NATIVE_PROGRAM_H
#define SSPUR_RUNTIME_NATIVE_PROGRAM_H

#include "runtime/device.h"
#include "targets/native_abi.h"

/* As device_functions has them; the program is a native one. */
struct device_program *native_program_load(struct device *d, const struct ir_module *module,
                                           const struct artifact_provider *provider, struct text *error);
void native_program_free(struct device *d, struct device_program *p);

/* One launch, ready to run any part of itself. */
struct native_call {
	native_sequential *run;
	uint8_t *arguments;      /* packed */
	uint64_t first, last;    /* threads of the launch, by linear index */
	uint64_t workspace_size; /* 0: none */
	uint64_t together;       /* a part is best a multiple of so many threads */
};

/* in_order: a thread may see what those before it wrote. */
void native_call_open(struct native_call *call, const struct device_program *p, const struct device_launch *launch,
                      bool in_order);
void native_call_close(struct native_call *call);
/* What `run` takes, for one thread of the host at a time. NULL: the kernel needs none. Freed with free(). */
void *native_call_workspace(const struct native_call *call);

#endif

/* An object of the target twin in memory, linked against this process instead of what it brings itself, and calls of
 * its functions. */
#ifndef SSPUR_RUNTIME_TWIN_PROGRAM_H
#define SSPUR_RUNTIME_TWIN_PROGRAM_H

#include "runtime/device.h"
#include "targets/twin_abi.h"

enum {
	TWIN_GROUP_MOST = 256, /* invocations that run together (the page, The CPU twin) */
	TWIN_WORDS = 14,       /* of arguments: seven slices (the page, The kernel's interface) */
};

struct twin_fibers;

struct twin_kernel {
	void (*code)(void);
	const struct ir_kernel *source;
	struct twin_fibers *fibers; /* NULL: it has no barrier; else one for each invocation of a group */
};

/* `failed` is what failing checks call. NULL with one line in *error. Module and provider outlive it. */
struct device_program *twin_program_load(const struct ir_module *module, const struct artifact_provider *provider,
                                         twin_failed *failed, struct text *error);
void twin_program_free(struct device_program *p);
const struct twin_kernel *twin_program_kernel(const struct device_program *p, const struct ir_kernel *k);
/* `words`: the function's arguments behind the first, TWIN_WORDS of them. */
void twin_program_call(const struct twin_kernel *k, const struct twin_invocation *invocation, const uint64_t *words);
/* This thread's, of all loaded objects. */
struct twin_barrier *twin_program_barrier(void);

#endif

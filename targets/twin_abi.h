/* What a Cone kernel's object and its caller share (docs/abi.md, Native objects of Cone): the layouts that its C header
 * declares, for those who make the object and those who run it without a C compiler. */
#ifndef SSPUR_TARGETS_TWIN_ABI_H
#define SSPUR_TARGETS_TWIN_ABI_H

#include <stdint.h>

/* core's Invocation. */
struct twin_invocation {
	uint32_t global_id[3], local_id[3], group_id[3];
	uint32_t local_index;
	uint32_t group_count[3];
};

/* A check that fails. */
struct twin_check {
	uint32_t kind, line, column, file; /* enum trap_kind; file: its id, 0: not known */
	const char *file_name, *message;
};

/* Of a thread: what each barrier calls, if anything, and, while it does, the barrier's place. */
struct twin_barrier {
	void (*hook)(void *context, uint32_t kind); /* enum ir_barrier */
	void *context;
	uint32_t line, file;
};

/* An entry point's parameters are a const struct twin_invocation *, then those of the kernel in their order: a slice is
 * an address and a count of elements (64 bits), a value an address. When a check fails it calls TWIN_FAILED, and if
 * that comes back the invocation ends: the entry point returns. */
typedef void twin_failed(const struct twin_check *check, uint64_t value, uint64_t limit,
                         const struct twin_invocation *invocation);

/* Weak in an object: all objects of a program have one, which the program may define itself. */
#define TWIN_FAILED "cone_failed"
#define TWIN_BARRIER "cone_barrier" /* a thread-local struct twin_barrier */
#define TWIN_SET_HOOK "cone_setBarrierHook"
#define TWIN_CLEAR_HOOK "cone_clearBarrierHook"

#endif

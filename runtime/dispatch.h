/* One dispatch of a kernel of IR_POLICY_RECORD over data in the host's memory: on a device, or where that cannot run it
 * or not exactly, on the processor. */
#ifndef SSPUR_RUNTIME_DISPATCH_H
#define SSPUR_RUNTIME_DISPATCH_H

#include "runtime/barrier_wait.h"
#include "runtime/device.h"

/* One a parameter, in order. */
struct dispatch_argument {
	uint64_t bits;   /* scalar, in 64-bit form (ir/ir.h) */
	uint8_t *bytes;  /* slice: `length` elements, in which results are found if it is writable; VALUE: the struct */
	uint64_t length; /* slice: elements */
};

struct dispatch {
	const struct ir_kernel *kernel;
	const struct dispatch_argument *arguments;
	uint64_t extents[3]; /* whole groups; the product is above 0 and below 2^63 */
	const struct artifact_provider *provider;
	bool trace; /* a line on stderr, as struct queue_options has it */
};

/* What threads failed. */
struct dispatch_failures {
	uint32_t words[8]; /* the status record (docs/abi.md) */
	/* The thread that words 1 to 7 describe; of the first in order on an exact device. An index has the limit -1
	 * where that is not known: on other devices it is what the thread meets when it runs alone, on the interpreter.
	 */
	struct kernel_trap first;
	/* A workgroup that waits for ever; line 0: there is none, or nobody saw. Seen by running the groups once more
	 * in the interpreter, in order, on the data as it was, where the kernel or what failed allow one; that takes a
	 * while at most. */
	struct barrier_wait stuck;
};

/* Runs it on the open device; on `seq`, from the same data, where the device refuses it or is lost, where threads
 * failed that the device may not have computed exactly (kind 8), and where a workgroup waits for ever that no device
 * but exact ones comes back from. False with one line in *error when it could not run at all: nothing is written then.
 */
bool dispatch_run(const struct dispatch *d, struct device *device, struct dispatch_failures *failures,
                  struct text *error);

#endif

/* A simulated device that flags, and an exact one: kernels are small functions of their threads, buffers hold a few
 * numbers. The one that flags runs what it was given late: at a finish, at a read, or when chance has it. It has no
 * F64, may flush F32 subnormals, and takes groups of 256 threads with 32768 bytes of shared memory. Both have variants
 * of most kernels, and see to it that what runs them was promised. */
#ifndef SSPUR_TEST_RUNTIME_MODEL_DEVICE_H
#define SSPUR_TEST_RUNTIME_MODEL_DEVICE_H

#include "ir/ir.h"
#include "runtime/queue.h"

enum { MODEL_LENGTH = 8, MODEL_BUFFERS_MOST = 3, MODEL_KERNELS = 14 * 6, MODEL_PARAMETERS = MODEL_BUFFERS_MOST + 2 };

struct model_kernel {
	struct queue_kernel facts; /* has float64, which the device lacks, for every third */
	uint32_t buffers;
	bool writable[MODEL_BUFFERS_MOST];
	bool wide;         /* it computes with its seed */
	uint32_t variants; /* those that the devices have */
};

/* What the seed decides of a device, and what happened to it. */
struct model {
	struct device device, exact;
	uint64_t state;    /* of the random numbers */
	uint32_t flags;    /* one launch in so many is flagged for nothing; 0: none */
	uint32_t refusals; /* one allocation, copy or submit in so many is refused; 0: none */
	uint32_t breaks;   /* one submit in so many breaks the device, which then runs no launch; 0: never */
	bool loses;        /* and loses its memory */
	bool broken;
	bool lone; /* it broke with one launch unfinished */
	struct operation *operations;
	uint32_t count, capacity;
	uint32_t unfinished;
	struct device_buffer *status; /* the queue's records */
	uint32_t checked;             /* launches since they were read that may be flagged */
	bool is_exact;                /* the queue's device is `exact` */
};

enum model_shape { MODEL_COPIES, MODEL_NO_COPIES, MODEL_SHARED_MEMORY, MODEL_SHAPES };

extern struct model_kernel model_kernels[MODEL_KERNELS];

/* Parameters: the seed, the shift, then the buffers. */
void model_kernels_make(struct ir_module *m);
void model_kernels_free(void);
void model_open(struct model *m, uint64_t seed, enum model_shape shape);
void model_close(struct model *m);

uint64_t model_mix(uint64_t a, uint64_t b);
uint64_t model_draw(uint64_t *state);
/* Runs a thread in full: false when it traps, as it may where `thread + shift` is MODEL_LENGTH or more. A commit-safe
 * kernel's trapping thread writes nothing. */
bool model_thread(const struct model_kernel *k, uint64_t seed, uint64_t shift, uint64_t thread, uint64_t *const *data);

/* Prints, as a trace on stderr, why launches do not run on the device (test_reasons.c). */
void test_reasons(struct ir_module *m);

#endif

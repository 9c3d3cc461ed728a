/* The queue of launches and their reruns (spec/sspur.md 3.3, 3.4; docs/runtime.md), once for every device.
 *
 * One queue serves all tasks of a run; what a task sees of it is its own struct queue_task. A buffer is used by one
 * task at a time: another may use it after the first has synchronized. All functions lock; a trap leaves no lock held.
 *
 * A launch on an exact device has run when queue_launch returns. Any other device runs it later and flags what it
 * could not do, and at a synchronization the flagged threads, or every launch from a state that can be restored, run
 * again on the exact device. Either way a trap stays pending until the task's queue_synchronize. After a trap the
 * contents of what the task's queued launches write are undefined, and its later launches do nothing. */
#ifndef SSPUR_RUNTIME_QUEUE_H
#define SSPUR_RUNTIME_QUEUE_H

#include "runtime/device.h"

enum {
	QUEUE_BATCH_MOST = 64,     /* launches that share backups */
	QUEUE_LAUNCHES_MOST = 256, /* of a task between two synchronizations (spec 3.3), and unchecked at once */
};

struct ir_proof_program;
struct queue;
struct queue_buffer;
struct queue_module;

/* What the queue has to know of a kernel; lives as long as its module is in the queue. */
struct queue_kernel {
	const struct ir_kernel *kernel;
	struct queue_module *module;    /* NULL: the one of the queue's options */
	bool commit_safe;               /* spec 3.4 */
	bool repeatable;                /* reads no buffer that it writes, so running it twice is running it once */
	bool float64;                   /* computes in F64 */
	bool uneasy_barrier;            /* ir_has_uneasy_barrier */
	uint64_t shared_size;           /* bytes a workgroup */
	struct ir_proof_program *proof; /* NULL: its launches are not proved */
};

enum queue_trap_kind {
	QUEUE_TRAP_NONE,
	QUEUE_TRAP_KERNEL, /* in a thread */
	QUEUE_TRAP_FAILED, /* `dev: the GPU failed while running k` */
	QUEUE_TRAP_MEMORY, /* `dev: out of device memory (N bytes)`: no memory to run the launch on the CPU */
};

struct queue_trap {
	enum queue_trap_kind kind;
	const struct ir_kernel *kernel;
	struct kernel_trap trap; /* KERNEL */
	uint64_t size;           /* MEMORY: bytes */
	const void *origin;      /* of the launch */
};

/* A task's side of the queue: zero-initialize, and synchronize before it goes. */
struct queue_task {
	struct queue_trap pending;
	uint32_t queued;    /* launches since the last synchronization */
	uint32_t unchecked; /* of them, those on the device still */
};

/* One argument a kernel parameter, in order. */
struct queue_argument {
	uint64_t bits;               /* scalar in 64-bit form (ir/ir.h) */
	struct queue_buffer *buffer; /* slice; NULL for a scalar */
	uint64_t length;             /* slice: elements */
};

struct queue_launch {
	const struct queue_kernel *kernel;
	const struct queue_argument *arguments; /* copied; the buffers are kept until the launch is checked */
	uint64_t extents[3];                    /* as in struct device_launch */
	const void *origin;                     /* the caller's own, for its trap */
};

struct queue_options {
	struct device *device;
	struct device *exact;           /* reruns; NULL: `seq`, or `interp` where there is no native code */
	const struct ir_module *module; /* NULL: none but what queue_module_new adds */
	const struct artifact_provider *provider;
	bool trace;      /* a line a launch on stderr: `gpu saxpy: cuda (...)`, `gpu saxpy: cpu rerun (...)` */
	bool proofs_off; /* launches run checked code; also by SSPUR_PROOFS=0 in the environment */
};

/* Starts nothing; the options' objects outlive the queue. */
struct queue *queue_new(const struct queue_options *options);
/* Every task has synchronized and every buffer is released. */
void queue_free(struct queue *q);
/* Loads the module's code where that has not happened yet. False with one line in *error when an exact device cannot;
 * for any other device the launches then run on the CPU. Before the first launch. */
bool queue_load(struct queue *q, struct text *error);

/* One more module for the queue's launches, loaded; it and the provider outlive it. NULL as queue_load is false. */
struct queue_module *queue_module_new(struct queue *q, const struct ir_module *module,
                                      const struct artifact_provider *provider, struct text *error);
/* Completes what is queued. Traps of its kernels that are pending still name them. */
void queue_module_free(struct queue *q, struct queue_module *m);
/* Facts of a kernel of the options' module, for queue_kernel_free; the kernel is to stay as it is. */
struct queue_kernel queue_kernel_of(const struct ir_kernel *k);
/* No queue has a launch of it. */
void queue_kernel_free(struct queue_kernel *k);

/* Queues a launch of at least one thread. True: the task has QUEUE_LAUNCHES_MOST queued, so that the caller
 * synchronizes. */
bool queue_launch(struct queue *q, struct queue_task *task, const struct queue_launch *launch);
/* Completes the task's launches. False with its first trap in *trap; the task is then clean. */
bool queue_synchronize(struct queue *q, struct queue_task *task, struct queue_trap *trap);

/* Contents undefined until written; 0 bytes are allowed. When memory is out, first completes what is queued and frees
 * what nothing reaches any more. NULL: still out. */
struct queue_buffer *queue_buffer_new(struct queue *q, uint64_t size);
/* Freed when no queued launch needs it. NULL is allowed. */
void queue_buffer_release(struct queue *q, struct queue_buffer *b);
/* The first `size` bytes, after the launches queued before. False: the device failed and its memory cannot be reached;
 * queue_failed_kernel says in which launch. */
bool queue_buffer_write(struct queue *q, struct queue_buffer *b, const void *bytes, uint64_t size);
bool queue_buffer_read(struct queue *q, struct queue_buffer *b, void *bytes, uint64_t size);
/* The kernel that was running when the device's memory was lost. */
const char *queue_failed_kernel(struct queue *q);

#endif

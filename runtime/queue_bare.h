/* Kernels of a bare artifact in a queue: the device runs them as they are. There is nothing to run again what the
 * device flags, so each kernel has a status record (docs/abi.md) for the caller to read. They are in order with the
 * queue's other launches and copies. */
#ifndef SSPUR_RUNTIME_QUEUE_BARE_H
#define SSPUR_RUNTIME_QUEUE_BARE_H

#include "runtime/barrier_wait.h"
#include "runtime/queue.h"

enum { QUEUE_BARE_WORDS = 8 };

struct queue_bare;

enum queue_bare_result {
	QUEUE_BARE_DONE,
	QUEUE_BARE_REFUSED, /* the device cannot run it; nothing has run */
	QUEUE_BARE_LOST,    /* the device failed: what its launches wrote is undefined */
};

/* Loads the code for the device alone. NULL with one line in *error when it does not take it. Module and provider
 * outlive it. */
struct queue_bare *queue_bare_new(struct queue *q, const struct ir_module *module,
                                  const struct artifact_provider *provider, struct text *error);
/* The same of kernels that record their failures, with what the processor needs: what the device does not take, or may
 * not have computed exactly, runs on the exact device. NULL where neither takes it. */
struct queue_bare *queue_bare_new_recording(struct queue *q, const struct ir_module *module,
                                            const struct artifact_provider *provider, struct text *error);
/* Waits for its launches. NULL is allowed. */
void queue_bare_free(struct queue *q, struct queue_bare *b);
/* The launch's kernel is one of the module; its queue_kernel says what it needs (float64, shared_size). Other launches
 * that are queued complete first; while the task has a trap pending nothing happens. One line in *error unless DONE. */
enum queue_bare_result queue_bare_launch(struct queue *q, struct queue_task *task, struct queue_bare *b,
                                         const struct queue_launch *launch, struct text *error);
/* Waits for its launches. False, once, with one line in *error: the device failed. */
bool queue_bare_finish(struct queue *q, struct queue_bare *b, struct text *error);
/* Waits, and gives the record of the kernel's launches since the last call: threads that failed add up, and the rest is
 * that of the first launch with any. False with one line in *error: the device failed, and what the record says is of
 * launches that finished before. `trap`, which may be NULL, gets what an exact device knows besides of the same thread;
 * of any other device its kind is TRAP_NONE. */
bool queue_bare_status(struct queue *q, struct queue_bare *b, const struct ir_kernel *k,
                       uint32_t words[QUEUE_BARE_WORDS], struct kernel_trap *trap, struct text *error);

/* Whether threads failed in a finished launch of any of its kernels since the last such call. */
bool queue_bare_noted(struct queue *q, struct queue_bare *b);
/* The number, from 1 and among all launches of bare kernels in the queue, of the first of the kernel's finished
 * launches since the last queue_bare_status in which threads failed; 0: none did. */
uint64_t queue_bare_first_failed(struct queue *q, const struct queue_bare *b, const struct ir_kernel *k);
/* Threads that failed add up, and the rest is that of the first record with any. */
void queue_bare_add_record(uint32_t words[QUEUE_BARE_WORDS], const uint32_t record[QUEUE_BARE_WORDS]);

/* Whether threads that failed, by the record of one launch, may have for the device's inexactness alone: the kernel has
 * floats that the device may flush or round otherwise, so that of several threads some may have, or it ended loops
 * early, so that no thread is believed. */
bool queue_bare_was_inexact(const struct device *device, const struct ir_kernel *k,
                            const uint32_t record[QUEUE_BARE_WORDS]);

/* What an exact device has seen (struct device_launch) in launches since the last call; line 0: nothing. */
struct barrier_wait queue_bare_stuck(struct queue *q, struct queue_bare *b);

#endif

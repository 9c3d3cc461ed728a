/* What a Metal device is told to do, in order: command buffers of one queue, each a batch. Commands of a batch run one
 * after another, and Metal orders what touches the same buffer. Called within a pool. */
#ifndef SSPUR_RUNTIME_METAL_COMMANDS_H
#define SSPUR_RUNTIME_METAL_COMMANDS_H

#include "runtime/metal_runtime.h"

enum {
	METAL_BATCHES = 8,   /* committed and not known to be done, at most */
	METAL_COMMANDS = 64, /* of a batch */
};

struct metal_commands {
	const struct metal_runtime *m;
	struct metal_object *queue;
	struct metal_object *committed[METAL_BATCHES]; /* the oldest first */
	uint32_t committed_count;
	struct metal_object *recording; /* the batch that is recorded; NULL: none */
	struct metal_object *encoder;   /* its open encoder; NULL: none */
	bool computes;                  /* the encoder takes kernels; else copies */
	uint32_t recorded;
	struct text failure; /* the first; then nothing more is recorded */
};

/* The encoder for the next kernel or copy; the batch's. NULL: the device failed. */
struct metal_object *metal_commands_compute(struct metal_commands *c);
struct metal_object *metal_commands_blit(struct metal_commands *c);
/* Gives the device what is recorded. False: the device failed. */
bool metal_commands_submit(struct metal_commands *c);
/* Submits, and waits for everything. */
bool metal_commands_drain(struct metal_commands *c);
/* Nothing is recorded or in flight. */
bool metal_commands_idle(const struct metal_commands *c);

#endif

/* Invocations that run together on one thread of the host: each has a stack of its own and runs until it meets the
 * others (fibers). */
#ifndef SSPUR_RUNTIME_TWIN_FIBERS_H
#define SSPUR_RUNTIME_TWIN_FIBERS_H

#include <stddef.h>
#include <stdint.h>

#include "utils/base/text.h"

struct twin_fibers;

/* Stacks for `count` fibers, of `stack` bytes at least, each behind a page that cannot be reached. NULL with one line
 * in *error: no memory. */
struct twin_fibers *twin_fibers_new(uint32_t count, size_t stack, struct text *error);
void twin_fibers_free(struct twin_fibers *f);

/* Runs run(context, n) for every n below the count, in this order from one meeting to the next, until all have ended.
 * Where some wait for others that have ended, stuck(context, waits, ended) is told of the first of each, and they go on
 * without them. `run` uses no more of its stack than there is. */
void twin_fibers_run(struct twin_fibers *f, void (*run)(void *context, uint32_t n),
                     void (*stuck)(void *context, uint32_t waits, uint32_t ended), void *context);
/* For the one that runs: comes back when all others have met it here or ended. */
void twin_fibers_meet(struct twin_fibers *f);

#endif

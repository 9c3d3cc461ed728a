/* A workgroup of which some wait at a barrier that others have left without reaching: it would wait for ever. */
#ifndef SSPUR_RUNTIME_BARRIER_WAIT_H
#define SSPUR_RUNTIME_BARRIER_WAIT_H

#include <stdint.h>

#include "utils/base/text.h"

/* Of the first such group in order. */
struct barrier_wait {
	uint32_t line;       /* of the barrier; 0: none waits for ever */
	uint32_t file;       /* its id in the module's list of files; 0: it lists none */
	uint64_t waiting[3]; /* global id of the first invocation in order that waits */
	uint64_t left[3];    /* of the first in order that returned or failed before it */
};

/* `kernels.cone:52: invocation (3, 0, 0) waits at a barrier that invocation (1, 0, 0) left without reaching`; `file` is
 * the name of the barrier's file. */
void barrier_wait_text(struct text *out, const char *file, const struct barrier_wait *wait);

#endif

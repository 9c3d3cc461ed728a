/* What the queue has to know of each kernel (runtime/queue.h), found once a run. */
#include <stdlib.h>

#include "frontend/ssp/host_internal.h"
#include "runtime/queue.h"
#include "utils/base/arena.h"

void kernels_open(struct host *h)
{
	const struct ir_module *m = h->program->module;
	h->kernels = memory_zeroed(m->kernel_count + 1, sizeof *h->kernels);
	for (uint32_t i = 0; i < m->kernel_count; i++)
		h->kernels[i] = queue_kernel_of(m->kernels[i]);
}

void kernels_close(struct host *h)
{
	for (uint32_t i = 0; i < h->program->module->kernel_count; i++)
		queue_kernel_free(&h->kernels[i]);
	free(h->kernels);
}

const struct queue_kernel *kernel_facts(const struct host *h, const struct ir_kernel *k)
{
	const struct queue_kernel *facts = h->kernels;
	while (facts->kernel != k)
		facts++;
	return facts;
}

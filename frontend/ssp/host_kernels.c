/* What the queue has to know of each kernel (runtime/queue.h), found once a run. */
#include <stdlib.h>

#include "frontend/ssp/host_internal.h"
#include "ir/ir_analysis.h"
#include "runtime/queue.h"
#include "utils/base/arena.h"

static bool reads_nothing_it_writes(void *context, struct ir_instruction *i)
{
	(void)context;
	uint32_t flags = ir_op_infos[i->op].flags;
	bool writable = i->base && i->base->kind == IR_MEMORY_BUFFER && i->base->writable;
	return !(flags & IR_FLAG_ATOMIC) && !((flags & IR_FLAG_READ) && writable);
}

static bool has_no_f64(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->type->kind != IR_TYPE_f64;
}

static bool uses_f64(const struct ir_kernel *k)
{
	for (uint32_t i = 0; i < k->parameter_count; i++)
		if (k->parameters[i].type->kind == IR_TYPE_f64)
			return true;
	for (uint32_t i = 0; i < k->memory_count; i++)
		if (k->memories[i]->kind == IR_MEMORY_SHARED && k->memories[i]->type->element &&
		    k->memories[i]->type->element->kind == IR_TYPE_f64)
			return true;
	return !ir_visit(&k->body, has_no_f64, NULL);
}

static struct queue_kernel facts_of(const struct ir_kernel *k)
{
	struct queue_kernel facts = {
	    .kernel = k,
	    .commit_safe = ir_commit_safe(k),
	    .repeatable = ir_visit(&k->body, reads_nothing_it_writes, NULL),
	    .float64 = uses_f64(k),
	};
	for (uint32_t i = 0; i < k->memory_count; i++)
		if (k->memories[i]->kind == IR_MEMORY_SHARED)
			facts.shared_size += k->memories[i]->type->size;
	return facts;
}

void kernels_open(struct host *h)
{
	const struct ir_module *m = h->program->module;
	h->kernels = memory_zeroed(m->kernel_count + 1, sizeof *h->kernels);
	for (uint32_t i = 0; i < m->kernel_count; i++)
		h->kernels[i] = facts_of(m->kernels[i]);
}

const struct queue_kernel *kernel_facts(const struct host *h, const struct ir_kernel *k)
{
	const struct queue_kernel *facts = h->kernels;
	while (facts->kernel != k)
		facts++;
	return facts;
}

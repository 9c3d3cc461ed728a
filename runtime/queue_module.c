/* Modules of a queue: their code for its device and for the exact device, and what the queue has to know of a kernel.
 */
#include <stdlib.h>

#include "ir/ir_analysis.h"
#include "runtime/profile.h"
#include "runtime/queue_internal.h"
#include "utils/base/arena.h"

struct queue_module *queue_module_of(struct queue *q, const struct queued_launch *l)
{
	return l->kernel->module ? l->kernel->module : &q->main;
}

/* ---- Code ---- */

bool queue_module_load(struct queue *q, struct queue_module *m, struct text *error)
{
	struct device *d = q->device;
	if (!m->program && (!m->loaded || q->exact_only)) {
		text_clear(&m->load_error);
		m->program = d->functions->program_load(d, m->module, m->provider, &m->load_error);
		m->loaded = true;
	}
	bool good = m->program || !q->exact_only;
	if (!good)
		text_add(error, text_string(&m->load_error));
	if (good && q->exact_only) {
		q->exact = m->exact = d;
		m->exact_program = m->program;
	}
	return good;
}

bool queue_load(struct queue *q, struct text *error)
{
	pthread_mutex_lock(&q->lock);
	bool good = queue_module_load(q, &q->main, error);
	pthread_mutex_unlock(&q->lock);
	return good;
}

void queue_exact_open(struct queue *q)
{
	if (!q->exact)
		q->exact = profile_device(q->options.exact ? q->options.exact : device_find("seq"), "exact");
}

static bool load_on(struct queue_module *m, struct device *exact)
{
	struct text error = {0};
	if (!exact->functions->open || exact->functions->open(exact, &error))
		m->exact_program = exact->functions->program_load(exact, m->module, m->provider, &error);
	text_free(&error);
	m->exact = exact;
	return m->exact_program != NULL;
}

/* The interpreter takes the mirrors as `seq` has them: both compute in the host's memory. */
void queue_module_load_exact(struct queue *q, struct queue_module *m)
{
	queue_exact_open(q);
	if (m->exact || load_on(m, q->exact))
		return;
	if (!q->interpreter)
		q->interpreter = profile_device(device_find("interp"), "exact");
	load_on(m, q->interpreter);
}

void queue_module_unload(struct queue *q, struct queue_module *m)
{
	if (m->program)
		q->device->functions->program_free(q->device, m->program);
	if (m->exact_program && !q->exact_only)
		m->exact->functions->program_free(m->exact, m->exact_program);
	text_free(&m->load_error);
}

/* ---- Modules that come and go ---- */

struct queue_module *queue_module_new(struct queue *q, const struct ir_module *module,
                                      const struct artifact_provider *provider, struct text *error)
{
	struct queue_module *m = memory_zeroed(1, sizeof *m);
	*m = (struct queue_module){.module = module, .provider = provider};
	pthread_mutex_lock(&q->lock);
	bool good = queue_module_load(q, m, error);
	if (!good)
		queue_module_unload(q, m);
	pthread_mutex_unlock(&q->lock);
	if (good)
		return m;
	free(m);
	return NULL;
}

void queue_module_free(struct queue *q, struct queue_module *m)
{
	pthread_mutex_lock(&q->lock);
	queue_drain(q);
	queue_module_unload(q, m);
	pthread_mutex_unlock(&q->lock);
	free(m);
}

/* ---- Facts of kernels ---- */

static bool reads_nothing_it_writes(void *context, struct ir_instruction *i)
{
	(void)context;
	uint32_t flags = ir_op_infos[i->op].flags;
	bool writable = i->base && i->base->kind == IR_MEMORY_BUFFER && i->base->writable;
	return !(flags & IR_FLAG_ATOMIC) && !((flags & IR_FLAG_READ) && writable);
}

struct queue_kernel queue_kernel_of(const struct ir_kernel *k)
{
	struct queue_kernel facts = {
	    .kernel = k,
	    .commit_safe = k->policy == IR_POLICY_STOP && ir_commit_safe(k),
	    .repeatable = ir_visit(&k->body, reads_nothing_it_writes, NULL),
	    .float64 = ir_uses_f64(k),
	    .uneasy_barrier = ir_has_uneasy_barrier(k),
	    .proof = ir_proof_program_new(k),
	};
	for (uint32_t i = 0; i < k->memory_count; i++)
		if (k->memories[i]->kind == IR_MEMORY_SHARED)
			facts.shared_size += k->memories[i]->type->size;
	return facts;
}

void queue_kernel_free(struct queue_kernel *k)
{
	ir_proof_program_free(k->proof);
	k->proof = NULL;
}

/* Running a launch on the exact device: one that the device cannot run, one that it flagged, or on an exact device
 * every one. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile.h"
#include "runtime/queue_internal.h"
#include "utils/base/arena.h"

uint64_t launch_threads(const struct queued_launch *l)
{
	return l->extents[0] * l->extents[1] * l->extents[2];
}

bool launch_writes(const struct queued_launch *l, uint32_t i)
{
	return l->arguments[i].buffer && l->kernel->kernel->parameters[i].memory->writable;
}

bool launch_uses(const struct queued_launch *l, const struct queue_buffer *b)
{
	for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++)
		if (l->arguments[i].buffer == b)
			return true;
	return false;
}

bool launch_writes_buffer(const struct queued_launch *l, const struct queue_buffer *b)
{
	for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++)
		if (l->arguments[i].buffer == b && launch_writes(l, i))
			return true;
	return false;
}

void queue_trace(const struct queue *q, const struct queued_launch *l, const char *what, const char *why)
{
	profile_note(what, why);
	if (q->options.trace)
		fprintf(stderr, *why ? "gpu %s: %s (%s)\n" : "gpu %s: %s\n", l->kernel->kernel->name, what, why);
}

/* ---- The exact device ---- */

static void fail(struct queued_launch l, struct queue_trap trap)
{
	trap.kernel = l.kernel->kernel;
	trap.origin = l.origin;
	l.task->pending = trap;
}

bool queue_gather_mirrors(struct queue *q, const struct queued_launch *l, struct device_argument *arguments,
                          struct queue_trap *trap)
{
	for (uint32_t i = 0; i < l->kernel->kernel->parameter_count; i++) {
		const struct queue_argument *a = &l->arguments[i];
		arguments[i] = (struct device_argument){.bits = a->bits, .length = a->length};
		bool lost = false;
		if (a->buffer)
			arguments[i].buffer = queue_mirror(q, a->buffer, &lost);
		if (!a->buffer || arguments[i].buffer)
			continue;
		*trap =
		    (struct queue_trap){.kind = lost ? QUEUE_TRAP_FAILED : QUEUE_TRAP_MEMORY, .size = a->buffer->size};
		return false;
	}
	return true;
}

void queue_run_on_cpu(struct queue *q, const struct queued_launch *l, uint64_t first, uint64_t last)
{
	const struct ir_kernel *k = l->kernel->kernel;
	if (l->task->pending.kind != QUEUE_TRAP_NONE)
		return;
	struct queue_module *m = queue_module_of(q, l);
	queue_module_load_exact(q, m);
	queue_arguments_reserve(q, k->parameter_count);
	struct queue_trap trap = {.kind = QUEUE_TRAP_KERNEL};
	struct device_launch launch = {.kernel = k, .arguments = q->device_arguments, .first = first, .last = last};
	memcpy(launch.extents, l->extents, sizeof launch.extents);
	if (q->exact_only) { /* what was proved is for the queue's own device */
		launch.variant = l->variant;
		launch.proved_first = l->proved_first;
		launch.proved_last = l->proved_last;
	}
	if (!queue_gather_mirrors(q, l, q->device_arguments, &trap)) {
		fail(*l, trap);
	} else {
		if (!m->exact->functions->launch(m->exact, m->exact_program, &launch, &trap.trap))
			fail(*l, trap);
		for (uint32_t i = 0; i < k->parameter_count; i++)
			if (launch_writes(l, i))
				queue_mirror_changed(l->arguments[i].buffer);
	}
}

/* ---- What a device cannot run ---- */

static bool is_subnormal(enum ir_type_kind kind, uint64_t bits)
{
	if (kind == IR_TYPE_f32) {
		float v;
		memcpy(&v, &bits, sizeof v);
		return fpclassify(v) == FP_SUBNORMAL;
	}
	double v;
	memcpy(&v, &bits, sizeof v);
	return kind == IR_TYPE_f64 && fpclassify(v) == FP_SUBNORMAL;
}

static void why_scalars(const struct queued_launch *l, const struct device_capabilities *c, struct text *why)
{
	const struct ir_kernel *k = l->kernel->kernel;
	for (uint32_t i = 0; i < k->parameter_count && !why->length; i++) {
		enum ir_type_kind kind = k->parameters[i].type->kind;
		bool keeps = kind == IR_TYPE_f64 ? c->subnormals_f64 : c->subnormals_f32;
		if (k->parameters[i].kind == IR_PARAMETER_SCALAR && !keeps && is_subnormal(kind, l->arguments[i].bits))
			text_add_format(why, "%s is subnormal, and the device may flush it", k->parameters[i].name);
	}
}

void queue_why_cpu(struct queue *q, const struct queued_launch *l, struct text *why)
{
	struct device *d = q->device;
	const struct ir_kernel *k = l->kernel->kernel;
	if (q->exact_only)
		return;
	const struct queue_module *m = queue_module_of(q, l);
	if (q->broken || !m->program) {
		text_add(why, text_string(q->broken ? &q->failure : &m->load_error));
		if (!why->length)
			text_add(why, "the device has no code for it");
		return;
	}
	const struct device_capabilities *c = d->functions->capabilities ? d->functions->capabilities(d) : NULL;
	if (!c)
		return;
	uint32_t group = k->group[0] * k->group[1] * k->group[2];
	if (l->kernel->float64 && !c->float64)
		text_add(why, "the device has no F64");
	else if (l->kernel->uneasy_barrier && c->mistakes_barriers)
		text_add(why, "a barrier in control, which the device's compiler mistakes");
	else if (l->kernel->shared_size > c->shared_limit)
		text_add_format(why, "%llu bytes of shared memory, the device has %llu",
		                (unsigned long long)l->kernel->shared_size, (unsigned long long)c->shared_limit);
	else if (group > c->group_limit)
		text_add_format(why, "groups of %u threads, the device has %u", group, c->group_limit);
	else
		why_scalars(l, c, why);
}

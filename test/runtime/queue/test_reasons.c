/* Launches that the device cannot run (spec 3.4), and memory that is out. */
#include <stdio.h>
#include <string.h>

#include "test/runtime/queue/model_device.h"

struct reasons {
	struct queue *queue;
	struct queue_task task;
	struct queue_buffer *buffer;
	struct queue_kernel facts;
};

static void launch(struct reasons *r, float f, double d)
{
	uint32_t single;
	uint64_t wide;
	memcpy(&single, &f, sizeof f);
	memcpy(&wide, &d, sizeof d);
	struct queue_argument arguments[] = {{.bits = single}, {.bits = wide}, {.buffer = r->buffer, .length = 1}};
	struct queue_launch l = {.kernel = &r->facts, .arguments = arguments, .extents = {1, 1, 1}};
	queue_launch(r->queue, &r->task, &l);
}

static void reasons_of(struct reasons *r, struct ir_kernel *k)
{
	struct queue_kernel plain = r->facts;
	r->facts.float64 = true;
	launch(r, 1, 1);
	r->facts = plain;
	r->facts.shared_size = 32769;
	launch(r, 1, 1);
	r->facts = plain;
	k->group[0] = 257;
	launch(r, 1, 1);
	k->group[0] = 256;
	launch(r, -1e-39f, 1);
	fprintf(stderr, "%u queued, %u on the device\n", r->task.queued, r->task.unchecked);
	launch(r, 0, 1e-310); /* the device keeps what is F64 */
	fprintf(stderr, "%u queued, %u on the device\n", r->task.queued, r->task.unchecked);
}

void test_reasons(struct ir_module *m)
{
	struct model model;
	struct reasons r = {.queue = NULL};
	struct queue_trap trap;
	struct ir_kernel *k = ir_kernel_new(m, "k");
	ir_add_scalar(k, "f", &ir_types[IR_TYPE_f32]);
	ir_add_scalar(k, "d", &ir_types[IR_TYPE_f64]);
	ir_add_buffer(k, "b", &ir_types[IR_TYPE_i64], true);
	model_open(&model, 1, MODEL_COPIES);
	struct queue_options options = {.device = &model.device, .exact = &model.exact, .module = m, .trace = true};
	struct text error = {0};
	r.queue = queue_new(&options);
	queue_load(r.queue, &error);
	r.facts = (struct queue_kernel){.kernel = k, .commit_safe = true};
	uint64_t zero = 0;
	r.buffer = queue_buffer_new(r.queue, sizeof zero);
	queue_buffer_write(r.queue, r.buffer, &zero, sizeof zero);
	model.refusals = 1; /* everything */
	if (!queue_buffer_new(r.queue, 8))
		fprintf(stderr, "no memory\n");
	reasons_of(&r, k);
	if (queue_synchronize(r.queue, &r.task, &trap))
		fprintf(stderr, "no trap\n");
	queue_buffer_release(r.queue, r.buffer);
	queue_free(r.queue);
	model_close(&model);
}

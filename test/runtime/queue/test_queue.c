/* The restore rule of spec 3.4 over random queues, against plain sequential execution: the queue's own code on a
 * simulated device (model_device.h). usage: test-queue [COUNT [FIRST SEED]], test-queue reasons */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/runtime/queue/model_device.h"
#include "utils/base/arena.h"

enum { TASKS_MOST = 3, SLOTS = 4, QUEUES = 20000 };

/* A task, and what plain sequential execution makes of it. */
struct subject {
	struct queue_task task;
	struct queue_buffer *buffers[SLOTS];
	uint64_t expected[SLOTS][MODEL_LENGTH];
	bool trapped;
	uintptr_t origin; /* of the launch that trapped */
	uint64_t thread;
};

struct run {
	uint64_t seed, state;
	struct model model;
	struct queue *queue;
	struct subject subjects[TASKS_MOST];
	uint32_t tasks;
	uintptr_t launches;
	bool over; /* the device's memory is gone, and the trap said so */
};

static _Noreturn void differs(const struct run *r, const char *what)
{
	printf("queue %llu: %s\n", (unsigned long long)r->seed, what);
	exit(1);
}

static uint64_t below(struct run *r, uint64_t n)
{
	return model_draw(&r->state) % n;
}

/* New contents; the device may have no memory, as long as it has some at the next try. */
static void renew(struct run *r, struct subject *s, uint32_t slot)
{
	uint32_t refusals = r->model.refusals;
	queue_buffer_release(r->queue, s->buffers[slot]);
	r->model.refusals = 0;
	s->buffers[slot] = queue_buffer_new(r->queue, sizeof s->expected[slot]);
	r->model.refusals = refusals;
	for (uint32_t i = 0; i < MODEL_LENGTH; i++)
		s->expected[slot][i] = model_draw(&r->state);
	if (!queue_buffer_write(r->queue, s->buffers[slot], s->expected[slot], sizeof s->expected[slot]))
		differs(r, "a new buffer could not be written");
}

/* Only a device that lost its memory, or that left no trace of what a lone launch did, may end so. */
static void check_failure(struct run *r)
{
	if (!r->model.broken || !(r->model.loses || r->model.lone))
		differs(r, "failed without a reason");
	r->over = true;
}

static void check_contents(struct run *r, struct subject *s)
{
	for (uint32_t slot = 0; slot < SLOTS && !r->over; slot++) {
		uint64_t got[MODEL_LENGTH];
		if (!queue_buffer_read(r->queue, s->buffers[slot], got, sizeof got))
			check_failure(r);
		else if (memcmp(got, s->expected[slot], sizeof got) != 0)
			differs(r, "contents differ");
	}
}

static void synchronize(struct run *r, struct subject *s)
{
	struct queue_trap trap;
	bool good = queue_synchronize(r->queue, &s->task, &trap);
	if (!good && trap.kind == QUEUE_TRAP_FAILED) {
		check_failure(r);
		return;
	}
	if (good == s->trapped)
		differs(r, good ? "a trap is missing" : "a trap that is none");
	if (!good && ((uintptr_t)trap.origin != s->origin || trap.trap.thread[0] != s->thread))
		differs(r, "another trap is the first");
	if (good) {
		check_contents(r, s);
		return;
	}
	s->trapped = false;
	for (uint32_t slot = 0; slot < SLOTS; slot++)
		renew(r, s, slot);
}

static void launch(struct run *r, struct subject *s)
{
	const struct model_kernel *k = &model_kernels[below(r, MODEL_KERNELS)];
	/* Some come again and again: their proofs are kept. */
	uint64_t seed = below(r, 2) ? below(r, 4) : model_draw(&r->state), threads = 1 + below(r, MODEL_LENGTH);
	uint64_t shift = below(r, 2) ? 0 : below(r, 8) ? below(r, MODEL_LENGTH + 2) : model_draw(&r->state) >> 1;
	uint32_t start = (uint32_t)below(r, SLOTS);
	struct queue_argument arguments[MODEL_PARAMETERS] = {{.bits = seed}, {.bits = shift}};
	uint64_t *data[MODEL_BUFFERS_MOST];
	for (uint32_t i = 0; i < k->buffers; i++) {
		uint32_t slot = (start + i) % SLOTS;
		arguments[i + 2] = (struct queue_argument){.buffer = s->buffers[slot], .length = MODEL_LENGTH};
		data[i] = s->expected[slot];
	}
	struct queue_launch l = {.kernel = &k->facts,
	                         .arguments = arguments,
	                         .extents = {threads, 1, 1},
	                         .origin = (const void *)++r->launches};
	for (uint64_t t = 0; t < threads && !s->trapped; t++)
		if (!model_thread(k, seed, shift, t, data)) {
			s->trapped = true;
			s->origin = r->launches;
			s->thread = t;
		}
	if (queue_launch(r->queue, &s->task, &l))
		synchronize(r, s);
}

static void act(struct run *r, uint64_t length)
{
	struct subject *s = &r->subjects[below(r, r->tasks)];
	if (below(r, length) == 0)
		synchronize(r, s);
	else if (below(r, 50) == 0 && !s->trapped)
		renew(r, s, (uint32_t)below(r, SLOTS));
	else
		launch(r, s);
}

static void open(struct run *r, struct ir_module *m)
{
	uint64_t kind = below(r, 10);
	model_open(&r->model, r->seed ^ 0x5bd1e995, (enum model_shape)below(r, MODEL_SHAPES));
	r->model.flags = kind == 0 ? 0 : 2 + (uint32_t)below(r, 40);
	r->model.refusals = kind < 6 ? 0 : 3 + (uint32_t)below(r, 100);
	r->model.breaks = kind < 8 ? 0 : 40;
	r->model.loses = kind == 9;
	bool exact = r->model.is_exact = below(r, 20) == 0;
	struct queue_options options = {.device = exact ? &r->model.exact : &r->model.device,
	                                .exact = &r->model.exact,
	                                .module = m,
	                                .proofs_off = below(r, 10) == 0,
	                                .trace = getenv("QUEUE_TRACE") != NULL};
	struct text error = {0};
	r->queue = queue_new(&options);
	if (!queue_load(r->queue, &error))
		differs(r, "not loaded");
	r->tasks = 1 + (uint32_t)below(r, TASKS_MOST);
	for (uint32_t i = 0; i < r->tasks; i++)
		for (uint32_t slot = 0; slot < SLOTS; slot++)
			renew(r, &r->subjects[i], slot);
}

static void run(uint64_t seed, struct ir_module *m)
{
	static const uint64_t lengths[] = {2, 3, 6, 20, 80, 400};
	struct run *r = memory_zeroed(1, sizeof *r);
	r->seed = seed;
	r->state = model_mix(seed, 99);
	open(r, m);
	uint64_t length = lengths[below(r, 6)];
	for (uint64_t i = length + below(r, 3 * length); i && !r->over; i--)
		act(r, length);
	for (uint32_t i = 0; i < r->tasks; i++) {
		struct subject *s = &r->subjects[i];
		struct queue_trap trap;
		if (r->over)
			queue_synchronize(r->queue, &s->task, &trap);
		else
			synchronize(r, s);
	}
	for (uint32_t i = 0; i < r->tasks; i++)
		for (uint32_t slot = 0; slot < SLOTS; slot++)
			queue_buffer_release(r->queue, r->subjects[i].buffers[slot]);
	queue_free(r->queue);
	model_close(&r->model);
	free(r);
}

int main(int count, char **arguments)
{
	struct ir_module *m = ir_module_new();
	if (count > 1 && strcmp(arguments[1], "reasons") == 0) {
		test_reasons(m);
		ir_module_free(m);
		return 0;
	}
	uint64_t queues = count > 1 ? strtoull(arguments[1], NULL, 10) : QUEUES;
	uint64_t first = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
	model_kernels_make(m);
	for (uint64_t i = 0; i < queues; i++)
		run(first + i, m);
	model_kernels_free();
	ir_module_free(m);
	printf("%llu queues agree with sequential execution\n", (unsigned long long)queues);
	return 0;
}

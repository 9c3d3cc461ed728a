/* Launches: host checks, the order of what can be seen, running (spec part 3). The queue runs the threads, sooner or
 * later; a trap inside a launch over DevBufs alone stays pending until the next synchronization. */
#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/host_internal.h"
#include "runtime/launch_check.h"
#include "runtime/queue.h"

struct launch {
	const struct node *node;
	const struct ir_kernel *kernel;
	struct value *values; /* on the stack, one a parameter */
	struct queue_argument *arguments;
	void **bytes; /* of lists, in the device's layout; else NULL */
	bool has_lists;
	uint64_t extents[3];
};

/* ---- Arguments ---- */

static bool convert_scalar(struct task *t, struct launch *l, uint32_t i)
{
	const struct ir_parameter *parameter = &l->kernel->parameters[i];
	enum ir_type_kind kind = parameter->type->kind;
	struct value v = l->values[i];
	uint64_t *bits = &l->arguments[i].bits;
	if (v.kind == VALUE_INT && !in_range(kind, v.integer))
		return trap_raise(t, l->node, "dev: argument %s of %s is out of range for %s (value = %lld)",
		                  parameter->name, l->kernel->name, element_name(kind), (long long)v.integer);
	if (v.kind == VALUE_INT) {
		*bits = (uint64_t)v.integer;
	} else if (v.kind == VALUE_BOOL) {
		*bits = v.truth;
	} else if (kind == IR_TYPE_f32) {
		float single = (float)v.real;
		memcpy(bits, &single, sizeof single);
	} else {
		memcpy(bits, &v.real, sizeof v.real);
	}
	return true;
}

static bool convert_list(struct task *t, struct launch *l, uint32_t i)
{
	const struct ir_parameter *parameter = &l->kernel->parameters[i];
	enum ir_type_kind kind = parameter->type->kind;
	const struct list *list = l->values[i].list;
	uint64_t size;
	l->has_lists = true;
	l->arguments[i].length = (uint64_t)list->count;
	l->bytes[i] = elements_alloc(t, l->node, kind, list->count, &size);
	if (!l->bytes[i])
		return false;
	int64_t bad = elements_from_list(kind, list, l->bytes[i]);
	if (bad < 0)
		return true;
	return trap_raise(t, l->node, "dev: element %lld of %s is out of range for %s (value = %lld)", (long long)bad,
	                  parameter->name, element_name(kind), (long long)list_item(list, bad).integer);
}

static bool convert_arguments(struct task *t, struct launch *l)
{
	for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
		struct value v = l->values[i];
		if (v.kind == VALUE_DEVBUF) {
			l->arguments[i].buffer = v.devbuf->buffer;
			l->arguments[i].length = (uint64_t)v.devbuf->count;
		} else if (v.kind == VALUE_LIST ? !convert_list(t, l, i) : !convert_scalar(t, l, i)) {
			return false;
		}
	}
	return true;
}

/* ---- The other host checks (spec 3.2) ---- */

static bool check_aliases(struct task *t, const struct launch *l)
{
	struct text error = {0};
	bool good =
	    launch_check_aliases(l->kernel, l->arguments, &error) || trap_raise(t, l->node, "%s", text_string(&error));
	text_free(&error);
	return good;
}

/* Where the kernel's source says, in the thread that it names. */
static void set_kernel_trap(struct host_trap *to, const struct ir_kernel *k, const struct kernel_trap *trap)
{
	host_trap_free(to);
	to->set = true;
	to->file = k->file;
	to->place = (struct place){trap->line, trap->column, trap->file};
	trap_text(&to->text, trap);
	text_add_format(&to->where, " in %s, gid ", k->name);
	const unsigned long long x = trap->thread[0], y = trap->thread[1], z = trap->thread[2];
	if (k->axes == 1)
		text_add_format(&to->where, "%llu", x);
	else if (k->axes == 2)
		text_add_format(&to->where, "(%llu, %llu)", x, y);
	else
		text_add_format(&to->where, "(%llu, %llu, %llu)", x, y, z);
}

/* What a `pre` is about: scalars as the kernel gets them, and lengths. */
static void show_parameters(struct task *t, const struct launch *l)
{
	for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
		const struct ir_parameter *p = &l->kernel->parameters[i];
		struct value v = l->values[i];
		struct text name = {0};
		text_add_format(&name, p->memory ? "%s.len" : "%s", p->name);
		if (p->memory)
			v = value_int((int64_t)l->arguments[i].length);
		else if (p->type->kind == IR_TYPE_f32)
			v.real = (double)(float)v.real;
		witness_named(t, text_string(&name), v);
		text_free(&name);
	}
}

/* `pre`, the grid, whole groups. All extents 0: there is no thread to run. */
static bool check_on_host(struct task *t, struct launch *l)
{
	const struct ir_kernel *k = l->kernel;
	struct launch_refusal refusal = {0};
	struct ir_argument *arguments = memory_zeroed(k->parameter_count + 1, sizeof *arguments);
	for (uint32_t i = 0; i < k->parameter_count; i++)
		arguments[i] = (struct ir_argument){.bits = l->arguments[i].bits, .length = l->arguments[i].length};
	bool good = launch_check(k, arguments, l->extents, &refusal);
	free(arguments);
	if (!good) {
		trap_raise(t, l->node, "%s", text_string(&refusal.text));
		if (refusal.place.line) {
			t->trap.file = k->file;
			t->trap.place = refusal.place;
		}
		if (refusal.is_contract)
			show_parameters(t, l);
	}
	text_free(&refusal.text);
	return good;
}

/* ---- Running ---- */

static bool load_program(struct task *t, const struct node *n)
{
	struct text error = {0};
	bool good = queue_load(t->host->queue, &error) || trap_raise(t, n, "dev: %s", text_string(&error));
	text_free(&error);
	return good;
}

/* True: the task has to synchronize. */
static bool enqueue(struct task *t, const struct launch *l)
{
	struct queue_launch launch = {
	    .kernel = kernel_facts(t->host, l->kernel), .arguments = l->arguments, .origin = l->node};
	memcpy(launch.extents, l->extents, sizeof launch.extents);
	return queue_launch(t->host->queue, &t->launches, &launch);
}

static bool make_list_buffers(struct task *t, struct launch *l)
{
	for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
		struct queue_argument *a = &l->arguments[i];
		if (!l->bytes[i])
			continue;
		a->buffer = buffer_make(t, l->node, l->bytes[i], a->length * l->kernel->parameters[i].type->size);
		if (!a->buffer)
			return false;
	}
	return true;
}

static void free_list_buffers(struct host *h, struct launch *l)
{
	for (uint32_t i = 0; i < l->kernel->parameter_count; i++)
		if (l->bytes[i])
			queue_buffer_release(h->queue, l->arguments[i].buffer);
}

static bool read_list_buffers(struct task *t, struct launch *l)
{
	for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
		const struct ir_parameter *p = &l->kernel->parameters[i];
		const struct queue_argument *a = &l->arguments[i];
		if (l->bytes[i] && p->memory->writable &&
		    !buffer_read(t, l->node, a->buffer, l->bytes[i], a->length * p->type->size))
			return false;
	}
	return true;
}

/* `&mut ys` of lists: the variables get what the buffers hold. */
static void copy_back(struct task *t, struct launch *l)
{
	for (uint32_t i = 0; i < l->kernel->parameter_count; i++) {
		const struct ir_parameter *p = &l->kernel->parameters[i];
		if (!l->bytes[i] || !p->memory->writable)
			continue;
		struct value *slot = variable_slot(t, l->node->parts[i]->left);
		value_release(*slot);
		*slot = elements_to_list(p->type->kind, l->bytes[i], (int64_t)l->arguments[i].length);
	}
}

/* With lists: runs and traps at once. */
static bool run_with_lists(struct task *t, struct launch *l)
{
	bool good = load_program(t, l->node) && make_list_buffers(t, l);
	if (good) {
		enqueue(t, l);
		good = device_synchronize(t) && read_list_buffers(t, l);
	}
	if (good)
		copy_back(t, l);
	free_list_buffers(t->host, l);
	return good;
}

/* Over DevBufs alone. */
static bool run_queued(struct task *t, struct launch *l)
{
	return load_program(t, l->node) && (!enqueue(t, l) || device_synchronize(t));
}

static bool check_and_run(struct task *t, struct launch *l)
{
	if (!convert_arguments(t, l) || !check_aliases(t, l) || !check_on_host(t, l))
		return false;
	if (l->has_lists && !device_synchronize(t))
		return false;
	if (l->extents[0] == 0)
		return true;
	return l->has_lists ? run_with_lists(t, l) : run_queued(t, l);
}

bool evaluate_launch(struct task *t, const struct node *n, const struct definition *d)
{
	const struct ir_kernel *k = d->kernel;
	struct value *a = t->top;
	output_flush();
	for (uint32_t i = 0; i < n->part_count; i++)
		if (!evaluate(t, n->parts[i]))
			return false;
	struct launch l = {.node = n, .kernel = k, .values = a};
	l.arguments = memory_zeroed(k->parameter_count + 1, sizeof *l.arguments);
	l.bytes = memory_zeroed(k->parameter_count + 1, sizeof *l.bytes);
	bool good = check_and_run(t, &l);
	for (uint32_t i = 0; i < k->parameter_count; i++)
		free(l.bytes[i]);
	free(l.bytes);
	free(l.arguments);
	return good && give(t, a, value_unit());
}

bool device_synchronize(struct task *t)
{
	struct queue_trap trap;
	output_flush();
	if (queue_synchronize(t->host->queue, &t->launches, &trap))
		return true;
	const struct node *n = trap.origin;
	switch (trap.kind) {
	case QUEUE_TRAP_NONE: return true;
	case QUEUE_TRAP_KERNEL: set_kernel_trap(&t->trap, trap.kernel, &trap.trap); break;
	case QUEUE_TRAP_FAILED: return trap_raise(t, n, "dev: the GPU failed while running %s", trap.kernel->name);
	case QUEUE_TRAP_MEMORY: return trap_out_of_memory(t, n, trap.size);
	}
	t->unwind = UNWIND_TRAP;
	return false;
}

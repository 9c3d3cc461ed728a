/* Memory is shared with the host. Command buffers keep what they use, so that buffers may be freed at any time. */
#include "runtime/device_metal.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/capabilities.h"
#include "runtime/holding.h"
#include "runtime/launch_values.h"
#include "runtime/metal_commands.h"
#include "runtime/metal_program.h"
#include "utils/base/arena.h"

enum {
	RECORD_SIZE = 32,
	DUMMY_SIZE = 16,
	INLINE_LIMIT = 4096, /* bytes that setBytes:length:atIndex: takes */
};

struct device_buffer {
	struct holding holding;
	struct metal_object *memory; /* NULL: no bytes */
	void *host;
	uint64_t size;
};

struct device_program {
	struct holding holding;
	struct metal_program program;
};

struct metal_state {
	struct metal_gpu gpu;
	struct metal_commands commands;
	struct metal_object *dummy; /* bound where there is nothing to bind */
	uint64_t buffer_limit;
	struct device_capabilities capabilities;
	struct holding *buffers, *programs;
	struct launch_values values;
	struct text settings; /* of a launch */
};

/* ---- Device ---- */

static uint32_t count_in_pool(const struct metal_runtime *m)
{
	struct metal_object *all = m->MTLCopyAllDevices();
	uint64_t count = all ? METAL_SEND(m, all, count) : 0;
	metal_release(m, all);
	return (uint32_t)count;
}

static uint32_t metal_count(struct text *error)
{
	const struct metal_runtime *m = metal_runtime_open(error);
	if (!m)
		return 0;
	void *pool = metal_pool(m);
	uint32_t count = count_in_pool(m);
	metal_pool_end(m, pool);
	if (!count)
		text_add(error, "Metal has no device");
	return count;
}

static bool find_device(struct metal_state *s, uint32_t number, struct text *error)
{
	const struct metal_runtime *m = s->gpu.m;
	struct metal_object *all = m->MTLCopyAllDevices();
	uint64_t count = all ? METAL_SEND(m, all, count) : 0;
	if (number < count)
		s->gpu.device = METAL_SEND(m, METAL_SEND(m, all, object_at, number), retain);
	else if (count)
		text_add_format(error, "there is no metal:%u: Metal has %u", number, (unsigned)count);
	else
		text_add(error, "Metal has no device");
	metal_release(m, all);
	return s->gpu.device != NULL;
}

/* A thread's place in the launch has 32 bits on each axis. */
static void read_capabilities(struct metal_state *s)
{
	const struct metal_runtime *m = s->gpu.m;
	struct metal_object *device = s->gpu.device;
	struct metal_size most = metal_group_limits(m, device);
	s->gpu.group_limits = most;
	s->buffer_limit = METAL_SEND(m, device, buffer_limit);
	uint64_t groups = most.width ? UINT32_MAX / most.width : 1;
	s->capabilities = (struct device_capabilities){
	    .is_gpu = true,
	    .exact_f32 = !(METAL_HAZARDS & (IR_HAZARD_DIVIDE_F32 | IR_HAZARD_ROOT_F32)),
	    .subnormals_f32 = !(METAL_HAZARDS & IR_HAZARD_FLUSH_F32),
	    .group_limit = (uint32_t)most.width,
	    .shared_limit = METAL_SEND(m, device, shared_limit),
	    .groups_limit = {groups, groups, groups},
	    .memory = METAL_SEND(m, device, working_set),
	    .record_stride = RECORD_SIZE,
	};
}

static bool open_in_pool(struct metal_state *s, uint32_t number, struct text *error)
{
	const struct metal_runtime *m = s->gpu.m;
	if (!find_device(s, number, error))
		return false;
	read_capabilities(s);
	s->commands.m = m;
	s->commands.queue = METAL_SEND(m, s->gpu.device, new_queue);
	if (!s->commands.queue) {
		text_add(error, "newCommandQueue: the device gives none");
		return false;
	}
	s->dummy = METAL_SEND(m, s->gpu.device, new_buffer, DUMMY_SIZE, METAL_STORAGE_SHARED);
	if (!s->dummy)
		text_add(error, "it has no memory to give");
	return s->dummy != NULL;
}

static void free_state(struct metal_state *s)
{
	const struct metal_runtime *m = s->gpu.m;
	metal_release(m, s->dummy);
	metal_release(m, s->commands.queue);
	metal_release(m, s->gpu.device);
	text_free(&s->commands.failure);
	text_free(&s->settings);
	launch_values_free(&s->values);
	free(s);
}

static bool metal_open(struct device *d, struct text *error)
{
	const struct metal_runtime *m = metal_runtime_open(error);
	if (!m)
		return false;
	struct metal_state *s = memory_zeroed(1, sizeof *s);
	void *pool = metal_pool(m);
	s->gpu.m = m;
	bool good = open_in_pool(s, d->number, error);
	if (good)
		d->state = s;
	else
		free_state(s);
	metal_pool_end(m, pool);
	return good;
}

static void metal_describe(struct device *d, struct text *out)
{
	struct metal_state *s = d->state;
	void *pool = metal_pool(s->gpu.m);
	metal_text(s->gpu.m, METAL_SEND(s->gpu.m, s->gpu.device, name), out);
	metal_pool_end(s->gpu.m, pool);
	text_add(out, ", Metal, ");
	capabilities_print(&s->capabilities, out);
}

static const struct device_capabilities *metal_capabilities(struct device *d)
{
	struct metal_state *s = d->state;
	return &s->capabilities;
}

/* ---- Memory ---- */

static struct device_buffer *metal_buffer_new(struct device *d, uint64_t size)
{
	struct metal_state *s = d->state;
	const struct metal_runtime *m = s->gpu.m;
	struct metal_object *memory = NULL;
	if (size > s->buffer_limit)
		return NULL;
	if (size) {
		void *pool = metal_pool(m);
		memory = METAL_SEND(m, s->gpu.device, new_buffer, size, METAL_STORAGE_SHARED);
		metal_pool_end(m, pool);
		if (!memory)
			return NULL;
	}
	struct device_buffer *b = memory_zeroed(1, sizeof *b);
	*b = (struct device_buffer){
	    .memory = memory, .host = memory ? METAL_SEND(m, memory, contents) : NULL, .size = size};
	holding_add(&s->buffers, &b->holding);
	return b;
}

static void metal_buffer_free(struct device *d, struct device_buffer *b)
{
	struct metal_state *s = d->state;
	if (!b)
		return;
	metal_release(s->gpu.m, b->memory);
	holding_remove(&b->holding);
	free(b);
}

static void *metal_buffer_host(struct device_buffer *b)
{
	return b->host;
}

static bool record_copy(struct metal_state *s, struct metal_object *to, struct metal_object *from, uint64_t size)
{
	struct metal_object *encoder = metal_commands_blit(&s->commands);
	if (encoder)
		METAL_SEND(s->gpu.m, encoder, copy, from, 0, to, 0, size);
	return encoder != NULL;
}

/* After what was submitted before: from memory of its own, or at rest where there is none. */
static bool write_in_order(struct metal_state *s, struct device_buffer *b, const void *bytes, uint64_t size)
{
	const struct metal_runtime *m = s->gpu.m;
	struct metal_object *kept = METAL_SEND(m, s->gpu.device, new_buffer_of, bytes, size, METAL_STORAGE_SHARED);
	bool good = kept ? record_copy(s, b->memory, kept, size) : metal_commands_drain(&s->commands);
	if (good && !kept)
		memcpy(b->host, bytes, size);
	metal_release(m, kept);
	return good;
}

static bool metal_buffer_write(struct device *d, struct device_buffer *b, const void *bytes, uint64_t size)
{
	struct metal_state *s = d->state;
	if (!size)
		return true;
	if (s->commands.failure.length)
		return false;
	if (metal_commands_idle(&s->commands)) {
		memcpy(b->host, bytes, size);
		return true;
	}
	void *pool = metal_pool(s->gpu.m);
	bool good = write_in_order(s, b, bytes, size);
	metal_pool_end(s->gpu.m, pool);
	return good;
}

static bool rest(struct metal_state *s)
{
	void *pool = metal_pool(s->gpu.m);
	bool good = metal_commands_drain(&s->commands);
	metal_pool_end(s->gpu.m, pool);
	return good;
}

static bool metal_buffer_read(struct device *d, struct device_buffer *b, void *bytes, uint64_t size)
{
	struct metal_state *s = d->state;
	if (!size)
		return true;
	if (!rest(s))
		return false;
	memcpy(bytes, b->host, size);
	return true;
}

static bool metal_buffer_copy(struct device *d, struct device_buffer *to, struct device_buffer *from, uint64_t size)
{
	struct metal_state *s = d->state;
	if (!size)
		return true;
	void *pool = metal_pool(s->gpu.m);
	bool good = record_copy(s, to->memory, from->memory, size);
	metal_pool_end(s->gpu.m, pool);
	return good;
}

/* ---- Programs ---- */

static struct device_program *metal_load(struct device *d, const struct ir_module *module,
                                         const struct artifact_provider *provider, struct text *error)
{
	struct metal_state *s = d->state;
	struct device_program *p = memory_zeroed(1, sizeof *p);
	void *pool = metal_pool(s->gpu.m);
	bool good = metal_program_load(&p->program, &s->gpu, module, provider, error);
	metal_pool_end(s->gpu.m, pool);
	if (!good) {
		free(p);
		return NULL;
	}
	holding_add(&s->programs, &p->holding);
	return p;
}

static void metal_unload(struct device *d, struct device_program *p)
{
	(void)d;
	if (!p)
		return;
	metal_program_free(&p->program);
	holding_remove(&p->holding);
	free(p);
}

static uint32_t metal_variants(const struct device_program *p, const struct ir_kernel *k)
{
	const struct metal_kernel *kernel = metal_program_kernel(&p->program, k);
	uint32_t variants = 0;
	for (uint32_t v = KERNEL_CHECKED + 1; v < KERNEL_VARIANTS; v++)
		variants |= (uint32_t)(kernel->functions[v] != NULL) << v;
	return variants;
}

/* ---- Launches ---- */

/* A launch that is being recorded. */
struct metal_launch {
	const struct device_launch *launch;
	const struct device_flags *flags;
	const struct metal_kernel *kernel;
	size_t first_group[3]; /* where they are in the settings */
};

static size_t add_setting(struct metal_state *s, uint64_t bits, uint32_t size)
{
	struct text *t = &s->settings;
	text_add_repeat(t, '\0', (size - t->length % size) % size);
	text_add_n(t, (const char *)&bits, size);
	return t->length - size;
}

/* What is not in buffers, as docs/abi.md orders it for Metal. */
static void write_settings(struct metal_state *s, struct metal_launch *l)
{
	bool checked = l->launch->variant == KERNEL_CHECKED;
	launch_values_make(&s->values, l->launch, l->flags);
	text_clear(&s->settings);
	for (uint32_t i = 0; i < s->values.count; i++) {
		const struct launch_value *v = &s->values.items[i];
		switch (v->kind) {
		case LAUNCH_BITS: add_setting(s, v->bits, v->size); break;
		case LAUNCH_FIRST_GROUP: l->first_group[v->axis] = add_setting(s, 0, v->size); break;
		case LAUNCH_BUFFER:
		case LAUNCH_STATUS:
		case LAUNCH_MASK: break;
		}
	}
	if (checked)
		add_setting(s, l->flags->mask != NULL, sizeof(uint32_t));
	text_add_repeat(&s->settings, '\0', -s->settings.length % sizeof(uint64_t)); /* as the struct's size is */
}

static void bind(struct metal_state *s, struct metal_object *encoder, const struct device_buffer *b, uint64_t offset,
                 uint32_t index)
{
	struct metal_object *memory = b && b->memory ? b->memory : s->dummy;
	METAL_SEND(s->gpu.m, encoder, set_buffer, memory, offset, index);
}

static void bind_buffers(struct metal_state *s, struct metal_object *encoder, const struct metal_launch *l)
{
	const struct ir_kernel *k = l->launch->kernel;
	uint32_t index = 0;
	for (uint32_t i = 0; i < k->parameter_count; i++)
		if (k->parameters[i].kind != IR_PARAMETER_SCALAR)
			bind(s, encoder, l->launch->arguments[i].buffer, 0, index++);
	if (l->launch->variant != KERNEL_CHECKED)
		return;
	bind(s, encoder, l->flags->status, l->flags->record * s->capabilities.record_stride, index + 1);
	bind(s, encoder, l->flags->mask, 0, index + 2);
}

static bool bind_settings(struct metal_state *s, struct metal_object *encoder, const struct metal_launch *l)
{
	const struct metal_runtime *m = s->gpu.m;
	const struct text *t = &s->settings;
	if (t->length <= INLINE_LIMIT) {
		METAL_SEND(m, encoder, set_bytes, t->data, t->length, l->kernel->slices);
		return true;
	}
	struct metal_object *kept =
	    METAL_SEND(m, s->gpu.device, new_buffer_of, t->data, t->length, METAL_STORAGE_SHARED);
	if (!kept)
		return false;
	METAL_SEND(m, encoder, set_buffer, kept, 0, l->kernel->slices);
	metal_release(m, kept);
	return true;
}

static bool record_part(struct metal_state *s, const struct metal_launch *l, const struct launch_part *part,
                        struct text *error)
{
	const struct ir_kernel *k = l->launch->kernel;
	struct metal_object *encoder = metal_commands_compute(&s->commands);
	if (!encoder) {
		text_add(error, text_string(&s->commands.failure));
		return false;
	}
	for (int axis = 0; axis < k->axes; axis++)
		memcpy(s->settings.data + l->first_group[axis], &part->first[axis], sizeof part->first[axis]);
	METAL_SEND(s->gpu.m, encoder, set_pipeline, l->kernel->pipelines[l->launch->variant]);
	bind_buffers(s, encoder, l);
	if (!bind_settings(s, encoder, l)) {
		text_add(error, "there is no memory for its settings");
		return false;
	}
	METAL_SEND(s->gpu.m, encoder, dispatch,
	           ((struct metal_size){part->groups[0], part->groups[1], part->groups[2]}),
	           ((struct metal_size){k->group[0], k->group[1], k->group[2]}));
	return true;
}

static bool submit_in_pool(struct metal_state *s, struct device_program *p, struct metal_launch *l, struct text *error)
{
	struct metal_kernel *kernel = metal_program_kernel(&p->program, l->launch->kernel);
	struct launch_part part = {0};
	if (!metal_kernel_prepare(kernel, &p->program, l->launch->kernel, l->launch->variant, error))
		return false;
	l->kernel = kernel;
	write_settings(s, l);
	if (!launch_part_next(&part, l->launch, s->capabilities.groups_limit) || !record_part(s, l, &part, error))
		return false;
	struct text why = {0};
	bool good = true;
	while (good && launch_part_next(&part, l->launch, s->capabilities.groups_limit))
		good = record_part(s, l, &part, &why);
	if (!good && !s->commands.failure.length) /* told by metal_finish: some of it runs */
		text_add(&s->commands.failure, text_string(&why));
	text_free(&why);
	return true;
}

static bool metal_submit(struct device *d, struct device_program *p, const struct device_launch *launch,
                         const struct device_flags *flags, struct text *error)
{
	struct metal_state *s = d->state;
	struct metal_launch l = {.launch = launch, .flags = flags};
	void *pool = metal_pool(s->gpu.m);
	bool good = submit_in_pool(s, p, &l, error);
	metal_pool_end(s->gpu.m, pool);
	return good;
}

/* `good`, or why not. */
static bool tell(const struct metal_state *s, bool good, struct text *error)
{
	if (!good)
		text_add(error, text_string(&s->commands.failure));
	return good;
}

static bool metal_flush(struct device *d, struct text *error)
{
	struct metal_state *s = d->state;
	void *pool = metal_pool(s->gpu.m);
	bool good = metal_commands_submit(&s->commands);
	metal_pool_end(s->gpu.m, pool);
	return tell(s, good, error);
}

static bool metal_finish(struct device *d, struct text *error)
{
	struct metal_state *s = d->state;
	return tell(s, rest(s), error);
}

static void metal_close(struct device *d)
{
	struct metal_state *s = d->state;
	const struct metal_runtime *m = s->gpu.m;
	rest(s);
	void *pool = metal_pool(m);
	while (s->programs)
		metal_unload(d, (struct device_program *)s->programs);
	while (s->buffers)
		metal_buffer_free(d, (struct device_buffer *)s->buffers);
	free_state(s);
	metal_pool_end(m, pool);
	d->state = NULL;
}

const struct device_functions device_metal_functions = {
    .count = metal_count,
    .open = metal_open,
    .close = metal_close,
    .describe = metal_describe,
    .buffer_new = metal_buffer_new,
    .buffer_free = metal_buffer_free,
    .buffer_write = metal_buffer_write,
    .buffer_read = metal_buffer_read,
    .buffer_host = metal_buffer_host,
    .buffer_copy = metal_buffer_copy,
    .program_load = metal_load,
    .program_free = metal_unload,
    .variants = metal_variants,
    .submit = metal_submit,
    .flush = metal_flush,
    .finish = metal_finish,
    .capabilities = metal_capabilities,
};

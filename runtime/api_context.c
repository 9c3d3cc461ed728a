/* Devices, contexts, errors. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/api.h"
#include "utils/base/arena.h"

const char *sspur_version(void)
{
	return SSPUR_VERSION;
}

/* ---- Errors ---- */

static _Thread_local struct {
	sspur_error status;
	char text[512];
} thread_error;

const char *sspur_error_name(sspur_error status)
{
	switch (status) {
	case SSPUR_OK: return "ok";
	case SSPUR_ERROR_ARGUMENT: return "argument";
	case SSPUR_ERROR_DEVICE: return "device";
	case SSPUR_ERROR_ARTIFACT: return "artifact";
	case SSPUR_ERROR_KERNEL: return "kernel";
	case SSPUR_ERROR_MEMORY: return "memory";
	case SSPUR_ERROR_LAUNCH: return "launch";
	case SSPUR_ERROR_TRAP: return "trap";
	case SSPUR_ERROR_LOST: return "lost";
	}
	return "unknown";
}

sspur_error api_fail(sspur_context *c, sspur_error status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (c) {
		text_clear(&c->error);
		text_add_format_v(&c->error, format, args);
		c->status = status;
	} else {
		vsnprintf(thread_error.text, sizeof thread_error.text, format, args);
		thread_error.status = status;
	}
	va_end(args);
	return status;
}

const char *sspur_error_text(const sspur_context *c)
{
	return c ? text_string(&c->error) : thread_error.text;
}

sspur_error sspur_error_code(const sspur_context *c)
{
	return c ? c->status : thread_error.status;
}

/* ---- Devices in use ---- */

enum { DEVICES_MOST = 16 };

static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static const struct device *devices_in_use[DEVICES_MOST]; /* NULL: free */

/* A device without a state of its own may be open many times. */
static bool is_shared(const struct device *d)
{
	return !d->functions->open && !d->functions->close;
}

static size_t base_length(const char *name)
{
	return strcspn(name, ":");
}

/* One object serves all devices of a name, so finding another one of the name would change it. NULL: none is open. */
static const struct device *find_in_use(const char *name)
{
	size_t length = base_length(name);
	for (int i = 0; i < DEVICES_MOST; i++) {
		const struct device *d = devices_in_use[i];
		if (d && base_length(d->name) == length && strncmp(d->name, name, length) == 0)
			return d;
	}
	return NULL;
}

static void set_in_use(const struct device *d, bool in_use)
{
	for (int i = 0; i < DEVICES_MOST; i++)
		if (devices_in_use[i] == (in_use ? NULL : d)) {
			devices_in_use[i] = in_use ? d : NULL;
			return;
		}
}

/* With the lock held. */
static struct device *take_device(const char *name)
{
	if (find_in_use(name)) {
		api_fail(NULL, SSPUR_ERROR_DEVICE, "the device %.*s is open in another context", (int)base_length(name),
		         name);
		return NULL;
	}
	struct device *d = device_find(name);
	struct text why = {0};
	if (!d) {
		api_fail(NULL, SSPUR_ERROR_DEVICE, "there is no device `%s`", name);
	} else if (d->functions->open && !d->functions->open(d, &why)) {
		api_fail(NULL, SSPUR_ERROR_DEVICE, "the device %s is not usable: %s", name, text_string(&why));
		d = NULL;
	} else if (!is_shared(d)) {
		set_in_use(d, true);
	}
	text_free(&why);
	return d;
}

const char *sspur_device_name(uint32_t index)
{
	for (uint32_t i = 0; device_names[i]; i++)
		if (i == index)
			return device_names[i];
	return NULL;
}

uint32_t sspur_device_count(const char *name)
{
	uint32_t count = 0;
	struct text why = {0};
	bool known = false;
	for (uint32_t i = 0; name && device_names[i]; i++)
		known |= strcmp(device_names[i], name) == 0;
	if (!known) {
		api_fail(NULL, SSPUR_ERROR_DEVICE, "there is no device `%s`", name ? name : "");
		return 0;
	}
	pthread_mutex_lock(&devices_lock);
	const struct device *d = find_in_use(name);
	if (!d)
		d = device_find(name);
	count = d->functions->count ? d->functions->count(&why) : 1;
	pthread_mutex_unlock(&devices_lock);
	if (!count)
		api_fail(NULL, SSPUR_ERROR_DEVICE, "the device %s is not usable: %s", name, text_string(&why));
	text_free(&why);
	return count;
}

/* ---- Contexts ---- */

sspur_error sspur_context_new(const char *name, sspur_context **context)
{
	if (!name || !context)
		return api_fail(NULL, SSPUR_ERROR_ARGUMENT, "sspur_context_new: a null pointer");
	*context = NULL;
	pthread_mutex_lock(&devices_lock);
	struct device *d = take_device(name);
	sspur_context *c = d ? memory_zeroed(1, sizeof *c) : NULL;
	if (d)
		d->functions->describe(d, &c->description);
	pthread_mutex_unlock(&devices_lock);
	if (!d)
		return SSPUR_ERROR_DEVICE;
	const char *trace = getenv("SSPUR_GPU_TRACE");
	c->device = d;
	c->queue = queue_new(&(struct queue_options){.device = d, .trace = trace && strcmp(trace, "1") == 0});
	*context = c;
	return SSPUR_OK;
}

void sspur_context_free(sspur_context *c)
{
	if (!c)
		return;
	api_settle(c);
	while (c->modules)
		sspur_module_free((sspur_module *)c->modules);
	while (c->buffers)
		sspur_buffer_free((sspur_buffer *)c->buffers);
	queue_free(c->queue);
	pthread_mutex_lock(&devices_lock);
	if (c->device->functions->close)
		c->device->functions->close(c->device);
	if (!is_shared(c->device))
		set_in_use(c->device, false);
	pthread_mutex_unlock(&devices_lock);
	text_free(&c->description);
	text_free(&c->error);
	text_free(&c->pending_text);
	free(c);
}

const char *sspur_context_description(const sspur_context *c)
{
	return c ? text_string(&c->description) : "";
}

void sspur_context_capabilities(const sspur_context *context, sspur_capabilities *out)
{
	static const struct device_capabilities everything = {.float64 = true,
	                                                      .subnormals_f32 = true,
	                                                      .subnormals_f64 = true,
	                                                      .exact_f32 = true,
	                                                      .exact_f64 = true,
	                                                      .group_limit = UINT32_MAX,
	                                                      .shared_limit = UINT64_MAX};
	if (!out)
		return;
	memset(out, 0, sizeof *out);
	if (!context)
		return;
	struct device *d = context->device;
	const struct device_capabilities *c = d->functions->capabilities ? d->functions->capabilities(d) : &everything;
	out->is_gpu = c->is_gpu;
	out->float64 = c->float64;
	out->subnormals_f32 = c->subnormals_f32;
	out->subnormals_f64 = c->subnormals_f64;
	out->exact_f32 = c->exact_f32;
	out->exact_f64 = c->exact_f64;
	out->group_limit = c->group_limit;
	out->shared_limit = c->shared_limit;
	out->memory = c->memory;
}

/* ---- Synchronizing ---- */

static void print_kernel_trap(struct text *out, const struct ir_kernel *k, const struct kernel_trap *trap)
{
	const unsigned long long x = trap->thread[0], y = trap->thread[1], z = trap->thread[2];
	trap_text(out, trap);
	text_add_format(out, " at %s:%u:%u in %s, gid ", k->file ? k->file : "?", trap->line, trap->column, k->name);
	if (k->axes == 1)
		text_add_format(out, "%llu", x);
	else if (k->axes == 2)
		text_add_format(out, "(%llu, %llu)", x, y);
	else
		text_add_format(out, "(%llu, %llu, %llu)", x, y, z);
}

void api_settle(sspur_context *c)
{
	struct queue_trap trap;
	if (queue_synchronize(c->queue, &c->task, &trap) || c->pending != SSPUR_OK)
		return;
	text_clear(&c->pending_text);
	switch (trap.kind) {
	case QUEUE_TRAP_NONE: break;
	case QUEUE_TRAP_KERNEL:
		c->pending = SSPUR_ERROR_TRAP;
		print_kernel_trap(&c->pending_text, trap.kernel, &trap.trap);
		break;
	case QUEUE_TRAP_FAILED:
		c->pending = SSPUR_ERROR_LOST;
		text_add_format(&c->pending_text, "dev: the GPU failed while running %s", trap.kernel->name);
		break;
	case QUEUE_TRAP_MEMORY:
		c->pending = SSPUR_ERROR_MEMORY;
		text_add_format(&c->pending_text, "dev: out of device memory (%llu bytes)",
		                (unsigned long long)trap.size);
		break;
	}
}

sspur_error sspur_synchronize(sspur_context *c)
{
	if (!c)
		return api_fail(NULL, SSPUR_ERROR_ARGUMENT, "sspur_synchronize: a null pointer");
	api_settle(c);
	sspur_error status = c->pending;
	c->pending = SSPUR_OK;
	return status == SSPUR_OK ? status : api_fail(c, status, "%s", text_string(&c->pending_text));
}

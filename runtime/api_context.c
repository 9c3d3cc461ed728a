/* Devices, contexts, errors. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/api.h"
#include "runtime/failure_text.h"
#include "runtime/device_probe.h"
#include "runtime/fork_watch.h"
#include "runtime/profile.h"
#include "utils/base/arena.h"
#include "utils/base/float_environment.h"

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
		/* Another thread may have been at the text when the process forked: it is left behind as well. */
		if (c->forks != fork_count() && !c->left)
			c->error = (struct text){0};
		c->left = c->forks != fork_count();
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

/* ---- Devices ---- */

/* Held where names become devices, and where these open and close. */
static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static bool injecting;        /* the injecting device, of which there is one, is open */
static struct text auto_name; /* what `auto` is */
static bool auto_known;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

/* In the child of a fork, where no other thread is that could hold the lock or be at the rest. */
static void start_anew(void)
{
	devices_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	injecting = false;
	if (!auto_known)
		auto_name = (struct text){0};
}

static void watch_forks(void)
{
	fork_watch();
	pthread_atfork(NULL, NULL, start_anew);
}

static void lock_devices(void)
{
	pthread_once(&fork_once, watch_forks);
	pthread_mutex_lock(&devices_lock);
}

static bool is_injecting(const char *name)
{
	return strncmp(name, "fault:", 6) == 0;
}

/* An object of the caller's own, as that of the list serves one opening. NULL with one line in *error: there is none
 * such, or it does not open. */
static struct device *open_device(const char *name, struct text *error)
{
	if (is_injecting(name) && injecting) {
		text_add(error, "the device fault is open in another context");
		return NULL;
	}
	const struct device *listed = device_find(name);
	if (!listed) {
		text_add_format(error, "there is no device `%s`", name);
		return NULL;
	}
	struct device *d = memory_alloc(sizeof *d);
	*d = *listed;
	struct text why = {0};
	if (d->functions->open && !d->functions->open(d, &why)) {
		text_add_format(error, "the device %s is not usable: %s", name, text_string(&why));
		free(d);
		d = NULL;
	}
	text_free(&why);
	injecting |= d && is_injecting(name);
	return d;
}

static void close_device(struct device *d)
{
	if (d->functions->close)
		d->functions->close(d);
	if (is_injecting(d->name))
		injecting = false;
	free(d);
}

/* Drivers are asked once a process. */
static struct device *open_auto(struct text *error)
{
	if (!auto_known)
		device_probe(&auto_name);
	auto_known = true;
	return open_device(text_string(&auto_name), error);
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
	FLOAT_ENVIRONMENT;
	uint32_t count = 0;
	struct text why = {0};
	bool known = false;
	for (uint32_t i = 0; name && device_names[i]; i++)
		known |= strcmp(device_names[i], name) == 0;
	if (!known) {
		api_fail(NULL, SSPUR_ERROR_DEVICE, "there is no device `%s`", name ? name : "");
		return 0;
	}
	lock_devices();
	const struct device *d = device_find(name);
	count = d->functions->count ? d->functions->count(&why) : 1;
	pthread_mutex_unlock(&devices_lock);
	if (!count)
		api_fail(NULL, SSPUR_ERROR_DEVICE, "the device %s is not usable: %s", name, text_string(&why));
	text_free(&why);
	return count;
}

/* ---- Contexts ---- */

bool api_is_left_behind(sspur_context *c)
{
	if (!c || c->forks == fork_count())
		return false;
	api_fail(c, SSPUR_ERROR_LOST,
	         "the context was opened before fork(), which leaves its device's threads behind: "
	         "the child has to open one of its own");
	return true;
}

sspur_error sspur_context_new(const char *name, sspur_context **context)
{
	FLOAT_ENVIRONMENT;
	if (!name || !context)
		return api_fail(NULL, SSPUR_ERROR_ARGUMENT, "sspur_context_new: a null pointer");
	*context = NULL;
	const char *profile = getenv("SSPUR_PROFILE");
	if (profile && *profile)
		profile_start(profile);
	lock_devices();
	struct text error = {0};
	struct device *d = strcmp(name, "auto") == 0 ? open_auto(&error) : open_device(name, &error);
	sspur_context *c = d ? memory_zeroed(1, sizeof *c) : NULL;
	if (d)
		d->functions->describe(d, &c->description);
	pthread_mutex_unlock(&devices_lock);
	if (!d)
		api_fail(NULL, SSPUR_ERROR_DEVICE, "%s", text_string(&error));
	text_free(&error);
	if (!d)
		return SSPUR_ERROR_DEVICE;
	const char *trace = getenv("SSPUR_GPU_TRACE");
	c->device = d;
	c->forks = fork_count();
	c->queue = queue_new(&(struct queue_options){.device = d, .trace = trace && strcmp(trace, "1") == 0});
	*context = c;
	return SSPUR_OK;
}

void sspur_context_free(sspur_context *c)
{
	FLOAT_ENVIRONMENT;
	if (!c || api_is_left_behind(c))
		return;
	api_settle(c);
	while (c->modules)
		sspur_module_free((sspur_module *)c->modules);
	while (c->buffers)
		sspur_buffer_free((sspur_buffer *)c->buffers);
	queue_free(c->queue);
	lock_devices();
	close_device(c->device);
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
	FLOAT_ENVIRONMENT;
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

/* A device that fails is told once, by whichever comes first. */
static void settle_artifacts(sspur_context *c)
{
	struct text error = {0};
	for (struct holding *h = c->modules; h; h = h->next) {
		struct queue_bare *bare = ((sspur_module *)h)->bare;
		text_clear(&error);
		if (!bare || queue_bare_finish(c->queue, bare, &error) || c->pending != SSPUR_OK)
			continue;
		c->pending = SSPUR_ERROR_LOST;
		text_clear(&c->pending_text);
		text_add(&c->pending_text, text_string(&error));
	}
	text_free(&error);
}

/* `first` is the number of the launch that is pending. */
static void take_record(sspur_context *c, sspur_kernel *kernel, uint64_t *first)
{
	const struct ir_kernel *k = kernel->facts.kernel;
	struct text ignored = {0};
	uint32_t words[QUEUE_BARE_WORDS];
	struct kernel_trap trap;
	uint64_t number = queue_bare_first_failed(c->queue, kernel->module->bare, k);
	if (!number)
		return;
	queue_bare_status(c->queue, kernel->module->bare, k, words, &trap, &ignored);
	text_free(&ignored);
	queue_bare_add_record(kernel->taken, words);
	if ((c->pending != SSPUR_OK && *first == UINT64_MAX) || number > *first)
		return;
	*first = number;
	c->pending = SSPUR_ERROR_TRAP;
	c->goes_on = true;
	if (trap.kind == TRAP_NONE)
		trap = failure_of_record(k, words);
	text_clear(&c->pending_text);
	failure_text(&c->pending_text, k, &trap, words[0], "?");
	text_add_format(&c->pending_text, ", in %s", k->name);
}

/* Failures that kernels of bundles have recorded: those of the first launch become pending. */
static void settle_records(sspur_context *c)
{
	uint64_t first = UINT64_MAX;
	for (struct holding *h = c->modules; h; h = h->next) {
		sspur_module *m = (sspur_module *)h;
		if (!m->bare || m->is_artifact || !queue_bare_noted(c->queue, m->bare))
			continue;
		for (uint32_t i = 0; i < m->ir->kernel_count; i++)
			take_record(c, &m->kernels[i], &first);
	}
}

static void settle_trap(sspur_context *c, const struct queue_trap *trap)
{
	text_clear(&c->pending_text);
	switch (trap->kind) {
	case QUEUE_TRAP_NONE: break;
	case QUEUE_TRAP_KERNEL:
		c->pending = SSPUR_ERROR_TRAP;
		print_kernel_trap(&c->pending_text, trap->kernel, &trap->trap);
		break;
	case QUEUE_TRAP_FAILED:
		c->pending = SSPUR_ERROR_LOST;
		text_add_format(&c->pending_text, "dev: the GPU failed while running %s", trap->kernel->name);
		break;
	case QUEUE_TRAP_MEMORY:
		c->pending = SSPUR_ERROR_MEMORY;
		text_add_format(&c->pending_text, "dev: out of device memory (%llu bytes)",
		                (unsigned long long)trap->size);
		break;
	}
}

void api_settle(sspur_context *c)
{
	struct queue_trap trap;
	bool clean = queue_synchronize(c->queue, &c->task, &trap);
	settle_artifacts(c);
	if (!clean && c->pending == SSPUR_OK)
		settle_trap(c, &trap);
	settle_records(c);
}

sspur_error sspur_synchronize(sspur_context *c)
{
	FLOAT_ENVIRONMENT;
	if (!c)
		return api_fail(NULL, SSPUR_ERROR_ARGUMENT, "sspur_synchronize: a null pointer");
	if (api_is_left_behind(c))
		return SSPUR_ERROR_LOST;
	api_settle(c);
	sspur_error status = c->pending;
	c->pending = SSPUR_OK;
	c->goes_on = false;
	return status == SSPUR_OK ? status : api_fail(c, status, "%s", text_string(&c->pending_text));
}

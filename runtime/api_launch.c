/* Launches: the arguments against the parameters, what is checked on the host, the queue. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/api.h"
#include "runtime/launch_check.h"
#include "runtime/launch_limits.h"
#include "utils/base/arena.h"
#include "utils/base/float_environment.h"

/* One call of sspur_launch or sspur_launch_extents. */
struct launching {
	sspur_kernel *kernel;
	sspur_context *context;
	const sspur_argument *given;
	struct queue_argument *arguments;
	struct text error;
	sspur_error kind; /* of `error`, of the arguments; OK: ARGUMENT */
};

static bool refuse_argument(struct launching *l, uint32_t i, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse_argument(struct launching *l, uint32_t i, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const struct ir_kernel *k = l->kernel->facts.kernel;
	text_add_format(&l->error, "argument %s of %s: ", k->parameters[i].name, k->name);
	text_add_format_v(&l->error, format, args);
	va_end(args);
	return false;
}

static const char *type_name(sspur_type type)
{
	bool known = (int)type > IR_TYPE_void && (int)type < IR_TYPE_array;
	return type == SSPUR_BYTES ? "a struct" : known ? ir_type_kind_name((enum ir_type_kind)type) : "nothing known";
}

static bool check_length(struct launching *l, uint32_t i, uint64_t length)
{
	const struct ir_kernel *k = l->kernel->facts.kernel;
	struct launch_excess excess = {0};
	uint64_t size;
	bool good = launch_limits_length(k, k->parameters[i].type, length, &size, &excess);
	if (!good)
		refuse_argument(l, i, "%s", text_string(&excess.what));
	text_free(&excess.what);
	return good;
}

static bool take_slice(struct launching *l, uint32_t i)
{
	const sspur_argument *a = &l->given[i];
	uint32_t size = l->kernel->facts.kernel->parameters[i].type->size;
	if (!a->is_slice)
		return refuse_argument(l, i, "it is a slice, and a scalar is given");
	if (!a->buffer)
		return refuse_argument(l, i, "no buffer is given");
	if (a->buffer->context != l->context)
		return refuse_argument(l, i, "the buffer is of another context");
	if (!check_length(l, i, a->length))
		return false;
	if (a->length > a->buffer->size / size)
		return refuse_argument(l, i, "%llu elements of %u bytes, and the buffer has %llu bytes",
		                       (unsigned long long)a->length, size, (unsigned long long)a->buffer->size);
	l->arguments[i] = (struct queue_argument){.buffer = a->buffer->buffer, .length = a->length};
	return true;
}

static bool take_scalar(struct launching *l, uint32_t i)
{
	const sspur_argument *a = &l->given[i];
	const struct ir_type *type = l->kernel->facts.kernel->parameters[i].type;
	if (a->is_slice)
		return refuse_argument(l, i, "it is a scalar, and a slice is given");
	if ((int)a->type != (int)type->kind)
		return refuse_argument(l, i, "it is %s, and %s is given", ir_type_kind_name(type->kind),
		                       type_name(a->type));
	l->arguments[i].bits = type->kind == IR_TYPE_bool ? (uint32_t)a->bits != 0 : ir_canonical_bits(type, a->bits);
	return true;
}

/* A buffer of its own, which goes with the launch. */
static bool take_bytes(struct launching *l, uint32_t i)
{
	const sspur_argument *a = &l->given[i];
	uint32_t size = l->kernel->facts.kernel->parameters[i].type->size;
	const void *bytes = (const void *)(uintptr_t)a->bits;
	if (a->is_slice || a->type != SSPUR_BYTES)
		return refuse_argument(l, i, "it is a struct, and %s is given",
		                       a->is_slice ? "a slice" : type_name(a->type));
	if (a->length != size || !bytes)
		return refuse_argument(l, i, "it has %u bytes, and %llu are given", size,
		                       (unsigned long long)(bytes ? a->length : 0));
	struct queue *q = l->context->queue;
	struct queue_buffer *buffer = l->arguments[i].buffer = queue_buffer_new(q, size);
	if (buffer && queue_buffer_write(q, buffer, bytes, size))
		return true;
	l->kind = SSPUR_ERROR_MEMORY;
	return refuse_argument(l, i, "no memory for %u bytes", size);
}

static bool take_argument(struct launching *l, uint32_t i)
{
	switch (l->kernel->facts.kernel->parameters[i].kind) {
	case IR_PARAMETER_SCALAR: return take_scalar(l, i);
	case IR_PARAMETER_BUFFER: return take_slice(l, i);
	case IR_PARAMETER_VALUE: return take_bytes(l, i);
	}
	return false;
}

static bool take_arguments(struct launching *l, uint32_t count)
{
	const struct ir_kernel *k = l->kernel->facts.kernel;
	if (count != k->parameter_count) {
		text_add_format(&l->error, "%s takes %u arguments, and %u are given", k->name, k->parameter_count,
		                count);
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
		if (!take_argument(l, i))
			return false;
	return true;
}

static bool check_aliases(struct launching *l)
{
	return launch_check_aliases(l->kernel->facts.kernel, l->arguments, &l->error);
}

/* `pre`, the grid, whole groups. */
static bool check_on_host(struct launching *l, uint64_t extents[3])
{
	const struct ir_kernel *k = l->kernel->facts.kernel;
	struct launch_refusal refusal = {0};
	struct ir_argument *arguments = memory_zeroed(k->parameter_count + 1, sizeof *arguments);
	for (uint32_t i = 0; i < k->parameter_count; i++)
		arguments[i] = (struct ir_argument){.bits = l->arguments[i].bits, .length = l->arguments[i].length};
	bool good = launch_check(k, arguments, extents, &refusal);
	free(arguments);
	text_add(&l->error, text_string(&refusal.text));
	if (refusal.place.line)
		text_add_format(&l->error, " at %s:%u:%u", k->file ? k->file : "?", refusal.place.line,
		                refusal.place.column);
	text_free(&refusal.text);
	return good;
}

/* After a trap launches do nothing until it is reported. */
static sspur_error enqueue(struct launching *l, const uint64_t extents[3])
{
	struct queue_launch launch = {.kernel = &l->kernel->facts, .arguments = l->arguments};
	memcpy(launch.extents, extents, sizeof launch.extents);
	if (extents[0] == 0 || (l->context->pending != SSPUR_OK && !l->context->goes_on) ||
	    !queue_launch(l->context->queue, &l->context->task, &launch))
		return SSPUR_OK;
	return sspur_synchronize(l->context);
}

/* A launch that is refused synchronizes first (spec 3.3). */
static sspur_error check_and_run(struct launching *l, uint32_t count)
{
	uint64_t extents[3];
	if (!take_arguments(l, count))
		return api_fail(l->context, SSPUR_ERROR_ARGUMENT, "%s", text_string(&l->error));
	if (check_aliases(l) && check_on_host(l, extents))
		return enqueue(l, extents);
	sspur_error status = sspur_synchronize(l->context);
	return status != SSPUR_OK ? status : api_fail(l->context, SSPUR_ERROR_LAUNCH, "%s", text_string(&l->error));
}

/* ---- By extents ---- */

/* As the caller says it. */
struct threads {
	bool groups; /* whole ones are counted */
	uint64_t count[3];
};

/* `count`: threads, or groups, of which *extents are the threads. */
static bool check_extents(struct launching *l, bool groups, const uint64_t count[3], uint64_t extents[3])
{
	const struct ir_kernel *k = l->kernel->facts.kernel;
	bool narrow = strcmp(l->context->device->name, "twin") == 0; /* Cone's ids are u32 where usize is not */
	struct launch_excess excess = {0};
	bool good = groups ? launch_limits_groups(k, narrow, count, extents, &excess)
	                   : launch_limits_extents(k, narrow, count, &excess);
	if (!groups)
		memcpy(extents, count, 3 * sizeof *extents);
	if (!good)
		text_add_format(&l->error, "%s: %s", k->name, text_string(&excess.what));
	text_free(&excess.what);
	return good;
}

static bool check_whole_groups(struct launching *l, const uint64_t extents[3])
{
	return !l->kernel->grouped || launch_check_groups(l->kernel->facts.kernel, extents, &l->error);
}

static sspur_error run_bare(struct launching *l, const uint64_t extents[3])
{
	sspur_context *c = l->context;
	struct queue_launch launch = {.kernel = &l->kernel->facts, .arguments = l->arguments};
	memcpy(launch.extents, extents, sizeof launch.extents);
	if (!extents[0] || !extents[1] || !extents[2] || (c->pending != SSPUR_OK && !c->goes_on))
		return SSPUR_OK;
	switch (queue_bare_launch(c->queue, &c->task, l->kernel->bare, &launch, &l->error)) {
	case QUEUE_BARE_DONE: return SSPUR_OK;
	case QUEUE_BARE_REFUSED:
		return api_fail(c, SSPUR_ERROR_LAUNCH, "%s: %s", l->kernel->facts.kernel->name, text_string(&l->error));
	case QUEUE_BARE_LOST: break;
	}
	return api_fail(c, SSPUR_ERROR_LOST, "%s", text_string(&l->error));
}

static sspur_error check_and_run_bare(struct launching *l, const struct threads *threads, uint32_t count)
{
	uint64_t extents[3];
	if (!take_arguments(l, count) || !check_extents(l, threads->groups, threads->count, extents))
		return api_fail(l->context, l->kind ? l->kind : SSPUR_ERROR_ARGUMENT, "%s", text_string(&l->error));
	if (check_aliases(l) && check_whole_groups(l, extents))
		return run_bare(l, extents);
	sspur_error status = sspur_synchronize(l->context);
	return status != SSPUR_OK ? status : api_fail(l->context, SSPUR_ERROR_LAUNCH, "%s", text_string(&l->error));
}

sspur_error sspur_kernel_status(sspur_kernel *kernel, sspur_status *status)
{
	FLOAT_ENVIRONMENT;
	uint32_t words[QUEUE_BARE_WORDS];
	if (status)
		memset(status, 0, sizeof *status);
	if (!kernel || !status)
		return api_fail(kernel ? kernel->module->context : NULL, SSPUR_ERROR_ARGUMENT,
		                "sspur_kernel_status: a null pointer");
	sspur_module *m = kernel->module;
	if (api_is_left_behind(m->context))
		return SSPUR_ERROR_LOST;
	if (!kernel->bare)
		return api_fail(m->context, SSPUR_ERROR_ARGUMENT, "%s is of a bundle: its traps are errors",
		                kernel->facts.kernel->name);
	struct text error = {0};
	sspur_error result = SSPUR_OK;
	if (!queue_bare_status(m->context->queue, m->bare, kernel->facts.kernel, words, NULL, &error))
		result = api_fail(m->context, SSPUR_ERROR_LOST, "%s", text_string(&error));
	text_free(&error);
	queue_bare_add_record(kernel->taken, words);
	memcpy(words, kernel->taken, sizeof words);
	memset(kernel->taken, 0, sizeof kernel->taken);
	*status = (sspur_status){words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7]};
	return result;
}

/* ---- Either ---- */

/* `threads` NULL: the kernel's grid says how many. */
static sspur_error launch(sspur_kernel *kernel, const struct threads *threads, const sspur_argument *arguments,
                          uint32_t count)
{
	if (api_is_left_behind(kernel->module->context))
		return SSPUR_ERROR_LOST;
	struct launching l = {.kernel = kernel, .context = kernel->module->context, .given = arguments};
	l.arguments = memory_zeroed((size_t)kernel->facts.kernel->parameter_count + 1, sizeof *l.arguments);
	sspur_error status = threads ? check_and_run_bare(&l, threads, count) : check_and_run(&l, count);
	for (uint32_t i = 0; i < kernel->facts.kernel->parameter_count; i++)
		if (kernel->facts.kernel->parameters[i].kind == IR_PARAMETER_VALUE)
			queue_buffer_release(l.context->queue, l.arguments[i].buffer);
	free(l.arguments);
	text_free(&l.error);
	return status;
}

sspur_error sspur_launch(sspur_kernel *kernel, const sspur_argument *arguments, uint32_t count)
{
	FLOAT_ENVIRONMENT;
	if (!kernel || (!arguments && count))
		return api_fail(kernel ? kernel->module->context : NULL, SSPUR_ERROR_ARGUMENT,
		                "sspur_launch: a null pointer");
	if (kernel->bare)
		return api_fail(kernel->module->context, SSPUR_ERROR_ARGUMENT,
		                "%s %s: use sspur_launch_extents or sspur_launch_groups", kernel->facts.kernel->name,
		                kernel->module->is_artifact ? "is of a bare artifact, which has no `@grid`"
		                                            : "has no `@grid`");
	return launch(kernel, NULL, arguments, count);
}

static sspur_error launch_threads(sspur_kernel *kernel, const uint64_t count[3], bool groups,
                                  const sspur_argument *arguments, uint32_t argument_count)
{
	if (!kernel || !count || (!arguments && argument_count))
		return api_fail(kernel ? kernel->module->context : NULL, SSPUR_ERROR_ARGUMENT,
		                "sspur_launch_%s: a null pointer", groups ? "groups" : "extents");
	if (!kernel->bare)
		return api_fail(kernel->module->context, SSPUR_ERROR_ARGUMENT,
		                "%s is of a bundle, and its `@grid` says how many threads it has: use sspur_launch",
		                kernel->facts.kernel->name);
	struct threads threads = {.groups = groups};
	memcpy(threads.count, count, sizeof threads.count);
	return launch(kernel, &threads, arguments, argument_count);
}

sspur_error sspur_launch_extents(sspur_kernel *kernel, const uint64_t extents[3], const sspur_argument *arguments,
                                 uint32_t count)
{
	FLOAT_ENVIRONMENT;
	return launch_threads(kernel, extents, false, arguments, count);
}

sspur_error sspur_launch_groups(sspur_kernel *kernel, const uint64_t groups[3], const sspur_argument *arguments,
                                uint32_t count)
{
	FLOAT_ENVIRONMENT;
	return launch_threads(kernel, groups, true, arguments, count);
}

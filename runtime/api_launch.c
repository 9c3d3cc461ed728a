/* Launches: the arguments against the parameters, what is checked on the host, the queue. */
#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/api.h"
#include "runtime/launch_check.h"
#include "utils/base/arena.h"

/* One call of sspur_launch. */
struct launching {
	sspur_kernel *kernel;
	sspur_context *context;
	const sspur_argument *given;
	struct queue_argument *arguments;
	struct text error;
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
	return known ? ir_type_kind_name((enum ir_type_kind)type) : "nothing known";
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

static bool take_arguments(struct launching *l, uint32_t count)
{
	const struct ir_kernel *k = l->kernel->facts.kernel;
	if (count != k->parameter_count) {
		text_add_format(&l->error, "%s takes %u arguments, and %u are given", k->name, k->parameter_count,
		                count);
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
		if (!(k->parameters[i].kind == IR_PARAMETER_BUFFER ? take_slice : take_scalar)(l, i))
			return false;
	return true;
}

static bool check_aliases(struct launching *l)
{
	const struct ir_kernel *k = l->kernel->facts.kernel;
	const struct ir_parameter *p = k->parameters;
	for (uint32_t i = 0; i < k->parameter_count; i++)
		for (uint32_t j = i + 1; l->arguments[i].buffer && j < k->parameter_count; j++)
			if (l->arguments[j].buffer == l->arguments[i].buffer &&
			    (p[i].memory->writable || p[j].memory->writable)) {
				text_add_format(&l->error, "dev: arguments %s and %s of %s are the same buffer",
				                p[i].name, p[j].name, k->name);
				return false;
			}
	return true;
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
	if (extents[0] == 0 || l->context->pending != SSPUR_OK ||
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

sspur_error sspur_launch(sspur_kernel *kernel, const sspur_argument *arguments, uint32_t count)
{
	if (!kernel || (!arguments && count))
		return api_fail(kernel ? kernel->module->context : NULL, SSPUR_ERROR_ARGUMENT,
		                "sspur_launch: a null pointer");
	struct launching l = {.kernel = kernel, .context = kernel->module->context, .given = arguments};
	l.arguments = memory_zeroed((size_t)kernel->facts.kernel->parameter_count + 1, sizeof *l.arguments);
	sspur_error status = check_and_run(&l, count);
	free(l.arguments);
	text_free(&l.error);
	return status;
}

/* Developer tool `ir-query`: what the analyses say of kernels in a .kir file, or the interpreter on given data.
 *
 *   ir-query FILE                             analyses of every kernel
 *   ir-query FILE --run KERNEL [--arg A]...   runs it, prints writable buffers and the traps
 *     --arg A        one a parameter, in order. A scalar: a number, true, false, or bits:HEX. A buffer or a
 *                    struct: TYPE:N,N,... with a scalar type, several parts joined by `/`
 *     --threads N[,N[,N]]   extents of the grid; without it the kernel's own grid expressions
 *     --range FIRST,LAST    the threads to run, by linear index
 *     --steps N             the budget of instructions
 *     --check-races         records the accesses, prints the races seen
 *   ir-query FILE --prove KERNEL [--arg A]... [--threads N,...]
 *                             what is proved of a launch (ir/proof.h), and the interval of every value; a buffer's
 *                             A may be length:N, and with --explain-only nothing is said of values
 *
 * Exit status: 0, 1 for what is not proved, a trap, a race, a failed `pre` or a budget that ran out, 2 for a wrong
 * command or file. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/interval.h"
#include "ir/ir_analysis.h"
#include "ir/ir_interpreter.h"
#include "ir/ir_race_log.h"
#include "ir/ir_text.h"
#include "ir/proof.h"
#include "ir/linear.h"
#include "utils/base/file.h"

struct query {
	const char *path, *kernel;
	const char **arguments;
	int argument_count;
	uint64_t extents[3];
	bool has_extents, has_range, check_races, prove, explain_only;
	uint64_t first, last, steps;
	struct arena arena;
	struct text out;
};

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fputs("ir-query: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(2);
}

/* ---- Analyses ---- */

static const char *uniformity_name(enum ir_uniformity level)
{
	switch (level) {
	case IR_UNIFORM: return "uniform";
	case IR_GROUP_UNIFORM: return "group-uniform";
	case IR_VARYING: return "varying";
	}
	return "unknown";
}

struct listing {
	struct query *query;
	const struct ir_kernel *kernel;
	const enum ir_uniformity *levels;
	const struct linear_context *forms;
};

static bool list_instruction(void *context, struct ir_instruction *i)
{
	struct listing *listing = context;
	struct text *out = &listing->query->out;
	if (ir_op_infos[i->op].flags & IR_FLAG_END)
		return true;
	text_add_format(out, "  %%%u %s: %s", i->id, ir_op_infos[i->op].name, uniformity_name(listing->levels[i->id]));
	if (ir_op_infos[i->op].flags & IR_FLAG_PLACED) {
		text_add_format(out, " %s", i->base->name);
		for (uint32_t n = 0; n < i->path_count; n++) {
			if (!i->path[n].index) {
				text_add_format(out, ".%u", i->path[n].field);
				continue;
			}
			const struct ir_linear *form = linear_context_form(listing->forms, i->path[n].index);
			text_add_char(out, '[');
			ir_linear_print(out, listing->kernel, form);
			text_add_format(out, "]%s", ir_linear_uniform(form) ? " thread-uniform" : "");
		}
	}
	text_add_char(out, '\n');
	return true;
}

static void add_race(struct query *q, const struct ir_race *race)
{
	text_add_format(&q->out, "  race on %s: %%%u %s, %%%u %s: %s", race->memory->name, race->first->id,
	                ir_op_infos[race->first->op].name, race->second->id, ir_op_infos[race->second->op].name,
	                race->reason);
	if (race->around)
		text_add_format(&q->out, " (around %%%u)", race->around->id);
	if (race->has_example)
		text_add_format(&q->out, " (threads %" PRIu64 " and %" PRIu64 ", element %" PRId64 ")",
		                race->threads[0], race->threads[1], race->element);
	text_add_char(&q->out, '\n');
}

static void add_divergence(struct query *q, const struct ir_divergence *d)
{
	text_add_format(&q->out, "  divergent barrier %%%u: %%%u %s, operand %u, %%%u: %s\n", d->barrier->id,
	                d->control->id, ir_op_infos[d->control->op].name, d->operand, d->cause->id, d->reason);
}

static void add_phase(struct query *q, const struct ir_phase *phase)
{
	if (phase->end)
		text_add_format(&q->out, "  phase up to %%%u:", phase->end->id);
	else
		text_add(&q->out, "  phase up to the end:");
	for (uint32_t n = 0; n < phase->access_count; n++)
		text_add_format(&q->out, "%s %%%u %s %s", n ? "," : "", phase->accesses[n]->id,
		                ir_op_infos[phase->accesses[n]->op].name, phase->accesses[n]->base->name);
	text_add(&q->out, phase->access_count ? "\n" : " nothing\n");
}

/* What is said of grouped kernels alone. */
static void analyze_group(struct query *q, const struct ir_kernel *k)
{
	struct ir_divergence *divergences;
	uint32_t count = ir_find_divergent_barriers(k, &q->arena, &divergences);
	for (uint32_t n = 0; n < count; n++)
		add_divergence(q, &divergences[n]);
	struct ir_phase *phases;
	count = ir_find_phases(k, &q->arena, &phases);
	for (uint32_t n = 0; n < count; n++)
		add_phase(q, &phases[n]);
}

static void analyze(struct query *q, const struct ir_kernel *k)
{
	struct ir_race *races;
	uint32_t count = ir_find_races(k, &q->arena, &races);
	text_add_format(&q->out, "kernel %s\n  commit-safe: %s\n", k->name, ir_commit_safe(k) ? "yes" : "no");
	if (!count)
		text_add(&q->out, "  no races\n");
	for (uint32_t n = 0; n < count; n++)
		add_race(q, &races[n]);
	if (ir_is_grouped(k))
		analyze_group(q, k);
	struct listing listing = {q, k, ir_analyze_uniformity(k, &q->arena), linear_context_new(k, &q->arena)};
	ir_visit(&k->body, list_instruction, &listing);
}

/* ---- Arguments ---- */

static uint64_t parse_scalar(const struct ir_type *type, const char *s)
{
	char *end;
	uint64_t bits = 0;
	errno = 0;
	if (!strncmp(s, "bits:", 5)) {
		bits = strtoull(s += 5, &end, 16);
	} else if (type->kind == IR_TYPE_bool) {
		bits = !strcmp(s, "true");
		end = (char *)(bits || !strcmp(s, "false") ? s + strlen(s) : s);
	} else if (type->kind == IR_TYPE_f32) {
		float value = strtof(s, &end);
		memcpy(&bits, &value, sizeof value);
		errno = 0; /* a subnormal is a value */
	} else if (type->kind == IR_TYPE_f64) {
		double value = strtod(s, &end);
		memcpy(&bits, &value, sizeof value);
		errno = 0;
	} else if (ir_type_is_signed(type)) {
		bits = (uint64_t)strtoll(s, &end, 0);
	} else {
		bits = strtoull(s, &end, 0);
	}
	if (end == s || *end || errno)
		fail("`%s` is not a value of type %s", s, ir_type_kind_name(type->kind));
	return bits;
}

static const struct ir_type *scalar_type(const char *name)
{
	for (int kind = IR_TYPE_bool; kind < IR_TYPE_array; kind++)
		if (!strcmp(ir_type_kind_name(kind), name))
			return &ir_types[kind];
	fail("`%s` is not a scalar type", name);
}

static void add_scalar_bytes(struct text *bytes, const struct ir_type *type, uint64_t bits)
{
	uint8_t u8 = (uint8_t)bits;
	uint16_t u16 = (uint16_t)bits;
	uint32_t u32 = (uint32_t)bits;
	text_add_n(bytes,
	           type->size == 1   ? (void *)&u8
	           : type->size == 2 ? (void *)&u16
	           : type->size == 4 ? (void *)&u32
	                             : (void *)&bits,
	           type->size);
}

/* TYPE:N,N,.../TYPE:N,... */
static void parse_bytes(struct query *q, struct text *bytes, const char *s)
{
	char *save_part, *save_item;
	char *copy = arena_string(&q->arena, s);
	for (char *part = strtok_r(copy, "/", &save_part); part; part = strtok_r(NULL, "/", &save_part)) {
		char *colon = strchr(part, ':');
		if (!colon)
			fail("`%s`: expected TYPE:VALUES", part);
		*colon = 0;
		const struct ir_type *type = scalar_type(part);
		for (char *item = strtok_r(colon + 1, ",", &save_item); item; item = strtok_r(NULL, ",", &save_item))
			add_scalar_bytes(bytes, type, parse_scalar(type, item));
	}
}

static struct ir_argument parse_argument(struct query *q, const struct ir_parameter *parameter, const char *s)
{
	struct ir_argument argument = {0};
	if (parameter->kind == IR_PARAMETER_SCALAR) {
		argument.bits = parse_scalar(parameter->type, s);
		return argument;
	}
	if (q->prove && !strncmp(s, "length:", 7)) {
		argument.length = parse_scalar(&ir_types[IR_TYPE_u64], s + 7);
		return argument;
	}
	struct text bytes = {0};
	parse_bytes(q, &bytes, s);
	uint64_t size = parameter->type->size;
	if (bytes.length % size || (parameter->kind == IR_PARAMETER_VALUE && bytes.length != size))
		fail("%s: %zu bytes do not make values of %" PRIu64 " bytes", parameter->name, bytes.length, size);
	argument.length = bytes.length / size;
	argument.data = arena_alloc(&q->arena, bytes.length);
	if (bytes.length)
		memcpy(argument.data, bytes.data, bytes.length);
	text_free(&bytes);
	return argument;
}

/* ---- Runs ---- */

/* Fewest digits that read back; every NaN is `nan`. */
static void add_float(struct text *out, double value, bool single)
{
	char digits[40] = "nan";
	for (int precision = 1; precision <= 17 && !isnan(value); precision++) {
		snprintf(digits, sizeof digits, "%.*g", precision, value);
		if (single ? strtof(digits, NULL) == (float)value : strtod(digits, NULL) == value)
			break;
	}
	text_add(out, digits);
}

static void add_value(struct text *out, const struct ir_type *type, const uint8_t *bytes)
{
	union {
		int8_t i8;
		int16_t i16;
		int32_t i32;
		int64_t i64;
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		float f32;
		double f64;
	} v;
	memcpy(&v, bytes, type->size > sizeof v ? sizeof v : type->size);
	switch (type->kind) {
	case IR_TYPE_bool: text_add(out, v.u32 ? "true" : "false"); return;
	case IR_TYPE_i8: text_add_int(out, v.i8); return;
	case IR_TYPE_u8: text_add_int(out, v.u8); return;
	case IR_TYPE_i16: text_add_int(out, v.i16); return;
	case IR_TYPE_u16: text_add_int(out, v.u16); return;
	case IR_TYPE_i32: text_add_int(out, v.i32); return;
	case IR_TYPE_u32: text_add_int(out, v.u32); return;
	case IR_TYPE_i64: text_add_int(out, v.i64); return;
	case IR_TYPE_u64: text_add_format(out, "%" PRIu64, v.u64); return;
	case IR_TYPE_f32: add_float(out, (double)v.f32, true); return;
	case IR_TYPE_f64: add_float(out, v.f64, false); return;
	case IR_TYPE_void:
	case IR_TYPE_array:
	case IR_TYPE_struct: break;
	}
	for (uint32_t n = 0; n < type->size; n++)
		text_add_format(out, "%02x", bytes[n]);
}

static void add_buffer(struct query *q, const struct ir_parameter *parameter, const struct ir_argument *argument)
{
	text_add_format(&q->out, "%s =", parameter->name);
	for (uint64_t n = 0; n < argument->length; n++) {
		text_add_char(&q->out, ' ');
		add_value(&q->out, parameter->type, (const uint8_t *)argument->data + n * parameter->type->size);
	}
	text_add_char(&q->out, '\n');
}

static void add_trap(struct query *q, const struct kernel_trap *trap)
{
	text_add(&q->out, "trap: ");
	trap_text(&q->out, trap);
	text_add_format(&q->out, " at %u:%u, thread %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", trap->line, trap->column,
	                trap->thread[0], trap->thread[1], trap->thread[2]);
}

static bool failed_thread(void *context, const struct kernel_trap *trap)
{
	struct query *q = context;
	add_trap(q, trap);
	return true;
}

/* False if a clause fails or an expression traps. */
static bool evaluate_host_side(struct query *q, const struct ir_kernel *k, const struct ir_argument *arguments)
{
	struct kernel_trap trap;
	uint64_t value;
	for (uint32_t n = 0; n < k->pre_count; n++) {
		if (!ir_evaluate_expression(k, &k->pre[n], arguments, &value, &trap)) {
			add_trap(q, &trap);
			return false;
		}
		if (!value) {
			text_add_format(&q->out, "contract violated: pre %s\n", k->pre[n].text ? k->pre[n].text : "");
			return false;
		}
	}
	for (unsigned axis = 0; axis < 3 && !q->has_extents; axis++) {
		q->extents[axis] = 1;
		if (!k->grid[axis].region.first) {
			if (axis == 0)
				fail("kernel %s has no grid: give --threads", k->name);
			continue;
		}
		if (!ir_evaluate_expression(k, &k->grid[axis], arguments, &value, &trap)) {
			add_trap(q, &trap);
			return false;
		}
		q->extents[axis] = (int64_t)value < 0 ? 0 : value;
	}
	return true;
}

static struct ir_argument *parse_arguments(struct query *q, const struct ir_kernel *k)
{
	if ((uint32_t)q->argument_count != k->parameter_count)
		fail("kernel %s has %u parameters, not %d", k->name, k->parameter_count, q->argument_count);
	struct ir_argument *arguments = ARENA_ARRAY(&q->arena, struct ir_argument, k->parameter_count);
	for (uint32_t n = 0; n < k->parameter_count; n++)
		arguments[n] = parse_argument(q, &k->parameters[n], q->arguments[n]);
	return arguments;
}

static bool run(struct query *q, const struct ir_kernel *k)
{
	struct ir_argument *arguments = parse_arguments(q, k);
	if (!evaluate_host_side(q, k, arguments))
		return false;
	uint64_t threads, plane;
	if (__builtin_mul_overflow(q->extents[0], q->extents[1], &plane) ||
	    __builtin_mul_overflow(plane, q->extents[2], &threads))
		fail("too many threads");
	if (!q->has_range || q->last > threads)
		q->last = threads;
	size_t before = q->out.length;
	struct kernel_trap trap;
	struct ir_race_log races = {.most = 20};
	bool whole = ir_run_checked(k, arguments, q->extents, q->first, q->last,
	                            k->policy == IR_POLICY_RECORD ? failed_thread : NULL, q, &trap, &q->steps,
	                            &(struct ir_looks){.races = q->check_races ? &races : NULL});
	if (!whole && trap.kind == TRAP_NONE)
		text_add(&q->out, "out of steps\n");
	else if (!whole)
		add_trap(q, &trap);
	for (uint32_t n = 0; n < races.report_count; n++) {
		ir_race_print(&q->out, &races.reports[n]);
		text_add_char(&q->out, '\n');
	}
	if (races.elements)
		text_add_format(&q->out, "races on %" PRIu64 " elements\n", races.elements);
	ir_race_log_free(&races);
	whole = whole && q->out.length == before;
	for (uint32_t n = 0; n < k->parameter_count; n++)
		if (k->parameters[n].kind == IR_PARAMETER_BUFFER && k->parameters[n].memory->writable)
			add_buffer(q, &k->parameters[n], &arguments[n]);
	return whole;
}

/* ---- Proofs ---- */

struct interval_listing {
	struct text *out;
	const struct ir_interval *intervals;
};

static void add_wide(struct text *out, ir_wide value)
{
	text_add_format(out, value < 0 ? "%" PRId64 : "%" PRIu64, (int64_t)value);
}

static bool list_interval(void *context, struct ir_instruction *i)
{
	struct interval_listing *listing = context;
	const struct ir_interval *interval = &listing->intervals[i->id];
	if (!ir_type_is_integer(i->type) && i->type->kind != IR_TYPE_bool)
		return true;
	text_add_format(listing->out, "  %%%u %s: ", i->id, ir_op_infos[i->op].name);
	if (ir_interval_empty(interval)) {
		text_add(listing->out, "never\n");
		return true;
	}
	add_wide(listing->out, interval->low);
	if (interval->low != interval->high) {
		text_add(listing->out, " to ");
		add_wide(listing->out, interval->high);
	}
	text_add_char(listing->out, '\n');
	return true;
}

static bool prove(struct query *q, const struct ir_kernel *k)
{
	static const uint64_t zero[3] = {0};
	struct ir_argument *arguments = parse_arguments(q, k);
	if (!evaluate_host_side(q, k, arguments))
		return false;
	struct ir_interval *intervals = ARENA_ARRAY(&q->arena, struct ir_interval, k->next_id);
	struct ir_proof_program *program = ir_proof_program_new(k);
	struct ir_proof proof;
	uint64_t first, last;
	ir_proof_evaluate_part(program, arguments, q->extents, zero, q->extents, &proof, intervals);
	text_add_format(&q->out, "kernel %s: ", k->name);
	ir_proof_explain(&q->out, &proof);
	text_add_format(&q->out, "\n  %s\n", proof.narrow ? "32 bits are enough" : "needs 64 bits");
	if (!proof.proved && ir_proof_range(program, arguments, q->extents, &first, &last))
		text_add_format(&q->out, "  proved for threads %" PRIu64 " to %" PRIu64 "\n", first, last - 1);
	if (!q->explain_only)
		ir_visit(&k->body, list_interval, &(struct interval_listing){&q->out, intervals});
	ir_proof_program_free(program);
	return proof.proved;
}

/* ---- The command ---- */

static int parse_numbers(const char *s, uint64_t *numbers, int most)
{
	int count = 0;
	for (; count < most; s++) {
		char *end;
		if (!isdigit((unsigned char)*s))
			fail("`%s` is not a number", s);
		numbers[count++] = strtoull(s, &end, 0);
		if (!*(s = end))
			return count;
		if (*s != ',')
			break;
	}
	fail("`%s` is too much", s);
}

static void parse_command(struct query *q, int argc, char **argv)
{
	uint64_t range[2];
	q->steps = 100000000;
	q->arguments = ARENA_ARRAY(&q->arena, const char *, (size_t)argc);
	for (int n = 1; n < argc; n++) {
		const char *value = n + 1 < argc ? argv[n + 1] : NULL;
		if (argv[n][0] != '-' || !argv[n][1]) {
			q->path = argv[n];
			continue;
		}
		if (!strcmp(argv[n], "--check-races")) {
			q->check_races = true;
			continue;
		}
		if (!strcmp(argv[n], "--explain-only")) {
			q->explain_only = true;
			continue;
		}
		if (!value)
			fail("%s needs a value", argv[n]);
		if (!strcmp(argv[n], "--run") || !strcmp(argv[n], "--prove")) {
			q->kernel = value;
			q->prove = argv[n][2] == 'p';
		} else if (!strcmp(argv[n], "--arg")) {
			q->arguments[q->argument_count++] = value;
		} else if (!strcmp(argv[n], "--threads")) {
			q->has_extents = true;
			q->extents[0] = q->extents[1] = q->extents[2] = 1;
			parse_numbers(value, q->extents, 3);
		} else if (!strcmp(argv[n], "--range")) {
			q->has_range = true;
			if (parse_numbers(value, range, 2) != 2)
				fail("--range needs two numbers");
			q->first = range[0];
			q->last = range[1];
		} else if (!strcmp(argv[n], "--steps")) {
			parse_numbers(value, &q->steps, 1);
		} else {
			fail("unknown option %s", argv[n]);
		}
		n++;
	}
	if (!q->path)
		fail("which file?");
}

int main(int argc, char **argv)
{
	struct query q = {0};
	struct text bytes = {0}, error = {0};
	parse_command(&q, argc, argv);
	if (!file_read_source(q.path, &bytes, &error))
		fail("%s", text_string(&error));
	struct source source;
	source_init(&source, q.path, text_string(&bytes), bytes.length);
	struct diagnostics diagnostics = {.source = &source};
	struct ir_module *m = ir_parse(&source, &diagnostics);
	int status = m ? 0 : 2;
	if (!m) {
		diagnostics_print(&diagnostics, &error);
		fputs(text_string(&error), stderr);
	} else if (q.kernel) {
		struct ir_kernel *k = ir_module_find(m, q.kernel);
		if (!k)
			fail("no kernel %s", q.kernel);
		status = (q.prove ? prove : run)(&q, k) ? 0 : 1;
	} else {
		for (uint32_t n = 0; n < m->kernel_count; n++)
			analyze(&q, m->kernels[n]);
	}
	fputs(text_string(&q.out), stdout);
	if (m)
		ir_module_free(m);
	diagnostics_free(&diagnostics);
	source_free(&source);
	text_free(&bytes);
	text_free(&error);
	text_free(&q.out);
	arena_free(&q.arena);
	return status;
}

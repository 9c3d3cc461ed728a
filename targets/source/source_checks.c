/* Checks, and what a thread knows of its failures, as in lower/llvm/lowering_checks.c and lowering_shared.c: `bad` is
 * 0, or the first failed check of this thread as value << 32 | line << 4 | kind. A kind of 0: the thread is outside the
 * grid, or has returned from a kernel with barriers. */
#include "targets/source/source_writer.h"

/* ---- Threads that stay together ---- */

bool source_may_be_inexact(const struct source_writer *w, const struct ir_instruction *i)
{
	return w->kernel->policy == IR_POLICY_STOP && i->op == IR_OP_atomic_add && ir_type_is_float(i->type);
}

static bool cannot_fail(void *context, struct ir_instruction *i)
{
	return !(ir_op_infos[i->op].flags & IR_FLAG_TRAP) && !source_may_be_inexact(context, i);
}

void source_find_checks(struct source_writer *w)
{
	const struct ir_kernel *k = w->kernel;
	w->checked = !source_proved(w) && !ir_visit(&k->body, cannot_fail, w);
	w->together = NULL;
	w->meets = segments_meet(k);
	/* A launch that is proved has whole groups. */
	if (!w->meets || (source_proved(w) && !segments_return(k)))
		return;
	w->together = ARENA_NEW(w->arena, struct segments);
	*w->together = segments_find(k, w->arena);
	w->checked = true;
}

bool source_same(const struct source_writer *w, const struct ir_instruction *value)
{
	return w->together && segments_same(w->together, value);
}

static bool all_fail_alike(const struct source_writer *w, const struct ir_instruction *i)
{
	if (!w->together || !(ir_op_infos[i->op].flags & IR_FLAG_TRAP) ||
	    (i->parent && !w->together->lockstep[i->parent->id]))
		return false;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (!source_same(w, i->operands[n]))
			return false;
	return true;
}

static bool sets_none(void *context, struct ir_instruction *i)
{
	const struct segments *s = context;
	return i->op != IR_OP_set || s->locals_levels[i->local->index] == IR_VARYING;
}

const char *source_goes_on(struct source_writer *w, const struct ir_instruction *loop)
{
	if (!w->together || (!w->together->lockstep[loop->id] && ir_visit(&loop->regions[0], sets_none, w->together)))
		return source_good(w);
	return arena_format(w->arena, "!%s", w->group_bad);
}

const char *source_good(struct source_writer *w)
{
	return w->checked && !w->known_good ? arena_format(w->arena, "%s == 0", w->bad) : NULL;
}

/* ---- Failures ---- */

static const char *kind_name(enum trap_kind kind)
{
	switch (kind) {
	case TRAP_INDEX: return "SSPUR_INDEX";
	case TRAP_RANGE: return "SSPUR_RANGE";
	case TRAP_PANIC: return "SSPUR_PANIC";
	case TRAP_ALLOCATION: return "SSPUR_ALLOCATION";
	case TRAP_OVERFLOW: return "SSPUR_OVERFLOW";
	case TRAP_DIVISION: return "SSPUR_DIVISION";
	case TRAP_CONVERSION: return "SSPUR_CONVERSION";
	case TRAP_INEXACT: return "SSPUR_INEXACT";
	case TRAP_NONE: break;
	}
	return "0";
}

void source_require(struct source_writer *w, const struct ir_instruction *i, enum trap_kind kind, const char *sound,
                    const char *value)
{
	if (source_proved(w))
		return;
	if (all_fail_alike(w, i)) {
		const char *name = source_new_name(w, &w->names, "sound");
		source_line(w, "const bool %s = %s;", name, sound);
		source_line(w, "%s = %s || !%s;", w->group_bad, w->group_bad, name);
		sound = name;
	}
	const char *check =
	    source_helper(w, value ? SOURCE_HELPER_CHECK_VALUE : SOURCE_HELPER_CHECK, NULL, SOURCE_SPACE_GLOBAL);
	uint32_t line = ir_failure_code(w->kernel, i->place, TRAP_NONE) >> IR_FAILURE_KIND_BITS;
	source_line(w, "%s = %s(%s, %s, %u, %s%s%s);", w->bad, check, w->bad, sound, line, kind_name(kind),
	            value ? ", (uint)" : "", value ? value : "");
}

static const char *least(struct source_writer *w, const struct ir_type *t)
{
	struct text out = {0};
	source_literal(w->dialect, t, UINT64_C(-1) << (ir_type_bits(t) - 1), &out);
	const char *kept = arena_string(w->arena, text_string(&out));
	text_free(&out);
	return kept;
}

static void require_fits(struct source_writer *w, const struct ir_instruction *i, enum source_helper helper)
{
	const char *x = source_whole(w, i->operands[0]), *y = source_whole(w, i->operands[1]);
	const char *fits = source_helper(w, helper, i->type, SOURCE_SPACE_GLOBAL);
	source_require(w, i, TRAP_OVERFLOW, arena_format(w->arena, "%s(%s, %s)", fits, x, y), NULL);
}

static void require_divisor(struct source_writer *w, const struct ir_instruction *i)
{
	const struct ir_instruction *divisor = i->operands[1];
	const char *x = source_value(w, i->operands[0]), *y = source_value(w, divisor);
	bool known = divisor->op == IR_OP_const;
	if (!known || !divisor->bits)
		source_require(w, i, TRAP_DIVISION, arena_format(w->arena, "%s != 0", y), NULL);
	if (ir_type_is_signed(i->type) && (!known || divisor->bits == UINT64_MAX))
		source_require(w, i, TRAP_OVERFLOW,
		               arena_format(w->arena, "(%s != %s) | (%s != -1)", x, least(w, i->type), y), NULL);
}

/* The bits may agree while the two types read them differently: both are asked. */
static void require_conversion(struct source_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *from = i->operands[0]->type, *to = i->type;
	const char *v = source_value(w, i->operands[0]);
	bool widens = ir_type_bits(to) > ir_type_bits(from);
	bool signs = ir_type_is_signed(from) != ir_type_is_signed(to) && !(widens && ir_type_is_signed(to));
	const char *narrowed = arena_format(w->arena, "(%s)%s", source_type_name(to), v);
	const char *back = widens ? NULL : arena_format(w->arena, "(%s)%s == %s", source_type_name(from), narrowed, v);
	const char *positive = signs ? arena_format(w->arena, "%s >= 0", ir_type_is_signed(from) ? v : narrowed) : NULL;
	if (back && positive)
		source_require(w, i, TRAP_OVERFLOW, arena_format(w->arena, "(%s) & (%s)", back, positive), NULL);
	else if (back || positive)
		source_require(w, i, TRAP_OVERFLOW, back ? back : positive, NULL);
}

static void check_index(struct source_writer *w, const struct ir_instruction *i)
{
	const struct ir_instruction *index = i->operands[0], *length = i->operands[1];
	const char *u = source_unsigned_name(index->type), *x = source_value(w, index);
	bool is_signed = ir_type_is_signed(index->type), of_memory = length->op == IR_OP_length;
	const char *n = of_memory && length->base->kind == IR_MEMORY_BUFFER && is_signed
	                    ? w->lengths[length->base->parameter]
	                    : source_value(w, length);
	const char *sound =
	    is_signed ? arena_format(w->arena, "(%s)%s < (%s)%s", u, x, u, n) : arena_format(w->arena, "%s < %s", x, n);
	if (is_signed && of_memory && length->base->kind == IR_MEMORY_BUFFER)
		sound = arena_format(w->arena, "(%s)%s < %s", u, x, n);
	bool positive = length->op == IR_OP_const && (int64_t)length->bits > 0;
	if (is_signed && !of_memory && !positive) /* such a length may be negative */
		sound = arena_format(w->arena, "(%s) & (%s > 0)", sound, n);
	source_require(w, i, TRAP_INDEX, sound, x);
}

static void check_range(struct source_writer *w, const struct ir_instruction *i)
{
	const char *first = source_value(w, i->operands[0]), *end = source_value(w, i->operands[1]);
	const char *sound =
	    arena_format(w->arena, "(%s <= %s) & (%s <= %s)", first, end, end, source_value(w, i->operands[2]));
	if (ir_type_is_signed(i->operands[0]->type))
		sound = arena_format(w->arena, "(%s >= 0) & %s", first, sound);
	source_require(w, i, TRAP_RANGE, sound, end);
}

void source_trap(struct source_writer *w, const struct ir_instruction *i)
{
	if (source_proved(w))
		return;
	const char *x = i->operands[0] ? source_value(w, i->operands[0]) : NULL;
	switch ((int)i->op) {
	case IR_OP_iadd_trap: require_fits(w, i, SOURCE_HELPER_ADD_FITS); return;
	case IR_OP_isub_trap: require_fits(w, i, SOURCE_HELPER_SUB_FITS); return;
	case IR_OP_imul_trap: require_fits(w, i, SOURCE_HELPER_MUL_FITS); return;
	case IR_OP_ineg_trap:
		source_require(w, i, TRAP_OVERFLOW,
		               ir_type_is_signed(i->type) ? arena_format(w->arena, "%s != %s", x, least(w, i->type))
		                                          : arena_format(w->arena, "%s == 0", x),
		               NULL);
		return;
	case IR_OP_iabs_trap:
		source_require(w, i, TRAP_OVERFLOW, arena_format(w->arena, "%s != %s", x, least(w, i->type)), NULL);
		return;
	case IR_OP_idiv_trap:
	case IR_OP_irem_trap: require_divisor(w, i); return;
	case IR_OP_convert_trap: require_conversion(w, i); return;
	case IR_OP_check_index: check_index(w, i); return;
	case IR_OP_check_range: check_range(w, i); return;
	case IR_OP_check: source_require(w, i, i->trap, source_whole(w, i->operands[0]), NULL); return;
	}
}

/* ---- The report ---- */

void source_report(struct source_writer *w)
{
	const struct ir_kernel *k = w->kernel;
	if (!w->checked || source_proved(w))
		return;
	const char *linear = arena_format(w->arena, "(ulong)%s", w->global_id[k->axes - 1]);
	for (unsigned axis = k->axes - 1; axis-- > 0;)
		linear = arena_format(w->arena, axis + 2 < k->axes ? "(%s) * %s + (ulong)%s" : "%s * %s + (ulong)%s",
		                      linear, w->extents[axis], w->global_id[axis]);
	const char *y = k->axes > 1 ? arena_format(w->arena, "(uint)%s", w->global_id[1])
	                            : arena_format(w->arena, "(uint)((ulong)%s >> 32)", w->global_id[0]);
	const char *z = k->axes > 2 ? arena_format(w->arena, "(uint)%s", w->global_id[2]) : "0";
	source_line(w, "%s(%s, %s%s%s, %s, (uint)%s, %s, %s, %s);",
	            source_helper(w, SOURCE_HELPER_REPORT, NULL, SOURCE_SPACE_GLOBAL), w->status, w->mask,
	            w->has_mask ? ", " : "", w->has_mask ? w->has_mask : "", w->bad, w->global_id[0], y, z, linear);
}

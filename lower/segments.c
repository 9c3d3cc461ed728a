#include "lower/segments.h"

/* ---- Facts of a kernel ---- */

bool segments_meet(const struct ir_kernel *k)
{
	bool meets = ir_has_barrier(&k->body);
	for (uint32_t n = 0; n < k->memory_count; n++)
		meets |= k->memories[n]->zeroed;
	return meets;
}

static bool is_no_return(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->op != IR_OP_return;
}

bool segments_return(const struct ir_kernel *k)
{
	return !ir_visit(&k->body, is_no_return, NULL);
}

enum { AGAIN_DEPTH = 4 }; /* operations one on another that are made again rather than kept for each lane */

/* ---- Segments ---- */

bool segments_joint(const struct segments *s, const struct ir_instruction *i)
{
	/* Where nothing fails, the order of statements between barriers cannot be told. */
	bool cut = i->op == IR_OP_cut && s->kernel->policy != IR_POLICY_PROVED;
	return s->lockstep[i->id] || i->op == IR_OP_barrier || cut || i->op == IR_OP_break || i->op == IR_OP_continue;
}

bool segments_given(const struct ir_instruction *i)
{
	return ir_op_infos[i->op].arity == 0 && (ir_op_infos[i->op].flags & IR_FLAG_PURE);
}

bool segments_same(const struct segments *s, const struct ir_instruction *value)
{
	return s->levels[value->id] != IR_VARYING;
}

bool segments_joint_variable(const struct segments *s, const struct ir_instruction *value)
{
	return value->op == IR_OP_for && s->lockstep[value->id];
}

static bool same_operands(const struct segments *s, const struct ir_instruction *i)
{
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (!segments_same(s, i->operands[n]))
			return false;
	return true;
}

static bool is_once(void *context, struct ir_instruction *i)
{
	const struct segments *s = context;
	unsigned flags = ir_op_infos[i->op].flags;
	/* Every lane records its own failure. */
	if ((flags & IR_FLAG_TRAP) && s->kernel->policy == IR_POLICY_RECORD)
		return false;
	if (segments_given(i) || i->op == IR_OP_cut)
		return true;
	if (i->op == IR_OP_load || i->op == IR_OP_get)
		return segments_same(s, i);
	if (i->op == IR_OP_set && s->locals_levels[i->local->index] == IR_VARYING)
		return false;
	if (flags & (IR_FLAG_PURE | IR_FLAG_TRAP | IR_FLAG_CONTROL) || i->op == IR_OP_set)
		return same_operands(s, i);
	return i->op == IR_OP_break || i->op == IR_OP_continue; /* of control that all take alike */
}

static bool all_once(const struct segments *s, struct ir_instruction *i)
{
	return is_once((void *)s, i) && ir_visit(&i->regions[0], is_once, (void *)s) &&
	       ir_visit(&i->regions[1], is_once, (void *)s);
}

/* Lanes run one after another, so what has no effect and is the same for all is run by the first alone; it may be
 * split off at the segment's beginning only, where no lane has done anything yet. */
struct segment segments_at(const struct segments *s, struct ir_instruction *i)
{
	struct segment segment = {.first = i, .once = true};
	bool computes = false;
	for (; i && !segments_joint(s, i); i = i->next) {
		if (segment.once && !all_once(s, i)) {
			if (computes)
				break;
			segment.once = false;
		}
		computes |= !segments_given(i);
	}
	segment.end = i;
	return segment;
}

bool segment_visit(const struct segment *segment, bool (*visit)(void *context, struct ir_instruction *i), void *context)
{
	for (const struct ir_instruction *i = segment->first; i != segment->end; i = i->next)
		if (!visit(context, (struct ir_instruction *)i) || !ir_visit(&i->regions[0], visit, context) ||
		    !ir_visit(&i->regions[1], visit, context))
			return false;
	return true;
}

struct numbering {
	struct segments *segments;
	uint32_t count;
};

static bool number(void *context, struct ir_instruction *i)
{
	struct numbering *n = context;
	n->segments->of[i->id] = n->count;
	return true;
}

static void number_region(struct numbering *n, const struct ir_region *region)
{
	for (const struct ir_instruction *i = region->first; i;) {
		if (segments_joint(n->segments, i)) {
			number_region(n, &i->regions[0]);
			number_region(n, &i->regions[1]);
			i = i->next;
			continue;
		}
		struct segment segment = segments_at(n->segments, (struct ir_instruction *)i);
		n->count++;
		segment_visit(&segment, number, n);
		i = segment.end;
	}
}

/* ---- What is carried, and how ---- */

static bool is_cheap(const struct ir_instruction *i)
{
	switch ((int)i->op) {
	case IR_OP_iadd:
	case IR_OP_isub:
	case IR_OP_imul:
	case IR_OP_ineg:
	case IR_OP_iadd_trap:
	case IR_OP_isub_trap:
	case IR_OP_imul_trap:
	case IR_OP_band:
	case IR_OP_bor:
	case IR_OP_bxor:
	case IR_OP_bnot:
	case IR_OP_eq:
	case IR_OP_ne:
	case IR_OP_lt:
	case IR_OP_le:
	case IR_OP_gt:
	case IR_OP_ge:
	case IR_OP_select:
	case IR_OP_bitcast: return true;
	case IR_OP_convert:
	case IR_OP_convert_trap: return ir_type_is_integer(i->type);
	}
	return false;
}

/* What is made again is made of what is at hand in every segment. */
static bool can_be_made_again(const struct segments *s, const struct ir_instruction *i, unsigned depth)
{
	if (segments_given(i) || segments_same(s, i) || segments_joint_variable(s, i))
		return true;
	if (depth == 0 || !is_cheap(i))
		return false;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (!can_be_made_again(s, i->operands[n], depth - 1))
			return false;
	return true;
}

static void carry(struct segments *s, const struct ir_instruction *value)
{
	enum carried *carried = &s->values[value->id];
	if (*carried != CARRIED_NOT || segments_joint_variable(s, value))
		return;
	if (segments_given(value)) {
		*carried = CARRIED_AGAIN;
	} else if (segments_same(s, value)) {
		*carried = CARRIED_ONCE;
	} else if (can_be_made_again(s, value, AGAIN_DEPTH)) {
		*carried = CARRIED_AGAIN;
		for (unsigned n = 0; n < ir_op_infos[value->op].arity; n++)
			carry(s, value->operands[n]);
	} else {
		*carried = CARRIED_LANES;
	}
}

static void use(struct segments *s, const struct ir_instruction *user, const struct ir_instruction *value)
{
	if (!s->of[user->id] || s->of[user->id] != s->of[value->id])
		carry(s, value);
}

static bool visit_uses(void *context, struct ir_instruction *i)
{
	struct segments *s = context;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		use(s, i, i->operands[n]);
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index)
			use(s, i, i->path[n].index);
	return true;
}

struct local_uses {
	struct segments *segments;
	uint32_t *first; /* by local: the first segment that has it; 0: none yet */
	bool *read, *shared;
};

/* A get follows a set on every path, so what one segment alone has does not live from one round to the next. */
static bool visit_locals(void *context, struct ir_instruction *i)
{
	struct local_uses *u = context;
	if (i->op != IR_OP_get && i->op != IR_OP_set)
		return true;
	uint32_t local = i->local->index, segment = u->segments->of[i->id];
	u->read[local] |= i->op == IR_OP_get;
	u->shared[local] |= u->first[local] && u->first[local] != segment;
	u->first[local] = segment;
	return true;
}

static void carry_locals(struct segments *s)
{
	uint32_t count = s->kernel->local_count;
	struct local_uses u = {.segments = s};
	u.first = ARENA_ARRAY(s->arena, uint32_t, count);
	u.read = ARENA_ARRAY(s->arena, bool, count);
	u.shared = ARENA_ARRAY(s->arena, bool, count);
	ir_visit(&s->kernel->body, visit_locals, &u);
	for (uint32_t n = 0; n < count; n++)
		if (u.shared[n] && u.read[n])
			s->locals[n] = s->locals_levels[n] == IR_VARYING ? CARRIED_LANES : CARRIED_ONCE;
}

/* ---- The kernel ---- */

static bool visit_levels(void *context, struct ir_instruction *i)
{
	struct segments *s = context;
	if (i->op == IR_OP_get)
		s->locals_levels[i->local->index] = s->levels[i->id];
	return true;
}

static bool visit_ends(void *context, struct ir_instruction *i)
{
	struct segments *s = context;
	if ((ir_op_infos[i->op].flags & IR_FLAG_TRAP) && s->kernel->policy == IR_POLICY_RECORD)
		s->ends_lanes = true;
	if (i->op != IR_OP_return)
		return true;
	while (i->parent)
		i = i->parent;
	for (i = i->next; i; i = i->next)
		s->ends_lanes |= segments_joint(s, i);
	return true;
}

struct segments segments_find(const struct ir_kernel *k, struct arena *arena)
{
	struct segments s = {
	    .kernel = k,
	    .arena = arena,
	    .lockstep = ir_find_lockstep(k, arena),
	    .levels = ir_analyze_uniformity(k, arena),
	    .locals_levels = ARENA_ARRAY(arena, enum ir_uniformity, k->local_count),
	    .of = ARENA_ARRAY(arena, uint32_t, k->next_id),
	    .values = ARENA_ARRAY(arena, enum carried, k->next_id),
	    .locals = ARENA_ARRAY(arena, enum carried, k->local_count),
	};
	for (uint32_t n = 0; n < k->local_count; n++)
		s.locals_levels[n] = IR_VARYING; /* unless it is read */
	ir_visit(&k->body, visit_levels, &s);
	number_region(&(struct numbering){.segments = &s}, &k->body);
	ir_visit(&k->body, visit_uses, &s);
	carry_locals(&s);
	ir_visit(&k->body, visit_ends, &s);
	return s;
}

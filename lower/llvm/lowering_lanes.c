/* Segments of a grouped kernel: loops over the lanes of a group, x innermost. A lane's locals are plain allocas
 * inside its segment, as in any thread; what comes from other segments is brought in when the lane begins, what goes
 * to others brought out when it ends. Where several lanes run at once (l->width), the lane at hand is the first of
 * them. */
#include "lower/llvm/lowering_lockstep.h"
#include "lower/llvm/lowering_vector.h"

/* ---- The lane at hand ---- */

static void set_lane(struct lockstep *g, LLVMValueRef const local_id[3])
{
	struct lowering *l = g->l;
	LLVMBuilderRef b = l->builder;
	g->lane = lowering_i64(l, 0);
	for (unsigned axis = 3; axis-- > 0;) {
		LLVMValueRef size = lowering_i64(l, l->kernel->group[axis]);
		l->local_id[axis] = local_id[axis];
		l->global_id[axis] = LLVMBuildNSWAdd(b, g->first[axis], local_id[axis], "");
		l->group_id[axis] = g->group_id[axis];
		g->lane = LLVMBuildNSWAdd(b, LLVMBuildNSWMul(b, g->lane, size, ""), local_id[axis], "");
	}
	g->epoch++;
}

static LLVMTypeRef flag_type(const struct lockstep *g)
{
	return lowering_int(g->l, 1);
}

/* The first lane that is left; one is. */
static void set_first_lane(struct lockstep *g)
{
	struct lowering *l = g->l;
	LLVMValueRef zero = lowering_i64(l, 0);
	if (!g->live) {
		set_lane(g, (LLVMValueRef[]){zero, zero, zero});
		return;
	}
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder);
	LLVMBasicBlockRef look = lowering_block(l, "look"), found = lowering_block(l, "found");
	LLVMBuildBr(l->builder, look);
	lowering_enter(l, look);
	LLVMValueRef lane = g->lane = LLVMBuildPhi(l->builder, lowering_int(l, 64), "lane");
	LLVMValueRef is_live = lockstep_load(g, g->live_part, flag_type(g));
	LLVMValueRef next = LLVMBuildNUWAdd(l->builder, lane, lowering_i64(l, 1), "");
	LLVMAddIncoming(lane, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, look}, 2);
	LLVMBuildCondBr(l->builder, is_live, found, look);
	lowering_enter(l, found);
	LLVMValueRef rest = lane, local_id[3];
	for (unsigned axis = 0; axis < 3; axis++) {
		LLVMValueRef size = lowering_i64(l, l->kernel->group[axis]);
		local_id[axis] = LLVMBuildURem(l->builder, rest, size, "");
		rest = LLVMBuildUDiv(l->builder, rest, size, "");
	}
	set_lane(g, local_id);
}

/* ---- Values from other segments ---- */

/* Its operands are what they were, so that what could fail did not. */
static void make_again(struct lockstep *g, const struct ir_instruction *i)
{
	struct lowering *l = g->l;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		lanes_bring(g, i->operands[n]);
	bool again = l->again;
	l->again = true;
	if (l->width)
		lowering_vector_instruction(l, i);
	else
		lowering_instruction(l, i);
	l->again = again;
}

static LLVMValueRef load_lanes(struct lockstep *g, uint32_t part, LLVMTypeRef type, bool varying)
{
	if (!g->l->width)
		return lockstep_load(g, part, type);
	return lockstep_load_vector(g, part, varying ? LLVMVectorType(type, g->l->width) : type);
}

static void store_lanes(struct lockstep *g, uint32_t part, LLVMValueRef v)
{
	if (g->l->width)
		lockstep_store_vector(g, part, v);
	else
		lockstep_store(g, part, v);
}

static bool is_varying(const struct lowering *l, const struct ir_instruction *i)
{
	return l->width && l->shapes->values[i->id] == VECTOR_VARYING;
}

static bool is_varying_local(const struct lowering *l, uint32_t n)
{
	return l->width && l->shapes->varying_locals[n];
}

void lanes_bring(struct lockstep *g, const struct ir_instruction *i)
{
	struct lowering *l = g->l;
	if (g->known[i->id] == g->epoch || segments_joint_variable(&g->segments, i))
		return;
	g->known[i->id] = g->epoch;
	LLVMTypeRef type = lowering_type(l, i->type);
	switch (g->segments.values[i->id]) {
	case CARRIED_NOT: break;
	case CARRIED_AGAIN: make_again(g, i); break;
	case CARRIED_ONCE: l->values[i->id] = LLVMBuildLoad2(l->builder, type, g->value_slots[i->id], ""); break;
	case CARRIED_LANES: l->values[i->id] = load_lanes(g, g->value_parts[i->id], type, is_varying(l, i)); break;
	}
}

static bool visit_in(void *context, struct ir_instruction *i)
{
	struct lockstep *g = context;
	const uint32_t *of = g->segments.of;
	for (unsigned n = 0; n < ir_op_infos[i->op].arity; n++)
		if (of[i->operands[n]->id] != of[i->id])
			lanes_bring(g, i->operands[n]);
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index && of[i->path[n].index->id] != of[i->id])
			lanes_bring(g, i->path[n].index);
	return true;
}

/* ---- Locals and private memories ---- */

/* By local: whether the segment at hand has it, and sets it. */
struct local_access {
	bool *any, *sets;
};

static bool visit_access(void *context, struct ir_instruction *i)
{
	struct local_access *a = context;
	if (i->op == IR_OP_get || i->op == IR_OP_set)
		a->any[i->local->index] = true;
	if (i->op == IR_OP_set)
		a->sets[i->local->index] = true;
	return true;
}

static struct local_access find_access(const struct lockstep *g, const struct segment *segment)
{
	struct local_access a;
	a.any = ARENA_ARRAY(g->l->arena, bool, g->l->kernel->local_count);
	a.sets = ARENA_ARRAY(g->l->arena, bool, g->l->kernel->local_count);
	segment_visit(segment, visit_access, &a);
	return a;
}

static void bring_local(struct lockstep *g, uint32_t n)
{
	struct lowering *l = g->l;
	LLVMTypeRef type = lowering_type(l, l->kernel->locals[n]->type);
	LLVMValueRef v = NULL;
	switch (g->segments.locals[n]) {
	case CARRIED_NOT:
	case CARRIED_AGAIN: return;
	case CARRIED_ONCE: v = LLVMBuildLoad2(l->builder, type, g->local_slots[n], ""); break;
	case CARRIED_LANES: v = load_lanes(g, g->local_parts[n], type, is_varying_local(l, n)); break;
	}
	LLVMBuildStore(l->builder, v, l->locals[n]);
}

static void take_local(struct lockstep *g, uint32_t n)
{
	struct lowering *l = g->l;
	if (g->segments.locals[n] == CARRIED_NOT)
		return;
	LLVMTypeRef type = l->width ? lowering_vector_local_type(l, l->kernel->locals[n])
	                            : lowering_type(l, l->kernel->locals[n]->type);
	LLVMValueRef v = LLVMBuildLoad2(l->builder, type, l->locals[n], "");
	if (g->segments.locals[n] == CARRIED_LANES)
		store_lanes(g, g->local_parts[n], v);
	else
		LLVMBuildStore(l->builder, v, g->local_next[n]);
}

/* What all lanes have computed alike is there for the next segment, not for the next lane. */
static void pass_on_locals(struct lockstep *g, const struct local_access *a)
{
	struct lowering *l = g->l;
	for (uint32_t n = 0; n < l->kernel->local_count; n++) {
		if (!a->sets[n] || g->segments.locals[n] != CARRIED_ONCE)
			continue;
		LLVMTypeRef type = lowering_type(l, l->kernel->locals[n]->type);
		LLVMBuildStore(l->builder, LLVMBuildLoad2(l->builder, type, g->local_next[n], ""), g->local_slots[n]);
	}
}

/* Of lanes in vectors, from the first of their chunk on. */
static void bring_privates(struct lockstep *g)
{
	struct lowering *l = g->l;
	LLVMValueRef lane = g->lane, within = lowering_i64(l, l->width - 1);
	if (l->width)
		lane = LLVMBuildAnd(l->builder, lane, LLVMBuildNot(l->builder, within, ""), "");
	for (uint32_t n = 0; n < l->kernel->memory_count; n++) {
		const struct ir_memory *m = l->kernel->memories[n];
		if (m->kind != IR_MEMORY_PRIVATE)
			continue;
		LLVMTypeRef type = LLVMArrayType(lowering_int(l, 8), m->type->size);
		LLVMValueRef base =
		    LLVMBuildBitCast(l->builder, g->parts[g->memory_parts[n]].address, LLVMPointerType(type, 0), "");
		l->memories[n] = LLVMBuildInBoundsGEP2(l->builder, type, base, &lane, 1, "");
	}
}

static void bring_in(struct lockstep *g, const struct segment *segment, const struct local_access *a)
{
	segment_visit(segment, visit_in, g);
	for (uint32_t n = 0; n < g->l->kernel->local_count; n++)
		if (a->any[n])
			bring_local(g, n);
	bring_privates(g);
}

/* Other segments can see only what stands at the segment's own level. */
static void take_out(struct lockstep *g, const struct segment *segment, const struct local_access *a)
{
	struct lowering *l = g->l;
	for (const struct ir_instruction *i = segment->first; i != segment->end; i = i->next) {
		enum carried carried = g->segments.values[i->id];
		if (carried == CARRIED_ONCE)
			LLVMBuildStore(l->builder, l->values[i->id], g->value_slots[i->id]);
		else if (carried == CARRIED_LANES)
			store_lanes(g, g->value_parts[i->id],
			            l->width ? lowering_vector_value(l, i) : l->values[i->id]);
	}
	for (uint32_t n = 0; n < l->kernel->local_count; n++)
		if (a->sets[n])
			take_local(g, n);
}

/* ---- Loops over the lanes ---- */

struct lane_loop {
	LLVMBasicBlockRef head, done; /* NULL: an axis of one lane */
	LLVMValueRef v;
};

enum { SHORT = 64 };

/* The lanes of an axis from `first` on; answers the lane's id on it. */
static LLVMValueRef open_loop(struct lowering *l, struct lane_loop *loop, LLVMValueRef first, LLVMValueRef end)
{
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), body = lowering_block(l, "lane");
	loop->head = lowering_block(l, "lanes");
	loop->done = lowering_block(l, "lanes_done");
	LLVMBuildBr(l->builder, loop->head);
	lowering_enter(l, loop->head);
	loop->v = LLVMBuildPhi(l->builder, lowering_int(l, 64), "");
	LLVMAddIncoming(loop->v, &first, &before, 1);
	LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntSLT, loop->v, end, ""), body, loop->done);
	lowering_enter(l, body);
	return loop->v;
}

static void close_loop(struct lowering *l, struct lane_loop *loop, unsigned step, bool keep)
{
	LLVMBasicBlockRef last = LLVMGetInsertBlock(l->builder);
	LLVMValueRef next = LLVMBuildNSWAdd(l->builder, loop->v, lowering_i64(l, step), "");
	LLVMAddIncoming(loop->v, &next, &last, 1);
	LLVMValueRef branch = LLVMBuildBr(l->builder, loop->head);
	if (keep)
		lowering_keep_loop(l, branch);
	lowering_enter(l, loop->done);
}

/* Makes each lane with x in [first, end) the one at hand, whether it is left or not; *next_lane: where its code goes at
 * its end. */
static void open_lanes(struct lockstep *g, struct lane_loop loops[3], LLVMValueRef first, LLVMValueRef end,
                       LLVMBasicBlockRef *next_lane)
{
	struct lowering *l = g->l;
	LLVMValueRef zero = lowering_i64(l, 0), local_id[3] = {zero, zero, zero};
	for (unsigned axis = 3; axis-- > 0;) {
		loops[axis].head = NULL;
		if (l->kernel->group[axis] > 1)
			local_id[axis] = open_loop(l, &loops[axis], axis ? zero : first, axis ? g->count[axis] : end);
	}
	set_lane(g, local_id);
	*next_lane = lowering_block(l, "lane_next");
}

/* Few lanes that are unrolled are no longer a loop that can be vectorized. */
static void close_lanes(struct lockstep *g, struct lane_loop loops[3], LLVMBasicBlockRef next_lane)
{
	struct lowering *l = g->l;
	lowering_jump(l, next_lane);
	lowering_enter(l, next_lane);
	for (unsigned axis = 0; axis < 3; axis++)
		if (loops[axis].head)
			close_loop(l, &loops[axis], axis == 0 && l->width ? l->width : 1,
			           axis == 0 && !l->width && l->kernel->group[0] <= SHORT);
}

/* Of a chunk that begins at x: those that the row has. */
static LLVMValueRef lanes_of_row(struct lockstep *g, LLVMValueRef x)
{
	struct lowering *l = g->l;
	LLVMValueRef numbers = lowering_vector_numbers(l, lowering_int(l, 64));
	LLVMValueRef left = LLVMBuildSub(l->builder, g->count[0], x, "");
	return LLVMBuildICmp(l->builder, LLVMIntULT, numbers, lowering_vector_splat(l, left), "");
}

void lanes_start(struct lockstep *g)
{
	struct lowering *l = g->l;
	const struct ir_kernel *k = l->kernel;
	bool each = g->live != NULL;
	LLVMValueRef zero = LLVMConstNull(lowering_int(l, 8));
	for (uint32_t n = 0; n < k->memory_count; n++) {
		const struct workspace_part *part = &g->parts[g->memory_parts[n]];
		each |= k->memories[n]->kind == IR_MEMORY_PRIVATE;
		if (k->memories[n]->kind == IR_MEMORY_SHARED && k->memories[n]->zeroed)
			LLVMBuildMemSet(l->builder, part->address, zero, lowering_i64(l, part->size), 64);
	}
	if (!each)
		return;
	if (g->live) {
		const struct workspace_part *part = &g->parts[g->live_part];
		LLVMBuildMemSet(l->builder, part->address, zero, lowering_i64(l, part->size), 64);
		LLVMValueRef all = LLVMBuildMul(l->builder, g->count[0], g->count[1], "");
		LLVMBuildStore(l->builder, LLVMBuildMul(l->builder, all, g->count[2], ""), g->live);
	}
	struct lane_loop loops[3];
	LLVMBasicBlockRef next_lane;
	open_lanes(g, loops, lowering_i64(l, 0), g->count[0], &next_lane);
	bring_privates(g);
	if (l->width) {
		if (g->live)
			lockstep_store_vector(g, g->live_part, lanes_of_row(g, loops[0].v));
		lowering_vector_private_start(l);
	} else {
		if (g->live)
			lockstep_store(g, g->live_part, LLVMConstInt(flag_type(g), 1, false));
		lowering_private_start(l);
	}
	close_lanes(g, loops, next_lane);
}

/* ---- Lanes that end ---- */

static bool visit_end(void *context, struct ir_instruction *i)
{
	const struct lockstep *g = context;
	bool records = g->failed || g->l->record;
	return i->op != IR_OP_return && !(records && (ir_op_infos[i->op].flags & IR_FLAG_TRAP));
}

static bool ends_lanes(const struct lockstep *g, const struct segment *segment)
{
	return g->live && !segment_visit(segment, visit_end, (void *)g);
}

/* A recorded failure: the first one's trap is kept. */
static void record_failure(struct lockstep *g, LLVMBasicBlockRef end_lane)
{
	struct lowering *l = g->l;
	LLVMBasicBlockRef here = LLVMGetInsertBlock(l->builder);
	if (!lowering_fail_close(l))
		return;
	LLVMTypeRef i32 = lowering_int(l, 32);
	LLVMValueRef count = LLVMBuildLoad2(l->builder, i32, g->failed, "");
	LLVMBuildStore(l->builder, LLVMBuildAdd(l->builder, count, lowering_i32(l, 1), ""), g->failed);
	LLVMBasicBlockRef after =
	    lowering_begin_if(l, LLVMBuildICmp(l->builder, LLVMIntEQ, count, lowering_i32(l, 0), ""));
	lowering_fail_fill(l, g->trap);
	lowering_end_if(l, after);
	LLVMBuildBr(l->builder, end_lane);
	lowering_enter(l, here);
}

/* Where a lane goes that returns or fails. */
static LLVMBasicBlockRef end_lane_block(struct lockstep *g, LLVMBasicBlockRef next_lane)
{
	struct lowering *l = g->l;
	LLVMBasicBlockRef here = LLVMGetInsertBlock(l->builder), end_lane = lowering_block(l, "end_lane");
	lowering_enter(l, end_lane);
	lockstep_store(g, g->live_part, LLVMConstInt(flag_type(g), 0, false));
	LLVMValueRef left = LLVMBuildLoad2(l->builder, lowering_int(l, 64), g->live, "");
	LLVMBuildStore(l->builder, LLVMBuildSub(l->builder, left, lowering_i64(l, 1), ""), g->live);
	LLVMBuildBr(l->builder, next_lane);
	lowering_enter(l, here);
	return end_lane;
}

static void leave_if_none(struct lockstep *g)
{
	struct lowering *l = g->l;
	LLVMBasicBlockRef some = lowering_block(l, "some_left");
	LLVMValueRef left = LLVMBuildLoad2(l->builder, lowering_int(l, 64), g->live, "");
	LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntEQ, left, lowering_i64(l, 0), ""), g->group_end,
	                some);
	lowering_enter(l, some);
}

/* ---- Segments ---- */

/* The lane at hand. `condition` holds for it. */
static void one_lane(struct lockstep *g, const struct segment *segment, const struct local_access *a,
                     const struct ir_instruction *condition)
{
	bring_in(g, segment, a);
	if (g->l->width) {
		lowering_vector_range(g->l, segment->first, segment->end);
		return;
	}
	if (condition) {
		lowering_range(g->l, segment->first, condition->next);
		g->l->values[condition->id] = LLVMConstInt(lowering_int(g->l, 1), 1, false);
	}
	lowering_range(g->l, condition ? condition->next : segment->first, segment->end);
}

static void each_lane(struct lockstep *g, const struct segment *segment, const struct local_access *a,
                      const struct lane_range *range)
{
	struct lowering *l = g->l;
	struct lane_loop loops[3];
	LLVMBasicBlockRef next_lane;
	open_lanes(g, loops, range->first, range->end, &next_lane);
	if (g->live) {
		LLVMBasicBlockRef lane = lowering_block(l, "live_lane");
		LLVMBuildCondBr(l->builder, lockstep_load(g, g->live_part, flag_type(g)), lane, next_lane);
		lowering_enter(l, lane);
	}
	l->thread_end = ends_lanes(g, segment) ? end_lane_block(g, next_lane) : next_lane;
	if (g->failed)
		lowering_fail_open(l);
	one_lane(g, segment, a, range->condition);
	if (!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->builder)))
		take_out(g, segment, a);
	if (g->failed)
		record_failure(g, l->thread_end);
	close_lanes(g, loops, next_lane);
}

enum { MAX_NARROWED = 24 }; /* instructions of a segment whose code is there for every width */

static bool count_one(void *context, struct ir_instruction *i)
{
	unsigned *count = context;
	bool heavy = (ir_op_infos[i->op].flags & IR_FLAG_ATOMIC) || i->op == IR_OP_for || i->op == IR_OP_loop;
	return !heavy && !(i->base && i->base->kind == IR_MEMORY_PRIVATE) && ++*count <= MAX_NARROWED;
}

/* The lanes of a row from x on, l->width at a time, while as many are left; the x of the first one that is left. */
static LLVMValueRef run_width(struct lockstep *g, const struct segment *segment, const struct local_access *a,
                              LLVMValueRef const local_id[3], LLVMValueRef x, LLVMValueRef end)
{
	struct lowering *l = g->l;
	const struct ir_instruction *only = segment->first;
	LLVMBasicBlockRef before = LLVMGetInsertBlock(l->builder), head = lowering_block(l, "lanes");
	LLVMBasicBlockRef body = lowering_block(l, "lane"), done = lowering_block(l, "lanes_done");
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, head);
	LLVMValueRef v = LLVMBuildPhi(l->builder, lowering_int(l, 64), "");
	LLVMAddIncoming(v, &x, &before, 1);
	LLVMValueRef next = LLVMBuildNSWAdd(l->builder, v, lowering_i64(l, l->width), "");
	LLVMBuildCondBr(l->builder, LLVMBuildICmp(l->builder, LLVMIntSLE, next, end, ""), body, done);
	lowering_enter(l, body);
	set_lane(g, (LLVMValueRef[]){v, local_id[1], local_id[2]});
	bring_in(g, segment, a);
	while (only->op != IR_OP_if)
		only = only->next;
	lowering_vector_range(l, segment->first, only);
	lowering_vector_range(l, only->regions[0].first, NULL);
	LLVMBasicBlockRef last = LLVMGetInsertBlock(l->builder);
	LLVMAddIncoming(v, &next, &last, 1);
	LLVMBuildBr(l->builder, head);
	lowering_enter(l, done);
	return v;
}

/* A segment that is one `if` of a range of lanes: no lane is masked, what is left of many goes by fewer and fewer. A
 * vector is then not read across those that were written, which processors are slow at. */
static void narrowing_chunks(struct lockstep *g, const struct segment *segment, const struct local_access *a,
                             const struct lane_range *range)
{
	struct lowering *l = g->l;
	struct lane_loop loops[3] = {0};
	unsigned width = l->width;
	LLVMValueRef zero = lowering_i64(l, 0), local_id[3] = {zero, zero, zero}, x = range->first;
	for (unsigned axis = 3; axis-- > 1;)
		if (l->kernel->group[axis] > 1)
			local_id[axis] = open_loop(l, &loops[axis], zero, g->count[axis]);
	for (; l->width > 0; l->width /= 2)
		x = run_width(g, segment, a, local_id, x, range->end);
	l->width = width;
	for (unsigned axis = 1; axis < 3; axis++)
		if (loops[axis].head)
			close_loop(l, &loops[axis], 1, false);
}

static bool has_locals(const struct lowering *l, const struct local_access *a)
{
	for (uint32_t n = 0; n < l->kernel->local_count; n++)
		if (a->any[n])
			return true;
	return false;
}

static bool can_narrow(const struct lockstep *g, const struct segment *segment, const struct local_access *a,
                       const struct lane_range *range)
{
	unsigned count = 0;
	return range->condition && !has_locals(g->l, a) && segment_visit(segment, count_one, &count);
}

/* The lanes from the one at hand on; goes on in block `end`. */
static void chunk(struct lockstep *g, const struct segment *segment, const struct local_access *a,
                  LLVMBasicBlockRef end)
{
	struct lowering *l = g->l;
	lowering_record_chunk(l);
	lowering_vector_open(l, end);
	one_lane(g, segment, a, NULL);
	if (!LLVMGetBasicBlockTerminator(LLVMGetInsertBlock(l->builder)))
		take_out(g, segment, a);
	lowering_jump(l, end);
}

/* A condition decides again which lanes of a chunk there are. */
static void all_chunks(struct lockstep *g, const struct segment *segment, const struct local_access *a)
{
	struct lowering *l = g->l;
	struct lane_loop loops[3];
	LLVMBasicBlockRef next_lane;
	g->epoch++;
	struct lane_range range = lanes_range(g, segment);
	if (can_narrow(g, segment, a, &range)) {
		narrowing_chunks(g, segment, a, &range);
		return;
	}
	LLVMValueRef within = lowering_i64(l, l->width - 1);
	LLVMValueRef first = LLVMBuildAnd(l->builder, range.first, LLVMBuildNot(l->builder, within, ""), "");
	open_lanes(g, loops, first, range.end, &next_lane);
	chunk(g, segment, a, next_lane);
	close_lanes(g, loops, next_lane);
}

/* The lanes of a chunk that are left, if there are any; and which of them are left at its end. */
static void live_chunk(struct lockstep *g, const struct segment *segment, const struct local_access *a,
                       LLVMBasicBlockRef next_lane)
{
	struct lowering *l = g->l;
	LLVMBasicBlockRef some = lowering_block(l, "live_lanes"), end = lowering_block(l, "lanes_end");
	LLVMTypeRef type = lowering_vector_of(l, flag_type(g)), i64 = lowering_int(l, 64);
	LLVMValueRef lanes = l->active = lockstep_load_vector(g, g->live_part, type);
	LLVMBuildCondBr(l->builder, lowering_vector_any(l, lanes), some, next_lane);
	lowering_enter(l, some);
	chunk(g, segment, a, end);
	lowering_enter(l, end);
	l->active = NULL;
	if (!ends_lanes(g, segment))
		return;
	LLVMValueRef left = lowering_vector_left(l);
	LLVMValueRef gone =
	    LLVMBuildSub(l->builder, lowering_vector_count(l, lanes), lowering_vector_count(l, left), "");
	LLVMValueRef live = LLVMBuildLoad2(l->builder, i64, g->live, "");
	lockstep_store_vector(g, g->live_part, left);
	LLVMBuildStore(l->builder, LLVMBuildSub(l->builder, live, LLVMBuildZExt(l->builder, gone, i64, ""), ""),
	               g->live);
}

static void all_live_chunks(struct lockstep *g, const struct segment *segment, const struct local_access *a)
{
	struct lane_loop loops[3];
	LLVMBasicBlockRef next_lane;
	open_lanes(g, loops, lowering_i64(g->l, 0), g->count[0], &next_lane);
	live_chunk(g, segment, a, next_lane);
	close_lanes(g, loops, next_lane);
}

/* Where it can be shown that no lane fails, they run without checks, which LLVM can vectorize. */
static void all_lanes(struct lockstep *g, const struct segment *segment, const struct local_access *a)
{
	struct lowering *l = g->l;
	const bool *proved;
	g->epoch++;
	struct lane_range range = lanes_range(g, segment);
	LLVMValueRef sound = lanes_prove(g, segment, &range, &proved);
	if (!sound) {
		each_lane(g, segment, a, &range);
		return;
	}
	LLVMBasicBlockRef unchecked = lowering_block(l, "proved"), checked = lowering_block(l, "checked");
	LLVMBasicBlockRef done = lowering_block(l, "lanes_all");
	LLVMBuildCondBr(l->builder, sound, unchecked, checked);
	lowering_enter(l, unchecked);
	l->proved = proved;
	each_lane(g, segment, a, &range);
	l->proved = NULL;
	LLVMBuildBr(l->builder, done);
	lowering_enter(l, checked);
	each_lane(g, segment, a, &range);
	LLVMBuildBr(l->builder, done);
	lowering_enter(l, done);
}

void lanes_run(struct lockstep *g, const struct segment *segment)
{
	struct local_access a = find_access(g, segment);
	if (segment->once) {
		set_first_lane(g);
		one_lane(g, segment, &a, NULL);
		take_out(g, segment, &a);
	} else {
		if (!g->l->width)
			all_lanes(g, segment, &a);
		else if (g->live)
			all_live_chunks(g, segment, &a);
		else
			all_chunks(g, segment, &a);
		if (ends_lanes(g, segment))
			leave_if_none(g);
	}
	pass_on_locals(g, &a);
}

LLVMValueRef lanes_operand(struct lockstep *g, const struct ir_instruction *i, unsigned n)
{
	if (segments_same(&g->segments, i->operands[n]))
		g->epoch++;
	else
		set_first_lane(g);
	lanes_bring(g, i->operands[n]);
	return g->l->values[i->operands[n]->id];
}

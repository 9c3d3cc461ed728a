/* Which values are printed where they are used, rather than kept in a variable: those used once, by an instruction of
 * the same region that prints its operand once, if nothing in between changes what they read. And where locals are
 * declared: by their first `set`, if all else that names them is in its region. */
#include "targets/source/source_writer.h"

enum { FOLD_DEPTH = 4 }; /* operations one in another */

struct fold {
	struct source_writer *writer;
	const struct ir_instruction **users; /* by id: the last one */
	bool *again;                         /* by id: a user prints it more than once */
	uint32_t *region;                    /* by id */
	uint32_t *root;                      /* by id: of a folded value, the id of the instruction that prints it */
	unsigned *nested;                    /* by id: folded into so many others */
	uint32_t *outer, *level;             /* by region: the one around it, and how many are */
	uint32_t region_count;
	uint32_t *set_region, *set_id; /* by local: the next `set` in the region */
};

/* ---- Uses ---- */

static bool prints_again(const struct source_writer *w, const struct ir_instruction *user, int operand)
{
	unsigned flags = ir_op_infos[user->op].flags;
	if (operand < 0) /* an index: bounds are compared with it */
		return user->op == IR_OP_load && source_same(w, user);
	if (user->op == IR_OP_for)
		return operand == 1; /* every round */
	if (user->op == IR_OP_atomic_add)
		return ir_type_is_float(user->type);
	return (flags & IR_FLAG_TRAP) && user->op != IR_OP_check && !source_proved(w);
}

static void use(struct fold *f, const struct ir_instruction *user, const struct ir_instruction *value, int operand)
{
	f->writer->uses[value->id]++;
	f->users[value->id] = user;
	f->again[value->id] |= prints_again(f->writer, user, operand);
}

static bool visit_uses(void *context, struct ir_instruction *i)
{
	for (int n = 0; n < ir_op_infos[i->op].arity; n++)
		use(context, i, i->operands[n], n);
	for (uint32_t n = 0; n < i->path_count; n++)
		if (i->path[n].index)
			use(context, i, i->path[n].index, -1);
	return true;
}

/* ---- Values ---- */

static bool changes_memory(const struct ir_instruction *i)
{
	unsigned flags = ir_op_infos[i->op].flags;
	return i->op != IR_OP_set && (flags & (IR_FLAG_WRITE | IR_FLAG_CONTROL | IR_FLAG_BARRIER));
}

struct changes {
	uint32_t memory, control; /* ids of the next ones in the region; UINT32_MAX: none */
};

static bool stays(const struct fold *f, const struct ir_instruction *i, struct changes next, uint32_t root)
{
	if (i->op == IR_OP_load)
		return next.memory >= root;
	if (i->op != IR_OP_get)
		return true;
	uint32_t local = i->local->index;
	bool set = f->set_region[local] == f->region[i->id] && f->set_id[local] < root;
	return !set && next.control >= root;
}

static bool can_fold(const struct fold *f, const struct ir_instruction *i)
{
	const struct source_writer *w = f->writer;
	unsigned flags = ir_op_infos[i->op].flags;
	bool quiet = (flags & IR_FLAG_PURE) || i->op == IR_OP_get || i->op == IR_OP_load ||
	             ((flags & IR_FLAG_TRAP) && i->type->kind != IR_TYPE_void && source_proved(w));
	return quiet && !source_is_given(i) && w->uses[i->id] == 1 && !f->again[i->id] &&
	       f->region[f->users[i->id]->id] == f->region[i->id];
}

static void fold_value(struct fold *f, const struct ir_instruction *i, struct changes next)
{
	const struct ir_instruction *user = f->users[i->id];
	if (!can_fold(f, i))
		return;
	bool inner = f->writer->folded[user->id];
	uint32_t root = inner ? f->root[user->id] : user->id;
	unsigned nested = inner ? f->nested[user->id] + 1 : 1;
	if (nested > FOLD_DEPTH || !stays(f, i, next, root))
		return;
	f->writer->folded[i->id] = true;
	f->root[i->id] = root;
	f->nested[i->id] = nested;
}

static void fold_region(struct fold *f, const struct ir_region *region)
{
	struct changes next = {UINT32_MAX, UINT32_MAX};
	for (const struct ir_instruction *i = region->last; i; i = i->previous) {
		fold_value(f, i, next);
		if (changes_memory(i))
			next.memory = i->id;
		if (ir_op_infos[i->op].flags & IR_FLAG_CONTROL)
			next.control = i->id;
		if (i->op == IR_OP_set) {
			f->set_region[i->local->index] = f->region[i->id];
			f->set_id[i->local->index] = i->id;
		}
	}
	for (const struct ir_instruction *i = region->first; i; i = i->next)
		for (int n = 0; n < 2; n++)
			fold_region(f, &i->regions[n]);
}

/* ---- Regions and locals ---- */

static void number_regions(struct fold *f, const struct ir_region *region, uint32_t outer)
{
	uint32_t number = f->region_count++;
	f->outer[number] = outer;
	f->level[number] = number ? f->level[outer] + 1 : 0;
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		f->region[i->id] = number;
		for (int n = 0; n < 2; n++)
			if (i->regions[n].first)
				number_regions(f, &i->regions[n], number);
	}
}

static uint32_t common(const struct fold *f, uint32_t a, uint32_t b)
{
	while (a != b) {
		uint32_t *deeper = f->level[a] >= f->level[b] ? &a : &b;
		*deeper = f->outer[*deeper];
	}
	return a;
}

struct home_search {
	struct fold *fold;
	const struct ir_instruction **first; /* by local */
	uint32_t *region;                    /* by local: around all that names it */
};

static bool visit_homes(void *context, struct ir_instruction *i)
{
	struct home_search *s = context;
	if (i->op != IR_OP_get && i->op != IR_OP_set)
		return true;
	uint32_t local = i->local->index, here = s->fold->region[i->id];
	s->region[local] = s->first[local] ? common(s->fold, s->region[local], here) : here;
	if (!s->first[local])
		s->first[local] = i;
	return true;
}

static void find_homes(struct fold *f)
{
	struct source_writer *w = f->writer;
	uint32_t count = w->kernel->local_count;
	struct home_search s = {f, ARENA_ARRAY(w->arena, const struct ir_instruction *, count),
	                        ARENA_ARRAY(w->arena, uint32_t, count)};
	ir_visit(&w->kernel->body, visit_homes, &s);
	for (uint32_t n = 0; n < count; n++) {
		bool declares = s.first[n] && s.first[n]->op == IR_OP_set && f->region[s.first[n]->id] == s.region[n];
		w->homes[n] = declares ? s.first[n] : NULL;
		w->at_top[n] = s.first[n] && !declares;
	}
}

void source_fold(struct source_writer *w)
{
	uint32_t count = w->kernel->next_id + 1, locals = w->kernel->local_count;
	struct fold f = {
	    .writer = w,
	    .users = ARENA_ARRAY(w->arena, const struct ir_instruction *, count),
	    .again = ARENA_ARRAY(w->arena, bool, count),
	    .region = ARENA_ARRAY(w->arena, uint32_t, count),
	    .root = ARENA_ARRAY(w->arena, uint32_t, count),
	    .nested = ARENA_ARRAY(w->arena, unsigned, count),
	    .outer = ARENA_ARRAY(w->arena, uint32_t, 2 * (size_t)count),
	    .level = ARENA_ARRAY(w->arena, uint32_t, 2 * (size_t)count),
	    .set_region = ARENA_ARRAY(w->arena, uint32_t, locals),
	    .set_id = ARENA_ARRAY(w->arena, uint32_t, locals),
	};
	w->folded = ARENA_ARRAY(w->arena, bool, count);
	w->uses = ARENA_ARRAY(w->arena, uint32_t, count);
	w->homes = ARENA_ARRAY(w->arena, const struct ir_instruction *, locals);
	w->at_top = ARENA_ARRAY(w->arena, bool, locals);
	for (uint32_t n = 0; n < locals; n++)
		f.set_region[n] = UINT32_MAX;
	ir_visit(&w->kernel->body, visit_uses, &f);
	number_regions(&f, &w->kernel->body, 0);
	fold_region(&f, &w->kernel->body);
	find_homes(&f);
}

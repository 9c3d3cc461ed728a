/* Races on shared memory (spec/sspur.md 1.5): which accesses may be in one phase, by data flow over the regions.
 *
 * A state holds the accesses since the last barrier, along every path. Control that holds a barrier, or whose
 * condition is group-uniform, is gone through by all threads of a group alike; of other control the threads may be
 * anywhere, so all that is in it is in one phase. Around the back edge of a loop that holds a barrier an access is
 * noted to be of an earlier round: no variable of that loop, or of a loop in it, relates the two rounds. One
 * earlier round stands for all, and the outermost loop in another round for those in it, because a pair of accesses
 * that is proved apart for unrelated variables is so for equal ones. */
#include "ir/phase.h"

#include <string.h>

/* A class in a state. */
struct cell {
	uint16_t level;  /* 0: not there; else the depth of the outermost loop in another round, or PHASE_SAME_ROUND */
	bool left;       /* made by a thread that returned since: no barrier waits for it */
	uint32_t access; /* one of the class, that got here */
};

struct state {
	bool alive; /* whether anything gets here */
	struct cell *cells;
};

struct flow {
	struct phase_accesses all;
	struct state *back, *exits; /* by id of a for or loop: into its next round; out of it by breaks */
	bool changed;
	uint32_t passes;
	bool final; /* the states are complete: look for faults */
	struct ir_race *races;
	uint32_t race_count;
	struct ir_phase *phases;
	uint32_t phase_count, phase_capacity;
	struct cell **free; /* for copies of states */
	uint32_t free_count, free_capacity;
};

/* ---- States ---- */

static size_t cells_size(const struct flow *f)
{
	return f->all.class_count * sizeof(struct cell);
}

static struct state copy(struct flow *f, const struct state *from)
{
	struct state to = {from->alive, f->free_count
	                                    ? f->free[--f->free_count]
	                                    : ARENA_ARRAY(f->all.race->arena, struct cell, f->all.class_count)};
	if (f->all.class_count)
		memcpy(to.cells, from->cells, cells_size(f));
	return to;
}

static void drop(struct flow *f, struct state *s)
{
	*ARENA_PUSH(f->all.race->arena, f->free, f->free_count, f->free_capacity) = s->cells;
	s->cells = NULL;
}

/* Adds what `from` holds, at no more than the level; true if anything changed. */
static bool merge(const struct flow *f, struct state *into, const struct state *from, uint16_t level)
{
	bool changed = false;
	if (!from->alive)
		return false;
	for (uint32_t n = 0; n < f->all.class_count; n++) {
		struct cell *cell = &into->cells[n], other = from->cells[n];
		if (!other.level)
			continue;
		if (other.level > level)
			other.level = level;
		if (!cell->level || other.level < cell->level) {
			other.left |= cell->left;
			*cell = other;
			changed = true;
		} else if (other.left && !cell->left) {
			cell->left = changed = true;
		}
	}
	changed |= !into->alive;
	into->alive = true;
	return changed;
}

/* ---- Accesses and barriers ---- */

static bool is_inside(const struct ir_instruction *i, const struct ir_instruction *control)
{
	while (i && i != control)
		i = i->parent;
	return i;
}

/* The loop of this depth that both are in. */
static const struct ir_instruction *loop_around(const struct flow *f, const struct ir_instruction *first,
                                                const struct ir_instruction *second, int level)
{
	const struct ir_instruction *loop = second->parent;
	while (loop && f->all.uniform.depths[loop->id] != level)
		loop = loop->parent;
	return loop && is_inside(first, loop) ? loop : NULL;
}

static void add_race(struct flow *f, const struct phase_access *first, const struct phase_access *second, int level)
{
	for (uint32_t n = 0; n < f->race_count; n++)
		if (f->races[n].memory == second->instruction->base)
			return;
	struct ir_race *race = &f->races[f->race_count++];
	*race = (struct ir_race){.memory = second->instruction->base,
	                         .first = first->instruction,
	                         .second = second->instruction,
	                         .around = loop_around(f, first->instruction, second->instruction, level)};
	phase_explain(&f->all, race, first, second);
}

static void make_access(struct flow *f, struct state *s, uint32_t number)
{
	const struct phase_access *access = &f->all.items[number];
	const struct phase_class *class = &f->all.classes[access->class];
	struct cell *cell = &s->cells[access->class];
	if (!cell->level)
		*cell = (struct cell){PHASE_SAME_ROUND, false, number};
	for (uint32_t n = 0; f->final && f->races && n < f->all.class_count; n++) {
		const struct cell *other = &s->cells[n];
		if (other->level && phase_meet(&f->all, &f->all.classes[n], class, other->level))
			add_race(f, &f->all.items[other->access], access, other->level);
	}
}

static void note_phase(struct flow *f, const struct ir_instruction *end, const struct state *s)
{
	if (!f->final || f->races)
		return;
	struct arena *arena = f->all.race->arena;
	struct ir_phase *phase = ARENA_PUSH(arena, f->phases, f->phase_count, f->phase_capacity);
	phase->end = end;
	phase->accesses = ARENA_ARRAY(arena, const struct ir_instruction *, f->all.class_count);
	for (uint32_t n = 0; n < f->all.class_count; n++)
		if (s->cells[n].level)
			phase->accesses[phase->access_count++] = f->all.items[s->cells[n].access].instruction;
}

/* Those that left are in every phase to come. */
static void pass_barrier(struct flow *f, const struct ir_instruction *barrier, struct state *s)
{
	if (barrier->barrier != IR_BARRIER_WORKGROUP)
		return;
	note_phase(f, barrier, s);
	for (uint32_t n = 0; n < f->all.class_count; n++)
		if (!s->cells[n].left)
			s->cells[n].level = 0;
}

/* ---- Control ---- */

static void walk(struct flow *f, const struct ir_region *region, struct state *s);

static bool all_go_alike(const struct flow *f, const struct ir_instruction *test)
{
	return f->all.uniform.holds_barrier[test->id] ||
	       (f->all.uniform.levels[test->operands[0]->id] != GROUP_VARYING && !f->all.jumps[test->id]);
}

static void walk_if(struct flow *f, const struct ir_instruction *i, struct state *s)
{
	if (!all_go_alike(f, i)) {
		/* Some threads are here and some are there, or in what they jumped away from. */
		walk(f, &i->regions[0], s);
		s->alive = true;
		walk(f, &i->regions[1], s);
		s->alive = true;
		return;
	}
	struct state other = copy(f, s);
	walk(f, &i->regions[0], s);
	walk(f, &i->regions[1], &other);
	if (!s->alive) {
		struct state dead = *s;
		*s = other;
		other = dead;
	}
	merge(f, s, &other, PHASE_SAME_ROUND);
	drop(f, &other);
}

static bool runs_once(const struct flow *f, const struct ir_instruction *loop)
{
	if (loop->op == IR_OP_loop)
		return true;
	const struct ir_linear *first = linear_context_form(f->all.race->forms, loop->operands[0]);
	const struct ir_linear *end = linear_context_form(f->all.race->forms, loop->operands[1]);
	return linear_is_constant(first) && linear_is_constant(end) && first->constant < end->constant;
}

/* A loop that holds a barrier: its threads are in one round, or some are in the next of the same phase. */
static void walk_rounds(struct flow *f, const struct ir_instruction *i, struct state *s)
{
	struct state *back = &f->back[i->id], *exits = &f->exits[i->id], entry = copy(f, s);
	uint16_t level = (uint16_t)f->all.uniform.depths[i->id];
	merge(f, s, back, level);
	walk(f, &i->regions[0], s);
	f->changed |= merge(f, back, s, level);
	/* Out of a `for` after a round, which ends at its end or in a continue, or without any; else by breaks. */
	s->alive = false;
	memset(s->cells, 0, cells_size(f));
	if (i->op == IR_OP_for)
		merge(f, s, back, PHASE_SAME_ROUND);
	if (!runs_once(f, i))
		merge(f, s, &entry, PHASE_SAME_ROUND);
	merge(f, s, exits, PHASE_SAME_ROUND);
	drop(f, &entry);
}

static void walk_loop(struct flow *f, const struct ir_instruction *i, struct state *s)
{
	struct state *back = &f->back[i->id], *exits = &f->exits[i->id];
	if (f->all.uniform.depths[i->id]) {
		if (!back->cells) {
			back->cells = ARENA_ARRAY(f->all.race->arena, struct cell, f->all.class_count);
			exits->cells = ARENA_ARRAY(f->all.race->arena, struct cell, f->all.class_count);
		}
		walk_rounds(f, i, s);
		return;
	}
	/* The threads may be in any rounds: all that is in them is here. */
	walk(f, &i->regions[0], s);
	s->alive = i->op == IR_OP_for || exits->alive;
}

static void walk_jump(struct flow *f, const struct ir_instruction *i, struct state *s)
{
	if (i->op == IR_OP_break || i->op == IR_OP_continue) {
		struct state *to = i->op == IR_OP_break ? &f->exits[i->target->id] : &f->back[i->target->id];
		int depth = f->all.uniform.depths[i->target->id];
		if (!depth)
			to->alive = true;
		else
			f->changed |= merge(f, to, s, i->op == IR_OP_break ? PHASE_SAME_ROUND : (uint16_t)depth);
	}
	/* A thread that returns alone leaves the others in the phase. */
	if (i->op == IR_OP_return && i->parent)
		for (uint32_t n = 0; n < f->all.class_count; n++)
			s->cells[n].left = s->cells[n].level != 0;
	s->alive = false;
}

static void walk(struct flow *f, const struct ir_region *region, struct state *s)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		unsigned flags = ir_op_infos[i->op].flags;
		if (f->all.by_id[i->id])
			make_access(f, s, f->all.by_id[i->id] - 1);
		else if (flags & IR_FLAG_BARRIER)
			pass_barrier(f, i, s);
		else if (flags & IR_FLAG_END)
			walk_jump(f, i, s);
		else if (!(flags & IR_FLAG_CONTROL) || !f->all.matters[i->id])
			continue;
		else if (i->op == IR_OP_if)
			walk_if(f, i, s);
		else
			walk_loop(f, i, s);
	}
}

static void run(struct flow *f, const struct race_context *race, bool apart)
{
	const struct ir_kernel *k = race->kernel;
	phase_collect(&f->all, race, apart);
	f->back = ARENA_ARRAY(race->arena, struct state, k->next_id);
	f->exits = ARENA_ARRAY(race->arena, struct state, k->next_id);
	do {
		f->final = !f->changed && f->passes++;
		f->changed = false;
		struct state s = {true, ARENA_ARRAY(race->arena, struct cell, f->all.class_count)};
		walk(f, &k->body, &s);
		note_phase(f, NULL, &s);
	} while (!f->final);
}

static bool has_shared_memory(const struct ir_kernel *k)
{
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind == IR_MEMORY_SHARED)
			return true;
	return false;
}

uint32_t phase_find_races(const struct race_context *c, struct ir_race *races)
{
	struct flow f = {.races = races};
	if (has_shared_memory(c->kernel))
		run(&f, c, false);
	return f.race_count;
}

uint32_t ir_find_phases(const struct ir_kernel *k, struct arena *arena, struct ir_phase **phases)
{
	struct race_context race = {.kernel = k, .arena = arena, .forms = linear_context_new(k, arena)};
	struct flow f = {0};
	run(&f, &race, true);
	*phases = f.phases;
	return f.phase_count;
}

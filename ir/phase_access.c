/* Accesses to shared memory: their indices and guards as forms that are cheap to compare. */
#include "ir/phase.h"

#include <string.h>

void phase_lane_strides(const struct ir_kernel *k, int64_t strides[3])
{
	int64_t stride = 1;
	for (unsigned axis = 0; axis < 3; axis++) {
		uint32_t threads = axis < k->axes ? k->group[axis] : 1;
		strides[axis] = threads > 1 ? stride : 0;
		stride *= threads;
	}
}

/* GROUP_VARYING unless all atoms are group-uniform. */
static int form_level(const struct phase_accesses *all, const struct ir_linear *form)
{
	int level = 0;
	for (uint32_t n = 0; n < form->term_count; n++)
		for (uint32_t m = 0; m < form->terms[n].atom_count; m++) {
			int atom = all->uniform.levels[form->terms[n].atoms[m]->id];
			if (atom == GROUP_VARYING)
				return GROUP_VARYING;
			level = atom > level ? atom : level;
		}
	return form->known ? level : GROUP_VARYING;
}

bool phase_split(const struct phase_accesses *all, const struct ir_linear *form, int64_t strides[3],
                 struct ir_linear *rest)
{
	const struct ir_kernel *k = all->race->kernel;
	*rest = *form;
	for (unsigned axis = 0; axis < 3; axis++) {
		struct ir_linear factor, part = *rest;
		strides[axis] = 0;
		if (!linear_split(&part, IR_OP_local_id, axis, &factor, rest, all->race->arena))
			return false;
		/* The only thread of an axis is its thread 0. */
		if (axis >= k->axes || k->group[axis] == 1)
			continue;
		if (!linear_is_constant(&factor))
			return false;
		strides[axis] = factor.constant;
	}
	return form_level(all, rest) != GROUP_VARYING;
}

/* ---- Interning ---- */

static void key_add(struct text *key, const void *field, size_t size)
{
	text_add_n(key, field, size);
}

/* The number of a key, counted up by *count when it is new. */
static uint32_t number_of(struct phase_accesses *all, const struct text *key, uint32_t *count)
{
	uintptr_t known = (uintptr_t)table_get_n(&all->numbers, key->data, key->length);
	if (known)
		return (uint32_t)known;
	table_set_n(&all->numbers, key->data, key->length, (void *)(uintptr_t)++ * count);
	return *count;
}

static struct phase_form intern_form(struct phase_accesses *all, const struct ir_linear *form)
{
	struct phase_form result = {.constant = form->constant, .level = form_level(all, form)};
	if (!form->term_count)
		return result;
	struct text key = {0};
	text_add_char(&key, 'v');
	for (uint32_t n = 0; n < form->term_count; n++) {
		const struct ir_term *term = &form->terms[n];
		key_add(&key, &term->coefficient, sizeof term->coefficient);
		key_add(&key, &term->atom_count, sizeof term->atom_count);
		key_add(&key, term->atoms, term->atom_count * sizeof *term->atoms);
	}
	result.variable = number_of(all, &key, &all->variable_count);
	text_free(&key);
	return result;
}

static void key_add_form(struct text *key, const struct phase_form *form)
{
	key_add(key, &form->variable, sizeof form->variable);
	key_add(key, &form->constant, sizeof form->constant);
}

static void key_add_forms(struct text *key, const struct phase_forms *forms)
{
	key_add(key, &forms->count, sizeof forms->count);
	for (uint32_t n = 0; n < forms->count; n++)
		key_add_form(key, &forms->items[n]);
}

static uint32_t intern_class(struct phase_accesses *all, const struct phase_class *class, uint32_t access)
{
	struct text key = {0};
	text_add_char(&key, 'c');
	/* Atomic operations are compared by their operands too. */
	if (all->apart || class->atomic)
		key_add(&key, &access, sizeof access);
	key_add(&key, &class->memory, sizeof class->memory);
	key_add(&key, &class->write, sizeof class->write);
	key_add(&key, &class->linear, sizeof class->linear);
	key_add(&key, class->strides, sizeof class->strides);
	key_add_form(&key, &class->offset);
	key_add_forms(&key, &class->lows);
	key_add_forms(&key, &class->highs);
	key_add_forms(&key, &class->lanes);
	uint32_t before = all->class_count, count = before;
	uint32_t number = number_of(all, &key, &count);
	if (count > before)
		*ARENA_PUSH(all->race->arena, all->classes, all->class_count, all->class_capacity) = *class;
	text_free(&key);
	return number - 1;
}

/* ---- Ranges ---- */

static void add_form(struct phase_accesses *all, struct phase_forms *list, const struct ir_linear *form)
{
	if (form->known && list->count < PHASE_MAX_BOUNDS)
		list->items[list->count++] = intern_form(all, form);
}

/* offset + bound of each, first the bound that always holds. */
static void add_bounds(struct phase_accesses *all, struct phase_forms *list, const struct ir_linear *offset,
                       int64_t always, const struct ir_linear *bounds, uint32_t count)
{
	struct arena *arena = all->race->arena;
	struct ir_linear bound = linear_constant(always);
	bound = linear_add(offset, &bound, arena);
	add_form(all, list, &bound);
	for (uint32_t n = 0; n < count; n++) {
		bound = linear_add(offset, &bounds[n], arena);
		add_form(all, list, &bound);
	}
}

/* The least and the greatest element, less the offset, over all lanes. */
static bool find_span(const struct ir_kernel *k, const int64_t *strides, int64_t *least, int64_t *greatest)
{
	*least = *greatest = 0;
	for (unsigned axis = 0; axis < k->axes; axis++) {
		int64_t reach, *end = strides[axis] < 0 ? least : greatest;
		if (__builtin_mul_overflow(strides[axis], (int64_t)k->group[axis] - 1, &reach) ||
		    __builtin_add_overflow(*end, reach, end))
			return false;
	}
	return *greatest < INT64_MAX;
}

/* One lane, known on every axis, makes one element. */
static void add_single(struct phase_accesses *all, struct phase_class *class, const struct ir_linear *offset,
                       const struct phase_guards *guards)
{
	const struct ir_kernel *k = all->race->kernel;
	struct arena *arena = all->race->arena;
	struct ir_linear element = *offset;
	for (unsigned axis = 0; axis < k->axes; axis++) {
		struct ir_linear part = linear_scale(&guards->axes[axis], class->strides[axis], arena);
		if (class->strides[axis])
			element = linear_add(&element, &part, arena);
	}
	struct ir_linear one = linear_constant(1), after = linear_add(&element, &one, arena);
	add_form(all, &class->lows, &element);
	add_form(all, &class->highs, &after);
}

static void add_index(struct phase_accesses *all, struct phase_class *class, const struct ir_linear *index,
                      const struct phase_guards *guards)
{
	const struct ir_kernel *k = all->race->kernel;
	struct ir_linear offset;
	int64_t lane[3], least, greatest;
	class->linear = phase_split(all, index, class->strides, &offset);
	if (!class->linear) {
		memset(class->strides, 0, sizeof class->strides);
		return;
	}
	class->offset = intern_form(all, &offset);
	phase_lane_strides(k, lane);
	bool plain = !memcmp(lane, class->strides, sizeof lane);
	if (find_span(k, class->strides, &least, &greatest)) {
		add_bounds(all, &class->lows, &offset, least, guards->lows, plain ? guards->low_count : 0);
		add_bounds(all, &class->highs, &offset, greatest + 1, guards->highs, plain ? guards->high_count : 0);
	}
	if (!plain)
		add_single(all, class, &offset, guards);
}

/* ---- Collection ---- */

static void add_access(struct phase_accesses *all, const struct ir_instruction *i, const struct phase_guards *guards)
{
	unsigned flags = ir_op_infos[i->op].flags;
	struct phase_class class = {
	    .memory = i->base,
	    .atomic = flags & IR_FLAG_ATOMIC ? i : NULL,
	    .write = flags & IR_FLAG_WRITE,
	};
	/* Fields and inner arrays of an element belong to it; a memory that is no array is one element. */
	struct ir_linear index = linear_constant(0);
	if (i->path_count && i->path[0].index)
		index = *linear_context_form(all->race->forms, i->path[0].index);
	for (uint32_t n = 0; n < guards->lane_count; n++)
		add_form(all, &class.lanes, &guards->lanes[n]);
	add_index(all, &class, &index, guards);
	all->by_id[i->id] = all->count + 1;
	struct phase_access access = {i, intern_class(all, &class, all->count)};
	*ARENA_PUSH(all->race->arena, all->items, all->count, all->capacity) = access;
}

static bool is_jump(const struct ir_instruction *i)
{
	return (ir_op_infos[i->op].flags & IR_FLAG_END) && i->op != IR_OP_yield;
}

static void mark_around(bool *marks, const struct ir_instruction *i)
{
	for (i = i->parent; i && !marks[i->id]; i = i->parent)
		marks[i->id] = true;
}

static void collect_region(struct phase_accesses *all, const struct ir_region *region,
                           const struct phase_guards *guards)
{
	for (const struct ir_instruction *i = region->first; i; i = i->next) {
		unsigned flags = ir_op_infos[i->op].flags;
		bool shared = (flags & IR_FLAG_PLACED) && i->base->kind == IR_MEMORY_SHARED;
		if (shared)
			add_access(all, i, guards);
		if (shared || (flags & IR_FLAG_BARRIER) || is_jump(i))
			mark_around(all->matters, i);
		if (is_jump(i))
			mark_around(all->jumps, i);
		if (i->op == IR_OP_if) {
			struct phase_guards *inner = ARENA_NEW(all->race->arena, struct phase_guards);
			*inner = *guards;
			phase_add_guard(all, inner, i->operands[0]);
			collect_region(all, &i->regions[0], inner);
			collect_region(all, &i->regions[1], guards);
		} else {
			collect_region(all, &i->regions[0], guards);
		}
	}
}

void phase_collect(struct phase_accesses *all, const struct race_context *race, bool apart)
{
	const struct ir_kernel *k = race->kernel;
	*all = (struct phase_accesses){
	    .race = race,
	    .uniform = group_uniform_find(k, race->arena),
	    .apart = apart,
	    .by_id = ARENA_ARRAY(race->arena, uint32_t, k->next_id),
	    .matters = ARENA_ARRAY(race->arena, bool, k->next_id),
	    .jumps = ARENA_ARRAY(race->arena, bool, k->next_id),
	    .numbers = {.arena = race->arena},
	    .examples = ARENA_NEW(race->arena, struct phase_examples),
	};
	all->examples->steps = PHASE_EXAMPLE_STEPS;
	all->examples->rounds = ARENA_ARRAY(race->arena, int64_t, k->next_id);
	collect_region(all, &k->body, &(struct phase_guards){0});
}

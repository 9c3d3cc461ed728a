/* Memories, places, loads and stores. A bad thread loads nothing: its value is 0. Where the threads of a group must
 * agree on a load, it does not depend on `bad` but on the bounds. */
#include <inttypes.h>

#include "targets/source/source_writer.h"

/* ---- Making memories ---- */

static const char *initialized(struct source_writer *w, const struct ir_memory *m)
{
	struct text out = {0};
	source_initializer(w, m->type, m->init, &out);
	const char *kept = arena_string(w->arena, text_string(&out));
	text_free(&out);
	return kept;
}

/* OpenCL C's INFINITY and NAN are functions of their bits in some compilers, which no initializer of a constant may be:
 * a table that has one is an array of the function. */
static void print_table(struct source_writer *w, uint32_t n)
{
	const struct ir_memory *m = w->kernel->memories[n];
	if (!source_is_constant(m->type, m->init)) {
		w->memories[n] = source_new_name(w, &w->names, m->name);
		source_line(w, "const %s = %s;", source_declare(w, m->type, w->memories[n]), initialized(w, m));
		return;
	}
	const char *name = source_new_name(w, w->module_names, arena_format(w->arena, "%s_%s", w->entry, m->name));
	text_add_format(&w->tables, "\n%s const %s = %s;\n", w->dialect->constant_space,
	                source_declare(w, m->type, name), initialized(w, m));
	w->memories[n] = name;
}

void source_memories(struct source_writer *w)
{
	const struct ir_kernel *k = w->kernel;
	w->memories = ARENA_ARRAY(w->arena, const char *, k->memory_count);
	for (uint32_t n = 0; n < k->memory_count; n++) {
		const struct ir_memory *m = k->memories[n];
		switch (m->kind) {
		case IR_MEMORY_BUFFER:
		case IR_MEMORY_VALUE: w->memories[n] = w->parameters[m->parameter]; break;
		case IR_MEMORY_TABLE: print_table(w, n); break;
		case IR_MEMORY_PRIVATE:
			w->memories[n] = source_new_name(w, &w->names, m->name);
			source_line(w, "%s = %s;", source_declare(w, m->type, w->memories[n]), initialized(w, m));
			break;
		case IR_MEMORY_SHARED:
			w->memories[n] = source_new_name(w, &w->names, m->name);
			source_line(w, "%s %s;", w->dialect->spaces[SOURCE_SPACE_SHARED],
			            source_declare(w, m->type, w->memories[n]));
			break;
		}
	}
}

static const char *word_type(uint32_t size)
{
	return size == 1 ? "uchar" : size == 2 ? "ushort" : size == 4 ? "uint" : "ulong";
}

/* The group's threads take turns at the words. */
static void zero(struct source_writer *w, const struct ir_memory *m, const char *memory, const char *linear)
{
	const struct ir_kernel *k = w->kernel;
	uint64_t threads = (uint64_t)k->group[0] * k->group[1] * k->group[2];
	uint32_t size = m->type->align > 8 ? 8 : m->type->align;
	const char *n = source_new_name(w, &w->names, "word");
	source_line(w, "for (ulong %s = %s; %s < %u; %s += %" PRIu64 ")", n, linear, n, m->type->size / size, n,
	            threads);
	source_line(w, "\t((%s %s *)&%s)[%s] = 0;", w->dialect->spaces[SOURCE_SPACE_SHARED], word_type(size), memory,
	            n);
}

void source_shared_start(struct source_writer *w)
{
	const struct ir_kernel *k = w->kernel;
	bool any = false;
	const char *linear = arena_format(w->arena, "(ulong)%s", w->local_id[k->axes - 1]);
	for (unsigned axis = k->axes - 1; axis-- > 0;)
		linear = arena_format(w->arena, "(%s) * %u + (ulong)%s", linear, k->group[axis], w->local_id[axis]);
	for (uint32_t n = 0; n < k->memory_count; n++) {
		if (!k->memories[n]->zeroed)
			continue;
		zero(w, k->memories[n], w->memories[n], linear);
		any = true;
	}
	if (any)
		source_line(w, "%s", w->dialect->barriers[IR_BARRIER_WORKGROUP]);
}

/* ---- Places ---- */

static const char *base_of(struct source_writer *w, const struct ir_memory *base)
{
	uint32_t n = 0;
	while (w->kernel->memories[n] != base)
		n++;
	return w->memories[n];
}

const char *source_place_text(struct source_writer *w, const struct ir_instruction *i)
{
	const struct ir_type *t = i->base->type;
	struct text out = {0};
	bool value = i->base->kind == IR_MEMORY_VALUE, slice = i->base->kind == IR_MEMORY_BUFFER;
	text_add_format(&out, value ? "(*%s)" : "%s", base_of(w, i->base));
	for (uint32_t n = 0; n < i->path_count; n++) {
		const struct ir_step *step = &i->path[n];
		if (step->index) {
			text_add_format(&out, "[%s]", source_whole(w, step->index));
			if (!slice || n)
				t = t->element;
		} else {
			text_add_format(&out, ".%s", source_field_name(w, t->fields[step->field].name));
			t = t->fields[step->field].type;
		}
	}
	const char *kept = arena_string(w->arena, text_string(&out));
	text_free(&out);
	return kept;
}

/* Elements that the step chooses from; 0 where only the launch knows, UINT64_MAX for a field. */
static uint64_t step_count(const struct ir_instruction *i, uint32_t step)
{
	const struct ir_type *t = i->base->type;
	if (!i->path[step].index)
		return UINT64_MAX;
	if (i->base->kind == IR_MEMORY_BUFFER && step == 0)
		return 0;
	for (uint32_t n = i->base->kind == IR_MEMORY_BUFFER; n < step; n++)
		t = i->path[n].index ? t->element : t->fields[i->path[n].field].type;
	return t->count;
}

/* The step is right whatever the thread did before. */
static bool is_certain(const struct ir_instruction *i, uint32_t step)
{
	const struct ir_instruction *index = i->path[step].index;
	return !index || (index->op == IR_OP_const && index->bits < step_count(i, step));
}

static const char *within_bounds(struct source_writer *w, const struct ir_instruction *i)
{
	const char *all = NULL;
	for (uint32_t n = 0; n < i->path_count; n++) {
		if (is_certain(i, n))
			continue;
		const struct ir_instruction *index = i->path[n].index;
		uint64_t count = step_count(i, n);
		const char *end = count ? arena_format(w->arena, "%" PRIu64, count) : w->lengths[i->base->parameter];
		const char *here = arena_format(w->arena, "(%s)%s < %s", source_unsigned_name(index->type),
		                                source_value(w, index), end);
		all = all ? arena_format(w->arena, "%s && %s", all, here) : here;
	}
	return all;
}

/* What a load depends on; NULL: nothing. */
static const char *guard_of(struct source_writer *w, const struct ir_instruction *i)
{
	if (source_same(w, i))
		return w->checked ? within_bounds(w, i) : NULL;
	for (uint32_t n = 0; n < i->path_count; n++)
		if (!is_certain(i, n))
			return source_good(w);
	return NULL;
}

/* ---- Loads and stores ---- */

const char *source_load(struct source_writer *w, const struct ir_instruction *i, bool whole)
{
	const char *place = source_place_text(w, i), *guard = guard_of(w, i);
	bool truth = i->type->kind == IR_TYPE_bool;
	const char *text = place;
	const char *none = i->type->kind == IR_TYPE_f32 ? "0.0f" : i->type->kind == IR_TYPE_f64 ? "0.0" : "0";
	if (truth)
		text = arena_format(w->arena, "%s%s%s != 0", guard ? guard : "", guard ? " && " : "", place);
	else if (guard)
		text = arena_format(w->arena, "%s ? %s : %s", guard, place, none);
	return whole || text == place ? text : arena_format(w->arena, "(%s)", text);
}

static void store(struct source_writer *w, const struct ir_instruction *i)
{
	bool truth = i->operands[0]->type->kind == IR_TYPE_bool;
	const char *place = source_place_text(w, i);
	if (truth)
		source_line(w, "%s = %s ? 1 : 0;", place, source_value(w, i->operands[0]));
	else
		source_line(w, "%s = %s;", place, source_whole(w, i->operands[0]));
}

const struct ir_instruction *source_stores(struct source_writer *w, const struct ir_instruction *i)
{
	const char *good = source_good(w);
	source_comment(w, i->place);
	if (good)
		source_open(w, "if (%s)", good);
	w->known_good = good != NULL;
	store(w, i);
	for (const struct ir_instruction *next = i->next; next; next = next->next) {
		if (w->folded[next->id] || source_is_given(next))
			continue;
		if (next->op != IR_OP_store)
			break;
		source_comment(w, next->place);
		store(w, next);
		i = next;
	}
	w->known_good = false;
	if (good)
		source_close(w);
	return i;
}

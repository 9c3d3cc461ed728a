/* Numbers are those of the SPIR-V specification's sections 2.3 (the physical layout) and 3.52 (instructions). */
#include "runtime/spirv_entry.h"

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/spirv_operands.h"
#include "utils/base/arena.h"
#include "utils/base/table.h"

/* C99 6.7.4: the header's inline definition becomes this file's own. */
extern inline void SpvHasResultAndType(SpvOp opcode, bool *hasResult, bool *hasResultType);

enum { HEADER = 5, BOUND_AT = 3 /* words */, BOUND_MOST = 4194303 /* section 2.17 */ };

struct reader {
	const uint32_t *words;
	size_t count, at;
};

static struct reader read_code(const struct text *code)
{
	return (struct reader){
	    .words = (const uint32_t *)(const void *)code->data, .count = code->length / 4, .at = HEADER};
}

/* The next instruction and its length in words; NULL at the end. */
static const uint32_t *next(struct reader *r, uint32_t *length)
{
	if (r->at >= r->count)
		return NULL;
	const uint32_t *i = r->words + r->at;
	*length = *i >> SpvWordCountShift;
	if (!*length || *length > r->count - r->at)
		return NULL;
	r->at += *length;
	return i;
}

static SpvOp op_of(const uint32_t *i)
{
	return (SpvOp)(*i & SpvOpCodeMask);
}

bool spirv_is_whole(const struct text *code)
{
	uint32_t length;
	struct reader r = read_code(code);
	if (code->length % 4 || r.count < HEADER || r.words[0] != SpvMagicNumber)
		return false;
	while (next(&r, &length))
		;
	return r.at == r.count;
}

bool spirv_capabilities(const struct text *code, bool (*see)(void *context, uint32_t capability), void *context)
{
	uint32_t length;
	struct reader r = read_code(code);
	for (const uint32_t *i; (i = next(&r, &length));)
		if (op_of(i) == SpvOpCapability && length > 1 && !see(context, i[1]))
			return false;
	return true;
}

/* ---- The index ---- */

struct words {
	uint32_t *items;
	size_t count, capacity;
};

/* What names an id before it is defined: OpName and the like. */
struct note {
	uint32_t at, next; /* words; the note before it of the same id, its number from 1; 0: none */
};

/* Places are in words; 0 is none, as no instruction is there. */
struct spirv_index {
	const struct text *code;
	uint32_t bound;
	struct arena arena;
	struct table entries;  /* by name: the place of the instruction, in arena memory */
	uint32_t *definitions; /* by id: of what is defined outside of functions, and of these */
	uint32_t *notes_of;    /* by id: number of its last note */
	struct note *notes;    /* from 1 on */
	uint32_t note_count, note_capacity;
	struct words common; /* what every module needs */
	/* Of the latest cut. */
	uint32_t cut;     /* its number, from 1 on */
	uint32_t *seen;   /* by id: the cut that has seen it */
	uint32_t *number; /* by id: its new one, if that cut has seen it */
};

static void push(struct words *to, uint32_t word)
{
	if (to->count == to->capacity) {
		to->capacity = to->capacity ? to->capacity * 2 : 64;
		to->items = memory_resize(to->items, to->capacity * sizeof *to->items);
	}
	to->items[to->count++] = word;
}

static void add_note(struct spirv_index *x, uint32_t id, uint32_t at)
{
	if (id >= x->bound)
		return;
	if (x->note_count + 1 >= x->note_capacity) {
		x->note_capacity = x->note_capacity ? x->note_capacity * 2 : 64;
		x->notes = memory_resize(x->notes, x->note_capacity * sizeof *x->notes);
	}
	x->notes[++x->note_count] = (struct note){at, x->notes_of[id]};
	x->notes_of[id] = x->note_count;
}

static void add_entry(struct spirv_index *x, const uint32_t *i, uint32_t length, uint32_t at)
{
	const char *name = (const char *)(i + 3);
	size_t room = length > 3 ? (length - 3) * 4 : 0;
	uint32_t *place = arena_alloc(&x->arena, sizeof *place);
	*place = at;
	if (room && memchr(name, 0, room) && !table_get(&x->entries, name))
		table_set(&x->entries, name, place);
}

static bool is_note(SpvOp op)
{
	switch ((int)op) {
	case SpvOpName:
	case SpvOpMemberName:
	case SpvOpDecorate:
	case SpvOpMemberDecorate:
	case SpvOpDecorateId:
	case SpvOpExecutionMode:
	case SpvOpExecutionModeId: return true;
	default: return false;
	}
}

/* Place of the result's id; 0: it has none. */
static uint32_t result_at(const uint32_t *i, uint32_t length)
{
	bool has_result = false, has_type = false;
	SpvHasResultAndType(op_of(i), &has_result, &has_type);
	uint32_t at = has_type ? 2 : 1;
	return has_result && at < length ? at : 0;
}

/* An instruction outside of functions, or the first of one. */
static void add_global(struct spirv_index *x, const uint32_t *i, uint32_t length, uint32_t at)
{
	uint32_t result = result_at(i, length);
	if (op_of(i) == SpvOpEntryPoint)
		add_entry(x, i, length, at);
	else if (is_note(op_of(i)) && length > 1)
		add_note(x, i[1], at);
	else if (!result)
		push(&x->common, at);
	else if (i[result] < x->bound)
		x->definitions[i[result]] = at;
}

struct spirv_index *spirv_index_new(const struct text *code)
{
	struct reader r = read_code(code);
	struct spirv_index *x = memory_zeroed(1, sizeof *x);
	/* A module's ids are below its bound; an optimizer leaves few of many. */
	x->bound = r.words[BOUND_AT] < BOUND_MOST ? r.words[BOUND_AT] : BOUND_MOST;
	x->code = code;
	x->entries.arena = &x->arena;
	x->definitions = memory_zeroed((size_t)x->bound + 1, sizeof *x->definitions);
	x->notes_of = memory_zeroed((size_t)x->bound + 1, sizeof *x->notes_of);
	x->seen = memory_zeroed((size_t)x->bound + 1, sizeof *x->seen);
	x->number = memory_zeroed((size_t)x->bound + 1, sizeof *x->number);
	bool inside = false;
	uint32_t length, at = HEADER;
	for (const uint32_t *i; (i = next(&r, &length)); at += length) {
		if (!inside)
			add_global(x, i, length, at);
		inside = op_of(i) != SpvOpFunctionEnd && (inside || op_of(i) == SpvOpFunction);
	}
	return x;
}

void spirv_index_free(struct spirv_index *x)
{
	if (!x)
		return;
	arena_free(&x->arena);
	free(x->definitions);
	free(x->notes_of);
	free(x->notes);
	free(x->common.items);
	free(x->seen);
	free(x->number);
	free(x);
}

bool spirv_has_entry(const struct spirv_index *x, const char *name)
{
	return table_get(&x->entries, name) != NULL;
}

/* ---- One entry point alone ---- */

struct cut {
	struct spirv_index *index;
	const uint32_t *instruction; /* whose ids are seen */
	struct words kept;           /* places; of a function that of its first instruction */
	struct words waiting;        /* ids that were seen, of which the definitions are to be kept */
	bool known;                  /* every operation that is kept */
};

static void see_id(void *context, uint32_t at)
{
	struct cut *c = context;
	uint32_t id = c->instruction[at];
	c->known = c->known && id < c->index->bound;
	if (id >= c->index->bound || c->index->seen[id] == c->index->cut)
		return;
	c->index->seen[id] = c->index->cut;
	c->index->number[id] = 0;
	push(&c->waiting, id);
}

/* Its length. */
static uint32_t see_ids(struct cut *c, const uint32_t *i)
{
	uint32_t length = *i >> SpvWordCountShift;
	c->instruction = i;
	if (!spirv_ids(i, length, see_id, c))
		c->known = false;
	return length;
}

/* Words of a function, or of another instruction. */
static uint32_t extent_of(const struct spirv_index *x, uint32_t at)
{
	struct reader r = read_code(x->code);
	uint32_t length;
	r.at = at;
	const uint32_t *i = next(&r, &length);
	if (op_of(i) == SpvOpFunction)
		while (i && op_of(i) != SpvOpFunctionEnd)
			i = next(&r, &length);
	return (uint32_t)r.at - at;
}

static void keep(struct cut *c, uint32_t at)
{
	const uint32_t *words = (const uint32_t *)(const void *)c->index->code->data + at;
	push(&c->kept, at);
	for (uint32_t n = 0, end = extent_of(c->index, at); n < end;)
		n += see_ids(c, words + n);
}

/* NVIDIA's compiler (driver 580) lets a load run ahead of a store to the same place where another variable is bound to
 * a binding that the function reads: variables that nothing names are not kept. */
static void keep_definitions(struct cut *c)
{
	const struct spirv_index *x = c->index;
	while (c->waiting.count) {
		uint32_t id = c->waiting.items[--c->waiting.count];
		if (x->definitions[id])
			keep(c, x->definitions[id]);
		for (uint32_t note = x->notes_of[id]; note; note = x->notes[note].next)
			keep(c, x->notes[note].at);
	}
}

static int by_place(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* The words being written, whose ids get their new numbers in the order in which they come. */
struct renumbering {
	struct spirv_index *index;
	uint32_t *words;
	uint32_t count;
};

static void number_id(void *context, uint32_t at)
{
	struct renumbering *n = context;
	uint32_t *number = &n->index->number[n->words[at]];
	if (!*number)
		*number = ++n->count;
	n->words[at] = *number;
}

static void write_kept(struct cut *c, struct text *out)
{
	const struct text *code = c->index->code;
	size_t start = out->length;
	text_add_n(out, code->data, HEADER * 4);
	for (size_t n = 0; n < c->kept.count; n++)
		text_add_n(out, code->data + (size_t)c->kept.items[n] * 4,
		           (size_t)extent_of(c->index, c->kept.items[n]) * 4);
	if (!c->known)
		return;
	struct renumbering n = {.index = c->index};
	uint32_t *words = (uint32_t *)(void *)(out->data + start), count = (uint32_t)((out->length - start) / 4);
	for (uint32_t at = HEADER, length; at < count; at += length) {
		n.words = words + at;
		length = *n.words >> SpvWordCountShift;
		spirv_ids(n.words, length, number_id, &n);
	}
	words[BOUND_AT] = n.count + 1;
}

void spirv_entry_alone(struct spirv_index *x, const char *name, struct text *out)
{
	struct cut c = {.index = x, .known = true};
	x->cut++;
	keep(&c, *(const uint32_t *)table_get(&x->entries, name));
	for (size_t n = 0; n < x->common.count; n++)
		keep(&c, x->common.items[n]);
	keep_definitions(&c);
	qsort(c.kept.items, c.kept.count, sizeof *c.kept.items, by_place);
	write_kept(&c, out);
	free(c.kept.items);
	free(c.waiting.items);
}

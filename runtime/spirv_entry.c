/* Numbers are those of the SPIR-V specification's sections 2.3 (the physical layout) and 3.52 (instructions). */
#include "runtime/spirv_entry.h"

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/spirv.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "utils/base/arena.h"

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

static bool is_entry(const uint32_t *i, uint32_t length, const char *name)
{
	size_t room = length > 3 ? (length - 3) * 4 : 0;
	return op_of(i) == SpvOpEntryPoint && strlen(name) < room && strncmp((const char *)(i + 3), name, room) == 0;
}

/* Its function's id; 0: it has none. */
static uint32_t find_entry(const struct text *code, const char *name)
{
	uint32_t length;
	struct reader r = read_code(code);
	for (const uint32_t *i; (i = next(&r, &length));)
		if (is_entry(i, length, name))
			return i[2];
	return 0;
}

bool spirv_has_entry(const struct text *code, const char *name)
{
	return find_entry(code, name) != 0;
}

/* ---- One entry point alone ---- */

struct cut {
	uint32_t entry, bound;
	bool calls;     /* functions call each other: all are kept */
	bool *named;    /* by id: a word of a function that stays may be it */
	bool *defined;  /* by id: stays */
	bool in_others; /* in a function that goes */
};

/* Steps over functions. True: the instruction is in one that goes. */
static bool is_others(struct cut *c, const uint32_t *i, uint32_t length)
{
	if (op_of(i) == SpvOpFunction && length > 2)
		c->in_others = !c->calls && i[2] != c->entry;
	bool in = c->in_others;
	if (op_of(i) == SpvOpFunctionEnd)
		c->in_others = false;
	return in;
}

/* Annotations name what they are of first. */
static bool is_annotation(SpvOp op)
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

/* Variables whose like other functions have: of workgroups, and of buffers. NVIDIA's compiler (driver 580) lets a load
 * run ahead of a store to the same place where another variable is bound to a binding that the function reads. */
static bool belongs_to_entry(uint32_t storage)
{
	return storage == SpvStorageClassWorkgroup || storage == SpvStorageClassStorageBuffer;
}

static bool stays(struct cut *c, const uint32_t *i, uint32_t length)
{
	SpvOp op = op_of(i);
	if (is_others(c, i, length))
		return false;
	if (op == SpvOpEntryPoint)
		return length > 2 && i[2] == c->entry;
	if (op == SpvOpVariable && length > 3 && belongs_to_entry(i[3]))
		return i[2] < c->bound && c->named[i[2]];
	return !is_annotation(op) || length < 2 || (i[1] < c->bound && c->defined[i[1]]);
}

static void name_all(struct cut *c, const uint32_t *words, uint32_t count)
{
	for (uint32_t n = 0; n < count; n++)
		if (words[n] < c->bound)
			c->named[words[n]] = true;
}

/* Behind its name: from SPIR-V 1.4 on every variable that its function uses, and it may list others. */
static void name_interface(struct cut *c, const uint32_t *i, uint32_t length)
{
	uint32_t at = 3;
	while (at < length && memchr(i + at, 0, 4) == NULL)
		at++;
	if (at + 1 < length)
		name_all(c, i + at + 1, length - at - 1);
}

static void find_names(struct cut *c, const struct text *code)
{
	uint32_t length;
	bool inside = false;
	struct reader r = read_code(code);
	for (const uint32_t *i; (i = next(&r, &length));)
		c->calls = c->calls || op_of(i) == SpvOpFunctionCall;
	r = read_code(code);
	for (const uint32_t *i; (i = next(&r, &length));) {
		inside = inside || op_of(i) == SpvOpFunction;
		if (!is_others(c, i, length) && inside)
			name_all(c, i + 1, length - 1);
		if (op_of(i) == SpvOpEntryPoint && length > 2 && i[2] == c->entry)
			name_interface(c, i, length);
	}
}

/* Of what is no annotation. */
static void find_definitions(struct cut *c, const struct text *code)
{
	uint32_t length;
	struct reader r = read_code(code);
	for (const uint32_t *i; (i = next(&r, &length));) {
		bool has_result = false, has_type = false;
		SpvHasResultAndType(op_of(i), &has_result, &has_type);
		uint32_t at = has_type ? 2 : 1;
		if (!is_annotation(op_of(i)) && stays(c, i, length) && has_result && at < length && i[at] < c->bound)
			c->defined[i[at]] = true;
	}
}

void spirv_entry_alone(const struct text *code, const char *name, struct text *out)
{
	uint32_t length;
	struct reader r = read_code(code);
	/* A module's ids are below its bound; an optimizer leaves few of many. */
	uint32_t bound = r.words[BOUND_AT] < BOUND_MOST ? r.words[BOUND_AT] : BOUND_MOST;
	struct cut c = {.entry = find_entry(code, name),
	                .bound = bound,
	                .named = memory_zeroed(bound + 1, sizeof *c.named),
	                .defined = memory_zeroed(bound + 1, sizeof *c.defined)};
	find_names(&c, code);
	find_definitions(&c, code);
	text_add_n(out, code->data, HEADER * 4);
	for (const uint32_t *i; (i = next(&r, &length));)
		if (stays(&c, i, length))
			text_add_n(out, i, length * 4);
	free(c.named);
	free(c.defined);
}

/* NAME.h of a Cone file's native object: structs as buffers hold them, and each kernel as a function (docs/abi.md). */
#include <string.h>

#include "targets/entry_name.h"
#include "targets/native/twin_target.h"
#include "utils/base/plain_locale.h"

static const char preamble[] =
    "#include <stddef.h>\n\n"
    "#ifndef CONE_INVOCATION\n#define CONE_INVOCATION\n"
    "/* Which invocation runs. localIndex is localId's place in its workgroup, x fastest: a kernel computes it from\n"
    " * localId. */\n"
    "typedef struct cone_Invocation {\n\tuint32_t globalId[3], localId[3], groupId[3];\n\tuint32_t localIndex;\n"
    "\tuint32_t groupCount[3];\n} cone_Invocation;\n"
    "/* A check that fails. kind: 1 index, 2 range, 3 panic or assert. message: what a panic says. */\n"
    "typedef struct cone_Check {\n\tuint32_t kind, line, column, fileId;\n\tconst char *file, *message;\n"
    "} cone_Check;\n"
    "#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
    "/* What each barrier of this thread calls: kind is 0 at a workgroupBarrier, 1 at a storageBarrier. */\n"
    "void cone_setBarrierHook(void (*hook)(void *ctx, uint32_t kind), void *ctx);\n"
    "void cone_clearBarrierHook(void);\n"
    "/* Called by a check that fails. Every object has one, weakly, that says `panic at FILE:LINE: WHAT` and aborts.\n"
    " * After one of the program's own that comes back the kernel's function returns. */\n"
    "void cone_failed(const cone_Check *check, uint64_t value, uint64_t limit, const cone_Invocation *invocation);\n"
    "#ifdef __cplusplus\n}\n#endif\n"
    "SSPUR_SIZE_IS(cone_Invocation, 52);\n#endif\n\n";

struct header {
	const struct twin_words *words;
	struct arena arena;
	struct table structs; /* by name of the IR: its name in C */
	struct table taken;   /* names in C */
	struct text *out;
};

/* Letters, digits and `_`, and no word of the languages. */
static const char *spelled(struct header *h, const char *name)
{
	char *plain = arena_string(&h->arena, *name ? name : "_");
	for (char *c = plain; *c; c++)
		if (!plain_is_letter(*c) && !plain_is_digit(*c))
			*c = '_';
	return h->words->member_name(plain_is_digit(*plain) ? arena_format(&h->arena, "_%s", plain) : plain, &h->arena);
}

static const char *unique(struct header *h, struct table *taken, const char *name)
{
	const char *free_name = spelled(h, name);
	while (table_get(taken, free_name))
		free_name = arena_format(&h->arena, "%s_", free_name);
	table_set(taken, free_name, h);
	return free_name;
}

/* ---- Types ---- */

/* An Atomic is its number. */
static const struct ir_type *bare(const struct ir_type *t)
{
	while (t->kind == IR_TYPE_struct && strncmp(t->name, "Atomic[", 7) == 0 && t->count == 1)
		t = t->fields[0].type;
	return t;
}

static const struct ir_type *innermost(const struct ir_type *t)
{
	t = bare(t);
	while (t->kind == IR_TYPE_array)
		t = bare(t->element);
	return t;
}

static const char *base_name(struct header *h, const struct ir_type *t)
{
	t = innermost(t);
	if (t->kind != IR_TYPE_struct)
		return h->words->c_type(ir_type_kind_name(t->kind));
	return arena_format(&h->arena, "struct %s", (const char *)table_get(&h->structs, t->name));
}

/* `uint32_t w[4][2]`; `name` may be a declarator: `(*w)`. */
static void print_declaration(struct header *h, const struct ir_type *t, const char *name)
{
	text_add_format(h->out, "%s %s", base_name(h, t), name);
	for (t = bare(t); t->kind == IR_TYPE_array; t = bare(t->element))
		text_add_format(h->out, "[%llu]", (unsigned long long)t->count);
}

/* Two headers of a program may have it. */
static void print_struct(struct header *h, const struct ir_type *t)
{
	struct table members = {.arena = &h->arena};
	t = innermost(t);
	if (t->kind != IR_TYPE_struct || table_get(&h->structs, t->name))
		return;
	for (uint64_t n = 0; n < t->count; n++)
		print_struct(h, t->fields[n].type);
	const char *name = unique(h, &h->taken, t->name);
	table_set(&h->structs, t->name, (void *)name);
	text_add_format(h->out, "#ifndef CONE_STRUCT_%s\n#define CONE_STRUCT_%s\nstruct %s {\n", name, name, name);
	for (uint64_t n = 0; n < t->count; n++) {
		text_add_char(h->out, '\t');
		print_declaration(h, t->fields[n].type, unique(h, &members, t->fields[n].name));
		text_add(h->out, ";\n");
	}
	text_add_format(h->out, "};\n#endif\nSSPUR_SIZE_IS(struct %s, %u);\n\n", name, t->size);
}

/* ---- Kernels ---- */

static void print_parameter(struct header *h, const struct ir_parameter *p, struct table *taken)
{
	const char *name = unique(h, taken, p->name);
	bool array = bare(p->type)->kind == IR_TYPE_array;
	switch (p->kind) {
	case IR_PARAMETER_SCALAR: print_declaration(h, p->type, name); return;
	case IR_PARAMETER_VALUE:
		text_add(h->out, "const ");
		print_declaration(h, p->type, arena_format(&h->arena, "*%s", name));
		return;
	case IR_PARAMETER_BUFFER:
		text_add(h->out, p->memory->writable ? "" : "const ");
		print_declaration(h, p->type, arena_format(&h->arena, array ? "(*%s)" : "*%s", name));
		text_add_format(h->out, ", size_t %s", unique(h, taken, arena_format(&h->arena, "%s_count", p->name)));
		return;
	}
}

static void print_function(struct header *h, const struct ir_kernel *k, bool sizes)
{
	struct table taken = {.arena = &h->arena};
	struct text name = {0};
	bool meets = ir_has_barrier(&k->body);
	entry_name("twin", k, &name);
	table_set(&taken, "invocation", h);
	text_add_format(h->out, "/* Kernel %s, line %u: one invocation of a workgroup of %u x %u x %u.%s */\n", k->name,
	                k->place.line, k->group[0], k->group[1], k->group[2], meets ? " It has barriers." : "");
	text_add_format(h->out, "void %s(const cone_Invocation *invocation", text_string(&name));
	for (uint32_t n = 0; n < k->parameter_count; n++) {
		text_add(h->out, ", ");
		print_parameter(h, &k->parameters[n], &taken);
	}
	text_add(h->out, ");\n");
	if (sizes)
		text_add_format(h->out, "enum { %s_GROUP_X = %u, %s_GROUP_Y = %u, %s_GROUP_Z = %u };\n",
		                text_string(&name), k->group[0], text_string(&name), k->group[1], text_string(&name),
		                k->group[2]);
	text_add_format(h->out, "enum { %s_HAS_BARRIERS = %d };\n\n", text_string(&name), meets);
	text_free(&name);
}

void twin_describe_header(const struct ir_module *m, const struct twin_words *words, bool sizes, struct text *out)
{
	struct header h = {.words = words, .out = out};
	h.structs.arena = h.taken.arena = &h.arena;
	text_add(out, preamble);
	for (uint32_t n = 0; n < m->kernel_count; n++)
		for (uint32_t p = 0; p < m->kernels[n]->parameter_count; p++)
			print_struct(&h, m->kernels[n]->parameters[p].type);
	text_add(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
	for (uint32_t n = 0; n < m->kernel_count; n++)
		print_function(&h, m->kernels[n], sizes);
	text_add(out, "#ifdef __cplusplus\n}\n#endif\n");
	arena_free(&h.arena);
}

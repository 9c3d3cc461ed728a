/* Any bytes as Cone source: the lexer, the parser and the copy neither crash nor hang, every place is inside the file,
 * no tree is higher than said, and a copy is the same tree. The first byte says whether older spellings are accepted.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/cone/cone_print.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_node(const struct cone_file *file, const struct cone_node *n)
{
	if (!n)
		return;
	size_t end = file->source.length;
	require(n->file == file && n->span.start <= n->span.end && n->span.end <= end);
	require(n->at.start <= n->at.end && n->at.end <= end);
	require(n->height >= 1 && n->height <= CONE_HEIGHT_LIMIT);
	check_node(file, n->left);
	check_node(file, n->right);
	check_node(file, n->other);
	check_node(file, n->condition);
	check_node(file, n->step);
	for (uint32_t i = 0; i < n->part_count; i++) {
		require(n->parts[i] && n->parts[i]->height < n->height);
		check_node(file, n->parts[i]);
	}
	if (n->function)
		check_node(file, n->function->body);
}

static void check_copy(struct cone_program *program, const struct cone_node *body)
{
	struct text first = {0}, second = {0};
	struct cone_node *copy = cone_copy(&program->arena, body);
	require(copy != body);
	cone_print_node(&first, body, 0);
	cone_print_node(&second, copy, 0);
	require(strcmp(text_string(&first), text_string(&second)) == 0);
	text_free(&first);
	text_free(&second);
}

static void check_declaration(struct cone_program *program, const struct cone_file *file,
                              const struct cone_declaration *d)
{
	require(d->span.end <= file->source.length && d->name_span.end <= file->source.length);
	check_node(file, d->value);
	check_node(file, d->body);
	if (d->body)
		check_copy(program, d->body);
	for (uint32_t i = 0; i < d->member_count; i++)
		check_declaration(program, file, d->members[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct cone_program program = {0};
	struct cone_module module = {0};
	struct cone_file file = {.old_spellings = size && bytes[0] % 2};
	struct text out = {0};
	source_init(&file.source, "fuzz.cone", (const char *)bytes + (size > 0), size - (size > 0));
	cone_parse(&program, &file, &module);
	cone_print_module(&out, &module);
	for (uint32_t i = 0; i < module.declaration_count; i++)
		check_declaration(&program, &file, module.declarations[i]);
	diagnostics_print(&file.diagnostics, &out);
	text_free(&out);
	diagnostics_free(&file.diagnostics);
	source_free(&file.source);
	arena_free(&program.arena);
	return 0;
}

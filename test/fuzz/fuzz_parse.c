/* libFuzzer target: no input makes the parser crash or hang, and what parses without errors is formatted to text that
 * parses to the same tree and formats to itself.
 *
 *     cmake --preset fuzz && ninja -C build/fuzz fuzz_parse
 *     build/fuzz/fuzz_parse FOLDER test/fuzz/seeds-parse */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/ast.h"
#include "frontend/ssp/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct parsed {
	struct source source;
	struct diagnostics diagnostics;
	struct program *program;
};

static void parse(struct parsed *p, const char *bytes, size_t size)
{
	*p = (struct parsed){0};
	source_init(&p->source, "fuzz.ssp", bytes, size);
	p->diagnostics.source = &p->source;
	p->program = program_parse(&p->source, &p->diagnostics);
}

static void forget(struct parsed *p)
{
	program_free(p->program);
	diagnostics_free(&p->diagnostics);
	source_free(&p->source);
}

/* ---- The tree as text: all that it means, and no places ---- */

static void write_names(struct text *out, const struct pattern_name *names, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		text_add_format(out, " %s", names[i].name);
}

static void write_node(struct text *out, const struct node *n)
{
	if (!n) {
		text_add(out, "-");
		return;
	}
	text_add_format(out, "(%d %d %llu %a %d%d%d%d%d%d", n->kind, n->operator_kind, (unsigned long long)n->number,
	                n->real, n->negative, n->truth, n->mutable, n->has_arguments, n->multi_line,
	                n->tuple_parameter);
	text_add_format(out, " %s", n->name ? n->name : "-");
	write_names(out, n->names, n->name_count);
	write_names(out, n->parameters, n->parameter_count);
	if (n->kind == NODE_TEXT)
		text_add_json(out, n->string, n->length);
	if (n->type_syntax)
		format_type(n->type_syntax, out);
	write_node(out, n->condition);
	write_node(out, n->left);
	write_node(out, n->right);
	for (uint32_t i = 0; i < n->part_count; i++)
		write_node(out, n->parts[i]);
	text_add(out, ")");
}

static void write_definition(struct text *out, const struct definition *d)
{
	text_add_format(out, "\n%d %s", d->kind, d->name);
	write_names(out, d->generics, d->generic_count);
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		text_add_format(out, " %s:", d->parameters[i].name);
		format_type(d->parameters[i].syntax, out);
	}
	if (d->result_syntax)
		format_type(d->result_syntax, out);
	for (uint32_t i = 0; i < d->effect_count; i++)
		text_add_format(out, " !%s", d->effect_names[i].name);
	for (uint32_t i = 0; i < d->pre_count; i++)
		write_node(out, d->pre[i].condition);
	for (uint32_t i = 0; i < d->post_count; i++)
		write_node(out, d->post[i].condition);
	for (uint32_t i = 0; i < d->grid_count; i++)
		write_node(out, d->grid[i]);
	write_node(out, d->body);
}

static void write_program(struct text *out, const struct program *p)
{
	text_add_format(out, "%d %u", p->profile_sys, p->comment_count);
	for (uint32_t i = 0; i < p->definition_count; i++)
		write_definition(out, p->definitions[i]);
}

static void require_equal(const struct text *a, const struct text *b, const char *what)
{
	if (a->length == b->length && memcmp(text_string(a), text_string(b), a->length) == 0)
		return;
	fprintf(stderr, "%s differ:\n%s\n---\n%s\n", what, text_string(a), text_string(b));
	abort();
}

static void check_formatted(const struct parsed *first)
{
	struct text once = {0}, twice = {0}, tree_once = {0}, tree_twice = {0}, errors = {0};
	struct parsed second;
	program_format(first->program, &once);
	parse(&second, text_string(&once), once.length);
	if (second.diagnostics.error_count) {
		diagnostics_print(&second.diagnostics, &errors);
		fprintf(stderr, "the formatted text has errors:\n%s\n%s", text_string(&once), text_string(&errors));
		abort();
	}
	program_format(second.program, &twice);
	write_program(&tree_once, first->program);
	write_program(&tree_twice, second.program);
	require_equal(&tree_once, &tree_twice, "trees");
	require_equal(&once, &twice, "formatted texts");
	forget(&second);
	text_free(&once);
	text_free(&twice);
	text_free(&tree_once);
	text_free(&tree_twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct parsed p;
	struct text report = {0};
	parse(&p, (const char *)bytes, size);
	diagnostics_print(&p.diagnostics, &report);
	if (p.diagnostics.error_count == 0)
		check_formatted(&p);
	text_free(&report);
	forget(&p);
	return 0;
}

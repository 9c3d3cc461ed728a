/* Any bytes as Cone source: the lexer, the parser and the copy neither crash nor hang, every place is inside the file,
 * no tree is higher than said, and a copy is the same tree; and as a program they are checked and emitted, which ends
 * with a module or with errors. A first byte `1` says that older spellings are accepted, `0` that they are not; any
 * other is source.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/cone/cone_print.h"
#include "ir/ir.h"

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

static char folder[] = "/tmp/sspur-fuzz-XXXXXX", program_path[sizeof folder + sizeof "/fuzz.cone"];

static void remove_folder(void)
{
	unlink(program_path);
	rmdir(folder);
}

/* Where a line with the module's name starts, and where it ends; both the end: there is none. */
static void find_module(const char *text, size_t size, size_t *start, size_t *end)
{
	for (*start = 0; *start + 4 < size; ++*start) {
		bool begins = *start == 0 || text[*start - 1] == '\n';
		const char *semicolon =
		    begins && memcmp(text + *start, "mod ", 4) == 0 ? memchr(text + *start, ';', size - *start) : NULL;
		*end = semicolon ? (size_t)(semicolon - text) : size;
		if (semicolon)
			return;
	}
	*start = *end = size;
}

/* The bytes as the file of a program, whatever its module is called there; false: it cannot be written. */
static bool write_program(const uint8_t *bytes, size_t size)
{
	if (!*program_path) {
		if (!mkdtemp(folder))
			return false;
		snprintf(program_path, sizeof program_path, "%s/fuzz.cone", folder);
		atexit(remove_folder);
	}
	FILE *file = fopen(program_path, "wb");
	if (!file)
		return false;
	size_t start, end;
	find_module((const char *)bytes, size, &start, &end);
	bool written = fwrite(bytes, 1, start, file) == start;
	if (start < end)
		written =
		    fputs("mod fuzz", file) >= 0 && fwrite(bytes + end, 1, size - end, file) == size - end && written;
	return fclose(file) == 0 && written;
}

/* For a GPU, or for the processor, where what a GPU lacks is not refused as such. */
static void analyze(const uint8_t *bytes, size_t size, bool old_spellings, bool gpu)
{
	struct text error = {0}, out = {0};
	if (!write_program(bytes, size))
		return;
	struct cone_program *p = cone_program_open(program_path, NULL, 0, old_spellings, &error);
	require(p != NULL);
	if (!gpu)
		p->machine = cone_machine_twin;
	bool good = cone_analyze(p, gpu);
	require(good == (cone_error_count(p) == 0) && (!good || p->module));
	cone_print_diagnostics(p, &out);
	cone_program_free(p);
	text_free(&out);
	text_free(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	bool old_spellings = size && *bytes == '1';
	if (old_spellings || (size && *bytes == '0')) {
		bytes++;
		size--;
	}
	analyze(bytes, size, old_spellings, size % 3 != 0);
	struct cone_program program = {0};
	struct cone_module module = {0};
	struct cone_file file = {.old_spellings = old_spellings};
	struct text out = {0};
	source_init(&file.source, "fuzz.cone", (const char *)bytes, size);
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

/* Prints the syntax tree of a Cone file and what is wrong with it; with --old, older spellings are accepted
 * (spec/cone.md 1.12); with --copy, bodies are copied first, as the checker copies them.
 *
 *     cone-syntax [--old] [--copy] FILE */
#include <stdio.h>
#include <string.h>

#include "frontend/cone/cone_print.h"
#include "utils/base/file.h"

int main(int argc, char **argv)
{
	struct cone_program program = {0};
	struct cone_module module = {0};
	struct cone_file file = {0};
	struct text bytes = {0}, out = {0}, error = {0};
	const char *path = NULL;
	bool copies = false;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--old") == 0)
			file.old_spellings = true;
		else if (strcmp(argv[i], "--copy") == 0)
			copies = true;
		else
			path = argv[i];
	}
	if (!path || !file_read_source(path, &bytes, &error)) {
		fprintf(stderr, "cone-syntax: %s\n",
		        path ? text_string(&error) : "usage: cone-syntax [--old] [--copy] FILE");
		text_free(&error);
		return 2;
	}
	const char *name = strrchr(path, '/');
	source_init(&file.source, name ? name + 1 : path, text_string(&bytes), bytes.length);
	cone_parse(&program, &file, &module);
	for (uint32_t i = 0; copies && i < module.declaration_count; i++)
		module.declarations[i]->body = cone_copy(&program.arena, module.declarations[i]->body);
	cone_print_module(&out, &module);
	diagnostics_print(&file.diagnostics, &out);
	fputs(text_string(&out), stdout);
	int status = file.diagnostics.error_count ? 1 : 0;
	text_free(&bytes);
	text_free(&out);
	diagnostics_free(&file.diagnostics);
	source_free(&file.source);
	arena_free(&program.arena);
	return status;
}

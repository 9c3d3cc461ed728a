#include "utils/tools/kernel_input.h"

#include <stdio.h>
#include <string.h>

#include "ir/ir_text.h"
#include "utils/base/file.h"
#include "utils/tools/input.h"

static enum status open_cone(struct kernel_input *k, const char *path, const struct options *o, bool twin)
{
	struct text error = {0};
	enum status status = STATUS_OK;
	k->cone = cone_program_open(path, o->packages, (uint32_t)o->package_count, o->old_spellings, &error);
	if (!k->cone) {
		status = command_error("%s", text_string(&error));
	} else {
		if (twin)
			k->cone->machine = cone_machine_twin;
		k->cone->is_debug = options_are_debug(o);
		status = cone_analyze(k->cone, !twin) ? STATUS_OK : STATUS_FAILED;
		k->module = status == STATUS_OK ? k->cone->module : NULL;
	}
	text_free(&error);
	return status;
}

static enum status open_kir(struct kernel_input *k, const char *path)
{
	struct text bytes = {0}, error = {0};
	enum status status = STATUS_OK;
	if (!file_read_source(path, &bytes, &error)) {
		status = command_error("%s", text_string(&error));
	} else {
		source_init(&k->source, path, text_string(&bytes), bytes.length);
		k->diagnostics.source = &k->source;
		k->module = k->kir = ir_parse(&k->source, &k->diagnostics);
		status = k->kir ? STATUS_OK : STATUS_FAILED;
	}
	text_free(&bytes);
	text_free(&error);
	return status;
}

enum status kernel_input_open(struct kernel_input *k, const char *path, const struct options *o, bool twin)
{
	*k = (struct kernel_input){0};
	return strcmp(strrchr(path, '.'), ".cone") == 0 ? open_cone(k, path, o, twin) : open_kir(k, path);
}

void kernel_input_report(struct kernel_input *k)
{
	struct text text = {0};
	if (k->cone)
		cone_print_diagnostics(k->cone, &text);
	else if (k->diagnostics.source)
		diagnostics_print(&k->diagnostics, &text);
	fflush(stdout);
	fwrite(text_string(&text), 1, text.length, stderr);
	text_free(&text);
}

void cone_program_add_files(const struct cone_program *p, struct file_roles *files)
{
	for (uint32_t i = 0; i < p->file_count; i++) {
		const char *name = p->files[i]->source.name;
		if (!p->files[i]->is_built_in)
			file_roles_add(files, FILE_READ, name, name);
	}
}

void kernel_input_add_files(const struct kernel_input *k, struct file_roles *files)
{
	if (k->cone)
		cone_program_add_files(k->cone, files);
	else
		file_roles_add(files, FILE_READ, k->source.name, k->source.name);
}

void kernel_input_close(struct kernel_input *k)
{
	if (k->cone)
		cone_program_free(k->cone);
	ir_module_free(k->kir);
	diagnostics_free(&k->diagnostics);
	source_free(&k->source);
	*k = (struct kernel_input){0};
}

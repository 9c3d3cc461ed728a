/* `sspur build` and its older spelling `sspur gpu`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/cone/cone_check.h"
#include "ir/hazard.h"
#include "utils/base/arena.h"
#include "utils/base/file.h"
#include "utils/base/plain_locale.h"
#include "utils/tools/build_targets.h"
#include "utils/tools/bundling.h"
#include "utils/tools/command.h"
#include "utils/tools/command_build.h"
#include "utils/tools/compiler.h"
#include "utils/tools/input.h"
#include "utils/tools/kernel_input.h"
#include "utils/tools/kernel_selection.h"
#include "utils/tools/metal_toolchain.h"
#include "utils/tools/package.h"

/* One build: the targets asked for, their bytes, and where each goes. */
struct build {
	struct build_targets targets;
	struct text bytes[BUILD_TARGET_LIMIT];
	char *paths[BUILD_TARGET_LIMIT];     /* NULL: standard output */
	char **left_out[BUILD_TARGET_LIMIT]; /* why the artifact does not have a kernel, one each; NULL: it has all */
	uint32_t kernel_count;
	bool strict;                     /* none may be left out */
	const struct program *program;   /* whose kernels they are: SSPUR's, */
	const struct cone_program *cone; /* or Cone's */
	struct text air, metallib;       /* of the target metal; empty: not made */
	const struct ir_module *twin;    /* Cone: what `native` is made of; NULL: of what the others are */
	char *stem;                      /* path of NAME.h and NAME.json without their extensions; NULL: not written */
};

static char *joined(const char *path, const char *extension)
{
	size_t n = strlen(path);
	char *out = memory_alloc(n + strlen(extension) + 1);
	memcpy(out, path, n);
	strcpy(out + n, extension);
	return out;
}

/* The path without its file name's extension. */
static char *without_extension(const char *path)
{
	char *out = joined(path, ""), *slash = strrchr(out, '/'), *name = slash ? slash + 1 : out,
	     *dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = 0;
	return out;
}

/* Decides every output's place (design, Targets and artifacts). */
static enum status place_outputs(struct build *b, const char *input, const char *output)
{
	bool from_stdin = strcmp(input, "-") == 0;
	char *name = from_stdin ? joined("stdin", "") : path_stem(input);
	enum status status = STATUS_OK;
	if (b->targets.count > 1) {
		b->stem = path_join(output ? output : ".", name);
		for (size_t i = 0; i < b->targets.count; i++)
			b->paths[i] = joined(b->stem, build_targets_extension(&b->targets, i));
	} else if (output && strcmp(output, "-") != 0) {
		struct stat info;
		bool is_folder = stat(output, &info) == 0 && S_ISDIR(info.st_mode);
		bool is_special = stat(output, &info) == 0 && !S_ISREG(info.st_mode) && !is_folder;
		b->paths[0] = joined(output, "");
		if (is_folder)
			status = command_error("%s is a folder\nhint: with one target -o names a file", output);
		else if (!is_special)
			b->stem = without_extension(output);
	} else if (!output && !b->targets.rows[0]->prints) {
		b->stem = joined(name, "");
		b->paths[0] = joined(name, b->targets.rows[0]->extension);
	}
	free(name);
	return status;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_twin(const struct build *b, size_t i)
{
	return b->twin && strcmp(b->targets.rows[i]->name, "native") == 0;
}

/* As the compiler module calls it. */
static const char *target_of(const struct build *b, size_t i)
{
	return is_twin(b, i) ? "twin" : b->targets.rows[i]->name;
}

static enum status emit_all(struct build *b, const struct ir_module *module)
{
	struct text error = {0};
	const struct compiler *compiler = compiler_open(&error);
	bool good = compiler != NULL;
	b->kernel_count = module->kernel_count;
	struct target_options options = {.optimize = 2, .status = true};
	for (size_t i = 0; good && i < b->targets.count; i++) {
		const struct ir_module *of = is_twin(b, i) ? b->twin : module;
		/* Vulkan promises neither, and an artifact is for any device. */
		bool vulkan = strcmp(b->targets.rows[i]->name, "vulkan") == 0;
		options.hazards = vulkan ? IR_HAZARDS_OF_VULKAN : 0;
		options.cpu = vulkan ? b->targets.spirv : NULL;
		if (!b->strict && of->kernel_count == b->kernel_count) /* they are the same ones */
			b->left_out[i] = memory_zeroed((size_t)b->kernel_count + 1, sizeof *b->left_out[i]);
		good = strcmp(b->targets.rows[i]->name, "bundle") == 0
		           ? bundle_make(compiler, module, &b->bytes[i], &error)
		           : kernel_selection_emit(compiler, target_of(b, i), of, &options, b->left_out[i],
		                                   &b->bytes[i], &error);
	}
	enum status status = good ? STATUS_OK
	                     : b->targets.count > 1 && !b->strict
	                         ? command_error_hint("nothing is written; leave that target out to have the others",
	                                              "%s", text_string(&error))
	                         : command_error("%s", text_string(&error));
	text_free(&error);
	return status;
}

static void warn_of_left_out(const struct build *b, const struct ir_module *module)
{
	for (size_t i = 0; i < b->targets.count; i++)
		if (b->left_out[i])
			kernel_selection_warn(b->program, b->cone, b->targets.rows[i]->name, module, b->left_out[i]);
}

/* NAME.air and NAME.metallib, where there are files to stand beside and a toolchain. */
static enum status compile_metal(struct build *b)
{
	struct text error = {0};
	enum status status = STATUS_OK;
	for (size_t i = 0; b->stem && i < b->targets.count; i++)
		if (strcmp(b->targets.rows[i]->name, "metal") == 0 && metal_toolchain_found() &&
		    !metal_toolchain_run(base_name(b->stem), &b->bytes[i], &b->air, &b->metallib, &error))
			status = command_error("%s", text_string(&error));
	text_free(&error);
	return status;
}

static void add_beside(const struct build *b, const char *extension, struct file_roles *files)
{
	char *path = joined(b->stem, extension);
	file_roles_add(files, FILE_WRITTEN, path, path);
	free(path);
}

void command_build_add_files(const struct build *b, struct file_roles *files)
{
	for (size_t i = 0; i < b->targets.count; i++)
		file_roles_add(files, FILE_WRITTEN, b->paths[i], b->paths[i]);
	if (b->stem && b->air.length) {
		add_beside(b, ".air", files);
		add_beside(b, ".metallib", files);
	}
	if (b->stem) {
		add_beside(b, ".json", files);
		add_beside(b, ".h", files);
	}
}

static bool write_beside(const struct build *b, const char *extension, const struct text *bytes, struct text *error)
{
	char *path = joined(b->stem, extension);
	bool good = !bytes->length || file_write(path, bytes->data, bytes->length, error);
	free(path);
	return good;
}

/* NAME.h and NAME.json. */
static bool write_interface(const struct build *b, const struct ir_module *module, struct text *error)
{
	struct artifact_file files[BUILD_TARGET_LIMIT + 1] = {{0}};
	struct text json = {0}, header = {0};
	for (size_t i = 0; i < b->targets.count; i++)
		files[i] = (struct artifact_file){target_of(b, i), base_name(b->paths[i]), b->left_out[i]};
	const struct compiler *compiler = compiler_open(error);
	bool good = compiler != NULL;
	char *json_path = joined(b->stem, ".json"), *header_path = joined(b->stem, ".h");
	if (good)
		compiler->describe(module, files, &json, &header);
	good = good && file_write(json_path, text_string(&json), json.length, error) &&
	       file_write(header_path, text_string(&header), header.length, error);
	free(json_path);
	free(header_path);
	text_free(&json);
	text_free(&header);
	return good;
}

/* Everything is made before anything is written. */
static enum status write_all(struct build *b, const struct ir_module *module)
{
	struct text error = {0};
	bool good = true;
	warn_of_left_out(b, module);
	for (size_t i = 0; good && i < b->targets.count; i++)
		good =
		    file_write(b->paths[i] ? b->paths[i] : "-", text_string(&b->bytes[i]), b->bytes[i].length, &error);
	if (good && b->stem)
		good = write_beside(b, ".air", &b->air, &error) && write_beside(b, ".metallib", &b->metallib, &error) &&
		       write_interface(b, module, &error);
	enum status status = good ? STATUS_OK : command_error("%s", text_string(&error));
	text_free(&error);
	return status;
}

/* The folder of several targets; one target's is to be there. */
static enum status make_folder(const struct build *b, const char *output)
{
	struct text error = {0};
	bool good = b->targets.count == 1 || !output || folder_make(output, &error);
	enum status status = good ? STATUS_OK : command_error("%s", text_string(&error));
	text_free(&error);
	return status;
}

/* `files`: what was read; freed. */
static enum status build_module(const char *path, const char *name, const struct ir_module *module, struct build *b,
                                const char *output, struct file_roles *files)
{
	if (module->kernel_count == 0)
		return command_error("%s has no kernels to build", name);
	enum status status = emit_all(b, module);
	if (status == STATUS_OK)
		status = place_outputs(b, path, output);
	if (status == STATUS_OK)
		status = compile_metal(b);
	if (status == STATUS_OK)
		command_build_add_files(b, files);
	if (status == STATUS_OK)
		status = command_check_files(files, "-o names where to write; nothing is written");
	if (status == STATUS_OK)
		status = make_folder(b, output);
	return status == STATUS_OK ? write_all(b, module) : status;
}

/* The page, Compute entry points: SPIR-V's OpenCL form has kernels of another kind. */
static void refuse_entry_points(struct cone_program *p, const char *triple)
{
	for (uint32_t n = 0; n < p->entry_count; n++) {
		const struct cone_declaration *f = p->entries[n].function;
		cone_report(
		    f->file, f->name_span, "1263",
		    "%s is a compute entry point, and %s is SPIR-V's OpenCL form, which has kernels of another kind: "
		    "compile it with --triple=spirv1.6-unknown-vulkan1.3",
		    f->name, triple);
	}
}

/* The program for the CPU twin, of which native objects are made, or for all else. Its diagnostics are printed. */
static enum status open_cone(const struct options *o, const struct build *b, bool twin, struct cone_program **program)
{
	struct text text = {0};
	struct cone_program *p = *program =
	    cone_program_open(o->files[0], o->packages, (uint32_t)o->package_count, o->old_spellings, &text);
	if (!p) {
		enum status unread = command_error("%s", text_string(&text));
		text_free(&text);
		return unread;
	}
	if (twin)
		p->machine = cone_machine_twin;
	p->is_debug = options_are_debug(o);
	cone_analyze(p, !twin);
	if (o->triple && strcmp(b->targets.rows[0]->name, "spirv") == 0)
		refuse_entry_points(p, o->triple);
	if (!twin || b->targets.count == 1 || cone_error_count(p)) /* warnings are said once */
		cone_print_diagnostics(p, &text);
	fwrite(text_string(&text), 1, text.length, stderr);
	text_free(&text);
	return cone_error_count(p) ? STATUS_FAILED : STATUS_OK;
}

static enum status build_cone(const struct options *o, struct build *b)
{
	const char *path = o->files[0];
	struct cone_program *twin = NULL, *others = NULL;
	struct file_roles files = {0};
	enum status status = STATUS_OK;
	bool native = command_build_has_native(b);
	if (!native || b->targets.count > 1)
		status = open_cone(o, b, false, &others);
	if (status == STATUS_OK && native)
		status = open_cone(o, b, true, &twin);
	b->twin = twin ? twin->module : NULL;
	b->cone = others ? others : twin;
	if (status == STATUS_OK)
		cone_program_add_files(others ? others : twin, &files);
	if (status == STATUS_OK)
		status = build_module(path, path, others ? others->module : twin->module, b, o->output, &files);
	file_roles_free(&files);
	b->twin = NULL;
	b->cone = NULL;
	cone_program_free(twin);
	cone_program_free(others);
	return status;
}

static bool is_cone(const char *path)
{
	size_t length = strlen(path);
	return length > 5 && strcmp(path + length - 5, ".cone") == 0;
}

static enum status build_file(const struct options *o, struct build *b)
{
	struct input in;
	struct file_roles files = {0};
	const char *path = o->files[0];
	if (is_cone(path))
		return build_cone(o, b);
	enum status status = input_open(&in, path, INPUT_ANALYZE);
	if (in.program)
		input_report(&in);
	file_roles_add(&files, FILE_READ, path, path);
	b->program = in.program;
	if (status == STATUS_OK)
		status = build_module(path, in.source.name, in.program->module, b, o->output, &files);
	b->program = NULL;
	file_roles_free(&files);
	input_close(&in);
	return status;
}

static void free_build(struct build *b)
{
	for (size_t i = 0; i < b->targets.count; i++) {
		text_free(&b->bytes[i]);
		free(b->paths[i]);
		for (uint32_t n = 0; b->left_out[i] && n < b->kernel_count; n++)
			free(b->left_out[i][n]);
		free(b->left_out[i]);
	}
	text_free(&b->air);
	text_free(&b->metallib);
	free(b->stem);
}

/* ---- Of a package ---- */

struct build *command_build_open(const char *triple, const char *list, bool strict)
{
	struct build *b = memory_zeroed(1, sizeof *b);
	b->strict = strict;
	enum status status = build_targets_read_triple(&b->targets, triple ? triple : "spirv1.6-unknown-vulkan1.3");
	if (status == STATUS_OK && !b->targets.spirv)
		status = command_error_hint("leave --triple out, or name a Vulkan form",
		                            "a package's kernels are in SPIR-V's Vulkan form");
	if (status == STATUS_OK && list)
		status = build_targets_read(&b->targets, list);
	if (status == STATUS_OK)
		return b;
	free(b);
	return NULL;
}

bool command_build_has_native(const struct build *b)
{
	return build_targets_have(&b->targets, "native");
}

enum status command_build_make(struct build *b, const struct cone_program *program, const struct ir_module *twin,
                               const char *folder, const char *name)
{
	b->cone = program;
	b->twin = twin;
	b->stem = path_join(folder, name);
	for (size_t i = 0; i < b->targets.count; i++) {
		bool is_kernel_form = strcmp(b->targets.rows[i]->name, "spirv") == 0;
		b->paths[i] = joined(b->stem, is_kernel_form ? ".opencl.spv" : b->targets.rows[i]->extension);
	}
	enum status status = emit_all(b, program->module);
	return status == STATUS_OK ? compile_metal(b) : status;
}

enum status command_build_write(struct build *b)
{
	return write_all(b, b->cone->module);
}

bool command_build_copy(const struct build *b, const char *folder, struct text *error)
{
	char *path = path_join(folder, base_name(b->paths[0]));
	bool good =
	    folder_make(folder, error) && file_write(path, text_string(&b->bytes[0]), b->bytes[0].length, error);
	free(path);
	return good;
}

const char *command_build_path(const struct build *b, size_t i)
{
	return i < b->targets.count ? b->paths[i] : NULL;
}

void command_build_close(struct build *b)
{
	if (b)
		free_build(b);
	free(b);
}

/* ---- The commands ---- */

enum status command_build(const struct options *o)
{
	if (package_is_named(o->files[0]))
		return package_build(o);
	if (!file_exists(o->files[0]) && strcmp(o->files[0], "-") != 0)
		return command_error("cannot read %s: %s", o->files[0], plain_error_text(errno));
	if (!o->targets && !o->triple && is_cone(o->files[0]))
		return package_build_program(o);
	if (!o->targets && !o->triple)
		return command_error("build: --target is missing\nhint: `sspur build --target ptx,spirv -o out %s`",
		                     o->files[0]);
	if (o->targets && o->triple)
		return command_error("build: --target and --triple both say what to make\nhint: leave one of them out");
	struct build b = {.strict = o->strict};
	enum status status =
	    o->targets ? build_targets_read(&b.targets, o->targets) : build_targets_read_triple(&b.targets, o->triple);
	if (status == STATUS_OK)
		status = build_file(o, &b);
	free_build(&b);
	return status;
}

enum status command_gpu(const struct options *o)
{
	if (!o->targets)
		return command_error("gpu: --emit is missing\nhint: `sspur gpu %s --emit ptx`", o->files[0]);
	if (strchr(o->targets, ','))
		return command_error(
		    "gpu: --emit takes one target\nhint: `sspur build --target %s -o out %s` makes several", o->targets,
		    o->files[0]);
	return command_build(o);
}

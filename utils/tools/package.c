#include "utils/tools/package.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cone/cone_ast.h"
#include "utils/base/file.h"
#include "utils/tools/child_process.h"
#include "utils/tools/command_build.h"
#include "utils/tools/input.h"

bool package_is_named(const char *path)
{
	return package_file_kind(path) == PACKAGE_FOLDER;
}

/* ---- Opening ---- */

static const char *without_slashes(struct arena *a, const char *path)
{
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	return arena_string_n(a, path, length);
}

/* The folder in which the package is, for its sisters. */
static const char *folder_around(struct arena *a, const char *folder)
{
	const char *slash = strrchr(folder, '/');
	const char *name = slash ? slash + 1 : folder;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !*name)
		return arena_format(a, "%s/..", folder);
	return slash ? arena_string_n(a, folder, slash == folder ? 1 : (size_t)(slash - folder)) : ".";
}

/* All that is imported, and what the rules refuse of it. */
static enum status resolve(struct package_session *s)
{
	package_resolve_all(s);
	for (uint32_t i = 0; i < s->package_count; i++)
		package_check_rules(s, s->packages[i]);
	return s->refusals ? STATUS_FAILED : STATUS_OK;
}

static void set_paths(struct package_session *s, const struct options *o)
{
	const char **paths = ARENA_ARRAY(&s->arena, const char *, (size_t)o->package_count + 1);
	for (int i = 0; i < o->package_count; i++)
		paths[i] = without_slashes(&s->arena, o->packages[i]);
	s->paths = paths;
	s->path_count = (uint32_t)o->package_count;
}

/* A program that is one file, in place of a package. */
static enum status open_program_file(struct package_session *s, const struct options *o)
{
	const char *path = o->files[0];
	char *stem = path_stem(path), *folder = path_folder(path);
	set_paths(s, o);
	s->beside = arena_string(&s->arena, folder);
	s->is_program_file = true;
	package_add_program(s, stem, s->beside, path);
	free(stem);
	free(folder);
	return resolve(s);
}

/* Reads the package and all that it imports, and refuses what the rules refuse. */
static enum status open_session(struct package_session *s, const struct options *o, const char *path)
{
	struct arena *a = &s->arena;
	const char *folder = without_slashes(a, path);
	set_paths(s, o);
	s->beside = folder_around(a, folder);
	if (package_file_kind(arena_format(a, "%s/congo.toml", folder)) == PACKAGE_NOTHING) {
		package_refuse(s, NULL, "a package has a congo.toml, a src/ folder, and may have a gpu/ folder",
		               "%s is no package: there is no %s/congo.toml", folder, folder);
		return STATUS_USAGE;
	}
	struct package *root = package_add(s, "", folder);
	if (!root->given || s->refusals)
		return STATUS_FAILED;
	root->name = root->given;
	root->path = arena_format(a, "%s/src/%s.cone", folder, root->name);
	for (size_t i = 0; package_program_folders[i]; i++)
		s->has_programs[i] =
		    package_scan_programs(s, root, arena_format(a, "%s/%s", folder, package_program_folders[i]));
	return resolve(s);
}

/* ---- Compiling ---- */

/* What one package has for the GPU. */
struct package_job {
	const struct package *package;
	bool is_gpu_folder;
	uint32_t kernel_count;
	struct cone_program *program, *twin; /* twin: what native objects are made of; NULL: there are none */
	struct build *build;
};

/* Of the package, and of those that it is built with: those come first. Where `all`, without kernels too. */
static struct package_job *list_jobs(struct package_session *s, bool all, uint32_t *count)
{
	struct package_job *jobs = ARENA_ARRAY(&s->arena, struct package_job, s->package_count);
	*count = 0;
	for (uint32_t i = s->package_count; i-- > 0;) {
		const struct package *p = s->packages[i];
		uint32_t kernels = p->gpu ? p->kernels.kernel_count : p->source.kernel_count;
		bool is_compiled = (p->gpu || p->is_marked) && !p->is_builtin;
		if (is_compiled && (kernels || (all && i == 0)))
			jobs[(*count)++] = (struct package_job){p, p->gpu, kernels, NULL, NULL, NULL};
	}
	return jobs;
}

static struct cone_program *open_program(struct package_session *s, const struct options *o, struct package_job *job)
{
	struct cone_package *packages = ARENA_ARRAY(&s->arena, struct cone_package, s->package_count);
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->package_count; i++) {
		const struct package *p = s->packages[i];
		if (!p->is_builtin)
			packages[count++] = (struct cone_package){p->name, p->path, !p->is_single};
	}
	struct cone_package_build build = {job->package->name, job->is_gpu_folder ? job->package->gpu : NULL, packages,
	                                   count};
	return cone_program_open_package(&build, o->old_spellings);
}

/* Of a build: what the compiler says is on standard output, and what is said of the package on standard error
 * (spec/cone.md section 6, "gpu/ in both"). */
static void report_program(const struct options *o, struct cone_program *p, const char *name, struct text *json)
{
	struct text text = {0};
	(void)o;
	(void)name;
	(void)json;
	cone_print_diagnostics(p, &text);
	fwrite(text_string(&text), 1, text.length, stdout);
	text_free(&text);
}

static enum status analyze(struct package_session *s, const struct options *o, struct package_job *job,
                           struct text *json, package_report *report)
{
	job->program = open_program(s, o, job);
	job->program->is_debug = options_are_debug(o);
	bool good = cone_analyze(job->program, true);
	report(o, job->program, job->package->name, json);
	if (!good)
		package_refuse(s, NULL, NULL, "could not compile %s for the GPU", job->package->name);
	return good ? STATUS_OK : STATUS_FAILED;
}

static void close_session(struct package_session *s, struct package_job *jobs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		cone_program_free(jobs[i].program);
		cone_program_free(jobs[i].twin);
		command_build_close(jobs[i].build);
	}
	file_roles_free(&s->files);
	arena_free(&s->arena);
}

enum status package_check(const struct options *o, const char *folder, struct text *json, package_report *report)
{
	struct package_session s = {0};
	struct package_job *jobs = NULL;
	uint32_t count = 0;
	enum status status = open_session(&s, o, folder);
	if (status == STATUS_OK)
		jobs = list_jobs(&s, true, &count);
	/* What is wrong in one is wrong in those that import it: it is said once. */
	for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
		status = analyze(&s, o, &jobs[i], json, report);
	close_session(&s, jobs, count);
	return status;
}

/* ---- Building ---- */

/* What the device's program has passed is refused only where 64 bits make a difference. */
static const struct ir_module *analyze_twin(struct package_session *s, struct package_job *job, const struct options *o)
{
	job->twin = open_program(s, o, job);
	job->twin->machine = cone_machine_twin;
	job->twin->is_debug = options_are_debug(o);
	if (!cone_analyze(job->twin, false))
		report_program(o, job->twin, job->package->name, NULL);
	return job->twin->module;
}

static enum status make(struct package_session *s, struct package_job *job, const struct options *o, const char *folder)
{
	printf("Compiling %s for the GPU\n", job->package->name);
	enum status status = analyze(s, o, job, NULL, report_program);
	if (status != STATUS_OK)
		return status;
	job->build = command_build_open(o->triple, o->targets, o->strict);
	bool native = job->build && command_build_has_native(job->build);
	const struct ir_module *twin = native ? analyze_twin(s, job, o) : NULL;
	status = !job->build       ? STATUS_USAGE
	         : native && !twin ? STATUS_FAILED
	                           : command_build_make(job->build, job->program, twin, folder, job->package->name);
	if (status != STATUS_OK && job->build)
		package_refuse(s, NULL, NULL, "could not compile %s for the GPU", job->package->name);
	return status;
}

static enum status write_job(struct package_job *job)
{
	enum status status = command_build_write(job->build);
	if (status != STATUS_OK)
		return status;
	printf("Finished %s:", job->package->name);
	for (size_t i = 0; command_build_path(job->build, i); i++)
		printf("%s %s", i ? "," : "", command_build_path(job->build, i));
	printf("\n");
	return status;
}

/* Without kernels there is no .spv: one of an earlier build goes. */
static void remove_old(const struct package_session *s, const char *folder)
{
	const struct package *p = s->packages[0];
	char *path = path_join(folder, p->name);
	struct text file = {0};
	text_add_format(&file, "%s.spv", path);
	remove(text_string(&file));
	text_free(&file);
	free(path);
}

/* The i-th folder of programs in the folder that is built to; NULL: the package has none of them. */
static const char *programs_folder(struct package_session *s, const char *folder, size_t i)
{
	return s->has_programs[i] ? arena_format(&s->arena, "%s/%s", folder, package_program_folders[i]) : NULL;
}

/* Beside tests and examples, as the compiler of the CPU's part puts these there. */
static enum status copy_all(struct package_session *s, struct package_job *jobs, uint32_t count, const char *folder)
{
	struct text error = {0};
	bool good = true;
	for (size_t i = 0; package_program_folders[i]; i++) {
		const char *to = programs_folder(s, folder, i);
		for (uint32_t n = 0; to && n < count && good; n++)
			good = command_build_copy(jobs[n].build, to, &error);
		if (to && count && good)
			printf("Copied each .spv to %s\n", to);
	}
	enum status status = good ? STATUS_OK : command_error("%s", text_string(&error));
	text_free(&error);
	return status;
}

/* What is to be written is none of what was read. */
static enum status check_files(struct package_session *s, struct package_job *jobs, uint32_t count, const char *folder)
{
	for (uint32_t n = 0; n < count; n++) {
		command_build_add_files(jobs[n].build, &s->files);
		for (size_t i = 0; package_program_folders[i]; i++) {
			const char *to = programs_folder(s, folder, i), *spv = command_build_path(jobs[n].build, 0);
			const char *copy = to ? arena_format(&s->arena, "%s/%s", to, path_name(spv)) : NULL;
			file_roles_add(&s->files, FILE_WRITTEN, copy, copy);
		}
	}
	return command_check_files(&s->files, "-o names another folder; nothing is written");
}

static enum status write_all(struct package_session *s, struct package_job *jobs, uint32_t count, const char *folder,
                             bool is_own_folder)
{
	struct text error = {0};
	enum status status = STATUS_OK;
	bool has_own = count && jobs[count - 1].package == s->packages[0];
	if (check_files(s, jobs, count, folder) != STATUS_OK)
		return STATUS_USAGE;
	if (count && !folder_make(folder, &error))
		status = command_error("%s", text_string(&error));
	text_free(&error);
	for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
		status = write_job(&jobs[i]);
	if (status == STATUS_OK)
		status = copy_all(s, jobs, count, folder);
	if (status != STATUS_OK || has_own)
		return status;
	if (s->is_program_file) {
		if (!count)
			printf("Finished %s: it imports no package with a compute entry point\n", s->packages[0]->name);
		return status;
	}
	for (size_t i = 0; is_own_folder && package_program_folders[i]; i++)
		if (programs_folder(s, folder, i))
			remove_old(s, programs_folder(s, folder, i));
	if (is_own_folder)
		remove_old(s, folder);
	printf("Finished %s: it has no compute entry point, and so no %s.spv\n", s->packages[0]->name,
	       s->packages[0]->name);
	return status;
}

/* Everything is made before anything is written. */
static enum status build_jobs(struct package_session *s, const struct options *o, struct package_job *jobs,
                              uint32_t count, const char *folder)
{
	enum status status = STATUS_OK;
	for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
		status = make(s, &jobs[i], o, folder);
	return status == STATUS_OK ? write_all(s, jobs, count, folder, !o->output) : status;
}

/* What the command line asks for, before anything is read. */
static enum status check_options(const struct options *o)
{
	if (o->output && strcmp(o->output, "-") == 0)
		return command_error("a package is not written to standard output\nhint: -o names a folder");
	struct build *b = command_build_open(o->triple, o->targets, o->strict);
	bool good = b;
	command_build_close(b);
	return good ? STATUS_OK : STATUS_USAGE;
}

static enum status build_in(struct package_session *s, const struct options *o, struct package_job **jobs,
                            uint32_t *count)
{
	enum status status = check_options(o);
	if (status == STATUS_OK)
		status = open_session(s, o, o->files[0]);
	if (status != STATUS_OK)
		return status;
	const char *folder = o->output ? without_slashes(&s->arena, o->output)
	                               : arena_format(&s->arena, "%s/build/%s", s->packages[0]->folder,
	                                              options_are_debug(o) ? "debug" : "release");
	*jobs = list_jobs(s, false, count);
	return build_jobs(s, o, *jobs, *count, folder);
}

enum status package_build(const struct options *o)
{
	struct package_session s = {0};
	struct package_job *jobs = NULL;
	uint32_t count = 0;
	enum status status = build_in(&s, o, &jobs, &count);
	close_session(&s, jobs, count);
	return status;
}

static enum status build_program_in(struct package_session *s, const struct options *o, struct package_job **jobs,
                                    uint32_t *count)
{
	enum status status = check_options(o);
	if (status == STATUS_OK)
		status = open_program_file(s, o);
	if (status != STATUS_OK)
		return status;
	if (s->packages[0]->source.kernel_count)
		return command_error_hint("`--target vulkan` makes an .spv of them, and of those that it imports",
		                          "build: %s has compute entry points, and --target is missing", o->files[0]);
	*jobs = list_jobs(s, false, count);
	const char *folder = o->output ? without_slashes(&s->arena, o->output) : s->beside;
	return build_jobs(s, o, *jobs, *count, folder);
}

enum status package_build_program(const struct options *o)
{
	struct package_session s = {0};
	struct package_job *jobs = NULL;
	uint32_t count = 0;
	enum status status = build_program_in(&s, o, &jobs, &count);
	close_session(&s, jobs, count);
	return status;
}

/* ---- Testing ---- */

struct tally {
	uint32_t passed, failed;
	bool is_absent; /* spirv-val, which has been said */
};

static void print_log(const char *path)
{
	struct text log = {0}, ignored = {0};
	file_read(path, &log, &ignored);
	for (const char *line = text_string(&log); *line;) {
		size_t length = strcspn(line, "\n");
		printf("  %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
	text_free(&log);
	text_free(&ignored);
}

static void validate(const char *path, const char *log, struct tally *t)
{
	struct child_process c = {.log = log};
	struct text why = {0};
	bool missing = false;
	const char *named = getenv("SSPUR_SPIRV_VAL");
	child_process_add(&c, named && *named ? named : "spirv-val");
	child_process_add(&c, "--target-env");
	child_process_add(&c, "vulkan1.3");
	child_process_add(&c, path);
	fflush(stdout);
	int status = child_process_run(&c, &why, &missing);
	if (missing) {
		if (!t->is_absent)
			printf("only built: %s was not found, so that nothing is validated\n", c.words[0]);
		t->is_absent = true;
	} else if (status == 0) {
		printf("PASS  %s\n", path);
		t->passed++;
	} else {
		printf("FAIL  %s: not valid%s%s\n", path, why.length ? ": " : "", text_string(&why));
		print_log(log);
		t->failed++;
	}
	text_free(&why);
}

static enum status validate_all(const struct package_job *jobs, uint32_t count)
{
	struct text error = {0};
	struct tally t = {0};
	char *folder = child_process_folder(&error);
	enum status status = folder ? STATUS_OK : command_error("%s", text_string(&error));
	text_free(&error);
	if (!folder)
		return status;
	char *log = path_join(folder, "log");
	for (uint32_t i = 0; i < count; i++)
		validate(command_build_path(jobs[i].build, 0), log, &t);
	remove(log);
	remove(folder);
	free(log);
	free(folder);
	printf("%u passed, %u failed\n", t.passed, t.failed);
	return t.failed ? STATUS_FAILED : STATUS_OK;
}

enum status package_test(const struct options *o)
{
	struct package_session s = {0};
	struct package_job *jobs = NULL;
	uint32_t count = 0;
	enum status status = build_in(&s, o, &jobs, &count);
	if (status == STATUS_OK && o->file_count > 1)
		printf("only built: tests are named, and validation has no name\n0 passed, 0 failed\n");
	else if (status == STATUS_OK)
		status = validate_all(jobs, count);
	close_session(&s, jobs, count);
	return status;
}

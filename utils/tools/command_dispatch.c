/* `sspur run FILE.cone` and `FILE.kir`: one kernel over data. Nothing runs, and nothing is written, before all that the
 * command line says is known to be right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/failure_text.h"
#include "runtime/launch_limits.h"
#include "utils/base/arena.h"
#include "utils/base/spelling.h"
#include "utils/tools/compiler.h"
#include "utils/tools/device_choice.h"
#include "utils/tools/dispatch_output.h"
#include "utils/tools/input.h"
#include "utils/tools/kernel_input.h"
#include "utils/tools/race_watch.h"

static void print_text(struct text *out)
{
	fflush(stdout);
	fwrite(text_string(out), 1, out->length, stderr);
	text_free(out);
}

/* ---- What is asked for ---- */

static enum status find_kernel(const struct options *o, const struct ir_module *m, struct ir_kernel **kernel)
{
	struct text hint = {0};
	enum status status = STATUS_OK;
	const char **names = memory_zeroed((size_t)m->kernel_count + 1, sizeof *names);
	for (uint32_t i = 0; i < m->kernel_count; i++)
		names[i] = m->kernels[i]->name;
	if (o->kernel)
		spelling_suggest(&hint, o->kernel, strlen(o->kernel), names, m->kernel_count);
	free(names);
	text_add(&hint, "its kernels:");
	for (uint32_t i = 0; i < m->kernel_count; i++)
		text_add_format(&hint, " %s", m->kernels[i]->name);
	if (!m->kernel_count)
		status = command_error("%s has no kernels", o->files[0]);
	else if (!o->kernel)
		status = command_error_hint(text_string(&hint), "%s: --kernel NAME is missing", o->files[0]);
	else if (!(*kernel = ir_module_find(m, o->kernel)))
		status = command_error_hint(text_string(&hint), "%s has no kernel `%s`", o->files[0], o->kernel);
	else if ((*kernel)->policy != IR_POLICY_RECORD || (*kernel)->pre_count || (*kernel)->grid[0].region.first)
		status = command_error_hint("`policy record`, without pre and grid, is what Cone's kernels have",
		                            "%s: the kernel %s does not record its failures, or finds its grid itself",
		                            o->files[0], o->kernel);
	text_free(&hint);
	return status;
}

/* Up to three numbers; false: other text. A number that is too large is UINT64_MAX. */
static bool read_groups(const char *text, uint64_t groups[3])
{
	for (unsigned axis = 0; axis < 3; axis++) {
		groups[axis] = *text ? 0 : 1;
		if (!*text)
			continue;
		if (*text < '0' || *text > '9')
			return false;
		for (; *text >= '0' && *text <= '9'; text++)
			if (__builtin_mul_overflow(groups[axis], 10, &groups[axis]) ||
			    __builtin_add_overflow(groups[axis], (uint64_t)(*text - '0'), &groups[axis]))
				groups[axis] = UINT64_MAX;
		if (*text && (*text != ',' || axis == 2 || !text[1]))
			return false;
		text += *text == ',';
	}
	return !*text;
}

static enum status find_extents(const struct options *o, const struct ir_kernel *k, uint64_t extents[3])
{
	uint64_t groups[3];
	const char *hint = "`--groups X,Y,Z` is how many workgroups run, each way: `--groups 16` is 16,1,1";
	if (!o->groups)
		return command_error_hint(hint, "--groups is missing");
	if (!read_groups(o->groups, groups))
		return command_error_hint(hint, "--groups %s: these are not up to three numbers", o->groups);
	for (unsigned axis = 0; axis < 3; axis++) {
		if (!groups[axis])
			return command_error_hint(hint, "--groups %s: none is none at all", o->groups);
		if (axis >= k->axes && groups[axis] > 1)
			return command_error_hint("give 1 there, or nothing",
			                          "--groups %s: the kernel %s has no axis %c", o->groups, k->name,
			                          "xyz"[axis]);
	}
	struct launch_excess excess = {0};
	enum status status = STATUS_OK;
	if (!launch_limits_groups(k, device_is_twin(o->device), groups, extents, &excess))
		status = command_error_hint(excess.hint, "--groups %s: %s", o->groups, text_string(&excess.what));
	text_free(&excess.what);
	return status;
}

/* ---- Failures ---- */

/* `kernels.cone:37: index 165 past the end of 128, invocation (37, 0, 0), 1 failed` */
static enum status report(const struct options *o, const struct ir_kernel *k, const struct dispatch_failures *f)
{
	struct text out = {0};
	if (f->words[0]) {
		failure_text(&out, k, &f->first, f->words[0], o->files[0]);
		text_add_char(&out, '\n');
	}
	if (f->stuck.line) {
		barrier_wait_text(&out, failure_file(k, f->stuck.file, o->files[0]), &f->stuck);
		text_add_char(&out, '\n');
	}
	enum status status = out.length ? STATUS_FAILED : STATUS_OK;
	print_text(&out);
	return status;
}

/* ---- All of it ---- */

static enum status run(const struct options *o, const struct dispatch_data *d, const uint64_t extents[3])
{
	struct artifact_provider provider = artifact_provider_make(!o->no_cache);
	const char *trace = getenv("SSPUR_GPU_TRACE");
	struct dispatch dispatch = {.kernel = d->kernel,
	                            .arguments = d->arguments,
	                            .extents = {extents[0], extents[1], extents[2]},
	                            .provider = &provider,
	                            .trace = trace && strcmp(trace, "1") == 0};
	struct dispatch_failures failures;
	struct text error = {0};
	enum status status = STATUS_OK;
	command_profile_start(o);
	struct device *device = device_choose(o->check_races ? "interp" : o->device, true, &error);
	if (!device || !dispatch_run(&dispatch, device, &failures, &error))
		status = command_error("%s", text_string(&error));
	if (device && device->functions->close)
		device->functions->close(device);
	text_free(&error);
	if (status != STATUS_OK)
		return status;
	status = dispatch_output(d, o);
	enum status failed = report(o, d->kernel, &failures);
	return failed > status ? failed : status;
}

static enum status watch(const struct options *o, const struct dispatch_data *d, const uint64_t extents[3])
{
	struct ir_race_log log = {0};
	race_watch_start(o, &log);
	enum status status = run(o, d, extents);
	enum status races = race_watch_finish(o->files[0], &log);
	return races > status ? races : status;
}

/* What is read (the program with what it imports, and data) is not written, and nothing is written twice. */
static enum status check_files(const struct options *o, const struct kernel_input *input)
{
	struct file_roles files = {0};
	const char *profile = command_profile(o);
	kernel_input_add_files(input, &files);
	for (int i = 0; i < o->buffers.count; i++)
		file_roles_add(&files, FILE_READ, o->buffers.items[i], dispatch_data_path(o->buffers.items[i]));
	for (int i = 0; i < o->saves.count; i++)
		file_roles_add(&files, FILE_WRITTEN, arena_format(&files.arena, "--save %s", o->saves.items[i]),
		               strchr(o->saves.items[i], '=') + 1);
	if (profile)
		file_roles_add(&files, FILE_WRITTEN, arena_format(&files.arena, "--profile %s", profile), profile);
	return command_check_files(&files, "each buffer goes to a file of its own");
}

static enum status run_kernel(const struct options *o, const struct ir_kernel *k, const struct kernel_input *input)
{
	uint64_t extents[3];
	struct dispatch_data d = {0};
	enum status status = find_extents(o, k, extents);
	if (status == STATUS_OK)
		status = dispatch_data_open(&d, k, &o->buffers);
	if (status == STATUS_OK)
		status = dispatch_settings_apply(&d, &o->settings);
	if (status == STATUS_OK)
		status = dispatch_output_check(&d, o);
	if (status == STATUS_OK)
		status = check_files(o, input);
	if (status == STATUS_OK)
		status = watch(o, &d, extents);
	dispatch_data_free(&d);
	return status;
}

static bool is_twin(const struct options *o)
{
	return !o->check_races && device_is_twin(o->device);
}

enum status command_dispatch(const struct options *o)
{
	struct ir_kernel *kernel = NULL;
	struct kernel_input k;
	enum status status = kernel_input_open(&k, o->files[0], o, is_twin(o));
	kernel_input_report(&k);
	if (status == STATUS_OK)
		status = find_kernel(o, k.module, &kernel);
	if (status == STATUS_OK) {
		ir_module_keep(k.module, kernel);
		status = run_kernel(o, kernel, &k);
	}
	kernel_input_close(&k);
	return status;
}

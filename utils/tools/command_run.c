/* `sspur run`, and `sspur test` of files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/host.h"
#include "runtime/profile.h"
#include "utils/tools/command.h"
#include "utils/tools/compiler.h"
#include "utils/tools/device_choice.h"
#include "utils/tools/input.h"
#include "utils/tools/profile_signals.h"
#include "utils/tools/race_watch.h"

typedef int action(struct program *p, const struct host_options *options);

/* Runs the checked program; with --check-races under the watch of a log. */
static enum status act(const struct options *o, struct input *in, const struct host_options *host, action *run)
{
	struct ir_race_log log = {0};
	race_watch_start(o, &log);
	enum status status = run(in->program, host) == 0 ? STATUS_OK : STATUS_FAILED;
	enum status races = race_watch_finish(in->source.name, &log);
	return races > status ? races : status;
}

/* A device is opened for the first program that has kernels, and stays open for those after it. */
struct opening {
	struct device *device; /* NULL: none yet */
	bool failed;           /* which has been said */
};

static bool is_cone_only(const struct device *d)
{
	return strcmp(d->name, "twin") == 0;
}

static enum status act_on_device(const struct options *o, struct input *in, struct opening *opening, action *run)
{
	bool has_kernels = in->program->module->kernel_count != 0;
	struct artifact_provider provider = artifact_provider_make(!o->no_cache);
	struct host_options host = {.device = opening->device,
	                            .provider = &provider,
	                            .arguments = o->arguments,
	                            .argument_count = (uint32_t)o->argument_count};
	struct text error = {0};
	command_profile_start(o);
	if (!host.device)
		host.device = device_choose(o->check_races ? "interp" : o->device, has_kernels, &error);
	if (has_kernels)
		opening->device = host.device;
	opening->failed = !host.device || is_cone_only(host.device);
	enum status status = !host.device ? command_error("%s", text_string(&error))
	                     : opening->failed
	                         ? command_error_hint("`cpu` runs these kernels on the processor, `seq` in order",
	                                              "%s: the device twin runs kernels of Cone alone", in->source.name)
	                         : act(o, in, &host, run);
	text_free(&error);
	return status;
}

static enum status with_program(const struct options *o, const char *path, struct opening *opening, action *run,
                                bool needs_main)
{
	struct input in;
	enum status status = input_open(&in, path, o->allow_races ? INPUT_ALLOW_RACES : INPUT_ANALYZE);
	if (status == STATUS_FAILED)
		input_report(&in);
	else if (status == STATUS_OK && needs_main && !in.program->main)
		status = command_error("%s has no `fn main`", in.source.name);
	else if (status == STATUS_OK)
		status = act_on_device(o, &in, opening, run);
	input_close(&in);
	return status;
}

/* The programs are not where the trace goes. */
static enum status check_files(const struct options *o)
{
	struct file_roles files = {0};
	const char *profile = command_profile(o);
	for (int i = 0; i < o->file_count; i++)
		file_roles_add(&files, FILE_READ, o->files[i], o->files[i]);
	if (profile)
		file_roles_add(&files, FILE_WRITTEN, arena_format(&files.arena, "--profile %s", profile), profile);
	return command_check_files(&files, "the trace goes to a file of its own");
}

static enum status with_device(const struct options *o, action *run, bool needs_main)
{
	struct opening opening = {0};
	enum status worst = check_files(o);
	if (worst != STATUS_OK)
		return worst;
	for (int i = 0; i < o->file_count && !opening.failed; i++) {
		enum status status = with_program(o, o->files[i], &opening, run, needs_main);
		worst = status > worst ? status : worst;
	}
	struct device *device = opening.device;
	if (device && device->functions->close)
		device->functions->close(device);
	return worst;
}

static enum status run_main(const struct options *o)
{
	return with_device(o, host_run_main, true);
}

static enum status run_tests(const struct options *o)
{
	return with_device(o, host_run_tests, false);
}

const char *command_profile(const struct options *o)
{
	const char *profile = o->profile ? o->profile : getenv("SSPUR_PROFILE");
	return profile && *profile ? profile : NULL;
}

void command_profile_start(const struct options *o)
{
	if (!command_profile(o))
		return;
	profile_start(command_profile(o));
	profile_signals_watch();
}

/* With what --check-races and --profile ask for. */
static enum status with_tools(const struct options *o, enum status (*run)(const struct options *o))
{
	enum status status = race_watch_check(o);
	if (status != STATUS_OK)
		return status;
	status = run(o);
	struct text error = {0};
	if (!profile_finish(&error))
		status = command_error("%s", text_string(&error));
	text_free(&error);
	return status;
}

/* The options that only a dispatch has. */
static enum status refuse_dispatch(const struct options *o)
{
	return command_error_hint("kernels that are dispatched are in .cone and .kir files",
	                          "%s: --kernel, --groups, --buffer, --set, --print and --save are not for it",
	                          o->files[0]);
}

enum status command_run(const struct options *o)
{
	bool asked =
	    o->kernel || o->groups || o->buffers.count || o->settings.count || o->prints.count || o->saves.count;
	if (options_are_of_dispatch(o->files[0]))
		return with_tools(o, command_dispatch);
	return asked ? refuse_dispatch(o) : with_tools(o, run_main);
}

enum status command_test_files(const struct options *o)
{
	return with_tools(o, run_tests);
}

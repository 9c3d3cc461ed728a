/* `sspur run` and `sspur test`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ssp/host.h"
#include "ir/ir_race_log.h"
#include "runtime/device_interp.h"
#include "runtime/profile.h"
#include "utils/tools/command.h"
#include "utils/tools/compiler.h"
#include "utils/tools/device_choice.h"
#include "utils/tools/input.h"

enum { RACE_REPORTS = 20 };

typedef int action(struct program *p, const struct host_options *options);

/* Says what the log holds on stderr. */
static enum status report_races(const char *file, const struct ir_race_log *log)
{
	struct text out = {0};
	for (uint32_t i = 0; i < log->report_count; i++) {
		text_add_format(&out, "%s: in %s: ", file, log->reports[i].kernel->name);
		ir_race_print(&out, &log->reports[i]);
		text_add_char(&out, '\n');
	}
	fflush(stdout);
	fwrite(text_string(&out), 1, out.length, stderr);
	text_free(&out);
	return log->elements ? STATUS_FAILED : STATUS_OK;
}

/* Runs the checked program; with --check-races under the watch of a log. */
static enum status act(const struct options *o, struct input *in, const struct host_options *host, action *run)
{
	struct ir_race_log log = {.most = RACE_REPORTS};
	if (o->check_races)
		device_interp_watch_races(&log);
	enum status status = run(in->program, host) == 0 ? STATUS_OK : STATUS_FAILED;
	device_interp_watch_races(NULL);
	if (report_races(in->source.name, &log) != STATUS_OK)
		status = STATUS_FAILED;
	ir_race_log_free(&log);
	return status;
}

/* A device is opened for the first program that has kernels, and stays open for those after it. */
struct opening {
	struct device *device; /* NULL: none yet */
	bool failed;           /* which has been said */
};

static enum status act_on_device(const struct options *o, struct input *in, struct opening *opening, action *run)
{
	bool has_kernels = in->program->module->kernel_count != 0;
	struct artifact_provider provider = artifact_provider_make(!o->no_cache);
	struct host_options host = {.device = opening->device,
	                            .provider = &provider,
	                            .arguments = o->arguments,
	                            .argument_count = (uint32_t)o->argument_count};
	struct text error = {0};
	if (!host.device)
		host.device = device_choose(o->check_races ? "interp" : o->device, has_kernels, &error);
	if (has_kernels)
		opening->device = host.device;
	opening->failed = !host.device;
	enum status status = host.device ? act(o, in, &host, run) : command_error("%s", text_string(&error));
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

static enum status with_device(const struct options *o, action *run, bool needs_main)
{
	if (o->check_races && o->device && strcmp(o->device, "interp") != 0)
		return command_error("--check-races runs on the device interp, not on %s", o->device);
	const char *profile = o->profile ? o->profile : getenv("SSPUR_PROFILE");
	if (profile && *profile)
		profile_start(profile);
	struct opening opening = {0};
	enum status worst = STATUS_OK;
	for (int i = 0; i < o->file_count && !opening.failed; i++) {
		enum status status = with_program(o, o->files[i], &opening, run, needs_main);
		worst = status > worst ? status : worst;
	}
	struct device *device = opening.device;
	if (device && device->functions->close)
		device->functions->close(device);
	struct text error = {0};
	if (!profile_finish(&error))
		worst = command_error("%s", text_string(&error));
	text_free(&error);
	return worst;
}

enum status command_run(const struct options *o)
{
	return with_device(o, host_run_main, true);
}

enum status command_test(const struct options *o)
{
	return with_device(o, host_run_tests, false);
}

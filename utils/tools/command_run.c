/* `sspur run` and `sspur test`. */
#include <stdio.h>

#include "frontend/ssp/host.h"
#include "utils/tools/command.h"
#include "utils/tools/compiler.h"
#include "utils/tools/device_choice.h"
#include "utils/tools/input.h"

/* Opens what the options ask for and hands the checked program to `action`. */
static enum status with_program(const struct options *o, const char *path, struct device *device,
                                int (*action)(struct program *, const struct host_options *), bool needs_main)
{
	struct input in;
	struct artifact_provider provider = artifact_provider_make(!o->no_cache);
	struct host_options host = {.device = device,
	                            .provider = &provider,
	                            .arguments = o->arguments,
	                            .argument_count = (uint32_t)o->argument_count};
	enum status status = input_open(&in, path, true);
	if (status == STATUS_FAILED)
		input_report(&in);
	else if (status == STATUS_OK && needs_main && !in.program->main)
		status = command_error("%s has no `fn main`", in.source.name);
	else if (status == STATUS_OK)
		status = action(in.program, &host) == 0 ? STATUS_OK : STATUS_FAILED;
	input_close(&in);
	return status;
}

static enum status with_device(const struct options *o, int (*action)(struct program *, const struct host_options *),
                               bool needs_main)
{
	struct text error = {0};
	struct device *device = device_choose(o->device, &error);
	enum status worst = device ? STATUS_OK : command_error("%s", text_string(&error));
	for (int i = 0; device && i < o->file_count; i++) {
		enum status status = with_program(o, o->files[i], device, action, needs_main);
		worst = status > worst ? status : worst;
	}
	if (device && device->functions->close)
		device->functions->close(device);
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

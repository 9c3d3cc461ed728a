/* `--check-races`. */
#include "utils/tools/race_watch.h"

#include <stdio.h>
#include <string.h>

#include "runtime/device_interp.h"
#include "utils/tools/input.h"

enum { RACE_REPORTS = 20 };

enum status race_watch_check(const struct options *o)
{
	if (o->check_races && o->device && strcmp(o->device, "interp") != 0)
		return command_error("--check-races runs on the device interp, not on %s", o->device);
	return STATUS_OK;
}

void race_watch_start(const struct options *o, struct ir_race_log *log)
{
	log->most = RACE_REPORTS;
	if (o->check_races)
		device_interp_watch_races(log);
}

enum status race_watch_finish(const char *file, struct ir_race_log *log)
{
	struct text out = {0};
	device_interp_watch_races(NULL);
	for (uint32_t i = 0; i < log->report_count; i++) {
		text_add_format(&out, "%s: in %s: ", file, log->reports[i].kernel->name);
		ir_race_print(&out, &log->reports[i]);
		text_add_char(&out, '\n');
	}
	if (log->elements)
		text_add_format(&out, "%s: %llu element%s with races\n", file, (unsigned long long)log->elements,
		                log->elements == 1 ? "" : "s");
	fflush(stdout);
	fwrite(text_string(&out), 1, out.length, stderr);
	text_free(&out);
	enum status status = log->elements ? STATUS_FAILED : STATUS_OK;
	ir_race_log_free(log);
	return status;
}

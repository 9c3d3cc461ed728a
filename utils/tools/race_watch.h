/* `--check-races`: what runs in between is watched, then what was seen is said. */
#ifndef SSPUR_TOOLS_RACE_WATCH_H
#define SSPUR_TOOLS_RACE_WATCH_H

#include "ir/ir_race_log.h"
#include "utils/tools/command.h"

/* STATUS_USAGE, which is said, where the device that is asked for is not the one that can watch. */
enum status race_watch_check(const struct options *o);
/* Zero-initialise the log. Without --check-races nothing is watched. */
void race_watch_start(const struct options *o, struct ir_race_log *log);
/* Says on stderr what the log holds, and frees it, while the kernels are there still. STATUS_FAILED: there were races.
 */
enum status race_watch_finish(const char *file, struct ir_race_log *log);

#endif

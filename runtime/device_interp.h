/* Device `interp`: the IR interpreter, the reference every other device is compared with. */
#ifndef SSPUR_RUNTIME_DEVICE_INTERP_H
#define SSPUR_RUNTIME_DEVICE_INTERP_H

#include "runtime/device.h"

struct ir_race_log;

/* From now on launches on `interp` record their accesses in the log, and the races between them; NULL: no longer. The
 * log outlives the launches. */
void device_interp_watch_races(struct ir_race_log *log);

extern const struct device_functions device_interp_functions;

#endif

/* A profile: when launches, copies, waits and loads of code ran, for chrome://tracing and Perfetto. One a process. A
 * queue asks for the devices it uses through profile_device; without a profile that costs nothing. Any thread. */
#ifndef SSPUR_RUNTIME_PROFILE_H
#define SSPUR_RUNTIME_PROFILE_H

#include "runtime/device.h"

/* From now on what runs is kept, and written to `path` when the process exits. A second call is without effect. */
void profile_start(const char *path);
/* Writes it at once; later calls, and the exit, write nothing more. True without a profile. False with one line in
 * *error: the file could not be written. */
bool profile_finish(struct text *error);
/* A moment of the whole process. */
void profile_mark(const char *what);

/* The device with its calls on a track of the profile; without a profile the device itself. `purpose`: of a device that
 * is there for what another cannot do, appended to its name; else NULL. */
struct device *profile_device(struct device *d, const char *purpose);
/* Frees what profile_device made of a device; of any other device, or NULL, nothing. */
void profile_device_free(struct device *d);
/* Why the launches that this thread makes next on an exact device run there: "cpu rerun", and a reason. */
void profile_note(const char *what, const char *why);

#endif

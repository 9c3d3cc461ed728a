/* A device that is profiled is another one, whose functions call those of the device and note the time. Events are kept
 * as the text that is written: the trace event format of Chrome, "complete" events in microseconds from the start. */
#include "runtime/profile.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ir/ir.h"
#include "utils/base/arena.h"
#include "utils/base/file.h"

struct profiled {
	struct device device; /* what the queue sees */
	struct device_functions functions;
	struct device *inner;
	uint32_t track;
	bool reruns; /* it is there for what another device cannot do */
};

static struct {
	pthread_mutex_t lock;
	_Atomic bool running;
	uint64_t start; /* ns */
	char *path;
	struct text events;
	uint32_t tracks;
} profile = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
	bool rerun;
	char why[200];
} note;

static uint64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- Starting, writing ---- */

/* The process may exit where the lock is held: out of memory for an event. */
static bool lock_at_end(void)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 1;
	return pthread_mutex_timedlock(&profile.lock, &until) == 0;
}

bool profile_finish(struct text *error)
{
	bool good = true;
	if (!lock_at_end())
		return true;
	if (profile.running) {
		profile.running = false;
		struct text out = {0};
		text_add(&out, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
		text_add(&out, text_string(&profile.events));
		text_add(
		    &out,
		    "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"sspur\"}}\n]}\n");
		good = file_write(profile.path, text_string(&out), out.length, error);
		text_free(&out);
		text_free(&profile.events);
		free(profile.path);
		profile.path = NULL;
	}
	pthread_mutex_unlock(&profile.lock);
	return good;
}

static void finish_at_exit(void)
{
	struct text error = {0};
	if (!profile_finish(&error))
		fprintf(stderr, "sspur: %s\n", text_string(&error));
	text_free(&error);
}

/* The file is of the process that began it: in the child of a fork nothing is noted, and nothing written at its end. */
static void forget(void)
{
	profile.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	profile.running = false;
}

void profile_start(const char *path)
{
	static bool started;
	pthread_mutex_lock(&profile.lock);
	if (!started && atexit(finish_at_exit) == 0) {
		profile.path = memory_alloc(strlen(path) + 1);
		strcpy(profile.path, path);
		profile.start = now();
		pthread_atfork(NULL, NULL, forget);
		profile.running = started = true;
	}
	pthread_mutex_unlock(&profile.lock);
}

void profile_note(const char *what, const char *why)
{
	if (!profile.running)
		return;
	note.rerun = strstr(what, "rerun") != NULL;
	snprintf(note.why, sizeof note.why, "%s", why);
}

/* ---- Events ---- */

static struct profiled *of(struct device *d)
{
	return (struct profiled *)d->state;
}

static void add_string(struct text *out, const char *name, const char *value)
{
	text_add_format(out, ", \"%s\": ", name);
	text_add_json(out, value, strlen(value));
}

/* An event that began at `start` and ends now. `arguments`: more members of its args, each after a comma. */
static void add_event(struct device *d, const char *kind, const char *name, uint64_t start, uint64_t bytes,
                      const char *arguments)
{
	uint64_t end = now();
	struct text line = {0};
	text_add(&line, "{\"ph\": \"X\", \"pid\": 1");
	text_add_format(&line, ", \"tid\": %u", of(d)->track);
	add_string(&line, "cat", kind);
	add_string(&line, "name", name);
	pthread_mutex_lock(&profile.lock);
	text_add(&line, ", \"ts\": ");
	text_add_fixed(&line, (double)(start - profile.start) / 1000, 3);
	text_add(&line, ", \"dur\": ");
	text_add_fixed(&line, (double)(end - start) / 1000, 3);
	text_add_format(&line, ", \"args\": {\"bytes\": %llu", (unsigned long long)bytes);
	add_string(&line, "device", d->name);
	text_add(&line, arguments);
	text_add(&line, "}},\n");
	if (profile.running)
		text_add(&profile.events, text_string(&line));
	pthread_mutex_unlock(&profile.lock);
	text_free(&line);
}

void profile_mark(const char *what)
{
	struct text line = {0};
	uint64_t at = now();
	pthread_mutex_lock(&profile.lock);
	text_add(&line, "{\"ph\": \"i\", \"s\": \"g\", \"pid\": 1, \"tid\": 0, \"ts\": ");
	text_add_fixed(&line, (double)(at - profile.start) / 1000, 3);
	add_string(&line, "name", what);
	text_add(&line, "},\n");
	if (profile.running)
		text_add(&profile.events, text_string(&line));
	pthread_mutex_unlock(&profile.lock);
	text_free(&line);
}

static uint64_t launch_bytes(const struct device_launch *launch)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < launch->kernel->parameter_count; i++)
		if (launch->arguments[i].buffer)
			bytes += launch->arguments[i].length * launch->kernel->parameters[i].type->size;
	return bytes;
}

static const char *variant_name(enum kernel_variant variant)
{
	switch (variant) {
	case KERNEL_CHECKED: return "checked";
	case KERNEL_PROVED: return "proved";
	case KERNEL_NARROW: return "narrow";
	}
	return "?";
}

/* `why`: why it runs here; NULL: it was to. */
static void add_launch(struct device *d, const char *kind, const struct device_launch *launch, uint64_t start,
                       const char *why)
{
	struct text more = {0};
	add_string(&more, "variant", variant_name(launch->variant));
	uint64_t threads = launch->extents[0] * launch->extents[1] * launch->extents[2];
	text_add_format(&more, ", \"threads\": %llu",
	                (unsigned long long)(launch->last ? launch->last - launch->first : threads));
	if (why && *why)
		add_string(&more, "why", why);
	add_event(d, kind, launch->kernel->name, start, launch_bytes(launch), text_string(&more));
	text_free(&more);
}

/* ---- The device's functions ---- */

static bool profiled_open(struct device *d, struct text *error)
{
	struct device *inner = of(d)->inner;
	uint64_t start = now();
	bool good = inner->functions->open(inner, error);
	add_event(d, "open", "open", start, 0, "");
	return good;
}

static void profiled_close(struct device *d)
{
	of(d)->inner->functions->close(of(d)->inner);
}

static void profiled_describe(struct device *d, struct text *out)
{
	of(d)->inner->functions->describe(of(d)->inner, out);
}

static struct device_buffer *profiled_buffer_new(struct device *d, uint64_t size)
{
	return of(d)->inner->functions->buffer_new(of(d)->inner, size);
}

static void profiled_buffer_free(struct device *d, struct device_buffer *b)
{
	of(d)->inner->functions->buffer_free(of(d)->inner, b);
}

static bool profiled_buffer_write(struct device *d, struct device_buffer *b, const void *bytes, uint64_t size)
{
	uint64_t start = now();
	bool good = of(d)->inner->functions->buffer_write(of(d)->inner, b, bytes, size);
	add_event(d, "copy", "copy to device", start, size, "");
	return good;
}

static bool profiled_buffer_read(struct device *d, struct device_buffer *b, void *bytes, uint64_t size)
{
	uint64_t start = now();
	bool good = of(d)->inner->functions->buffer_read(of(d)->inner, b, bytes, size);
	add_event(d, "copy", "copy from device", start, size, "");
	return good;
}

static bool profiled_buffer_copy(struct device *d, struct device_buffer *to, struct device_buffer *from, uint64_t size)
{
	uint64_t start = now();
	bool good = of(d)->inner->functions->buffer_copy(of(d)->inner, to, from, size);
	add_event(d, "copy", "copy on device", start, size, "");
	return good;
}

static struct device_program *profiled_program_load(struct device *d, const struct ir_module *module,
                                                    const struct artifact_provider *provider, struct text *error)
{
	uint64_t start = now();
	struct device_program *p = of(d)->inner->functions->program_load(of(d)->inner, module, provider, error);
	add_event(d, "load", "load code", start, 0, "");
	return p;
}

static void profiled_program_free(struct device *d, struct device_program *p)
{
	of(d)->inner->functions->program_free(of(d)->inner, p);
}

static bool profiled_launch(struct device *d, struct device_program *p, const struct device_launch *launch,
                            struct kernel_trap *trap)
{
	uint64_t start = now();
	bool good = of(d)->inner->functions->launch(of(d)->inner, p, launch, trap);
	bool noted = of(d)->reruns;
	add_launch(d, noted && note.rerun ? "rerun" : "launch", launch, start, noted ? note.why : NULL);
	return good;
}

static bool profiled_submit(struct device *d, struct device_program *p, const struct device_launch *launch,
                            const struct device_flags *flags, struct text *error)
{
	uint64_t start = now();
	bool good = of(d)->inner->functions->submit(of(d)->inner, p, launch, flags, error);
	add_launch(d, "launch", launch, start, NULL);
	return good;
}

static bool profiled_flush(struct device *d, struct text *error)
{
	return of(d)->inner->functions->flush(of(d)->inner, error);
}

static bool profiled_finish(struct device *d, struct text *error)
{
	uint64_t start = now();
	bool good = of(d)->inner->functions->finish(of(d)->inner, error);
	add_event(d, "wait", "wait", start, 0, "");
	return good;
}

static const struct device_capabilities *profiled_capabilities(struct device *d)
{
	return of(d)->inner->functions->capabilities(of(d)->inner);
}

/* A function that the device does not have stays away, as that means something. */
static void wrap(struct profiled *p, const struct device_functions *f)
{
	p->functions = (struct device_functions){
	    .count = f->count,
	    .open = f->open ? profiled_open : NULL,
	    .close = f->close ? profiled_close : NULL,
	    .describe = profiled_describe,
	    .buffer_new = profiled_buffer_new,
	    .buffer_free = profiled_buffer_free,
	    .buffer_write = profiled_buffer_write,
	    .buffer_read = profiled_buffer_read,
	    .buffer_host = f->buffer_host,
	    .buffer_copy = f->buffer_copy ? profiled_buffer_copy : NULL,
	    .program_load = profiled_program_load,
	    .program_free = profiled_program_free,
	    .variants = f->variants,
	    .launch = f->launch ? profiled_launch : NULL,
	    .submit = f->submit ? profiled_submit : NULL,
	    .flush = f->flush ? profiled_flush : NULL,
	    .finish = f->finish ? profiled_finish : NULL,
	    .capabilities = f->capabilities ? profiled_capabilities : NULL,
	};
}

struct device *profile_device(struct device *d, const char *purpose)
{
	if (!profile.running)
		return d;
	struct profiled *p = memory_zeroed(1, sizeof *p);
	wrap(p, d->functions);
	p->inner = d;
	p->reruns = purpose != NULL;
	p->device = (struct device){.name = d->name, .functions = &p->functions, .number = d->number, .state = p};
	struct text name = {0};
	text_add(&name, d->name);
	if (purpose)
		text_add_format(&name, ", %s", purpose);
	pthread_mutex_lock(&profile.lock);
	p->track = ++profile.tracks;
	text_add_format(
	    &profile.events,
	    "{\"ph\": \"M\", \"pid\": 1, \"tid\": %u, \"name\": \"thread_name\", \"args\": {\"name\": ", p->track);
	text_add_json(&profile.events, text_string(&name), name.length);
	text_add(&profile.events, "}},\n");
	pthread_mutex_unlock(&profile.lock);
	text_free(&name);
	return &p->device;
}

void profile_device_free(struct device *d)
{
	if (d && d->functions->describe == profiled_describe)
		free(d->state);
}

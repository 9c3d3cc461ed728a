/* What the files of the public API (runtime/sspur.h) share. */
#ifndef SSPUR_RUNTIME_API_H
#define SSPUR_RUNTIME_API_H

#include "runtime/artifact_reflection.h"
#include "runtime/bundle.h"
#include "runtime/holding.h"
#include "runtime/queue.h"
#include "runtime/queue_bare.h"
#include "runtime/sspur.h"

struct sspur_context {
	struct device *device; /* a device of the context's own, but for its name */
	struct queue *queue;
	struct queue_task task;
	struct holding *buffers, *modules;
	struct text description;
	sspur_error status; /* of the last call that failed */
	struct text error;
	sspur_error pending; /* a trap that was taken from the queue and is not reported yet; OK: none */
	struct text pending_text;
	uint32_t forks; /* of the process that opened it (fork_watch.h) */
	bool left;      /* behind, by a fork: its error is of this process all the same */
	bool goes_on;   /* what is pending are failures that were recorded: launches run all the same */
};

struct sspur_buffer {
	struct holding holding;
	sspur_context *context;
	struct queue_buffer *buffer;
	uint64_t size;
};

struct sspur_kernel {
	sspur_module *module;
	struct queue_kernel facts;
	struct queue_bare *bare;          /* where it is launched by extents; NULL: by its grid */
	bool grouped;                     /* of those: runs in whole groups */
	uint32_t taken[QUEUE_BARE_WORDS]; /* of a bundle's that records failures: records that were reported */
};

struct sspur_module {
	struct holding holding;
	sspur_context *context;
	struct text bytes, reflection;
	struct bundle bundle;    /* within the bytes */
	enum artifact_kind kind; /* of a bare artifact: what the bytes are */
	bool taken;              /* the device has asked for the artifact */
	uint32_t asked;          /* for which other kinds, a sum of 1 << enum artifact_kind */
	struct artifact_provider provider;
	struct ir_module *ir;      /* of a bare artifact: signatures alone */
	struct queue_module *code; /* of a bundle with kernels that stop at traps; else NULL */
	struct queue_bare *bare; /* of a bare artifact, and of a bundle with kernels that record failures; else NULL */
	bool is_artifact;        /* bare */
	sspur_kernel *kernels;   /* in the order of ir's */
};

/* Sets the error of the context, NULL: of the thread, and returns the status. */
sspur_error api_fail(sspur_context *c, sspur_error status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether the context is of the process before a fork(), as then its device is of no use here: its error says so then,
 * and nothing of it may be touched, as another thread of that process may have been at it. */
bool api_is_left_behind(sspur_context *c);
/* Waits for all launches and keeps the first trap as pending. */
void api_settle(sspur_context *c);
/* The module's kernels, of which m->ir has the signatures: m->kernels. */
void api_module_open_kernels(sspur_module *m);
/* The end of loading one: into the context's list and *module, or freed with *error reported. Frees the text. */
sspur_error api_module_loaded(sspur_module *m, bool good, struct text *error, sspur_module **module);

#endif

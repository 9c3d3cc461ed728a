/* What the files of the queue share. Everything here is called with the queue's lock held. */
#ifndef SSPUR_RUNTIME_QUEUE_INTERNAL_H
#define SSPUR_RUNTIME_QUEUE_INTERNAL_H

#include <pthread.h>

#include "ir/ir.h"
#include "ir/proof.h"
#include "runtime/queue.h"

/* A buffer has its contents on the device, in a mirror (a buffer of the exact device), or in both. On an exact device
 * there is no mirror, and where the device's memory is the host's the mirror is the same memory: both are valid always.
 */
struct queue_buffer {
	uint64_t size;
	uint32_t references;          /* the owner's and one a queued launch */
	struct device_buffer *device; /* NULL: the device was lost before it was made */
	struct device_buffer *mirror; /* NULL: none yet */
	bool device_valid, mirror_valid;
	bool shared;           /* the mirror is the device's memory */
	uint64_t backup_batch; /* the latest that has a backup of it; 0: none */
};

/* A launch that was queued and is not checked yet. */
struct queued_launch {
	const struct queue_kernel *kernel;
	struct queue_argument *arguments;
	uint64_t extents[3];
	const void *origin;
	struct queue_task *task;
	uint64_t batch;
	int32_t mask;                /* index into masks; -1: none */
	enum kernel_variant variant; /* these three as in struct device_launch */
	uint64_t proved_first, proved_last;
};

/* The state of a buffer before the first launch of a batch that writes it: on the device or on the host. */
struct queue_backup {
	struct queue_buffer *buffer;
	uint64_t batch;
	struct device_buffer *copy;
	void *bytes;
};

struct queue_mask {
	struct device_buffer *buffer;
	uint64_t size;
	bool used;  /* by an unchecked launch */
	bool clear; /* all bits are 0 */
};

/* A backup's memory, kept for the next one of its size. */
struct queue_spare {
	struct device_buffer *copy;
	uint64_t size;
};

enum {
	QUEUE_MASKS_MOST = QUEUE_LAUNCHES_MOST,
	QUEUE_SPARES_MOST = 16,
	QUEUE_ARGUMENTS_USUAL = 16, /* of a launch: memory for so many is used again */
};

/* A module's code. */
struct queue_module {
	const struct ir_module *module; /* NULL: none */
	const struct artifact_provider *provider;
	bool loaded;
	struct device_program *program; /* NULL: none yet, or load_error says why */
	struct text load_error;
	struct device *exact; /* on which exact_program runs */
	struct device_program *exact_program;
};

struct queue {
	struct queue_options options;
	pthread_mutex_t lock;
	struct device *device;
	bool exact_only;            /* the device is exact */
	struct device *exact;       /* whose memory mirrors are; NULL until there are any */
	struct device *interpreter; /* for modules that the exact device does not load; NULL until there is one */
	struct queue_module main;   /* the options' */

	struct queued_launch launches[QUEUE_LAUNCHES_MOST]; /* submitted and unchecked, in order */
	uint32_t count;
	struct queued_launch held; /* not yet submitted, in case it stays alone; only while count is 0 */
	bool is_held;
	uint64_t batch;       /* of the next launch, from 1 */
	uint32_t batch_count; /* launches in it */

	struct queue_backup *backups; /* of unchecked launches, in order */
	uint32_t backup_count, backup_capacity;
	struct queue_spare spares[QUEUE_SPARES_MOST];
	uint32_t spare_count;

	struct device_buffer *status; /* a record a launch, by its index; zero when nothing is unchecked */
	struct queue_mask masks[QUEUE_MASKS_MOST];
	uint32_t mask_count;
	uint32_t mask_first; /* all before it are in use */
	uint64_t mask_bytes;

	struct ir_proof_cache *proofs; /* NULL: launches are not proved */
	/* For one launch at a time. */
	struct device_argument *device_arguments;
	struct ir_argument *proof_arguments;
	uint32_t argument_capacity;
	struct queue_argument *spare_arguments[QUEUE_LAUNCHES_MOST]; /* QUEUE_ARGUMENTS_USUAL each */
	uint32_t spare_argument_count;

	uint64_t bare_launches; /* of bare kernels, so far */
	bool writing;           /* buffers were written since the last finish */
	bool broken;            /* the device failed: everything runs on the CPU */
	struct text failure;
	const char *failed_kernel; /* NULL: none */
};

/* ---- Buffers (queue_buffer.c) ---- */

/* The buffer to give the exact device, holding the contents. NULL: no memory, or the device cannot be read
 * (*lost). Nothing may be unchecked that writes it, unless the device is at rest. */
struct device_buffer *queue_mirror(struct queue *q, struct queue_buffer *b, bool *lost);
/* A mirror whose contents are about to be replaced. */
struct device_buffer *queue_mirror_space(struct queue *q, struct queue_buffer *b);
/* The mirror was written. */
void queue_mirror_changed(struct queue_buffer *b);
/* Brings the contents to the device; false: it failed. */
bool queue_to_device(struct queue *q, struct queue_buffer *b);
void queue_device_changed(struct queue *q, struct queue_buffer *b);
void queue_buffer_drop(struct queue *q, struct queue_buffer *b);
/* From the device, with what can be freed freed when it is out of memory. */
struct device_buffer *queue_device_memory(struct queue *q, uint64_t size);

/* ---- Backups (queue_backup.c) ---- */

/* What a launch that is about to be submitted in the current batch still needs. NO_MEMORY: nothing was made. */
enum backup_result { BACKUP_DONE, BACKUP_NO_MEMORY };
enum backup_result queue_backup_launch(struct queue *q, const struct queued_launch *l);
/* The same into host memory alone, when nothing else is unchecked. */
enum backup_result queue_backup_on_host(struct queue *q, const struct queued_launch *l);
const struct queue_backup *queue_backup_find(const struct queue *q, const struct queue_buffer *b, uint64_t batch);
/* Puts the contents of the backup into the buffer's mirror; false: no memory, or (*lost) the device cannot be read. */
bool queue_backup_restore(struct queue *q, const struct queue_backup *backup, bool *lost);
void queue_backups_drop(struct queue *q);
void queue_spares_free(struct queue *q);

/* ---- Proofs (queue_proof.c) ---- */

void queue_proofs_open(struct queue *q);
/* Picks the variant for the queue's device, which has loaded the launch's module. */
void queue_prove(struct queue *q, struct queued_launch *l);
/* Which variant that is, and why not a better one. Nothing where launches are not proved. */
void queue_explain(struct queue *q, const struct queued_launch *l, struct text *out);

/* ---- Modules (queue_module.c) ---- */

struct queue_module *queue_module_of(struct queue *q, const struct queued_launch *l);
/* Loads its code for the device, once. False with *error as queue_load says. */
bool queue_module_load(struct queue *q, struct queue_module *m, struct text *error);
/* Loads its code for the exact device, once. */
void queue_module_load_exact(struct queue *q, struct queue_module *m);
/* Frees what was loaded. */
void queue_module_unload(struct queue *q, struct queue_module *m);
/* Sets the exact device: from now on there are mirrors. */
void queue_exact_open(struct queue *q);

/* ---- Status records and masks (queue_flags.c) ---- */

enum { STATUS_WORDS = 8 };

/* A zeroed record for every launch; false: no memory, or the device failed. */
bool queue_flags_open(struct queue *q);
void queue_flags_free(struct queue *q);
/* Index of a zeroed mask for so many threads; -1: none to be had. */
int32_t queue_mask_take(struct queue *q, uint64_t threads);
/* Frees the memory of masks that no launch uses. */
void queue_masks_trim(struct queue *q);
/* The bits, 32-bit words, for free(); NULL: the device failed. */
uint32_t *queue_mask_read(struct queue *q, const struct queued_launch *l);
/* The records of all launches, for free(); NULL: the device failed. Zeroes on the device what is not zero. */
uint32_t *queue_status_read(struct queue *q);

/* ---- Reruns (queue_rerun.c, queue_restore.c) ---- */

/* Room for so many in q->device_arguments and q->proof_arguments. */
void queue_arguments_reserve(struct queue *q, uint32_t count);
uint64_t launch_threads(const struct queued_launch *l);
bool launch_writes(const struct queued_launch *l, uint32_t i);
/* Any argument; only those it writes. */
bool launch_uses(const struct queued_launch *l, const struct queue_buffer *b);
bool launch_writes_buffer(const struct queued_launch *l, const struct queue_buffer *b);
/* Runs threads [first, last), 0 and 0: all, on the exact device; a trap becomes pending. */
void queue_run_on_cpu(struct queue *q, const struct queued_launch *l, uint64_t first, uint64_t last);
/* The launch's arguments for the exact device. False with *trap filled but for whose it is: the contents cannot be had.
 */
bool queue_gather_mirrors(struct queue *q, const struct queued_launch *l, struct device_argument *arguments,
                          struct queue_trap *trap);
/* Why the launch cannot run on the device; empty: it can. */
void queue_why_cpu(struct queue *q, const struct queued_launch *l, struct text *why);
/* All launches are submitted and the device is at rest: runs again what is flagged. */
void queue_check(struct queue *q);
/* The device failed. */
void queue_recover(struct queue *q);
void queue_trace(const struct queue *q, const struct queued_launch *l, const char *what, const char *why);

/* Submits what is held, waits, checks everything. Nothing is unchecked after, and there are no backups. */
void queue_drain(struct queue *q);
/* The device failed: from now on everything runs on the CPU. */
void queue_break(struct queue *q, const char *error);

#endif

/* Status records of launches on OpenCL. A kernel's argument there is a whole buffer, and a part of one (a sub-buffer)
 * begins at a multiple of 128 bytes or more, while records stand 32 bytes apart. So a launch writes its record into a
 * slot of a ring, and a copy in order after it takes the slot's record to its place. */
#ifndef SSPUR_RUNTIME_OPENCL_RECORDS_H
#define SSPUR_RUNTIME_OPENCL_RECORDS_H

#include "runtime/opencl_driver.h"

enum { OPENCL_RECORD_SIZE = 32, OPENCL_RECORD_SLOTS = 64 };

struct opencl_records {
	struct opencl_memory *memory, *slots[OPENCL_RECORD_SLOTS];
	size_t stride; /* bytes */
	uint32_t next; /* slots from here on are zero; the first OPENCL_RECORD_SLOTS, when none is */
};

/* `alignment`: where parts of buffers may begin, in bytes. False with *error; then there is nothing to free. */
bool opencl_records_make(struct opencl_records *r, const struct opencl_driver *cl, struct opencl_context *context,
                         size_t alignment, struct text *error);
void opencl_records_free(struct opencl_records *r, const struct opencl_driver *cl);
/* A zeroed slot for the next launch; NULL with *error. */
struct opencl_memory *opencl_records_take(struct opencl_records *r, const struct opencl_driver *cl,
                                          struct opencl_queue *queue, struct text *error);
/* Copies the slot taken last to record number `record` of `status`. */
bool opencl_records_give(struct opencl_records *r, const struct opencl_driver *cl, struct opencl_queue *queue,
                         struct opencl_memory *status, uint64_t record, struct text *error);

#endif

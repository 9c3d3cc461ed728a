#include "runtime/opencl_records.h"

bool opencl_records_make(struct opencl_records *r, const struct opencl_driver *cl, struct opencl_context *context,
                         size_t alignment, struct text *error)
{
	opencl_status status;
	*r = (struct opencl_records){.stride = alignment > OPENCL_RECORD_SIZE ? alignment : OPENCL_RECORD_SIZE,
	                             .next = OPENCL_RECORD_SLOTS};
	r->memory = cl->clCreateBuffer(context, OPENCL_READ_WRITE, r->stride * OPENCL_RECORD_SLOTS, NULL, &status);
	if (opencl_failed(status, "clCreateBuffer", error)) {
		r->memory = NULL;
		return false;
	}
	for (uint32_t i = 0; i < OPENCL_RECORD_SLOTS; i++) {
		struct opencl_region region = {i * r->stride, OPENCL_RECORD_SIZE};
		struct opencl_memory *slot =
		    cl->clCreateSubBuffer(r->memory, OPENCL_READ_WRITE, OPENCL_REGION, &region, &status);
		if (opencl_failed(status, "clCreateSubBuffer", error)) {
			opencl_records_free(r, cl);
			return false;
		}
		r->slots[i] = slot;
	}
	return true;
}

void opencl_records_free(struct opencl_records *r, const struct opencl_driver *cl)
{
	for (uint32_t i = 0; i < OPENCL_RECORD_SLOTS; i++)
		if (r->slots[i])
			cl->clReleaseMemObject(r->slots[i]);
	if (r->memory)
		cl->clReleaseMemObject(r->memory);
	*r = (struct opencl_records){0};
}

struct opencl_memory *opencl_records_take(struct opencl_records *r, const struct opencl_driver *cl,
                                          struct opencl_queue *queue, struct text *error)
{
	static const uint32_t zero = 0;
	if (r->next == OPENCL_RECORD_SLOTS) {
		opencl_status status = cl->clEnqueueFillBuffer(queue, r->memory, &zero, sizeof zero, 0,
		                                               r->stride * OPENCL_RECORD_SLOTS, 0, NULL, NULL);
		if (opencl_failed(status, "clEnqueueFillBuffer", error))
			return NULL;
		r->next = 0;
	}
	return r->slots[r->next++];
}

bool opencl_records_give(struct opencl_records *r, const struct opencl_driver *cl, struct opencl_queue *queue,
                         struct opencl_memory *status, uint64_t record, struct text *error)
{
	opencl_status copied = cl->clEnqueueCopyBuffer(queue, r->memory, status, (r->next - 1) * r->stride,
	                                               record * OPENCL_RECORD_SIZE, OPENCL_RECORD_SIZE, 0, NULL, NULL);
	return !opencl_failed(copied, "clEnqueueCopyBuffer", error);
}

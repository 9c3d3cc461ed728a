/* Metal, from plain C: messages of the Objective-C runtime, which is opened at run time. An object that a message of
 * the table below returns is the pool's (metal_pool) unless the message begins with `new`; then it is the caller's to
 * release. */
#ifndef SSPUR_RUNTIME_METAL_RUNTIME_H
#define SSPUR_RUNTIME_METAL_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utils/base/text.h"

struct metal_object;   /* what `id` points at */
struct metal_selector; /* what SEL points at */

/* MTLSize, of NSUInteger */
struct metal_size {
	uint64_t width, height, depth;
};

/* Values of enums of Metal's. */
enum {
	METAL_STORAGE_SHARED = 0,
	METAL_COMMANDS_COMPLETED = 4, /* MTLCommandBufferStatusCompleted */
};

#define METAL_SELF struct metal_object *self, struct metal_selector *selector

/* Result, name here, selector, arguments after the two that every message has. */
#define METAL_MESSAGES(M)                                                                                              \
	M(struct metal_object *, retain, "retain", (METAL_SELF))                                                       \
	M(void, release, "release", (METAL_SELF))                                                                      \
	M(struct metal_object *, new_object, "new", (METAL_SELF))                                                      \
	M(uint64_t, count, "count", (METAL_SELF))                                                                      \
	M(struct metal_object *, object_at, "objectAtIndex:", (METAL_SELF, uint64_t index))                            \
	M(struct metal_object *, string, "stringWithUTF8String:", (METAL_SELF, const char *text))                      \
	M(const char *, characters, "UTF8String", (METAL_SELF))                                                        \
	M(struct metal_object *, description, "localizedDescription", (METAL_SELF))                                    \
	M(struct metal_object *, name, "name", (METAL_SELF))                                                           \
	M(uint64_t, working_set, "recommendedMaxWorkingSetSize", (METAL_SELF))                                         \
	M(uint64_t, buffer_limit, "maxBufferLength", (METAL_SELF))                                                     \
	M(uint64_t, shared_limit, "maxThreadgroupMemoryLength", (METAL_SELF))                                          \
	M(struct metal_object *, new_queue, "newCommandQueue", (METAL_SELF))                                           \
	M(struct metal_object *, new_buffer,                                                                           \
	  "newBufferWithLength:options:", (METAL_SELF, uint64_t size, uint64_t options))                               \
	M(struct metal_object *, new_buffer_of,                                                                        \
	  "newBufferWithBytes:length:options:", (METAL_SELF, const void *bytes, uint64_t size, uint64_t options))      \
	M(void *, contents, "contents", (METAL_SELF))                                                                  \
	M(void, set_fast_math, "setFastMathEnabled:", (METAL_SELF, bool on))                                           \
	M(struct metal_object *, new_library, "newLibraryWithSource:options:error:",                                   \
	  (METAL_SELF, struct metal_object * source, struct metal_object * options, struct metal_object * *error))     \
	M(struct metal_object *, new_library_of,                                                                       \
	  "newLibraryWithData:error:", (METAL_SELF, struct metal_object * data, struct metal_object * *error))         \
	M(struct metal_object *, new_function, "newFunctionWithName:", (METAL_SELF, struct metal_object * name))       \
	M(struct metal_object *, new_pipeline, "newComputePipelineStateWithFunction:error:",                           \
	  (METAL_SELF, struct metal_object * function, struct metal_object * *error))                                  \
	M(uint64_t, thread_limit, "maxTotalThreadsPerThreadgroup", (METAL_SELF))                                       \
	M(struct metal_object *, command_buffer, "commandBuffer", (METAL_SELF))                                        \
	M(struct metal_object *, compute_encoder, "computeCommandEncoder", (METAL_SELF))                               \
	M(struct metal_object *, blit_encoder, "blitCommandEncoder", (METAL_SELF))                                     \
	M(void, end_encoding, "endEncoding", (METAL_SELF))                                                             \
	M(void, commit, "commit", (METAL_SELF))                                                                        \
	M(void, wait, "waitUntilCompleted", (METAL_SELF))                                                              \
	M(uint64_t, status, "status", (METAL_SELF))                                                                    \
	M(struct metal_object *, error, "error", (METAL_SELF))                                                         \
	M(void, set_pipeline, "setComputePipelineState:", (METAL_SELF, struct metal_object * pipeline))                \
	M(void, set_buffer,                                                                                            \
	  "setBuffer:offset:atIndex:", (METAL_SELF, struct metal_object * buffer, uint64_t offset, uint64_t index))    \
	M(void, set_bytes, "setBytes:length:atIndex:", (METAL_SELF, const void *bytes, uint64_t size, uint64_t index)) \
	M(void, dispatch, "dispatchThreadgroups:threadsPerThreadgroup:",                                               \
	  (METAL_SELF, struct metal_size groups, struct metal_size threads))                                           \
	M(void, copy, "copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:",                                  \
	  (METAL_SELF, struct metal_object * from, uint64_t from_offset, struct metal_object * to, uint64_t to_offset, \
	   uint64_t size))

struct metal_runtime {
	struct metal_object *(*objc_getClass)(const char *name);
	struct metal_selector *(*sel_registerName)(const char *name);
	void *(*objc_autoreleasePoolPush)(void);
	void (*objc_autoreleasePoolPop)(void *pool);
	void (*objc_msgSend)(void);
	void (*objc_msgSend_stret)(void);                /* of x86-64 alone: for structs that are returned in memory */
	struct metal_object *(*MTLCopyAllDevices)(void); /* NSArray, the caller's */
	/* The bytes copied, as dispatch_data_t; the caller's. */
	struct metal_object *(*dispatch_data_create)(const void *bytes, size_t size, void *queue, void *destructor);
	struct {
#define M(result, name, selector, arguments) result(*name) arguments;
		METAL_MESSAGES(M)
#undef M
	} send; /* each is objc_msgSend, as the function of that message */
	struct {
#define M(result, name, selector, arguments) struct metal_selector *name;
		METAL_MESSAGES(M)
#undef M
	} selectors;
};

/* The message of that name in the table above. To NULL: does nothing and gives 0. */
#define METAL_SEND(m, object, message, ...) ((m)->send.message((object), (m)->selectors.message, ##__VA_ARGS__))

/* Opened once and for good; NULL with why in *error: this is no Mac. SSPUR_METAL_RUNTIME names a library that has all
 * of the functions, in place of the system's. Any thread that holds the launch lock. */
const struct metal_runtime *metal_runtime_open(struct text *error);

/* What messages return without being asked to keep it is freed by metal_pool_end. Pools end in the opposite order. */
void *metal_pool(const struct metal_runtime *m);
void metal_pool_end(const struct metal_runtime *m, void *pool);
/* The object is NULL, or the caller's. */
void metal_release(const struct metal_runtime *m, struct metal_object *object);
/* Most threads of a group on each axis. */
struct metal_size metal_group_limits(const struct metal_runtime *m, struct metal_object *device);
/* *out gets the NSString's characters, on one line. */
void metal_text(const struct metal_runtime *m, struct metal_object *string, struct text *out);
/* *out gets `CALL: WHAT`, of an NSError or NULL. */
void metal_error(const struct metal_runtime *m, const char *call, struct metal_object *error, struct text *out);

#endif

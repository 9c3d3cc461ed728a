/* sspur: runs compiled kernels on a device, without the compiler. Link libsspur_runtime.
 *
 * A context is an open device with a queue. It owns buffers and modules; a module is a bundle (`sspur build FILE
 * --target bundle`) or a bare artifact, and owns its kernels. Launches are queued: one that has trapped is reported by
 * the next call that synchronizes (sspur_synchronize, sspur_buffer_read), or by a launch that does so.
 *
 * Every result is the same on every device, to the last bit: what a device cannot do exactly runs again on the CPU.
 * (Of Cone's kernels that is so but for functions and roundings that are a device's own.) Kernels of a bare artifact
 * are the exception: nothing of them runs again, and their status records are the caller's to read
 * (sspur_kernel_status).
 *
 * Errors: a function that can fail returns SSPUR_OK or what kind of error it was; then its results are
 * NULL or zero, nothing else has changed, and sspur_error_text has one line about it. No call ends the process, unless
 * the host itself is out of memory for small things: then it prints a line and exits with status 3.
 *
 * Nothing depends on the locale of the process or on the floating-point environment of the calling thread (rounding,
 * flushing of subnormals, exceptions that are signals), which is after each call what it was before it.
 *
 * Threads: a thread that calls has a stack of 256 KiB or more (docs/api.md). Calls on one context and on what it owns
 * are made by one thread at a time, any thread. Different contexts are independent. After fork() a context is of the
 * parent alone: in the child every call that needs its device is ERROR_LOST, freeing it and what it owns does nothing,
 * and the child opens contexts of its own; of a device whose driver the parent had opened it gets none (ERROR_DEVICE),
 * of `cpu`, `seq` and `interp` always. Sizes are bytes unless said otherwise; all numbers are in the host's byte
 * order. */
#ifndef SSPUR_H
#define SSPUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define SSPUR_API __attribute__((visibility("default")))
#else
#define SSPUR_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers never change their meaning; more may come. */
typedef enum sspur_error {
	SSPUR_OK = 0,
	SSPUR_ERROR_ARGUMENT = 1, /* the call is wrong: a null pointer, a size, a type, the number of arguments */
	SSPUR_ERROR_DEVICE = 2,   /* no device of the name, or it cannot be used */
	SSPUR_ERROR_ARTIFACT = 3, /* the bytes are no bundle or artifact, are damaged, or hold no code for the device */
	SSPUR_ERROR_KERNEL = 4,   /* the module has no kernel of the name */
	SSPUR_ERROR_MEMORY = 5,   /* out of device memory */
	SSPUR_ERROR_LAUNCH = 6,   /* refused, and nothing has run: a `pre` clause is false, a buffer is passed twice and
	                             written, the threads are not a multiple of the group, `pre` or `@grid` trap */
	SSPUR_ERROR_TRAP = 7, /* a launch that was queued earlier has trapped, or failures were recorded, in a thread */
	SSPUR_ERROR_LOST = 8  /* the device failed and its memory cannot be read, or was left behind by fork() */
} sspur_error;

typedef struct sspur_context sspur_context;
typedef struct sspur_buffer sspur_buffer;
typedef struct sspur_module sspur_module;
typedef struct sspur_kernel sspur_kernel;

/* "0.1.0". */
SSPUR_API const char *sspur_version(void);
/* "trap" for SSPUR_ERROR_TRAP, and so on; "unknown" for any other number. */
SSPUR_API const char *sspur_error_name(sspur_error error);
/* What the last call that failed on the context has said; of a call without a context, that the calling thread has
 * made, with NULL. "" when none has failed. Valid until the next call on the context (NULL: of the thread). */
SSPUR_API const char *sspur_error_text(const sspur_context *context);
/* The error that came with the text. */
SSPUR_API sspur_error sspur_error_code(const sspur_context *context);

/* ---- Devices ---- */

/* Names of the devices this library knows, from 0: "seq", "interp", ...; NULL from the last on. Touches no driver. */
SSPUR_API const char *sspur_device_name(uint32_t index);
/* How many devices of that name this machine has; 0, with the reason in sspur_error_text(NULL), when it has none.
 * Opens the driver. */
SSPUR_API uint32_t sspur_device_count(const char *name);

/* What a device does by itself and its limits. A launch that needs more runs on the CPU. */
typedef struct sspur_capabilities {
	bool is_gpu;         /* hardware of its own */
	bool float64;        /* has f64 at all */
	bool subnormals_f32; /* keeps them */
	bool subnormals_f64;
	bool exact_f32, exact_f64; /* division and square root are correctly rounded */
	uint32_t group_limit;      /* threads of a workgroup */
	uint64_t shared_limit;     /* bytes of shared memory of a workgroup */
	uint64_t memory;           /* bytes in all; 0: not known */
} sspur_capabilities;

/* ---- Contexts ---- */

/* Opens a device: a name, `name:N` for the N-th of its name, from 0, or `auto`: the first hardware GPU, else `cpu`;
 * what `auto` finds first the process keeps to. `cpu`, `seq` (native code on one core) and `interp` (the reference
 * interpreter) are always there. A device may be open in many contexts, each with its own memory; but of the injecting
 * devices, `fault:...`, one is open at a time. ERROR_DEVICE, with the text in sspur_error_text(NULL). Environment:
 * SSPUR_GPU_TRACE=1 makes it say on stderr where each launch runs; SSPUR_PROFILE=FILE makes the process write there, at
 * its end, when what ran (docs/cli.md). */
SSPUR_API sspur_error sspur_context_new(const char *device, sspur_context **context);
/* Waits, and frees the context with all that it owns. A trap that is pending is forgotten. NULL is allowed. */
SSPUR_API void sspur_context_free(sspur_context *context);
SSPUR_API void sspur_context_capabilities(const sspur_context *context, sspur_capabilities *capabilities);
/* One line about the device: name, driver, memory. Lives as long as the context. */
SSPUR_API const char *sspur_context_description(const sspur_context *context);

/* Waits for all launches. ERROR_TRAP or ERROR_LOST for the first that failed, in launch order and then in the order of
 * its threads (of kernels that record failures sspur_launch_extents tells): `index 4 out of bounds for list of length 4
 * at shift.ssp:3:13 in shift, gid 3`. What the launches since the last synchronization write is then undefined, and the
 * context is as new. */
SSPUR_API sspur_error sspur_synchronize(sspur_context *context);

/* ---- Buffers ---- */

/* Device memory of `size` bytes, 0 allowed; undefined until it is written. ERROR_MEMORY. */
SSPUR_API sspur_error sspur_buffer_new(sspur_context *context, uint64_t size, sspur_buffer **buffer);
/* Launches that are queued still have it. NULL is allowed. */
SSPUR_API void sspur_buffer_free(sspur_buffer *buffer);
SSPUR_API uint64_t sspur_buffer_size(const sspur_buffer *buffer);
/* Replaces the first `size` bytes, in order with launches; `bytes` is free to change when it returns. ERROR_ARGUMENT
 * when the buffer is smaller; ERROR_LOST. */
SSPUR_API sspur_error sspur_buffer_write(sspur_buffer *buffer, const void *bytes, uint64_t size);
/* Synchronizes, with the errors of sspur_synchronize, then reads the first `size` bytes. After an error `bytes` is
 * undefined. Which of its bit patterns a NaN has depends on the device; that it is one does not. */
SSPUR_API sspur_error sspur_buffer_read(sspur_buffer *buffer, void *bytes, uint64_t size);
/* The same of bytes [offset, offset + size), all of which the buffer has to have: else ERROR_ARGUMENT. The rest stays
 * as it is. On a device with memory of its own the first of a row of such calls copies the whole buffer to the host,
 * for which there may be no memory (ERROR_MEMORY), and the next launch that uses it copies it back. */
SSPUR_API sspur_error sspur_buffer_write_at(sspur_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size);
SSPUR_API sspur_error sspur_buffer_read_at(sspur_buffer *buffer, uint64_t offset, void *bytes, uint64_t size);

/* ---- Modules and kernels ---- */

/* Types of scalars and elements. A bool is 32 bits, 0 or 1, wherever it is in memory. */
typedef enum sspur_type {
	SSPUR_BOOL = 1,
	SSPUR_I8 = 2,
	SSPUR_U8 = 3,
	SSPUR_I16 = 4,
	SSPUR_U16 = 5,
	SSPUR_I32 = 6,
	SSPUR_U32 = 7,
	SSPUR_I64 = 8,
	SSPUR_U64 = 9,
	SSPUR_F32 = 10,
	SSPUR_F64 = 11,
	SSPUR_BYTES = 12 /* a struct or an array, which docs/abi.md lays out: Cone's kernels have such elements, and
	                    parameters that are structs, each with its bytes (sspur_bytes) */
} sspur_type;

typedef struct sspur_parameter {
	const char *name;
	sspur_type type;  /* of the scalar, or of an element */
	bool is_slice;    /* takes sspur_slice; else a scalar of the type, or sspur_bytes */
	bool is_writable; /* the kernel may write the slice */
	uint32_t size;    /* bytes of the scalar or element */
} sspur_parameter;

/* Loads a bundle; the bytes are copied. Damage is found before anything is used, but a bundle holds native code that
 * this process runs: load those that you trust. ERROR_ARTIFACT. A device that takes none of its code, or has none of
 * its own, runs its launches on the CPU. */
SSPUR_API sspur_error sspur_module_load(sspur_context *context, const void *bytes, size_t size, sspur_module **module);
/* What a bare artifact is (docs/abi.md): the files that `sspur build` writes with a status record. */
typedef enum sspur_artifact {
	SSPUR_ARTIFACT_ANY = 0,          /* what its bytes say */
	SSPUR_ARTIFACT_NATIVE = 1,       /* .o, for `cpu` and `seq` */
	SSPUR_ARTIFACT_PTX = 2,          /* .ptx, for `cuda` */
	SSPUR_ARTIFACT_SPIRV = 3,        /* .spv in the OpenCL form, for `opencl` devices that take SPIR-V */
	SSPUR_ARTIFACT_SPIR_BITCODE = 4, /* .bc, the same as LLVM bitcode, for those that take that */
	SSPUR_ARTIFACT_VULKAN = 5,       /* .spv in the Vulkan form, for `vulkan` */
	SSPUR_ARTIFACT_OPENCL_C = 6,     /* .cl, for every `opencl` device */
	SSPUR_ARTIFACT_METAL = 7         /* .metal or .metallib, for `metal` */
} sspur_artifact;

/* Loads an artifact without a bundle around it. `reflection`: the bytes of its NAME.json, which tells its kernels; both
 * are copied. The driver is trusted with the artifact as it is: load those that you trust. ERROR_ARTIFACT when it is
 * not of the kind, when the reflection is damaged, not of such an artifact or of kernels that this API cannot launch,
 * and when the device takes no such code.
 *
 * Such kernels are launched by sspur_launch_extents alone: `pre` and `@grid` are the caller's. A thread that fails
 * stops, and the kernel's status record says so; a trap there is never an error of a later call. What the device does
 * not compute exactly (sspur_capabilities) is told only as far as the artifact was built for such a device. */
SSPUR_API sspur_error sspur_module_load_artifact(sspur_context *context, sspur_artifact kind, const void *bytes,
                                                 size_t size, const void *reflection, size_t reflection_size,
                                                 sspur_module **module);
/* Waits for its launches, and frees it with its kernels. A trap stays pending. NULL is allowed. */
SSPUR_API void sspur_module_free(sspur_module *module);
/* Its reflection file (docs/abi.md), JSON. Lives as long as the module. */
SSPUR_API const char *sspur_module_reflection(const sspur_module *module);
SSPUR_API uint32_t sspur_module_kernel_count(const sspur_module *module);
/* In the order of the source; NULL from the last on. Belongs to the module. */
SSPUR_API sspur_kernel *sspur_module_kernel(sspur_module *module, uint32_t index);
/* By name. ERROR_KERNEL. */
SSPUR_API sspur_error sspur_kernel_find(sspur_module *module, const char *name, sspur_kernel **kernel);
SSPUR_API const char *sspur_kernel_name(const sspur_kernel *kernel);
SSPUR_API uint32_t sspur_kernel_parameter_count(const sspur_kernel *kernel);
/* In the order of the source. ERROR_ARGUMENT when there are not so many. */
SSPUR_API sspur_error sspur_kernel_parameter(const sspur_kernel *kernel, uint32_t index, sspur_parameter *parameter);

/* ---- Launches ---- */

/* One argument; made by the functions below. */
typedef struct sspur_argument {
	sspur_type type; /* of a scalar; not read of a slice */
	bool is_slice;
	uint64_t bits;        /* scalar: its bytes in the low end; SSPUR_BYTES: their address */
	sspur_buffer *buffer; /* slice */
	uint64_t length;      /* slice: elements; SSPUR_BYTES: how many there are */
} sspur_argument;

static inline sspur_argument sspur_scalar(sspur_type type, const void *value, size_t size)
{
	sspur_argument a;
	memset(&a, 0, sizeof a);
	a.type = type;
	memcpy(&a.bits, value, size);
	return a;
}

static inline sspur_argument sspur_bool(bool value)
{
	uint32_t bits = value;
	return sspur_scalar(SSPUR_BOOL, &bits, sizeof bits);
}

static inline sspur_argument sspur_i32(int32_t value)
{
	return sspur_scalar(SSPUR_I32, &value, sizeof value);
}

static inline sspur_argument sspur_u32(uint32_t value)
{
	return sspur_scalar(SSPUR_U32, &value, sizeof value);
}

/* `Int` of the source. */
static inline sspur_argument sspur_i64(int64_t value)
{
	return sspur_scalar(SSPUR_I64, &value, sizeof value);
}

static inline sspur_argument sspur_f32(float value)
{
	return sspur_scalar(SSPUR_F32, &value, sizeof value);
}

static inline sspur_argument sspur_f64(double value)
{
	return sspur_scalar(SSPUR_F64, &value, sizeof value);
}

/* The first `length` elements of the buffer, which must have them. */
static inline sspur_argument sspur_slice(sspur_buffer *buffer, uint64_t length)
{
	sspur_argument a;
	memset(&a, 0, sizeof a);
	a.is_slice = true;
	a.buffer = buffer;
	a.length = length;
	return a;
}

/* A struct by value: its bytes, copied by the launch. */
static inline sspur_argument sspur_bytes(const void *bytes, size_t size)
{
	sspur_argument a;
	memset(&a, 0, sizeof a);
	a.type = SSPUR_BYTES;
	a.bits = (uint64_t)(uintptr_t)bytes;
	a.length = size;
	return a;
}

/* Queues a launch, with one argument a parameter, of exactly its type. The number of threads is the kernel's `@grid`.
 * In this order: ERROR_ARGUMENT for arguments that do not fit the parameters; ERROR_LAUNCH for a buffer that is passed
 * twice and written, for a `pre` clause that is false, and so on (see there). A launch that is refused synchronizes
 * first, so an earlier trap is reported instead, and so does the launch that makes 256 since the last
 * synchronization. No threads: nothing runs. */
SSPUR_API sspur_error sspur_launch(sspur_kernel *kernel, const sspur_argument *arguments, uint32_t count);

/* Queues a launch of a kernel without `@grid`, one of Cone's or of a bare artifact: `extents` are its threads on x, y
 * and z, 1 on axes that it does not have, 0 for no thread at all. It is in order with all other launches and copies of
 * the context; launches by `@grid` that are queued complete first. ERROR_ARGUMENT as sspur_launch, for extents of which
 * the product is not below 2^63 or, of Cone's, one is above 2^32, and for a kernel that has a grid; ERROR_LAUNCH for a
 * buffer that is passed twice and written, for threads that are not a multiple of the group of a kernel with shared
 * memory or barriers, and, of a bare artifact, for what the device cannot run; ERROR_MEMORY for bytes; ERROR_LOST.
 *
 * A thread of a Cone kernel that fails ends, and the others go on: all launches run whole. The next call that
 * synchronizes answers ERROR_TRAP, once, for the first launch in which threads failed: `kernels.cone:37: index 165 past
 * the end of 128, invocation (37, 0, 0), 1 failed, in bake`; sspur_kernel_status has the record. Buffers hold what was
 * written: read again. What a device does not compute exactly, where it has to, is found at once for a kernel with
 * floats, or with loops on a device that may end them early: such a launch waits. */
SSPUR_API sspur_error sspur_launch_extents(sspur_kernel *kernel, const uint64_t extents[3],
                                           const sspur_argument *arguments, uint32_t count);
/* The same, of so many whole workgroups. */
SSPUR_API sspur_error sspur_launch_groups(sspur_kernel *kernel, const uint64_t groups[3],
                                          const sspur_argument *arguments, uint32_t count);

/* A status record (docs/abi.md). The header that `sspur build` writes has the same struct: a file may include both. */
#ifndef SSPUR_STATUS
#define SSPUR_STATUS
struct sspur_status {
	uint32_t failed; /* threads that failed; 0: every result is valid, and all else is 0. `cpu` and `seq` stop at a
	                    launch's first, and so count failed launches */
	uint32_t kind;   /* of one of them: 1 index, 2 range, 3 panic or assert, 4 allocation, 5 integer overflow,
	                    6 division by zero, 7 conversion, 8 cannot be exact on this device */
	uint32_t file;   /* of several source files its number (docs/abi.md); else 1 */
	uint32_t line;
	uint32_t x, y, z; /* its thread; y of a kernel with one axis is the high half of x */
	uint32_t value;   /* the low half of the index that was out of bounds */
};
#endif
typedef struct sspur_status sspur_status;

/* Waits for all launches of the kernel, one of Cone's or of a bare artifact, and gives what failed in those since the
 * last such call: threads that failed add up, and the rest is of the first launch with any. What no call has reported
 * yet, none does after this one. ERROR_ARGUMENT for any other kernel, of which a trap is an error; ERROR_LOST. */
SSPUR_API sspur_error sspur_kernel_status(sspur_kernel *kernel, sspur_status *status);

#ifdef __cplusplus
}
#endif

#endif

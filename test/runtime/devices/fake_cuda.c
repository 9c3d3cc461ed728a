/* A libcuda.so.1 in the host's memory for tests of machines without a GPU. It has the kernels of Inputs/devices.ssp,
 * written by hand to docs/abi.md. FAKE_CUDA=CALL:STATUS makes that call fail; FAKE_CUDA_VERSION is the driver's. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY = 1 << 30, GRID_LIMIT = 65535 };

static char stream, context, kernels[8][16]; /* what handles point at */
static int held;                             /* allocations, modules, streams and contexts */

static int status_of(const char *call)
{
	const char *fault = getenv("FAKE_CUDA");
	size_t length = strlen(call);
	return fault && strncmp(fault, call, length) == 0 && fault[length] == ':' ? atoi(fault + length + 1) : 0;
}

#define CALL                                                                                                           \
	do {                                                                                                           \
		int status = status_of(__func__);                                                                      \
		if (status)                                                                                            \
			return status;                                                                                 \
	} while (0)

/* ---- Kernels: arguments are pointers to values ---- */

struct thread {
	void **arguments;
	uint64_t x, y, id;
	uint32_t *status, *mask;
};

static uint64_t word(const struct thread *t, int n)
{
	uint64_t value;
	memcpy(&value, t->arguments[n], sizeof value);
	return value;
}

static int32_t half(const struct thread *t, int n)
{
	int32_t value;
	memcpy(&value, t->arguments[n], sizeof value);
	return value;
}

static void fail(const struct thread *t, uint32_t kind, uint32_t line)
{
	if (t->status[0]++ == 0) {
		uint32_t record[] = {kind, 1, line, (uint32_t)t->x, (uint32_t)(t->x >> 32)};
		memcpy(t->status + 1, record, sizeof record);
	}
	if (t->mask)
		t->mask[t->id / 32] |= UINT32_C(1) << t->id % 32;
}

static void next(const struct thread *t)
{
	const int32_t *x = (const int32_t *)word(t, 0);
	int32_t *y = (int32_t *)word(t, 2);
	if (t->x >= word(t, 1) || t->x >= word(t, 3))
		fail(t, 1, 3);
	else if (x[t->x] == INT_MAX)
		fail(t, 5, 3);
	else
		y[t->x] = x[t->x] + 1;
}

/* Has no status and no mask, which do not follow its arguments. */
static void next__proved(const struct thread *t)
{
	((int32_t *)word(t, 2))[t->x] = ((const int32_t *)word(t, 0))[t->x] + 1;
}

static void bump(const struct thread *t)
{
	int32_t *y = (int32_t *)word(t, 0);
	if (__builtin_add_overflow(y[t->x], half(t, 2), &(int32_t){0}))
		fail(t, 5, 6);
	else
		y[t->x] += half(t, 2);
}

static void mixed(const struct thread *t)
{
	float f;
	double d;
	memcpy(&f, t->arguments[2], sizeof f);
	memcpy(&d, t->arguments[3], sizeof d);
	((double *)word(t, 4))[t->x] =
	    (half(t, 0) ? 1.0 : -1.0) * (d + (double)f) + (double)((int64_t)word(t, 1) + (int64_t)t->x);
}

static void cells(const struct thread *t)
{
	((int64_t *)word(t, 0))[t->y * word(t, 2) + t->x] = (int64_t)(t->x * 1000 + t->y);
}

static void add_(const struct thread *t)
{
	((int32_t *)word(t, 0))[t->x] = 7;
}

/* Where the extents stand among the arguments. */
static const struct {
	const char *name;
	void (*run)(const struct thread *t);
	int extents, axes;
	int is_proved;
} known[] = {{"next", next, 4, 1},   {"bump", bump, 3, 1}, {"mixed", mixed, 6, 1},
             {"cells", cells, 4, 2}, {"add_", add_, 2, 1}, {"next__proved", next__proved, 4, 1, 1}};

static void run_kernel(size_t kernel, const unsigned *grid, const unsigned *block, void **arguments)
{
	int axes = known[kernel].axes, at = known[kernel].extents;
	struct thread t = {.arguments = arguments};
	uint64_t width = word(&t, at), height = axes > 1 ? word(&t, at + 1) : 1;
	uint64_t first_x = word(&t, at + axes), first_y = axes > 1 ? word(&t, at + axes + 1) : 0;
	if (!known[kernel].is_proved) {
		t.status = (uint32_t *)word(&t, at + 2 * axes);
		t.mask = (uint32_t *)word(&t, at + 2 * axes + 1);
	}
	for (uint64_t y = first_y * block[1]; y < (first_y + grid[1]) * block[1] && y < height; y++) {
		for (uint64_t x = first_x * block[0]; x < (first_x + grid[0]) * block[0] && x < width; x++) {
			t.x = x;
			t.y = y;
			t.id = y * width + x;
			known[kernel].run(&t);
		}
	}
}

/* ---- The driver's functions ---- */

int cuInit(unsigned flags)
{
	(void)flags;
	CALL;
	return 0;
}

int cuDriverGetVersion(int *version)
{
	const char *chosen = getenv("FAKE_CUDA_VERSION");
	CALL;
	*version = chosen ? atoi(chosen) : 12040;
	return 0;
}

int cuGetErrorName(int status, const char **name)
{
	*name = status == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : status == 100 ? "CUDA_ERROR_NO_DEVICE" : "CUDA_ERROR_FAKE";
	return 0;
}

int cuDeviceGetCount(int *count)
{
	CALL;
	*count = 2;
	return 0;
}

int cuDeviceGet(int *device, int number)
{
	CALL;
	*device = number;
	return 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
	CALL;
	snprintf(name, (size_t)size, "Fake GPU %d", device);
	return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	(void)device;
	CALL;
	*value = attribute == 1 ? 1024 : attribute >= 5 && attribute <= 7 ? GRID_LIMIT : attribute == 8 ? 49152 : 8;
	return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	(void)device;
	CALL;
	*bytes = MEMORY;
	return 0;
}

int cuDevicePrimaryCtxRetain(void **made, int device)
{
	(void)device;
	CALL;
	*made = &context;
	held++;
	return 0;
}

int cuDevicePrimaryCtxRelease(int device)
{
	(void)device;
	if (--held)
		fprintf(stderr, "fake_cuda: %d objects are left\n", held);
	return 0;
}

int cuCtxSetCurrent(void *current)
{
	(void)current;
	CALL;
	return 0;
}

int cuStreamCreate(void **made, unsigned flags)
{
	(void)flags;
	CALL;
	*made = &stream;
	held++;
	return 0;
}

int cuStreamDestroy_v2(void *s)
{
	(void)s;
	held--;
	return 0;
}

int cuStreamSynchronize(void *s)
{
	CALL;
	return s == &stream ? 0 : 1;
}

int cuEventCreate(void **event, unsigned flags)
{
	(void)flags;
	CALL;
	*event = &context;
	held++;
	return 0;
}

int cuEventDestroy_v2(void *event)
{
	(void)event;
	held--;
	return 0;
}

int cuEventRecord(void *event, void *s)
{
	CALL;
	return event && s == &stream ? 0 : 1;
}

int cuEventSynchronize(void *event)
{
	CALL;
	return event ? 0 : 1;
}

int cuMemHostAlloc(void **bytes, size_t size, unsigned flags)
{
	(void)flags;
	CALL;
	*bytes = malloc(size);
	held++;
	return 0;
}

int cuMemFreeHost(void *bytes)
{
	free(bytes);
	held--;
	return 0;
}

int cuMemAlloc_v2(uint64_t *address, size_t size)
{
	CALL;
	if (!size)
		return 1;
	if (size > MEMORY)
		return 2;
	*address = (uint64_t)malloc(size);
	held++;
	return 0;
}

int cuMemFree_v2(uint64_t address)
{
	free((void *)address);
	held--;
	return 0;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *s)
{
	CALL;
	memcpy((void *)to, from, size);
	return s == &stream ? 0 : 1;
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *s)
{
	CALL;
	memcpy(to, (void *)from, size);
	return s == &stream ? 0 : 1;
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, void *s)
{
	CALL;
	memcpy((void *)to, (void *)from, size);
	return s == &stream ? 0 : 1;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values)
{
	CALL;
	if (!strstr(image, ".entry")) {
		for (unsigned i = 0; i < count; i++)
			if (options[i] == 5)
				strcpy(values[i], "ptxas fatal:\nno entry");
		return 218;
	}
	*module = &held;
	held++;
	return 0;
}

int cuModuleUnload(void *module)
{
	(void)module;
	held--;
	return 0;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
	(void)module;
	CALL;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (strcmp(known[i].name, name) == 0) {
			*function = kernels[i];
			return 0;
		}
	}
	return 500;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, void *s, void **arguments, void **extra)
{
	(void)shared;
	(void)extra;
	CALL;
	unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
	if (s != &stream || !grid_x || !grid_y || !grid_z || grid_x > GRID_LIMIT)
		return 1;
	run_kernel((size_t)((char(*)[16])function - kernels), grid, block, arguments);
	return 0;
}

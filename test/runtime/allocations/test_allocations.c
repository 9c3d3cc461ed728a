/* Makes the n-th allocation of the runtime fail, for every n, and looks at what a program sees: `dev: out of device
 * memory (N bytes)` where the memory was a buffer's, else one line and status 3; never anything else. The linker gives
 * this file the calls of malloc and its family (cmake/tests.cmake).
 * usage: test-allocations DEVICE BUNDLE RUNS: of Inputs/api.ssp of the API's tests; RUNS: at most so many of the n */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/sspur.h"

/* ---- The allocator ---- */

static _Atomic uint64_t allocations, fail_at; /* fail_at 0: none fails */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
int __real_posix_memalign(void **p, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __wrap_posix_memalign(void **p, size_t alignment, size_t size);

static bool fails(void)
{
	return ++allocations == fail_at;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

int __wrap_posix_memalign(void **p, size_t alignment, size_t size)
{
	return fails() ? ENOMEM : __real_posix_memalign(p, alignment, size);
}

/* ---- What is run ---- */

enum { COUNT = 500, LAUNCHES = 80 };

static const char *device;
static char *bundle;
static size_t bundle_size;

/* Goes on to the end of the block when the call gives SSPUR_OK; else returns the error. */
#define TRY(call)                                                                                                      \
	do {                                                                                                           \
		sspur_error error_ = (call);                                                                           \
		if (error_ != SSPUR_OK)                                                                                \
			return error_;                                                                                 \
	} while (0)

/* Launches of which one traps, with copies of parts and wholes between. */
static sspur_error run(sspur_context *c)
{
	int64_t values[COUNT] = {0}, part[3] = {1, 2, 3};
	sspur_module *m;
	sspur_kernel *twice, *shift;
	sspur_buffer *x, *y;
	TRY(sspur_module_load(c, bundle, bundle_size, &m));
	TRY(sspur_kernel_find(m, "double", &twice));
	TRY(sspur_kernel_find(m, "shift", &shift));
	TRY(sspur_buffer_new(c, sizeof values, &x));
	TRY(sspur_buffer_new(c, sizeof values, &y));
	TRY(sspur_buffer_write(x, values, sizeof values));
	TRY(sspur_buffer_write(y, values, sizeof values));
	TRY(sspur_buffer_write_at(x, 8, part, sizeof part));
	sspur_argument a[] = {sspur_slice(x, COUNT)}, b[] = {sspur_slice(x, COUNT), sspur_slice(y, COUNT - 1)};
	for (int i = 0; i < LAUNCHES; i++) {
		TRY(i % 2 ? sspur_launch(twice, a, 1) : sspur_launch(shift, b, 2));
		if (i % 20 == 9)
			TRY(sspur_buffer_read_at(y, 8, part, sizeof part));
	}
	TRY(sspur_buffer_read(x, values, sizeof values));
	if (values[3] != (int64_t)3 << LAUNCHES / 2)
		return SSPUR_ERROR_ARGUMENT;
	b[1].length = COUNT;
	TRY(sspur_launch(shift, b, 2));
	sspur_error trapped = sspur_synchronize(c);
	return trapped == SSPUR_ERROR_TRAP ? SSPUR_OK : trapped == SSPUR_OK ? SSPUR_ERROR_ARGUMENT : trapped;
}

/* 0: it went well, or out of device memory was told as it should be. */
static int run_all(void)
{
	sspur_context *c;
	if (sspur_context_new(device, &c) != SSPUR_OK) {
		printf("%s\n", sspur_error_text(NULL));
		return 1;
	}
	sspur_error error = run(c);
	const char *text = sspur_error_text(c);
	bool good = error == SSPUR_OK;
	if (error == SSPUR_ERROR_MEMORY)
		good = strncmp(text, "dev: out of device memory (", 27) == 0 && strstr(text, " bytes)");
	if (!good)
		printf("%s: %s\n", sspur_error_name(error), text);
	sspur_context_free(c);
	return !good;
}

/* ---- Failing ---- */

/* The child's status, or -1; what it wrote is in `out`. */
static int run_child(uint64_t n, char *out, size_t size)
{
	int ends[2], status;
	if (pipe(ends) != 0)
		return -1;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		close(ends[0]);
		close(ends[1]);
		fail_at = allocations + n;
		int result = run_all();
		fail_at = 0;
		free(bundle);
		exit(result);
	}
	close(ends[1]);
	size_t length = 0;
	ssize_t got;
	while ((got = read(ends[0], out + length, size - 1 - length)) > 0)
		length += (size_t)got;
	out[length] = 0;
	close(ends[0]);
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_right(int status, const char *out)
{
	return status == 0 ? !*out : status == 3 && strcmp(out, "sspur: out of memory\n") == 0;
}

int main(int count, char **arguments)
{
	if (count != 4)
		return 2;
	device = arguments[1];
	FILE *f = fopen(arguments[2], "rb");
	bundle = malloc(1 << 22);
	if (!f || !bundle)
		return 2;
	bundle_size = fread(bundle, 1, 1 << 22, f);
	fclose(f);

	uint64_t before = allocations, most = strtoull(arguments[3], NULL, 10), wrong = 0, exits = 0, runs = 0;
	if (run_all() != 0)
		return 1;
	uint64_t total = allocations - before, step = total / most + 1;
	static char out[1 << 16];
	for (uint64_t n = 1; n <= total; n += step, runs++) {
		int status = run_child(n, out, sizeof out);
		exits += status == 3;
		if (is_right(status, out))
			continue;
		wrong++;
		printf("allocation %llu of %llu: status %d: %s\n", (unsigned long long)n, (unsigned long long)total,
		       status, out);
	}
	free(bundle);
	printf("%llu runs, %llu of them ended with status 3, %llu wrong\n", (unsigned long long)runs,
	       (unsigned long long)exits, (unsigned long long)wrong);
	return wrong || !exits;
}

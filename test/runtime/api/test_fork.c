/* fork() in a program that uses the public API.
 * usage: test-fork DEVICE BUNDLE: of examples/saxpy.ssp. With SSPUR_PROFILE that file is not there yet. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/sspur.h"
#include "test/runtime/api/expect_api.h"

enum { COUNT = 1 << 21, FORKS = 50, LIMIT = 60 /* seconds until a child that hangs is ended */ };

static sspur_context *context;
static char bundle[1 << 20];
static size_t bundle_size;
static float xs[COUNT], ys[COUNT];

/* A context with its module and buffers. */
struct opened {
	sspur_context *context;
	sspur_module *module;
	sspur_kernel *kernel;
	sspur_buffer *x, *y;
};

static struct opened open_all(const char *device)
{
	struct opened o;
	context = NULL;
	EXPECT(sspur_context_new(device, &o.context) == SSPUR_OK);
	context = o.context;
	EXPECT(sspur_module_load(context, bundle, bundle_size, &o.module) == SSPUR_OK);
	EXPECT(sspur_kernel_find(o.module, "saxpy", &o.kernel) == SSPUR_OK);
	EXPECT(sspur_buffer_new(context, sizeof xs, &o.x) == SSPUR_OK);
	EXPECT(sspur_buffer_new(context, sizeof ys, &o.y) == SSPUR_OK);
	return o;
}

static void use(const struct opened *o, uint64_t count)
{
	context = o->context;
	for (uint64_t i = 0; i < count; i++) {
		xs[i] = (float)(i % 1000);
		ys[i] = 1;
	}
	EXPECT(sspur_buffer_write(o->x, xs, count * sizeof *xs) == SSPUR_OK);
	EXPECT(sspur_buffer_write(o->y, ys, count * sizeof *ys) == SSPUR_OK);
	sspur_argument values[] = {sspur_f32(2), sspur_slice(o->x, count), sspur_slice(o->y, count)};
	EXPECT(sspur_launch(o->kernel, values, 3) == SSPUR_OK);
	EXPECT(sspur_buffer_read(o->y, ys, count * sizeof *ys) == SSPUR_OK);
	for (uint64_t i = 0; i < count; i++)
		EXPECT(ys[i] == 2 * (float)(i % 1000) + 1);
}

/* In the child: nothing waits for what is not there. */
static void expect_lost(const struct opened *o)
{
	sspur_buffer *b;
	sspur_module *m;
	sspur_status status;
	sspur_argument values[] = {sspur_f32(2), sspur_slice(o->x, 4), sspur_slice(o->y, 4)};
	context = o->context;
	EXPECT_ERROR(sspur_launch(o->kernel, values, 3), SSPUR_ERROR_LOST, "before fork()");
	EXPECT_ERROR(sspur_synchronize(context), SSPUR_ERROR_LOST, "before fork()");
	EXPECT_ERROR(sspur_buffer_new(context, 4, &b), SSPUR_ERROR_LOST, "before fork()");
	EXPECT_ERROR(sspur_buffer_write(o->x, xs, 4), SSPUR_ERROR_LOST, "before fork()");
	EXPECT_ERROR(sspur_buffer_write_at(o->x, 4, xs, 4), SSPUR_ERROR_LOST, "before fork()");
	EXPECT_ERROR(sspur_buffer_read(o->x, xs, 4), SSPUR_ERROR_LOST, "before fork()");
	EXPECT_ERROR(sspur_buffer_read_at(o->x, 4, xs, 4), SSPUR_ERROR_LOST, "before fork()");
	EXPECT_ERROR(sspur_module_load(context, bundle, bundle_size, &m), SSPUR_ERROR_LOST, "before fork()");
	EXPECT_ERROR(sspur_module_load_artifact(context, SSPUR_ARTIFACT_ANY, "", 0, "", 0, &m), SSPUR_ERROR_LOST,
	             "before fork()");
	EXPECT(sspur_kernel_status(o->kernel, &status) != SSPUR_OK);
	EXPECT(sspur_kernel_parameter_count(o->kernel) == 3 && strcmp(sspur_kernel_name(o->kernel), "saxpy") == 0);
	EXPECT(*sspur_context_description(context));
	sspur_buffer_free(o->x);
	sspur_module_free(o->module);
	sspur_context_free(context);
}

static bool needs_driver(const char *device)
{
	return strcmp(device, "opencl") == 0 || strcmp(device, "vulkan") == 0 || strcmp(device, "cuda") == 0;
}

static void be_child(const char *device, const struct opened *parents)
{
	static const char *const devices[] = {"cpu", "seq", "interp"};
	alarm(LIMIT);
	expect_lost(parents);
	context = NULL;
	if (needs_driver(device)) {
		EXPECT(sspur_device_count(device) == 0 && strstr(sspur_error_text(NULL), "before fork()"));
		EXPECT_ERROR(sspur_context_new(device, &context), SSPUR_ERROR_DEVICE, "before fork()");
	}
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
		struct opened o = open_all(devices[i]);
		use(&o, strcmp(devices[i], "interp") == 0 ? 1000 : COUNT);
		sspur_context_free(o.context);
	}
	if (needs_driver(device)) /* whose exit handlers expect its threads */
		_exit(0);
	exit(0);
}

static void wait_for(pid_t child)
{
	int status = 0;
	EXPECT(child > 0 && waitpid(child, &status, 0) == child);
	if (status)
		printf("a child ended with status %d, signal %d\n", WEXITSTATUS(status), WTERMSIG(status));
	EXPECT(status == 0);
}

/* ---- Locks that another thread holds ---- */

static atomic_bool ending;

static void *open_and_close(void *argument)
{
	(void)argument;
	while (!ending) {
		sspur_context *c;
		if (sspur_context_new("interp", &c) == SSPUR_OK)
			sspur_context_free(c);
		sspur_device_count("seq");
	}
	return NULL;
}

static void fork_beside_thread(void)
{
	pthread_t thread;
	EXPECT(pthread_create(&thread, NULL, open_and_close, NULL) == 0);
	for (int n = 0; n < FORKS; n++) {
		pid_t child = fork();
		if (!child) {
			alarm(LIMIT);
			context = NULL;
			EXPECT(sspur_context_new("seq", &context) == SSPUR_OK);
			sspur_context_free(context);
			_exit(0);
		}
		wait_for(child);
	}
	ending = true;
	pthread_join(thread, NULL);
}

int main(int count, char **arguments)
{
	FILE *file = count == 3 ? fopen(arguments[2], "rb") : NULL;
	if (!file)
		return 2;
	bundle_size = fread(bundle, 1, sizeof bundle, file);
	fclose(file);
	struct opened o = open_all(arguments[1]);
	use(&o, strcmp(arguments[1], "interp") == 0 ? 1000 : COUNT);
	fflush(stdout);
	pid_t child = fork();
	if (!child)
		be_child(arguments[1], &o);
	wait_for(child);
	const char *profile = getenv("SSPUR_PROFILE");
	EXPECT(!profile || access(profile, F_OK) != 0);
	fork_beside_thread();
	use(&o, 1000);
	sspur_context_free(o.context);
	printf("all as it should be\n");
	return 0;
}

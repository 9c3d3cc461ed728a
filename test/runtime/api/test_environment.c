/* The same bits, whatever floating-point environment a call of the API is made in, and the same environment after it.
 * usage: test-environment DEVICE COUNT BUNDLE CONE_BUNDLE [ARTIFACT REFLECTION]: of Inputs/host.ssp and host.cone;
 * the artifact is of host.ssp, for the device */
#define _GNU_SOURCE /* feenableexcept */
#include <fenv.h>

#include "test/runtime/api/expect_api.h"
#include "test/runtime/api/host_kernels.h"

static sspur_context *context;
static struct host_data data;
static float got[HOST_MOST];
static double got_wide[HOST_MOST];

/* ---- Environments ---- */

struct state {
	uint32_t sse; /* with the flags that are raised */
	uint16_t control, flags;
	int all;
};

static struct state read_state(void)
{
	struct state s;
	memset(&s, 0, sizeof s);
#if defined(__x86_64__)
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2" : "=m"(s.sse), "=m"(s.control), "=m"(s.flags));
	s.flags &= 0x3f;
#endif
	s.all = fetestexcept(FE_ALL_EXCEPT) | fegetround() << 8;
	return s;
}

static void set_round(int rounding)
{
	if (fesetround(rounding) != 0)
		exit(2);
}

static void set_usual(void)
{
	fesetenv(FE_DFL_ENV);
}

static void set_upward(void)
{
	set_round(FE_UPWARD);
}

static void set_downward(void)
{
	set_round(FE_DOWNWARD);
}

static void set_toward_zero(void)
{
	set_round(FE_TOWARDZERO);
}

static void set_flushing(void)
{
#if defined(__x86_64__)
	uint32_t sse;
	__asm__ volatile("stmxcsr %0" : "=m"(sse));
	sse |= 0x8040;
	__asm__ volatile("ldmxcsr %0" : : "m"(sse));
#endif
}

/* Each exception is a signal, which ends the test. */
static void set_signalling(void)
{
	feenableexcept(FE_ALL_EXCEPT);
}

/* 24 bits and upward, for what is computed by the x87. */
static void set_x87(void)
{
#if defined(__x86_64__)
	uint16_t control = 0x087f;
	__asm__ volatile("fldcw %0" : : "m"(control));
#endif
}

/* As a program leaves them that has divided by zero, 0 among others. */
static void set_flags(void)
{
	feraiseexcept(FE_DIVBYZERO | FE_INEXACT);
#if defined(__x86_64__)
	__asm__ volatile("fldz\n\tfldz\n\tfdivp\n\tfstp %%st(0)" : : : "st");
#endif
}

static void set_worst(void)
{
	set_round(FE_UPWARD);
	set_flushing();
	set_signalling();
}

static const struct {
	const char *name;
	void (*set)(void);
} environments[] = {
    {"usual", set_usual},       {"upward", set_upward},
    {"downward", set_downward}, {"toward zero", set_toward_zero},
    {"flushing", set_flushing}, {"signalling", set_signalling},
    {"x87", set_x87},           {"flags", set_flags},
    {"all", set_worst},
};

static const char *name;      /* of the environment that was set */
static void (*install)(void); /* sets it */

/* After each call the environment is what it was before it. What the test does itself is in the usual one. */
#define CALL(expression)                                                                                               \
	do {                                                                                                           \
		set_usual();                                                                                           \
		install();                                                                                             \
		struct state before = read_state();                                                                    \
		sspur_error error_ = (expression);                                                                     \
		struct state after = read_state();                                                                     \
		set_usual();                                                                                           \
		if (memcmp(&before, &after, sizeof before) != 0) {                                                     \
			printf("line %d: in `%s` the environment has changed: %x %x %x, was %x %x %x\n", __LINE__,     \
			       name, after.sse, after.control, after.flags, before.sse, before.control, before.flags); \
			exit(1);                                                                                       \
		}                                                                                                      \
		if (error_ != SSPUR_OK) {                                                                              \
			printf("line %d: in `%s`: %s\n", __LINE__, name, sspur_error_text(context));                   \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

/* For calls without a result. */
#define DO(call) CALL(((call), SSPUR_OK))

/* ---- Kernels ---- */

static void expect_bits(const char *kernel, const void *bytes, const void *expected, size_t size, int launch)
{
	const uint32_t *a = bytes, *b = expected;
	for (size_t i = 0; i < size / 4; i++)
		if (a[i] != b[i]) {
			printf("in `%s` launch %d of %s: word %zu is %08x, and should be %08x\n", name, launch, kernel,
			       i, a[i], b[i]);
			exit(1);
		}
}

static sspur_buffer *buffer(const void *bytes, uint64_t size)
{
	sspur_buffer *b;
	CALL(sspur_buffer_new(context, size, &b));
	CALL(sspur_buffer_write(b, bytes, size));
	return b;
}

enum { LAUNCHES = 4 };

static void run_mix(sspur_module *m, bool artifact)
{
	sspur_kernel *k;
	size_t size = data.count * sizeof(float);
	sspur_buffer *x = buffer(data.x, size), *y = buffer(data.y, size);
	CALL(sspur_kernel_find(m, "mix", &k));
	sspur_argument arguments[] = {sspur_f32(data.a), sspur_f32(data.tiny), sspur_slice(x, data.count),
	                              sspur_slice(y, data.count)};
	for (int n = 0; n < LAUNCHES; n++) {
		CALL(sspur_buffer_write(y, data.y, size));
		if (artifact)
			CALL(sspur_launch_extents(k, (uint64_t[]){data.count, 1, 1}, arguments, 4));
		else
			CALL(sspur_launch(k, arguments, 4));
		CALL(sspur_synchronize(context));
		CALL(sspur_buffer_read(y, got, size));
		expect_bits("mix", got, data.mixed, size, n);
	}
	DO(sspur_buffer_free(x));
	DO(sspur_buffer_free(y));
}

static void run_wide(sspur_module *m)
{
	sspur_kernel *k;
	size_t size = data.count * sizeof(double);
	sspur_buffer *x = buffer(data.wide_x, size), *y = buffer(data.wide_x, size);
	CALL(sspur_kernel_find(m, "wide", &k));
	sspur_argument arguments[] = {sspur_f64(data.d), sspur_slice(x, data.count), sspur_slice(y, data.count)};
	for (int n = 0; n < LAUNCHES; n++) {
		CALL(sspur_launch(k, arguments, 3));
		CALL(sspur_buffer_read(y, got_wide, size));
		expect_bits("wide", got_wide, data.widened, size, n);
	}
	DO(sspur_buffer_free(x));
	DO(sspur_buffer_free(y));
}

static void run_blend(sspur_module *m)
{
	sspur_kernel *k;
	sspur_status status;
	size_t size = data.count * sizeof(float);
	float settings[2] = {data.a, 1};
	sspur_buffer *x = buffer(data.x, size), *y = buffer(data.y, size);
	CALL(sspur_kernel_find(m, "blend", &k));
	sspur_argument arguments[] = {sspur_bytes(settings, sizeof settings), sspur_slice(x, data.count),
	                              sspur_slice(y, data.count)};
	for (int n = 0; n < LAUNCHES; n++) {
		CALL(sspur_buffer_write_at(y, 0, data.y, size));
		CALL(sspur_launch_groups(k, (uint64_t[]){(data.count + 255) / 256, 1, 1}, arguments, 3));
		CALL(sspur_kernel_status(k, &status));
		if (status.failed) {
			printf("in `%s` launch %d of blend: %u threads failed, of kind %u\n", name, n, status.failed,
			       status.kind);
			exit(1);
		}
		CALL(sspur_buffer_read_at(y, 0, got, size));
		expect_bits("blend", got, data.mixed, size, n);
	}
	DO(sspur_buffer_free(x));
	DO(sspur_buffer_free(y));
}

/* ---- Modules ---- */

struct file {
	unsigned char *bytes;
	size_t size;
};

static struct file bundle, cone, artifact, reflection;

static sspur_module *load(const struct file *f)
{
	sspur_module *m;
	CALL(sspur_module_load(context, f->bytes, f->size, &m));
	return m;
}

static void run_all(const char *device)
{
	sspur_capabilities capabilities;
	DO(sspur_device_count("cpu"));
	CALL(sspur_context_new(device, &context));
	DO(sspur_context_capabilities(context, &capabilities));
	sspur_module *m = load(&bundle), *c = load(&cone), *bare;
	run_mix(m, false);
	run_wide(m);
	/* A GPU's driver has its own subnormals and quotients in Cone's Vulkan form. */
	if (!(capabilities.is_gpu && strcmp(device, "vulkan") == 0))
		run_blend(c);
	if (artifact.bytes) {
		CALL(sspur_module_load_artifact(context, SSPUR_ARTIFACT_ANY, artifact.bytes, artifact.size,
		                                reflection.bytes, reflection.size, &bare));
		run_mix(bare, true);
	}
	DO(sspur_module_free(c));
	DO(sspur_context_free(context));
	context = NULL;
}

/* A pool that was made in one environment, and is used in another. */
static void run_changed(const char *device)
{
	name = "upward", install = set_upward;
	CALL(sspur_context_new(device, &context));
	sspur_module *m = load(&bundle);
	run_mix(m, false);
	name = "flushing, later", install = set_flushing;
	run_mix(m, false);
	name = "usual, later", install = set_usual;
	run_mix(m, false);
	DO(sspur_context_free(context));
	context = NULL;
}

int main(int count, char **arguments)
{
	if (count != 5 && count != 7)
		return 2;
	host_data_fill(&data, (uint32_t)strtoul(arguments[2], NULL, 10));
	host_data_expect(&data);
	bundle.bytes = host_read(arguments[3], &bundle.size);
	cone.bytes = host_read(arguments[4], &cone.size);
	if (count == 7) {
		artifact.bytes = host_read(arguments[5], &artifact.size);
		reflection.bytes = host_read(arguments[6], &reflection.size);
	}
	for (size_t i = 0; i < sizeof environments / sizeof *environments; i++) {
		name = environments[i].name;
		install = environments[i].set;
		run_all(arguments[1]);
	}
	run_changed(arguments[1]);
	printf("all as it should be\n");
	return 0;
}

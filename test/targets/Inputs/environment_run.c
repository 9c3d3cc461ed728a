/* Functions of native objects, called in other floating-point environments than the usual one. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <host.h>
#include <host_cone.h>

enum { COUNT = 1000 };

uint32_t mix__sequential(const void *arguments, uint64_t first, uint64_t last, void *trap, void *workspace);
uint32_t wide__sequential(const void *arguments, uint64_t first, uint64_t last, void *trap, void *workspace);

static float x[COUNT], y[COUNT], out[COUNT], blended[COUNT], mixed[COUNT];
static double wide_x[COUNT], widened[COUNT], wide_out[COUNT];

static unsigned read_control(void)
{
	unsigned control;
	__asm__ volatile("stmxcsr %0" : "=m"(control));
	return control;
}

/* In `control` of MXCSR, which is to be the same after; flags too, where it is not the usual one. */
static void run(unsigned control, const char *name)
{
	struct mix_arguments a = {0.7f, 1e-40f, (uintptr_t)x, COUNT, (uintptr_t)out, COUNT, COUNT, 0, 0, 0};
	struct wide_arguments w = {0.3, (uintptr_t)wide_x, COUNT, (uintptr_t)wide_out, COUNT, COUNT, 0, 0, 0};
	struct Settings s = {0.7f, 1};
	cone_Invocation invocation = {.groupCount = {4, 1, 1}};
	uint64_t trap[8] = {0}, usual = read_control();
	memcpy(out, y, sizeof y);
	memcpy(blended, y, sizeof y);
	__asm__ volatile("ldmxcsr %0" : : "m"(control) : "memory");
	uint32_t failed = mix__sequential(&a, 0, COUNT, trap, NULL) + wide__sequential(&w, 0, COUNT, trap, NULL);
	for (uint32_t i = 0; i < COUNT; i++) {
		invocation.globalId[0] = i;
		invocation.localId[0] = invocation.localIndex = i % 256;
		invocation.groupId[0] = i / 256;
		blend(&invocation, &s, x, COUNT, blended, COUNT);
	}
	unsigned after = read_control(), before = (unsigned)usual;
	__asm__ volatile("ldmxcsr %0" : : "m"(before) : "memory");
	int same = memcmp(out, mixed, sizeof out) == 0 && memcmp(blended, mixed, sizeof out) == 0 &&
	           memcmp(wide_out, widened, sizeof wide_out) == 0;
	unsigned flags = control == 0x1f80 ? 0x3f : 0;
	printf("%s: %s, %s\n", name, failed || !same ? "OTHER BITS" : "the same bits",
	       (after | flags) == (control | flags) ? "the same environment" : "ANOTHER ENVIRONMENT");
}

int main(void)
{
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t bits = i % 4 ? (i * 2654435761u & 0x807fffff) | (90 + i % 60) << 23 : i * 7919;
		memcpy(&x[i], &bits, sizeof bits);
		y[i] = 1.0f + (float)i / 3;
		wide_x[i] = i % 3 ? x[i] : x[i] * 0x1p-1000;
		mixed[i] = 0.7f * x[i] + x[i] / 3.0f + 0.1f * y[i] * x[i];
		widened[i] = sqrt(wide_x[i] * wide_x[i] + 0.3) * 0.3 + wide_x[i] / 7.0;
	}
	run(0x1f80, "usual");
	run(0x9fc0, "flushing");
	run(0x3f80, "downward");
	run(0x5f80, "upward");
	run(0x7f80, "toward zero");
	run(0x0000, "signalling");
	run(0xdfc5, "flushing, upward, with flags");
	return 0;
}

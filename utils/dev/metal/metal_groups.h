/* Runs the workgroups of a kernel that is compiled with the mapping (metal_stdlib), one after another; the threads of a
 * group are fibers, which a barrier switches. Subnormals are flushed meanwhile, as Apple's GPUs do. C and C++; one file
 * of a program includes it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum { METAL_GROUPS_STACK = 512 << 10 };

struct metal_groups {
	void (*kernel)(void **buffers, const uint32_t *positions); /* places in the group, then of the group */
	void **buffers;
	uint32_t size[3]; /* threads of a group */
	uint64_t count[3];
	bool meets; /* there are barriers; else a thread runs to its end, without a fiber */
};

static struct {
	const struct metal_groups *run;
	ucontext_t scheduler, *fibers;
	bool *done;
	char *stacks;
	uint32_t fiber, group[3];
} metal_groups_now;

/* What metal_cpu_barrier is to be. */
static void metal_groups_barrier(void)
{
	swapcontext(&metal_groups_now.fibers[metal_groups_now.fiber], &metal_groups_now.scheduler);
}

static void metal_groups_fiber(void)
{
	const uint32_t *size = metal_groups_now.run->size, *group = metal_groups_now.group;
	uint32_t n = metal_groups_now.fiber;
	uint32_t positions[6] = {n % size[0], n / size[0] % size[1], n / size[0] / size[1], group[0], group[1],
	                         group[2]};
	metal_groups_now.run->kernel(metal_groups_now.run->buffers, positions);
	metal_groups_now.done[n] = true;
}

static void metal_groups_one(uint32_t count)
{
	for (uint32_t n = 0; !metal_groups_now.run->meets && n < count; n++) {
		metal_groups_now.fiber = n;
		metal_groups_fiber();
	}
	if (!metal_groups_now.run->meets)
		return;
	for (uint32_t n = 0; n < count; n++) {
		ucontext_t *fiber = &metal_groups_now.fibers[n];
		getcontext(fiber);
		fiber->uc_stack.ss_sp = metal_groups_now.stacks + (size_t)n * METAL_GROUPS_STACK;
		fiber->uc_stack.ss_size = METAL_GROUPS_STACK;
		fiber->uc_link = &metal_groups_now.scheduler;
		makecontext(fiber, metal_groups_fiber, 0);
		metal_groups_now.done[n] = false;
	}
	for (bool more = true; more;) {
		more = false;
		for (uint32_t n = 0; n < count; n++) {
			metal_groups_now.fiber = n;
			if (!metal_groups_now.done[n])
				swapcontext(&metal_groups_now.scheduler, &metal_groups_now.fibers[n]);
			more |= !metal_groups_now.done[n];
		}
	}
}

/* False: there is no memory for the threads of a group. */
static bool metal_groups_run(const struct metal_groups *run)
{
	uint32_t count = run->size[0] * run->size[1] * run->size[2];
	metal_groups_now.run = run;
	metal_groups_now.stacks = (char *)mmap(NULL, (size_t)count * METAL_GROUPS_STACK, PROT_READ | PROT_WRITE,
	                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (metal_groups_now.stacks == (char *)MAP_FAILED)
		return false;
	metal_groups_now.fibers = (ucontext_t *)calloc(count, sizeof(ucontext_t));
	metal_groups_now.done = (bool *)calloc(count, sizeof(bool));
#ifdef __SSE2__
	unsigned mode = _mm_getcsr();
	_mm_setcsr(mode | 0x8040); /* subnormal operands and results are zero */
#endif
	for (uint64_t z = 0; z < run->count[2]; z++)
		for (uint64_t y = 0; y < run->count[1]; y++)
			for (uint64_t x = 0; x < run->count[0]; x++) {
				metal_groups_now.group[0] = (uint32_t)x;
				metal_groups_now.group[1] = (uint32_t)y;
				metal_groups_now.group[2] = (uint32_t)z;
				metal_groups_one(count);
			}
#ifdef __SSE2__
	_mm_setcsr(mode);
#endif
	munmap(metal_groups_now.stacks, (size_t)count * METAL_GROUPS_STACK);
	free(metal_groups_now.fibers);
	free(metal_groups_now.done);
	return true;
}

/* What both sides of the benchmark do alike: sizes, data, batches, the clock, a hash of the result. */
#ifndef GPU_BENCH_H
#define GPU_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BENCH_BATCHES = 6, BENCH_GROUP = 256, BENCH_BINS = 256, BENCH_PER_THREAD = 256 };

struct bench_case {
	const char *kernel;
	int64_t n;    /* elements; a row of a square matrix for the products */
	int launches; /* of a batch, then a wait */
};

static const struct bench_case bench_cases[] = {
    {"empty", 32, 1000},          {"saxpy", 4 << 20, 200}, {"strided", 4 << 20, 200},   {"matmul", 512, 200},
    {"tree", 4 << 20, 200},       {"tiled", 512, 200},     {"histogram", 4 << 20, 200}, {"saxpy", 256 << 20, 20},
    {"strided", 256 << 20, 20},   {"matmul", 4096, 5},     {"tree", 256 << 20, 20},     {"tiled", 4096, 5},
    {"histogram", 256 << 20, 20},
};

enum { BENCH_CASES = sizeof bench_cases / sizeof *bench_cases };

static inline double bench_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void *bench_memory(int64_t count)
{
	void *p = malloc((size_t)count * 4 + 1);
	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(3);
	}
	return p;
}

/* Small whole numbers over a power of two: every sum has a few bits that round. */
static inline float *bench_floats(int64_t count, int64_t period)
{
	float *p = (float *)bench_memory(count);
	for (int64_t i = 0; i < count; i++)
		p[i] = (float)(i % period) * 0.37f;
	return p;
}

static inline int32_t *bench_values(int64_t count)
{
	int32_t *p = (int32_t *)bench_memory(count);
	for (int64_t i = 0; i < count; i++)
		p[i] = (int32_t)((uint32_t)i * 2654435761u >> 7);
	return p;
}

static inline uint64_t bench_hash(const void *bytes, int64_t count)
{
	const uint32_t *words = (const uint32_t *)bytes;
	uint64_t hash = 14695981039346656037u;
	for (int64_t i = 0; i < count; i++)
		hash = (hash ^ words[i]) * 1099511628211u;
	return hash;
}

/* Kernel, size, nanoseconds a launch, hash of the result. */
static inline void bench_print(const struct bench_case *c, double best, uint64_t hash)
{
	printf("%s %lld %.1f %016llx\n", c->kernel, (long long)c->n, best / c->launches, (unsigned long long)hash);
	fflush(stdout);
}

#endif

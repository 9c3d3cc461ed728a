/* The kernels of cone_bench.cone: native code of ours, linked in as the device `cpu` calls it, against plain C with
 * OpenMP. Usage: cone_peer RUNS; a line a kernel: its name, milliseconds of
 * ours as proved, of ours with its checks, and of C, the best of RUNS. Ends with
 * status 1 where results differ. */
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 4 << 20, CUBE = 64 * 64 * 64, PART = 8192, GROUP = 256, WORKSPACE = 65536 };

struct part {
	float w[4];
	uint32_t k;
};

static struct part *parts;
static float *floats[2];
static uint32_t *input, *found[2], *workspaces, counts[2];

/* ---- Ours ---- */

typedef uint32_t kernel(const void *arguments, uint64_t first, uint64_t last, void *trap, void *workspace);

kernel bake__lanes, prefix__lanes, hash__lanes, compact__lanes, fbm__lanes;
/* Of launches that are proved, as these are; of `prefix` and `compact` nothing is. */
kernel bake__proved__lanes, hash__proved__lanes, fbm__proved__lanes;

/* Slices by address and length, then the extents (docs/abi.md). */
static void run(kernel *k, uint64_t *packed, unsigned words, uint64_t threads, int shared)
{
	uint64_t failed = 0;
	packed[words] = threads;
	packed[words + 1] = packed[words + 2] = 1;
	uint64_t part = shared ? PART : threads;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : failed) if (shared)
	for (uint64_t first = 0; first < threads; first += part) {
		uint64_t trap[16];
		uint64_t last = threads - first < part ? threads : first + part;
		failed += k(packed, first, last, trap, (uint8_t *)workspaces + omp_get_thread_num() * WORKSPACE);
	}
	if (failed)
		exit(1);
}

#define SLICE(array, length) (uint64_t)(uintptr_t)(array), length

static void ours(unsigned n, int proved)
{
	switch (n) {
	case 0:
		run(proved ? bake__proved__lanes : bake__lanes, (uint64_t[8]){SLICE(parts, N), SLICE(floats[0], N)}, 4,
		    N, 1);
		return;
	case 1: run(prefix__lanes, (uint64_t[8]){SLICE(input, N), SLICE(found[0], N)}, 4, N, 1); return;
	case 2:
		run(proved ? hash__proved__lanes : hash__lanes, (uint64_t[8]){SLICE(input, N), SLICE(found[0], N)}, 4,
		    N, 1);
		return;
	case 3:
		counts[0] = 0;
		run(compact__lanes, (uint64_t[12]){SLICE(input, N), SLICE(&counts[0], 1), SLICE(found[0], N)}, 6, N, 0);
		return;
	case 4:
		run(proved ? fbm__proved__lanes : fbm__lanes, (uint64_t[8]){SLICE(floats[0], CUBE)}, 2, CUBE, 1);
		return;
	}
}

/* ---- C ---- */

static void bake(const struct part *restrict p, float *restrict out)
{
#pragma omp parallel for
	for (uint32_t i = 0; i < N; i++)
		out[i] = p[i].w[0] * (float)p[i].k + p[i].w[1] * out[i];
}

/* As the kernel does it, in steps: every element is there twice. */
static void prefix(const uint32_t *restrict in, uint32_t *restrict out)
{
#pragma omp parallel for
	for (uint32_t group = 0; group < N / GROUP; group++) {
		uint32_t scan[GROUP], add[GROUP];
		memcpy(scan, in + group * GROUP, sizeof scan);
		for (uint32_t step = 1; step < GROUP; step *= 2) {
			memset(add, 0, step * sizeof *add);
			memcpy(add + step, scan, (GROUP - step) * sizeof *add);
			for (uint32_t l = 0; l < GROUP; l++)
				scan[l] += add[l];
		}
		memcpy(out + group * GROUP, scan, sizeof scan);
	}
}

static inline uint32_t mix(uint32_t h)
{
	h ^= h >> 16;
	h *= 0x7feb352du;
	h ^= h >> 15;
	h *= 0x846ca68bu;
	return h ^ h >> 16;
}

static void hash(const uint32_t *restrict in, uint32_t *restrict out)
{
#pragma omp parallel for simd
	for (uint32_t i = 0; i < N; i++) {
		uint32_t h = in[i];
		for (uint32_t r = 0; r < 8; r++)
			h = mix(h + r);
		out[i] = h;
	}
}

static void compact(const uint32_t *restrict in, uint32_t *count, uint32_t *restrict out)
{
	*count = 0;
#pragma omp parallel for
	for (uint32_t i = 0; i < N; i++)
		if (in[i] % 3 == 0)
			out[__atomic_fetch_add(count, 1, __ATOMIC_RELAXED)] = in[i];
}

static inline float corner(uint32_t x, uint32_t y, uint32_t z)
{
	return (float)(mix(x + mix(y + mix(z))) >> 8) * 0.000000059604645f;
}

static inline float between(float a, float b, float t)
{
	return a + (b - a) * t;
}

static inline float smooth(float t)
{
	return t * t * (3.0f - 2.0f * t);
}

static inline float noise(float x, float y, float z)
{
	float fx = floorf(x), fy = floorf(y), fz = floorf(z);
	uint32_t ix = (uint32_t)fx, iy = (uint32_t)fy, iz = (uint32_t)fz;
	float u = smooth(x - fx), v = smooth(y - fy), w = smooth(z - fz);
	float low = between(between(corner(ix, iy, iz), corner(ix + 1, iy, iz), u),
	                    between(corner(ix, iy + 1, iz), corner(ix + 1, iy + 1, iz), u), v);
	float high = between(between(corner(ix, iy, iz + 1), corner(ix + 1, iy, iz + 1), u),
	                     between(corner(ix, iy + 1, iz + 1), corner(ix + 1, iy + 1, iz + 1), u), v);
	return between(low, high, w);
}

static void fbm(float *restrict out)
{
#pragma omp parallel for simd
	for (uint32_t i = 0; i < CUBE; i++) {
		float x = (float)(i % 64) * 0.09f, y = (float)(i / 64 % 64) * 0.09f, z = (float)(i / 4096) * 0.09f;
		float sum = 0, weight = 0.5f;
		for (uint32_t octave = 0; octave < 4; octave++) {
			sum = sum + weight * noise(x, y, z);
			weight *= 0.5f;
			x *= 2;
			y *= 2;
			z *= 2;
		}
		out[i] = sum;
	}
}

static void theirs(unsigned n)
{
	switch (n) {
	case 0: bake(parts, floats[1]); return;
	case 1: prefix(input, found[1]); return;
	case 2: hash(input, found[1]); return;
	case 3: compact(input, &counts[1], found[1]); return;
	case 4: fbm(floats[1]); return;
	}
}

/* ---- Both ---- */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

enum side { PROVED, CHECKED, C, SIDES };

static double best(enum side side, unsigned n, double before)
{
	double start = now();
	if (side == C)
		theirs(n);
	else
		ours(n, side == PROVED);
	double time = now() - start;
	return time < before ? time : before;
}

/* Of slots in no order their sum. */
static int same(unsigned n)
{
	uint32_t sums[2] = {0, 0};
	if (n == 3)
		for (unsigned side = 0; side < 2; side++)
			for (uint32_t i = 0; i < counts[side]; i++)
				sums[side] += found[side][i];
	if (n == 3)
		return counts[0] == counts[1] && sums[0] == sums[1];
	return n == 0 || n == 4 ? memcmp(floats[0], floats[1], N * sizeof(float)) == 0
	                        : memcmp(found[0], found[1], N * sizeof(uint32_t)) == 0;
}

int main(int count, char **arguments)
{
	static const char *const names[] = {"bake", "prefix", "hash", "compact", "fbm"};
	int runs = count > 1 ? atoi(arguments[1]) : 1;
	parts = calloc(N, sizeof *parts);
	input = calloc(N, sizeof *input);
	workspaces = aligned_alloc(64, (size_t)omp_get_max_threads() * WORKSPACE);
	for (unsigned side = 0; side < 2; side++) {
		floats[side] = calloc(N, sizeof(float));
		found[side] = calloc(N, sizeof(uint32_t));
	}
	for (uint32_t i = 0; i < N; i++) {
		parts[i] = (struct part){{(float)(i % 13), 0.5f, 0, 0}, i % 17};
		input[i] = mix(i);
	}
	for (unsigned n = 0; n < 5; n++) {
		double times[SIDES] = {1e18, 1e18, 1e18};
		for (int turn = 0; turn < runs; turn++)
			for (enum side side = PROVED; side < SIDES; side++)
				times[side] = best(side, n, times[side]);
		for (uint32_t i = 0; n == 0 && i < N; i++)
			floats[0][i] = floats[1][i] = (float)(i % 7);
		ours(n, 1);
		theirs(n);
		if (!same(n)) {
			fprintf(stderr, "cone_peer: %s: results differ\n", names[n]);
			return 1;
		}
		printf("%s %.3f %.3f %.3f\n", names[n], times[PROVED] / 1e6, times[CHECKED] / 1e6, times[C] / 1e6);
	}
	return 0;
}

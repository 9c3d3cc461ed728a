/* What `cpu` is measured against (utils/dev/bench): the same kernels in plain C with OpenMP, without index checks.
 * Prints the nanoseconds of the best of many runs, and the sum of what they leave, weighted by place: it is exact, and
 * what the kernels of bench leave must have the same.
 * usage: cpu_peer saxpy|strided|matmul|tree|tiled|histogram N RUNS */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STRIDED_THREADS = 4096, BLOCK = 512, COLUMNS = 64, GROUP = 256, TILE = 16, BINS = 256 };

static void saxpy(int64_t n, const float *restrict x, const float *restrict b, float *restrict y)
{
	(void)b;
#pragma omp parallel for
	for (int64_t i = 0; i < n; i++)
		y[i] = 0.5f * x[i] + y[i];
}

/* Sums side by side, so that memory is read in its order. */
static void strided(int64_t n, const float *restrict x, const float *restrict b, float *restrict y)
{
	(void)b;
#pragma omp parallel for
	for (int64_t first = 0; first < STRIDED_THREADS; first += BLOCK) {
		float sums[BLOCK] = {0};
		for (int64_t i = first; i < n; i += STRIDED_THREADS)
			for (int64_t j = 0; j < BLOCK; j++)
				sums[j] += x[i + j];
		memcpy(y + first, sums, sizeof sums);
	}
}

/* Sums side by side here too, each with its terms in order. */
static void matmul(int64_t n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma omp parallel for collapse(2)
	for (int64_t row = 0; row < n; row++)
		for (int64_t first = 0; first < n; first += COLUMNS) {
			float sums[COLUMNS] = {0};
			for (int64_t k = 0; k < n; k++)
				for (int64_t j = 0; j < COLUMNS; j++)
					sums[j] += a[row * n + k] * b[k * n + first + j];
			memcpy(c + row * n + first, sums, sizeof sums);
		}
}

/* A group's sum in the order of a tree. */
static void tree(int64_t n, const float *restrict x, const float *restrict b, float *restrict y)
{
	(void)b;
#pragma omp parallel for
	for (int64_t group = 0; group < n / GROUP; group++) {
		float shared[GROUP];
		memcpy(shared, x + group * GROUP, sizeof shared);
		for (int64_t half = GROUP / 2; half > 0; half /= 2)
			for (int64_t i = 0; i < half; i++)
				shared[i] += shared[i + half];
		y[group] = shared[0];
	}
}

static void tiled(int64_t n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma omp parallel for collapse(2)
	for (int64_t row = 0; row < n; row += TILE)
		for (int64_t column = 0; column < n; column += TILE) {
			float sum[TILE][TILE] = {0}, tile_a[TILE][TILE], tile_b[TILE][TILE];
			for (int64_t t = 0; t < n; t += TILE) {
				for (int64_t i = 0; i < TILE; i++)
					for (int64_t j = 0; j < TILE; j++) {
						tile_a[i][j] = a[(row + i) * n + t + j];
						tile_b[i][j] = b[(t + i) * n + column + j];
					}
				for (int64_t i = 0; i < TILE; i++)
					for (int64_t k = 0; k < TILE; k++)
#pragma omp simd
						for (int64_t j = 0; j < TILE; j++)
							sum[i][j] += tile_a[i][k] * tile_b[k][j];
			}
			for (int64_t i = 0; i < TILE; i++)
				memcpy(c + (row + i) * n + column, sum[i], sizeof sum[i]);
		}
}

/* x is integers as they are in memory; y counts them. */
static void histogram(int64_t n, const float *restrict x, const float *restrict b, float *restrict y)
{
	(void)b;
	const uint32_t *values = (const uint32_t *)x;
	uint32_t *bins = (uint32_t *)y;
#pragma omp parallel for reduction(+ : bins[:BINS])
	for (int64_t i = 0; i < n; i++)
		bins[values[i] & (BINS - 1)]++;
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static const struct {
	const char *name;
	void (*run)(int64_t n, const float *x, const float *b, float *y);
	int64_t out; /* elements of the result, of 4 Mi threads; 0: n, -1: n * n */
} kernels[] = {
    {"saxpy", saxpy, 0},    {"strided", strided, STRIDED_THREADS},
    {"matmul", matmul, -1}, {"tree", tree, 4 * 1024 * 1024 / GROUP},
    {"tiled", tiled, -1},   {"histogram", histogram, BINS},
};

static double weigh(const float *y, int64_t count, bool integers)
{
	double sum = 0;
	for (int64_t i = 0; i < count; i++) {
		uint32_t bits;
		memcpy(&bits, &y[i], sizeof bits);
		sum += (integers ? (double)bits : y[i]) * (double)(i % 7 + 1);
	}
	return sum;
}

int main(int argc, char **argv)
{
	unsigned k = 0, count = sizeof kernels / sizeof *kernels;
	while (argc == 4 && k < count && strcmp(argv[1], kernels[k].name) != 0)
		k++;
	if (argc != 4 || k == count)
		return 2;
	bool integers = kernels[k].run == histogram;
	int64_t n = atoll(argv[2]), size = kernels[k].out < 0 ? n * n : n;
	float *x = malloc((size_t)size * sizeof *x), *b = malloc((size_t)size * sizeof *b);
	float *y = malloc((size_t)size * sizeof *y);
	if (!x || !b || !y)
		return 3;
	for (int64_t i = 0; i < size; i++) {
		uint32_t bits = (uint32_t)(i * 2654435761u >> 7);
		x[i] = (float)(i % 13);
		b[i] = (float)(i % 17);
		y[i] = 1;
		if (integers)
			memcpy(&x[i], &bits, sizeof bits);
		if (integers)
			memset(&y[i], 0, sizeof y[i]);
	}
	int64_t best = INT64_MAX;
	for (int runs = atoi(argv[3]); runs > 0; runs--) {
		int64_t start = now();
		kernels[k].run(n, x, b, y);
		int64_t time = now() - start;
		best = time < best ? time : best;
	}
	int64_t out = kernels[k].out > 0 ? kernels[k].out : size;
	printf("%lld %.17g\n", (long long)best, weigh(y, out, integers));
	free(x);
	free(b);
	free(y);
	return 0;
}

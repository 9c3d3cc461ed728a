/* What `cpu` is measured against (utils/dev/bench): the same kernels in plain C with OpenMP, without index checks.
 * Prints the nanoseconds of the best of many runs.
 * usage: cpu_peer saxpy|strided|matmul N RUNS */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STRIDED_THREADS = 4096 };

static void saxpy(int64_t n, const float *restrict x, const float *restrict b, float *restrict y)
{
	(void)b;
#pragma omp parallel for
	for (int64_t i = 0; i < n; i++)
		y[i] = 0.5f * x[i] + y[i];
}

static void strided(int64_t n, const float *restrict x, const float *restrict b, float *restrict y)
{
	(void)b;
#pragma omp parallel for
	for (int64_t t = 0; t < STRIDED_THREADS; t++) {
		float sum = 0;
		for (int64_t i = t; i < n; i += STRIDED_THREADS)
			sum += x[i];
		y[t] = sum;
	}
}

static void matmul(int64_t n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma omp parallel for
	for (int64_t row = 0; row < n; row++)
		for (int64_t column = 0; column < n; column++) {
			float sum = 0;
			for (int64_t k = 0; k < n; k++)
				sum += a[row * n + k] * b[k * n + column];
			c[row * n + column] = sum;
		}
}

static int64_t now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	void (*run)(int64_t, const float *, const float *, float *) = strcmp(argv[1], "saxpy") == 0     ? saxpy
	                                                              : strcmp(argv[1], "strided") == 0 ? strided
	                                                                                                : matmul;
	int64_t n = atoll(argv[2]), size = run == matmul ? n * n : n;
	float *x = malloc((size_t)size * sizeof *x), *b = malloc((size_t)size * sizeof *b);
	float *y = malloc((size_t)size * sizeof *y);
	if (!x || !b || !y)
		return 3;
	for (int64_t i = 0; i < size; i++) {
		x[i] = (float)(i % 13);
		b[i] = (float)(i % 17);
		y[i] = 1;
	}
	int64_t best = INT64_MAX;
	for (int count = atoi(argv[3]); count > 0; count--) {
		int64_t start = now();
		run(n, x, b, y);
		int64_t time = now() - start;
		best = time < best ? time : best;
	}
	printf("%lld\n", (long long)best);
	free(x);
	free(b);
	free(y);
	return 0;
}

/* What `seq` is measured against (utils/dev/bench): saxpy in plain C with the same index checks, made
 * at every element or once for the range. Prints the nanoseconds of the best of many runs.
 * usage: saxpy_peer each|range N RUNS */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* 0, or 1 with the index and length that failed, as a native kernel returns its trap. */
__attribute__((noinline)) static int saxpy(float a, const float *x, uint64_t x_length, float *y, uint64_t y_length,
                                           uint64_t n, uint64_t *failed)
{
	for (uint64_t i = 0; i < n; i++) {
		if (i >= x_length || i >= y_length) {
			*failed = i;
			return 1;
		}
		y[i] = a * x[i] + y[i];
	}
	return 0;
}

/* The same, as an optimizer that proves the checks would have it: the compiler can vectorize this. */
__attribute__((noinline)) static int saxpy_range(float a, const float *x, uint64_t x_length, float *y,
                                                 uint64_t y_length, uint64_t n, uint64_t *failed)
{
	uint64_t good = x_length < y_length ? x_length : y_length;
	if (n < good)
		good = n;
	for (uint64_t i = 0; i < good; i++)
		y[i] = a * x[i] + y[i];
	*failed = good;
	return good < n;
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
	int (*run_saxpy)(float, const float *, uint64_t, float *, uint64_t, uint64_t, uint64_t *) =
	    strcmp(argv[1], "range") == 0 ? saxpy_range : saxpy;
	uint64_t n = strtoull(argv[2], NULL, 10), failed = 0;
	float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
	if (!x || !y)
		return 3;
	for (uint64_t i = 0; i < n; i++) {
		x[i] = (float)i;
		y[i] = 1;
	}
	int64_t best = INT64_MAX;
	for (int run = atoi(argv[3]); run > 0; run--) {
		int64_t start = now();
		if (run_saxpy(0.5f, x, n, y, n, n, &failed))
			return 1;
		int64_t time = now() - start;
		best = time < best ? time : best;
	}
	printf("%lld\n", (long long)best);
	free(x);
	free(y);
	return 0;
}

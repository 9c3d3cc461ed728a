/* Our side: the kernels of a bundle through the C API.
 * usage: api_bench DEVICE BUNDLE [LARGEST]   cases with more elements than LARGEST are left out */
#include <string.h>

#include "utils/dev/gpu_bench/gpu_bench.h"
#include "runtime/sspur.h"

static sspur_context *context;

static void check(sspur_error error)
{
	if (error == SSPUR_OK)
		return;
	fprintf(stderr, "api_bench: %s error: %s\n", sspur_error_name(error), sspur_error_text(context));
	exit(1);
}

static sspur_module *load(const char *path)
{
	sspur_module *module;
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		exit(2);
	}
	size_t size = (size_t)ftell(file);
	void *bytes = malloc(size);
	rewind(file);
	if (!bytes || fread(bytes, 1, size, file) != size) {
		perror(path);
		exit(2);
	}
	fclose(file);
	check(sspur_module_load(context, bytes, size, &module));
	free(bytes);
	return module;
}

static sspur_buffer *upload(const void *bytes, int64_t count)
{
	sspur_buffer *b;
	check(sspur_buffer_new(context, (uint64_t)count * 4, &b));
	check(sspur_buffer_write(b, bytes, (uint64_t)count * 4));
	return b;
}

/* Of the kernel's parameters, in order; how many. */
static uint32_t arguments_of(const struct bench_case *c, sspur_buffer *x, sspur_buffer *y, sspur_buffer *out,
                             sspur_argument *a)
{
	uint64_t n = (uint64_t)c->n;
	if (!strcmp(c->kernel, "empty")) {
		a[0] = sspur_slice(out, n);
		return 1;
	}
	if (!strcmp(c->kernel, "saxpy")) {
		a[0] = sspur_f32(0.5f);
		a[1] = sspur_slice(x, n);
		a[2] = sspur_slice(out, n);
		return 3;
	}
	if (!strcmp(c->kernel, "matmul") || !strcmp(c->kernel, "tiled")) {
		a[0] = sspur_slice(x, n * n);
		a[1] = sspur_slice(y, n * n);
		a[2] = sspur_slice(out, n * n);
		a[3] = sspur_i64(c->n);
		return 4;
	}
	a[0] = sspur_slice(x, n);
	a[1] = sspur_slice(out, !strcmp(c->kernel, "strided") ? n / BENCH_PER_THREAD
	                        : !strcmp(c->kernel, "tree")  ? n / BENCH_GROUP
	                                                      : BENCH_BINS);
	return 2;
}

static void measure(const struct bench_case *c, sspur_module *module)
{
	int product = !strcmp(c->kernel, "matmul") || !strcmp(c->kernel, "tiled");
	int counts = !strcmp(c->kernel, "histogram");
	int64_t size = product ? c->n * c->n : c->n, results = counts ? BENCH_BINS : size;
	void *hx = counts ? (void *)bench_values(size) : (void *)bench_floats(size, 13);
	float *hy = bench_floats(size, 17), *host = bench_memory(results);
	memset(host, 0, (size_t)results * 4);
	sspur_buffer *x = upload(hx, size), *y = upload(hy, size), *out = upload(host, results);
	sspur_argument arguments[4];
	uint32_t count = arguments_of(c, x, y, out, arguments);
	sspur_kernel *kernel;
	check(sspur_kernel_find(module, c->kernel, &kernel));
	double best = 1e300;
	for (int batch = 0; batch < BENCH_BATCHES; batch++) {
		double start = bench_now();
		for (int i = 0; i < c->launches; i++)
			check(sspur_launch(kernel, arguments, count));
		check(sspur_synchronize(context));
		double time = bench_now() - start;
		if (batch && time < best)
			best = time;
	}
	check(sspur_buffer_read(out, host, (uint64_t)results * 4));
	bench_print(c, best, bench_hash(host, results));
	sspur_buffer_free(x);
	sspur_buffer_free(y);
	sspur_buffer_free(out);
	free(hx);
	free(hy);
	free(host);
}

int main(int count, char **values)
{
	if (count != 3 && count != 4)
		return 2;
	int64_t largest = count == 4 ? atoll(values[3]) : INT64_MAX;
	check(sspur_context_new(values[1], &context));
	sspur_module *module = load(values[2]);
	for (int i = 0; i < BENCH_CASES; i++) {
		const struct bench_case *c = &bench_cases[i];
		int product = !strcmp(c->kernel, "matmul") || !strcmp(c->kernel, "tiled");
		if ((product ? c->n * c->n : c->n) <= largest)
			measure(c, module);
	}
	sspur_context_free(context);
	return 0;
}

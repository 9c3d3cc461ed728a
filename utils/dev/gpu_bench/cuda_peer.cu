/* The peer: the same kernels in CUDA C++ by hand, 32-bit indices, no checks. Build with -O3 -fmad=false. */
#include <cstring>

#include "utils/dev/gpu_bench/gpu_bench.h"

#define CHECK(call)                                                                                                    \
	do {                                                                                                           \
		cudaError_t status = (call);                                                                           \
		if (status != cudaSuccess) {                                                                           \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                                \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

__global__ void empty(float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i > n)
		y[i] = 0;
}

__global__ void saxpy(float a, const float *__restrict__ x, float *__restrict__ y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
}

__global__ void strided(const float *__restrict__ x, float *__restrict__ out, int n, int threads)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= threads)
		return;
	float sum = 0;
	for (int k = i; k < n; k += threads)
		sum += x[k];
	out[i] = sum;
}

__global__ void matmul(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
	int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
	if (column >= n || row >= n)
		return;
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += a[row * n + k] * b[k * n + column];
	c[row * n + column] = sum;
}

__global__ void tree(const float *__restrict__ x, float *__restrict__ out)
{
	__shared__ float sh[256];
	int lid = threadIdx.x;
	sh[lid] = x[blockIdx.x * 256 + lid];
	__syncthreads();
	for (int s = 128; s > 0; s >>= 1) {
		if (lid < s)
			sh[lid] += sh[lid + s];
		__syncthreads();
	}
	if (lid == 0)
		out[blockIdx.x] = sh[0];
}

__global__ void tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n)
{
	__shared__ float ta[16][16], tb[16][16];
	int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
	float sum = 0;
	for (int t = 0; t < n; t += 16) {
		ta[y][x] = a[row * n + t + x];
		tb[y][x] = b[(t + y) * n + column];
		__syncthreads();
		for (int k = 0; k < 16; k++)
			sum += ta[y][k] * tb[k][x];
		__syncthreads();
	}
	c[row * n + column] = sum;
}

__global__ void histogram(const int *__restrict__ x, unsigned *__restrict__ h)
{
	__shared__ unsigned bins[256];
	int lid = threadIdx.x;
	bins[lid] = 0;
	__syncthreads();
	atomicAdd(&bins[x[blockIdx.x * 256 + lid] & 255], 1u);
	__syncthreads();
	atomicAdd(&h[lid], bins[lid]);
}

static void *upload(const void *bytes, int64_t count)
{
	void *p;
	CHECK(cudaMalloc(&p, count * 4));
	CHECK(cudaMemcpy(p, bytes, count * 4, cudaMemcpyHostToDevice));
	return p;
}

static void launch(const char *kernel, int n, void *x, void *y, void *out)
{
	dim3 square(n / 16, n / 16), tile(16, 16);
	if (!strcmp(kernel, "empty"))
		empty<<<1, 32>>>((float *)out, n);
	else if (!strcmp(kernel, "saxpy"))
		saxpy<<<n / 256, 256>>>(0.5f, (float *)x, (float *)out, n);
	else if (!strcmp(kernel, "strided"))
		strided<<<n / BENCH_PER_THREAD / 256, 256>>>((float *)x, (float *)out, n, n / BENCH_PER_THREAD);
	else if (!strcmp(kernel, "matmul"))
		matmul<<<square, tile>>>((float *)x, (float *)y, (float *)out, n);
	else if (!strcmp(kernel, "tree"))
		tree<<<n / 256, 256>>>((float *)x, (float *)out);
	else if (!strcmp(kernel, "tiled"))
		tiled<<<square, tile>>>((float *)x, (float *)y, (float *)out, n);
	else
		histogram<<<n / 256, 256>>>((int *)x, (unsigned *)out);
}

static void measure(const struct bench_case *c)
{
	bool product = !strcmp(c->kernel, "matmul") || !strcmp(c->kernel, "tiled");
	bool counts = !strcmp(c->kernel, "histogram");
	int64_t size = product ? c->n * c->n : c->n, results = counts ? BENCH_BINS : size;
	void *hx = counts ? (void *)bench_values(size) : bench_floats(size, 13);
	float *hy = bench_floats(size, 17), *host = (float *)bench_memory(results);
	memset(host, 0, results * 4);
	void *x = upload(hx, size), *y = upload(hy, size), *out = upload(host, results);
	double best = 1e300;
	for (int batch = 0; batch < BENCH_BATCHES; batch++) {
		double start = bench_now();
		for (int i = 0; i < c->launches; i++)
			launch(c->kernel, (int)c->n, x, y, out);
		CHECK(cudaDeviceSynchronize());
		double time = bench_now() - start;
		if (batch && time < best)
			best = time;
	}
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(host, out, results * 4, cudaMemcpyDeviceToHost));
	bench_print(c, best, bench_hash(host, results));
	cudaFree(x);
	cudaFree(y);
	cudaFree(out);
	free(hx);
	free(hy);
	free(host);
}

int main()
{
	for (int i = 0; i < BENCH_CASES; i++)
		measure(&bench_cases[i]);
	return 0;
}

/* Kernels of test/cone written again in C, by hand: the same words without the compiler.
 *
 * usage: reference NAME FOLDER: reads FOLDER/NAME.BUFFER.bin, what `run_dispatches --keep` kept of a dispatch's inputs, and
 * writes FOLDER/NAME.OUTPUT.c.bin.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kernel, *folder;

static FILE *open_buffer(const char *buffer, const char *end, const char *mode)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s.%s%s", folder, kernel, buffer, end);
	FILE *file = fopen(path, mode);
	if (!file) {
		perror(path);
		exit(2);
	}
	return file;
}

static void *read_words(const char *buffer, size_t *count)
{
	FILE *file = open_buffer(buffer, ".in.bin", "rb");
	fseek(file, 0, SEEK_END);
	*count = (size_t)ftell(file) / 4;
	rewind(file);
	void *words = malloc(*count * 4 + 4);
	if (!words || fread(words, 4, *count, file) != *count)
		exit(2);
	fclose(file);
	return words;
}

static void write_words(const char *buffer, const void *words, size_t count)
{
	FILE *file = open_buffer(buffer, ".c.bin", "wb");
	if (fwrite(words, 4, count, file) != count)
		exit(2);
	fclose(file);
}

/* ---- mandelbrot.cone ---- */

static void mandelbrot(void)
{
	uint32_t *out = calloc(48 * 32, 4);
	for (int y = 0; y < 32; y++) {
		for (int x = 0; x < 48; x++) {
			float a = -2 + (float)x * 0.0625f, b = -1 + (float)y * 0.0625f, re = 0, im = 0;
			uint32_t n = 0;
			for (; n < 100 && !(re * re + im * im > 4); n++) {
				float next = re * re - im * im + a;
				im = re * im + im * re + b;
				re = next;
			}
			out[x + 48 * y] = n;
		}
	}
	write_words("out", out, 48 * 32);
	free(out);
}

/* ---- random_numbers.cone ---- */

static uint32_t pcg_next(uint64_t *state)
{
	uint64_t old = *state;
	*state = old * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	uint32_t word = (uint32_t)((old >> 18 ^ old) >> 27), turn = (uint32_t)(old >> 59);
	return word >> turn | word << (-turn & 31);
}

static uint32_t pcg_below(uint64_t *state, uint32_t n)
{
	for (uint32_t least = -n % n;;) {
		uint64_t product = (uint64_t)pcg_next(state) * n;
		if ((uint32_t)product >= least)
			return (uint32_t)(product >> 32);
	}
}

static void numbers(void)
{
	uint32_t *out = calloc(1280, 4);
	for (uint32_t i = 0; i < 256; i++) {
		uint64_t state = i * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		uint32_t first = pcg_next(&state), x = i + 1;
		out[i * 5] = first ^ pcg_next(&state);
		for (int n = 0; n < 20; n++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
		}
		uint64_t z = i + UINT64_C(0x9E3779B97F4A7C15);
		z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
		z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
		z ^= z >> 31;
		out[i * 5 + 1] = x;
		memcpy(&out[i * 5 + 2], &z, 8);
		out[i * 5 + 4] = pcg_below(&state, 100) * 1000;
		out[i * 5 + 4] += pcg_below(&state, i + 1);
	}
	write_words("out", out, 1280);
	free(out);
}

/* ---- matrix_product.cone ---- */

static void multiply(void)
{
	enum { ROWS = 26, INNER = 19, COLUMNS = 21 };
	size_t count;
	float *a = read_words("a", &count), *b = read_words("b", &count), *c = calloc(ROWS * COLUMNS, 4);
	for (int y = 0; y < ROWS; y++) {
		for (int x = 0; x < COLUMNS; x++) {
			float sum = 0;
			for (int k = 0; k < INNER; k++)
				sum += a[y * INNER + k] * b[k * COLUMNS + x];
			c[y * COLUMNS + x] = sum;
		}
	}
	write_words("c", c, ROWS * COLUMNS);
	free(a);
	free(b);
	free(c);
}

/* ---- quick_sort.cone ---- */

static int compare(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

static void rows(void)
{
	size_t count;
	int32_t *data = read_words("data", &count);
	for (size_t i = 0; i + 40 <= count; i += 40)
		qsort(&data[i], 40, 4, compare);
	write_words("data", data, count);
	free(data);
}

/* ---- blur.cone ---- */

static int clamp(int x, int high)
{
	return x < 0 ? 0 : x > high ? high : x;
}

static void convolve(void)
{
	enum { WIDTH = 24, HEIGHT = 25 };
	static const float weights[3][3] = {{0, -1, 0}, {-1, 5, -1}, {0, -1, 0}};
	size_t count;
	float *image = read_words("image", &count), *out = calloc(count, 4);
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			float sum = 0.125f;
			for (int j = 0; j < 3; j++)
				for (int i = 0; i < 3; i++)
					sum += weights[j][i] *
					       image[clamp(x + i - 1, WIDTH - 1) + WIDTH * clamp(y + j - 1, HEIGHT - 1)];
			out[x + y * WIDTH] = sum;
		}
	}
	write_words("out", out, count);
	free(image);
	free(out);
}

/* ---- examples/noise.cone: gradient noise of space, and what its derivatives are near ---- */

static uint32_t pcg(uint32_t x)
{
	uint32_t state = x * 747796405u + 2891336453u;
	uint32_t word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
	return word >> 22 ^ word;
}

static float sign(uint32_t hash, int bit)
{
	return hash >> bit & 1 ? -1.0f : 1.0f;
}

struct plane {
	float g[3], v;
};

static struct plane corner(const int32_t cell[3], const float inside[3], int corner_index)
{
	int d[3] = {corner_index & 1, corner_index >> 1 & 1, corner_index >> 2};
	uint32_t hash = pcg((uint32_t)(cell[0] + d[0]) +
	                    pcg((uint32_t)(cell[1] + d[1]) + pcg((uint32_t)(cell[2] + d[2]))));
	uint32_t zero = (hash & 0xffff) * 3 >> 16;
	struct plane p = {{0}, 0};
	int bit = 31;
	for (uint32_t axis = 0; axis < 3; axis++)
		p.g[axis] = axis == zero ? 0 : sign(hash, bit--);
	p.v = p.g[0] * (inside[0] - (float)d[0]) + p.g[1] * (inside[1] - (float)d[1]) + p.g[2] * (inside[2] - (float)d[2]);
	return p;
}

static float mix(float a, float b, float t)
{
	return a + (b - a) * t;
}

static struct plane between(struct plane a, struct plane b, float t)
{
	return (struct plane){{mix(a.g[0], b.g[0], t), mix(a.g[1], b.g[1], t), mix(a.g[2], b.g[2], t)}, mix(a.v, b.v, t)};
}

static void gradient3(const float at[3], float out[4])
{
	int32_t cell[3];
	float inside[3], blend[3], slope[3];
	for (int axis = 0; axis < 3; axis++) {
		float below = floorf(at[axis]), t = at[axis] - below;
		cell[axis] = (int32_t)below;
		inside[axis] = t;
		blend[axis] = t * t * t * (t * (t * 6 - 15) + 10);
		slope[axis] = 30 * t * t * (t * (t - 2) + 1);
	}
	struct plane c[8], row[4];
	for (int i = 0; i < 8; i++)
		c[i] = corner(cell, inside, i);
	for (int i = 0; i < 4; i++)
		row[i] = between(c[2 * i], c[2 * i + 1], blend[0]);
	struct plane near = between(row[0], row[1], blend[1]), far = between(row[2], row[3], blend[1]);
	struct plane sum = between(near, far, blend[2]);
	float rise = mix(mix(c[1].v - c[0].v, c[3].v - c[2].v, blend[1]), mix(c[5].v - c[4].v, c[7].v - c[6].v, blend[1]),
	                 blend[2]);
	float deep = mix(row[1].v - row[0].v, row[3].v - row[2].v, blend[2]);
	out[0] = sum.v;
	out[1] = sum.g[0] + slope[0] * rise;
	out[2] = sum.g[1] + slope[1] * deep;
	out[3] = sum.g[2] + slope[2] * (far.v - near.v);
}

/* How far a derivative is from the difference of values nearby. */
static float slope_error(const float at[3], int axis, float slope)
{
	const float step = 1.0f / 256;
	float low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]}, a[4], b[4];
	low[axis] -= step;
	high[axis] += step;
	gradient3(low, a);
	gradient3(high, b);
	return fabsf((b[0] - a[0]) / (high[axis] - low[axis]) - slope);
}

static void gradients3(void)
{
	enum { SIDE = 64 };
	float *out = calloc(SIDE * SIDE * SIDE, 16), worst = 0;
	for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
		float at[3] = {-3.7f + (float)(i % SIDE) * 0.11f, 0 + (float)(i / SIDE % SIDE) * 0.11f,
		               -1.5f + (float)(i / SIDE / SIDE) * 0.11f};
		gradient3(at, &out[i * 4]);
		for (int axis = 0; axis < 3 && i % 61 == 0; axis++)
			worst = fmaxf(worst, slope_error(at, axis, out[i * 4 + 1 + axis]));
	}
	write_words("out", out, SIDE * SIDE * SIDE * 4);
	free(out);
	if (worst > 0.005f) {
		fprintf(stderr, "the derivatives are up to %g wrong\n", (double)worst);
		exit(1);
	}
}

int main(int count, char **words)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kernels[] = {{"mandelbrot", mandelbrot}, {"numbers", numbers}, {"multiply", multiply},
	               {"rows", rows},             {"convolve", convolve}, {"gradients3", gradients3}};
	for (size_t i = 0; count == 3 && i < sizeof kernels / sizeof *kernels; i++) {
		if (strcmp(words[1], kernels[i].name))
			continue;
		kernel = words[1];
		folder = words[2];
		kernels[i].run();
		return 0;
	}
	fprintf(stderr, "usage: reference NAME FOLDER\n");
	return 2;
}

/* The kernels of Inputs/host.ssp and Inputs/host.cone, and what they compute, for tests that change the process. CALL
 * is the test's own, around each call of the API. */
#ifndef SSPUR_TEST_HOST_KERNELS_H
#define SSPUR_TEST_HOST_KERNELS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/sspur.h"

enum { HOST_MOST = 1 << 18 };

struct host_data {
	uint32_t count;
	float a, tiny;
	double d;
	float x[HOST_MOST], y[HOST_MOST], mixed[HOST_MOST];
	double wide_x[HOST_MOST], widened[HOST_MOST];
};

/* Numbers of all sizes, a quarter of them subnormal. */
static void host_data_fill(struct host_data *h, uint32_t count)
{
	uint64_t state = 88172645463325252u;
	h->count = count;
	h->a = 0.7f;
	h->tiny = 1e-40f;
	h->d = 0.3;
	for (uint32_t i = 0; i < count; i++) {
		state ^= state << 13, state ^= state >> 7, state ^= state << 17;
		uint32_t bits = (uint32_t)state & 0x807fffff, size = (uint32_t)(state >> 40) % 4;
		bits |= size == 0 ? 0 : (uint32_t)(90 + (state >> 50) % 60) << 23;
		memcpy(&h->x[i], &bits, sizeof bits);
		h->y[i] = 1.0f + (float)(i % 1000) / 3;
		h->wide_x[i] = size == 1 ? (double)h->x[i] * 0x1p-1000 : (double)h->x[i];
	}
}

/* In the usual environment. Each step is rounded: the file is compiled without contraction. */
static void host_data_expect(struct host_data *h)
{
	for (uint32_t i = 0; i < h->count; i++) {
		float x = h->x[i];
		h->mixed[i] = h->a * x + x / 3.0f + 0.1f * h->y[i] * x;
		double w = h->wide_x[i];
		h->widened[i] = sqrt(w * w + h->d) * h->d + w / 7.0;
	}
}

static unsigned char *host_read(const char *path, size_t *size)
{
	enum { MOST = 1 << 22 };
	unsigned char *bytes = malloc(MOST);
	FILE *f = fopen(path, "rb");
	if (!f || !bytes) {
		printf("cannot read %s\n", path);
		exit(2);
	}
	*size = fread(bytes, 1, MOST, f);
	fclose(f);
	return bytes;
}

#endif

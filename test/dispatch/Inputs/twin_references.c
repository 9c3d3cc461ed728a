/* The kernels of twin_references.cone and twin_math.cone as functions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <twin_math.h>
#include <twin_references.h>

static uint32_t a[] = {5, 6, 7, 8};
static const uint32_t b[] = {1, 2, 3, 4, 9};

static void print(const char *name, const uint32_t *words, unsigned count)
{
	printf("%s", name);
	for (unsigned n = 0; n < count; n++)
		printf(" %u", words[n]);
	printf("\n");
}

int main(void)
{
	uint32_t out[64] = {0};
	cone_Invocation i = {.groupCount = {1, 1, 1}};
	calledThrough(&i, a, 4, out, 64);
	print("called", out, 8);
	memset(out, 0, sizeof out);
	for (i.globalId[0] = 0; i.globalId[0] < 4; i.globalId[0]++)
		chosen(&i, a, 4, b, 5, out, 64);
	print("chosen", out, 40);
	memset(out, 0, sizeof out);
	for (i.globalId[0] = 0; i.globalId[0] < 4; i.globalId[0]++)
		places(&i, a, 4, out, 64);
	print("places", out, 32);
	volatile double x = 0.7;
	double wanted[] = {sin(x), cos(x), tan(x), asin(x), acos(x), atan(x), exp(x), log(x), atan2(x, -0.3), pow(x, 1.7)};
	unsigned alike = 0;
	bits(&i, out, 64);
	for (unsigned n = 0; n < 10; n++) {
		uint64_t word = (uint64_t)out[2 * n] << 32 | out[2 * n + 1];
		alike += memcmp(&word, &wanted[n], sizeof word) == 0;
	}
	printf("%u functions alike\n", alike);
	return 0;
}

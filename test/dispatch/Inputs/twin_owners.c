/* The kernels of twin_owners.cone as functions. */
#include <stdio.h>

#include <twin_owners.h>

static uint32_t a[] = {5, 6, 7, 8};

static void print(const char *name, const uint32_t *words, unsigned count)
{
	printf("%s", name);
	for (unsigned n = 0; n < count; n++)
		printf(" %u", words[n]);
	printf("\n");
	fflush(stdout);
}

int main(void)
{
	uint32_t out[32];
	cone_Invocation i = {.groupCount = {4, 1, 1}};
	for (i.globalId[0] = 0; i.globalId[0] < 4; i.globalId[0]++)
		sole(&i, a, 4, out, 32);
	print("sole", out, 32);
	for (i.globalId[0] = 0; i.globalId[0] < 4; i.globalId[0]++)
		shared(&i, a, 4, out, 32);
	print("shared", out, 32);
	for (i.globalId[0] = 0; i.globalId[0] < 4; i.globalId[0]++)
		linked(&i, a, 4, out, 32);
	print("linked", out, 24);
	i.globalId[0] = 0;
	room(&i, a, 4, out, 32);
	print("room", out, 4);
	i.globalId[0] = 1;
	room(&i, a, 4, out, 32);
	return 0;
}

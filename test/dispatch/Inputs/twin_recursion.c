#include <stdio.h>
#include <stdlib.h>

#include <twin_recursion.h>

int main(int argc, char **argv)
{
	const uint32_t n[1] = {argc > 1 ? (uint32_t)atoi(argv[1]) : 0};
	uint32_t out[2] = {0};
	cone_Invocation i = {.groupCount = {1, 1, 1}};
	depth(&i, n, 1, out, 2);
	printf("%u %u\n", out[0], out[1]);
	return 0;
}

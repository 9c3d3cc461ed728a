/* Runs the kernel `fails` with one way to fail; with a second argument under a cone_failed of this program's own, which
 * comes back. */
#include <stdio.h>
#include <stdlib.h>

#include <twin_scan.h>

#ifdef OWN_FAILED
void cone_failed(const cone_Check *check, uint64_t value, uint64_t limit, const cone_Invocation *invocation)
{
	printf("kind %u at %s:%u: %s, %llu of %llu, invocation %u\n", check->kind, check->file, check->line,
	       check->message, (unsigned long long)value, (unsigned long long)limit, invocation->globalId[0]);
}
#endif

int main(int argc, char **argv)
{
	uint32_t out[4] = {0};
	cone_Invocation i = {.globalId = {9, 0, 0}, .groupCount = {1, 1, 1}};
	i.groupId[0] = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
	fails(&i, out, 4);
	printf("out %u\n", out[0]);
	return 0;
}

/* The prefix sum of spec/cone-gpu-compute.md on four threads that meet at each barrier, two groups one after the other,
 * then on one thread without a hook; setting again, and a fresh thread without a hook. */
#define _POSIX_C_SOURCE 200809L /* barriers */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twin_scan.h>
#include <twin_second.h>

enum { LANES = 4, GROUPS = 2 };

static pthread_barrier_t barrier;
static const uint32_t input[] = {1, 2, 3, 4, 10, 20, 30};
static uint32_t sums[LANES * GROUPS];
static unsigned wrong;

static void expect(const char *what, int sound)
{
	printf("%s: %s\n", what, sound ? "yes" : "NO");
	wrong += !sound;
}

struct lane {
	uint32_t number;
	unsigned met[2]; /* by kind */
};

static void meet(void *context, uint32_t kind)
{
	struct lane *lane = context;
	lane->met[kind]++;
	pthread_barrier_wait(&barrier);
}

static void never(void *context, uint32_t kind)
{
	(void)context, (void)kind;
	abort();
}

static cone_Invocation invocation_of(uint32_t group, uint32_t lane)
{
	return (cone_Invocation){
	    .globalId = {group * LANES + lane, 0, 0},
	    .localId = {lane, 0, 0},
	    .groupId = {group, 0, 0},
	    .localIndex = lane,
	    .groupCount = {GROUPS, 1, 1},
	};
}

static void *run_lane(void *context)
{
	struct lane *lane = context;
	cone_setBarrierHook(never, NULL);
	cone_setBarrierHook(meet, lane); /* takes its place */
	for (uint32_t group = 0; group < GROUPS; group++) {
		cone_Invocation i = invocation_of(group, lane->number);
		prefix(&i, input, sizeof input / sizeof *input, sums, LANES * GROUPS);
		pthread_barrier_wait(&barrier);
	}
	cone_clearBarrierHook();
	return NULL;
}

static void run_together(void)
{
	static const uint32_t wanted[] = {1, 3, 6, 10, 10, 30, 60, 60};
	struct lane lanes[LANES] = {{0}};
	pthread_t threads[LANES];
	pthread_barrier_init(&barrier, NULL, LANES);
	for (uint32_t n = 0; n < LANES; n++) {
		lanes[n].number = n;
		pthread_create(&threads[n], NULL, run_lane, &lanes[n]);
	}
	for (uint32_t n = 0; n < LANES; n++)
		pthread_join(threads[n], NULL);
	pthread_barrier_destroy(&barrier);
	expect("together, the sums", memcmp(sums, wanted, sizeof wanted) == 0);
	for (uint32_t n = 0; n < LANES; n++)
		expect("barriers met", lanes[n].met[0] == 3 * GROUPS && lanes[n].met[1] == 2 * GROUPS);
}

/* Of the calling thread, without a hook: one invocation after another, each of which reads what those before it left. */
static void run_alone(const char *what)
{
	memset(sums, 0, sizeof sums);
	for (uint32_t group = 0; group < GROUPS; group++)
		for (uint32_t lane = 0; lane < LANES; lane++) {
			cone_Invocation i = invocation_of(group, lane);
			prefix(&i, input, sizeof input / sizeof *input, sums, LANES * GROUPS);
		}
	expect(what, sums[0] == 1 && sums[1] == 3 && sums[4] == 10 && sums[5] == 30);
}

static void *run_fresh(void *context)
{
	(void)context;
	run_alone("a fresh thread has no hook");
	return NULL;
}

static void run_others(void)
{
	cone_Invocation i = {.globalId = {1, 0, 0}, .groupCount = {1, 1, 1}};
	const struct Settings settings = {{0, 0, 0.5f}, 3};
	float out[2] = {0};
	uint32_t pair[1][2] = {{0}}, twice[2] = {7, 21};
	count(&i, &settings, out, 2);
	count_again(&i, pair, 1);
	expect("one global", out[1] == 4.0f && pair[0][1] == 9);
	double_(&i, twice, 2);
	expect("another object", twice[0] == 7 && twice[1] == 42);
}

int main(void)
{
	pthread_t fresh;
	run_together();
	run_alone("alone, the sums");
	cone_setBarrierHook(never, NULL);
	pthread_create(&fresh, NULL, run_fresh, NULL);
	pthread_join(fresh, NULL);
	cone_clearBarrierHook();
	run_others();
	return wrong != 0;
}

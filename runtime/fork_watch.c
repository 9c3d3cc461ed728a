#include "runtime/fork_watch.h"

#include <pthread.h>
#include <stdatomic.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic uint32_t forks;

/* In the child, whose only thread this is. */
static void count_fork(void)
{
	forks++;
}

/* Where there is no memory for a handler there is none for a context either. */
static void start(void)
{
	pthread_atfork(NULL, NULL, count_fork);
}

void fork_watch(void)
{
	pthread_once(&once, start);
}

uint32_t fork_count(void)
{
	return atomic_load_explicit(&forks, memory_order_relaxed);
}

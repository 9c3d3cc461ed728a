#include "runtime/thread_pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "utils/base/arena.h"
#include "utils/base/float_environment.h"

enum {
	STACK_SIZE = 4 << 20, /* a kernel's private memory is on it */
	SPIN_NS = 100 * 1000, /* a thread that waits looks so long for work before it sleeps: waking takes 50 us */
	LOOKS_A_TIME = 64,    /* between two readings of the clock */
};

struct thread_pool {
	pthread_mutex_t lock;
	pthread_cond_t called, returned;
	/* The first two are written under the lock; all are looked at without it. */
	_Atomic uint64_t calls; /* so far */
	_Atomic bool ending;
	_Atomic uint32_t running; /* threads that have not returned from the last call */
	void (*work)(void *context);
	void *context;
	bool spins;
	uint32_t count; /* threads of the pool's own */
	pthread_t threads[];
};

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_briefly(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

static bool has_call(struct thread_pool *pool, uint64_t done)
{
	return atomic_load_explicit(&pool->calls, memory_order_acquire) != done ||
	       atomic_load_explicit(&pool->ending, memory_order_relaxed);
}

static bool has_returned(struct thread_pool *pool, uint64_t done)
{
	(void)done;
	return atomic_load_explicit(&pool->running, memory_order_acquire) == 0;
}

/* Until `ready`, or for a while. False: it is not. */
static bool spin(struct thread_pool *pool, bool (*ready)(struct thread_pool *, uint64_t), uint64_t done)
{
	if (!pool->spins)
		return false;
	int64_t end = now_ns() + SPIN_NS;
	do
		for (int look = 0; look < LOOKS_A_TIME; look++) {
			if (ready(pool, done))
				return true;
			pause_briefly();
		}
	while (now_ns() < end);
	return false;
}

static void await_call(struct thread_pool *pool, uint64_t done)
{
	/* Who has seen it needs no lock, which the caller still holds. */
	if (spin(pool, has_call, done))
		return;
	pthread_mutex_lock(&pool->lock);
	while (!has_call(pool, done))
		pthread_cond_wait(&pool->called, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

static void *thread_main(void *argument)
{
	struct thread_pool *pool = argument;
	float_environment_enter();
	for (uint64_t done = 0;; done++) {
		await_call(pool, done);
		if (atomic_load_explicit(&pool->ending, memory_order_relaxed))
			return NULL;
		pool->work(pool->context);
		if (atomic_fetch_sub(&pool->running, 1) != 1)
			continue;
		pthread_mutex_lock(&pool->lock);
		pthread_cond_signal(&pool->returned);
		pthread_mutex_unlock(&pool->lock);
	}
}

/* Signals go to the program's own threads. */
static void start_threads(struct thread_pool *pool, uint32_t count)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (pool->count < count && pthread_create(&pool->threads[pool->count], &attributes, thread_main, pool) == 0)
		pool->count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
}

struct thread_pool *thread_pool_new(uint32_t count, bool spins)
{
	struct thread_pool *pool = memory_zeroed(1, sizeof *pool + (count - 1) * sizeof *pool->threads);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->called, NULL);
	pthread_cond_init(&pool->returned, NULL);
	pool->spins = spins;
	start_threads(pool, count - 1);
	return pool;
}

void thread_pool_free(struct thread_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->ending = true;
	pthread_cond_broadcast(&pool->called);
	pthread_mutex_unlock(&pool->lock);
	for (uint32_t n = 0; n < pool->count; n++)
		pthread_join(pool->threads[n], NULL);
	pthread_cond_destroy(&pool->returned);
	pthread_cond_destroy(&pool->called);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

uint32_t thread_pool_count(const struct thread_pool *pool)
{
	return pool->count + 1;
}

void thread_pool_run(struct thread_pool *pool, void (*work)(void *context), void *context)
{
	pthread_mutex_lock(&pool->lock);
	pool->work = work;
	pool->context = context;
	pool->running = pool->count;
	pool->calls++;
	pthread_cond_broadcast(&pool->called);
	pthread_mutex_unlock(&pool->lock);
	work(context);
	if (spin(pool, has_returned, 0))
		return;
	pthread_mutex_lock(&pool->lock);
	while (pool->running)
		pthread_cond_wait(&pool->returned, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

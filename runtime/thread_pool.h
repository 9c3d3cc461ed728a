/* Threads of the host that do one piece of work together. */
#ifndef SSPUR_RUNTIME_THREAD_POOL_H
#define SSPUR_RUNTIME_THREAD_POOL_H

#include <stdbool.h>
#include <stdint.h>

enum { THREAD_POOL_MOST = 1024 };

struct thread_pool;

/* `count` threads, from 1 to THREAD_POOL_MOST, the caller among them; fewer where the system gives no more.
 * With `spins`, which is for a core a thread, those that wait look for work a while before they sleep. */
struct thread_pool *thread_pool_new(uint32_t count, bool spins);
void thread_pool_free(struct thread_pool *pool); /* NULL is allowed */
uint32_t thread_pool_count(const struct thread_pool *pool);
/* Calls work once on every thread of the pool, the caller's included, at the same time; returns when all have
 * returned. One call at a time. */
void thread_pool_run(struct thread_pool *pool, void (*work)(void *context), void *context);

#endif

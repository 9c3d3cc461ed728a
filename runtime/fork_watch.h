/* fork() copies one thread of a process: not the pool's, nor those that drivers have for themselves. What waits for
 * them would wait for ever, so that what was opened before a fork is not used after it, in the child. */
#ifndef SSPUR_RUNTIME_FORK_WATCH_H
#define SSPUR_RUNTIME_FORK_WATCH_H

#include <stdint.h>

/* Begins to count. May be called again, and by several threads. */
void fork_watch(void);
/* How many forks lie between the process that began and this one. */
uint32_t fork_count(void);

#endif

#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "runtime/twin_fibers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#include "utils/base/arena.h"

enum fiber_state { FIBER_READY, FIBER_WAITS, FIBER_ENDED };

struct fiber {
	struct twin_fibers *all;
	uint32_t number;
	enum fiber_state state;
	uint8_t *stack; /* its lowest byte */
#if defined(__x86_64__)
	void *top; /* where it was left */
#else
	ucontext_t left;
#endif
};

struct twin_fibers {
	struct fiber *fibers;
	uint32_t count;
	size_t stack; /* bytes of one */
	uint8_t *memory;
	size_t size;
	struct fiber host; /* what runs the fibers */
	struct fiber *running;
	void (*run)(void *context, uint32_t n);
	void *context;
};

/* ---- Switching ---- */

static void fiber_main(struct fiber *f);

#if defined(__x86_64__)

/* Leaves the registers that a call keeps on this stack, and its top in *from; goes on where `to` was left. What
 * swapcontext does besides, for signals, takes ten times as long. */
void twin_fiber_switch(void **from, void *to) __attribute__((visibility("hidden")));
/* Where a fiber starts: calls r13 with r12. */
void twin_fiber_start(void) __attribute__((visibility("hidden")));

__asm__(".text\n"
        ".globl twin_fiber_switch\n"
        ".hidden twin_fiber_switch\n"
        ".type twin_fiber_switch, @function\n"
        "twin_fiber_switch:\n"
        "	pushq %rbp\n"
        "	pushq %rbx\n"
        "	pushq %r12\n"
        "	pushq %r13\n"
        "	pushq %r14\n"
        "	pushq %r15\n"
        "	movq %rsp, (%rdi)\n"
        "	movq %rsi, %rsp\n"
        "	popq %r15\n"
        "	popq %r14\n"
        "	popq %r13\n"
        "	popq %r12\n"
        "	popq %rbx\n"
        "	popq %rbp\n"
        "	ret\n"
        ".size twin_fiber_switch, . - twin_fiber_switch\n"
        ".globl twin_fiber_start\n"
        ".hidden twin_fiber_start\n"
        ".type twin_fiber_start, @function\n"
        "twin_fiber_start:\n"
        "	movq %r12, %rdi\n"
        "	callq *%r13\n"
        "	ud2\n"
        ".size twin_fiber_start, . - twin_fiber_start\n");

static void go(struct fiber *from, struct fiber *to)
{
	twin_fiber_switch(&from->top, to->top);
}

static void prepare(struct fiber *f, size_t stack)
{
	/* As twin_fiber_switch takes them: r15, r14, r13, r12, rbx, rbp, and where it returns to. */
	uintptr_t words[7] = {[2] = (uintptr_t)fiber_main, [3] = (uintptr_t)f, [6] = (uintptr_t)twin_fiber_start};
	f->top = f->stack + stack - sizeof words;
	memcpy(f->top, words, sizeof words);
}

#else

static void go(struct fiber *from, struct fiber *to)
{
	swapcontext(&from->left, &to->left);
}

static void start(unsigned high, unsigned low)
{
	fiber_main((struct fiber *)(uintptr_t)((uint64_t)high << 32 | low));
}

static void prepare(struct fiber *f, size_t stack)
{
	uint64_t address = (uint64_t)(uintptr_t)f;
	getcontext(&f->left);
	f->left.uc_stack.ss_sp = f->stack;
	f->left.uc_stack.ss_size = stack;
	f->left.uc_link = NULL;
	makecontext(&f->left, (void (*)(void))start, 2, (unsigned)(address >> 32), (unsigned)address);
}

#endif

static void fiber_main(struct fiber *f)
{
	f->all->run(f->all->context, f->number);
	f->state = FIBER_ENDED;
	go(f, &f->all->host);
}

/* ---- Stacks ---- */

struct twin_fibers *twin_fibers_new(uint32_t count, size_t stack, struct text *error)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), each = (stack + page - 1) / page * page;
	struct twin_fibers *f = memory_zeroed(1, sizeof *f);
	f->count = count;
	f->stack = each;
	f->size = (each + page) * count;
	void *memory = mmap(NULL, f->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool good = memory != MAP_FAILED;
	f->memory = good ? memory : NULL;
	f->fibers = memory_zeroed((size_t)count + 1, sizeof *f->fibers);
	for (uint32_t n = 0; good && n < count; n++) {
		f->fibers[n].all = f;
		f->fibers[n].number = n;
		f->fibers[n].stack = f->memory + n * (each + page) + page;
		good = mprotect(f->fibers[n].stack, each, PROT_READ | PROT_WRITE) == 0;
	}
	if (good)
		return f;
	text_add_format(error, "no memory for the stacks of %u invocations", count);
	twin_fibers_free(f);
	return NULL;
}

void twin_fibers_free(struct twin_fibers *f)
{
	if (!f)
		return;
	if (f->memory)
		munmap(f->memory, f->size);
	free(f->fibers);
	free(f);
}

/* ---- Running ---- */

/* The first fiber in a state; the count: none. */
static uint32_t first_in(const struct twin_fibers *f, enum fiber_state state)
{
	uint32_t n = 0;
	while (n < f->count && f->fibers[n].state != state)
		n++;
	return n;
}

static void run_round(struct twin_fibers *f)
{
	for (uint32_t n = 0; n < f->count; n++) {
		f->running = &f->fibers[n];
		if (f->running->state != FIBER_ENDED)
			go(&f->host, f->running);
	}
}

void twin_fibers_run(struct twin_fibers *f, void (*run)(void *context, uint32_t n),
                     void (*stuck)(void *context, uint32_t waits, uint32_t ended), void *context)
{
	f->run = run;
	f->context = context;
	for (uint32_t n = 0; n < f->count; n++) {
		f->fibers[n].state = FIBER_READY;
		prepare(&f->fibers[n], f->stack);
	}
	for (;;) {
		run_round(f);
		uint32_t waits = first_in(f, FIBER_WAITS), ended = first_in(f, FIBER_ENDED);
		if (waits == f->count)
			return;
		if (ended < f->count)
			stuck(context, waits, ended);
	}
}

void twin_fibers_meet(struct twin_fibers *f)
{
	f->running->state = FIBER_WAITS;
	go(f->running, &f->host);
	f->running->state = FIBER_READY;
}

/* The floating-point environment of a thread: rounding, flushing of subnormals, exceptions that are signals. A program
 * that uses the library may have changed it (fesetround, -ffast-math, feenableexcept); what is computed here depends on
 * none of it (spec/sspur.md 1.3), and leaves it as it was.
 *
 * Functions that a program calls have FLOAT_ENVIRONMENT as their first line (utils/dev/check_layers), and threads begin
 * with float_environment_enter. Threads that a driver starts begin with the environment of the one that called it. */
#ifndef SSPUR_BASE_FLOAT_ENVIRONMENT_H
#define SSPUR_BASE_FLOAT_ENVIRONMENT_H

#include <stdint.h>

#if !defined(__x86_64__)
#include <fenv.h>
#endif

struct float_environment {
#if defined(__x86_64__)
	uint32_t sse;                    /* MXCSR */
	uint16_t x87_control, x87_flags; /* read by what the C library rounds by itself (strtod, printf) */
#else
	fenv_t all;
#endif
};

/* Of x86-64's MXCSR, and of the x87's control and status. */
enum {
	FLOAT_SSE_CONTROL = 0xffc0, /* flush to zero, rounding, masks, denormals are zero; the flags are below */
	FLOAT_SSE_USUAL = 0x1f80,   /* as a program starts: nothing is flushed, to nearest, no exception is a signal */
	FLOAT_X87_USUAL = 0x037f,
	FLOAT_X87_FLAGS = 0x3f,
};

#if defined(__x86_64__)

/* For flags that were raised meanwhile, and for what they would signal. */
void float_environment_restore_x87(const struct float_environment *saved);

static inline struct float_environment float_environment_enter(void)
{
	struct float_environment saved;
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2"
	                 : "=m"(saved.sse), "=m"(saved.x87_control), "=m"(saved.x87_flags)
	                 :
	                 : "memory");
	uint32_t sse = (saved.sse & ~(uint32_t)FLOAT_SSE_CONTROL) | FLOAT_SSE_USUAL;
	const uint16_t x87 = FLOAT_X87_USUAL;
	if (sse != saved.sse)
		__asm__ volatile("ldmxcsr %0" : : "m"(sse) : "memory");
	if (x87 != saved.x87_control)
		__asm__ volatile("fldcw %0" : : "m"(x87) : "memory");
	return saved;
}

static inline void float_environment_leave(const struct float_environment *saved)
{
	uint32_t sse;
	uint16_t control, flags;
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2" : "=m"(sse), "=m"(control), "=m"(flags) : : "memory");
	if (sse != saved->sse)
		__asm__ volatile("ldmxcsr %0" : : "m"(saved->sse) : "memory");
	if (((flags ^ saved->x87_flags) & FLOAT_X87_FLAGS) || control != saved->x87_control)
		float_environment_restore_x87(saved);
}

#else

static inline struct float_environment float_environment_enter(void)
{
	struct float_environment saved;
	fegetenv(&saved.all);
	fesetenv(FE_DFL_ENV);
	return saved;
}

static inline void float_environment_leave(const struct float_environment *saved)
{
	fesetenv(&saved->all);
}

#endif

/* The usual one to the end of the block, and then what was. */
#define FLOAT_ENVIRONMENT                                                                                              \
	__attribute__((cleanup(float_environment_leave), unused)) const struct float_environment float_environment =   \
	    float_environment_enter()

#endif

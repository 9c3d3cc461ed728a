#include "utils/base/float_environment.h"

#if defined(__x86_64__)

/* As FNSTENV stores it. */
struct x87_environment {
	uint16_t control, unused_1, status, unused_2, tags, unused_3;
	uint32_t others[4];
};

/* Flags are loaded with the control word at once: one that is raised and unmasked would signal at the next instruction
 * of the x87. Bits 7 and 15 of the status say that one is, and follow from both. */
void float_environment_restore_x87(const struct float_environment *saved)
{
	struct x87_environment e;
	__asm__ volatile("fnstenv %0" : "=m"(e) : : "memory");
	e.control = saved->x87_control;
	e.status =
	    (uint16_t)((e.status & ~(FLOAT_X87_FLAGS | 0x8080)) | (saved->x87_flags & (FLOAT_X87_FLAGS | 0x8080)));
	__asm__ volatile("fldenv %0" : : "m"(e) : "memory");
}

#endif

/* Helpers: the fns that kernels call, inlined (spec/sspur.md 1.7). One a definition, made at its first use: a helper
 * is typed by its own signature, so it is checked once and then emitted at every call. */
#ifndef SSPUR_FRONTEND_SSP_KERNEL_HELPERS_H
#define SSPUR_FRONTEND_SSP_KERNEL_HELPERS_H

#include "frontend/ssp/ast.h"

/* Helpers that may call each other in a chain from a kernel. */
#define KERNEL_MAX_LEVELS 8

enum kernel_helper_state { HELPER_UNCHECKED, HELPER_IN_PROGRESS, HELPER_SOUND, HELPER_FAULTY };

struct kernel_helper {
	struct definition *definition;
	enum kernel_helper_state state;
	struct node *body;      /* a copy of its own, if the host's checker has written on the definition's */
	uint32_t slots;         /* parameters have the first, in order */
	uint32_t level;         /* 1: calls no helper; else one more than the highest it calls */
	uint32_t nesting;       /* control inside each other, that of the helpers it calls included */
	uint64_t size;          /* expressions after inlining */
	struct span first_call; /* that led here; empty: a device fn by itself */
};

/* A copy that the checker of kernels may write on. */
struct node *kernel_clone(struct arena *arena, const struct node *n);

#endif

/* How a target language spells what the kernels need; everything else is the same in all of them. */
#ifndef SSPUR_TARGETS_SOURCE_SOURCE_DIALECT_H
#define SSPUR_TARGETS_SOURCE_SOURCE_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

enum source_space { SOURCE_SPACE_GLOBAL, SOURCE_SPACE_SHARED, SOURCE_SPACE_COUNT };

struct source_dialect {
	const char *target;     /* in targets/targets.c, and of its reserved words */
	uint32_t hazards;       /* that every device of the target has */
	bool float64;           /* kernels may use F64 */
	bool settings;          /* scalars come in one constant struct; else each is an argument */
	const char *head;       /* the file's first lines */
	const char *float64_on; /* a line before the first use of F64 */
	const char *float64_if; /* around all that uses F64, for devices without it; NULL: there is no F64 */
	const char *spaces[SOURCE_SPACE_COUNT];
	const char *constant_space; /* of tables */
	const char *function;       /* what the definition of a helper begins with */
	const char *restrict_word;  /* after the `*` of a buffer that is no other argument */
	const char *zero;           /* initializer of any array or struct */
	const char *cast_bits;      /* as a format of the type's name: reads the bits of its argument as that type */
	const char *fabs, *sqrt, *floor, *ceil, *round;
	const char *barriers[2]; /* statements, by enum ir_barrier */
	const char *always;      /* condition of a loop without an end of its own */
	const char *always_is;   /* its declaration in a kernel that has such a loop; NULL: none */
	const char *record;      /* type of the status record's and the mask's words */
	bool atomics_cast;       /* atomics take pointers to types of their own */
};

extern const struct source_dialect source_opencl, source_metal;

#endif

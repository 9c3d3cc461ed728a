/* Parts of the developer tool `exactness`: whether floats come out as IEEE 754 says, on devices and after the passes
 * for devices that are not exact. */
#ifndef SSPUR_DEV_EXACTNESS_H
#define SSPUR_DEV_EXACTNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/hazard.h"
#include "ir/ir.h"

/* An operation on one type; values are in 64-bit form (ir/ir.h). */
struct exactness_operation {
	const char *name; /* "div", "to_f32" */
	enum ir_op op;
	uint8_t arity; /* 1 or 2 */
	enum ir_type_kind from, to;
};
extern const struct exactness_operation exactness_operations[]; /* ends with a NULL name */

/* A module of one kernel, `name`: `o[gid] := op(x[gid], y[gid])`. The caller frees. */
struct ir_module *exactness_kernel(const struct exactness_operation *o);
/* By this machine's arithmetic. */
uint64_t exactness_expected(const struct exactness_operation *o, const uint64_t *operands);
/* A float's value, of an F32 or an F64. */
double exactness_double(enum ir_type_kind type, uint64_t bits);
/* The same value; all NaNs are. */
bool exactness_same(const struct exactness_operation *o, uint64_t x, uint64_t y);
/* Whether spec/sspur.md 3.4 (Hazards) flags the operation on these operands, on a device with the hazards. */
bool exactness_flagged(const struct exactness_operation *o, uint32_t hazards, const uint64_t *operands);

/* Random numbers: the state is any number. */
uint64_t exactness_random(uint64_t *state);
/* Operands, most of them near something: zero, subnormals, powers of two, the greatest, halves of a last digit, each
 * other. */
void exactness_operands(const struct exactness_operation *o, uint64_t *state, uint64_t *operands);

/* A report line's numbers. */
struct exactness_count {
	uint64_t tried, differences, flagged;
};
void exactness_report(const struct exactness_operation *o, const char *device, const struct exactness_count *count,
                      const uint64_t *first_operands);

struct exactness_options {
	const char *device;    /* NULL: the passes */
	const char *operation; /* NULL: every one */
	uint64_t tries, seed;  /* tries a line of the report */
	bool all;              /* operations on one 32-bit value on all of them */
	bool has_hazards;      /* code for `hazards` instead of the device's own */
	uint32_t hazards;
};
/* exactness_passes.c: the passes for sets of hazards, on a simulated device that has them. False: a difference. */
bool exactness_passes(const struct exactness_options *options);
/* exactness_programs.c: the same for kernels of several operations. */
bool exactness_programs(const char *set, uint32_t hazards, uint64_t tries, uint64_t seed);
/* exactness_device.c. False: a difference, or the device failed. */
bool exactness_device(const struct exactness_options *options);

#endif

/* A launch as drivers want it: the kernel's arguments one by one, and parts within the device's limits. */
#ifndef SSPUR_RUNTIME_LAUNCH_VALUES_H
#define SSPUR_RUNTIME_LAUNCH_VALUES_H

#include "runtime/device.h"

enum launch_value_kind {
	LAUNCH_BITS,        /* the low `size` bytes of `bits` */
	LAUNCH_BUFFER,      /* the address of `buffer` */
	LAUNCH_FIRST_GROUP, /* of the part, on `axis`; 64 bits */
	LAUNCH_STATUS,      /* the address of the launch's status record */
	LAUNCH_MASK,        /* the address of `buffer`, null if that is NULL */
};

struct launch_value {
	enum launch_value_kind kind;
	uint32_t size; /* bytes */
	uint64_t bits;
	struct device_buffer *buffer;
	uint8_t axis;
};

/* Zero-initialise; kept from launch to launch; launch_values_free. */
struct launch_values {
	struct launch_value *items;
	uint32_t count, capacity;
};

/* Fills `v` with the kernel's arguments in the order of docs/abi.md: status and mask are KERNEL_CHECKED's alone. */
void launch_values_make(struct launch_values *v, const struct device_launch *launch, const struct device_flags *flags);
void launch_values_free(struct launch_values *v);

/* Appends the name that a variant of the kernel has in the artifact of a target (targets/entry_name.h). False: there is
 * no such variant of this kernel; where there is one, the artifact may still lack it. */
bool launch_entry_name(const char *target, const struct ir_kernel *k, enum kernel_variant variant, struct text *out);

/* Some of a launch's workgroups. Zero-initialise, then take parts while there are more: together they are the grid. */
struct launch_part {
	uint64_t first[3], groups[3];
};

/* `limit`: the most workgroups of a part on each axis, above 0. */
bool launch_part_next(struct launch_part *part, const struct device_launch *launch, const uint64_t limit[3]);

#endif

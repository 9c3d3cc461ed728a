/* Hazards: what a device may not compute exactly (spec/sspur.md 3.4). Code for such a device corrects the operation, or
 * flags the thread with TRAP_INEXACT. A set is the sum of its members. */
#ifndef SSPUR_IR_HAZARD_H
#define SSPUR_IR_HAZARD_H

enum ir_hazard {
	IR_HAZARD_FLUSH_F32 = 1 << 0, /* subnormals may become zero, as operands or results */
	IR_HAZARD_FLUSH_F64 = 1 << 1,
	IR_HAZARD_DIVIDE_F32 = 1 << 2, /* the quotient may not be correctly rounded */
	IR_HAZARD_DIVIDE_F64 = 1 << 3,
	IR_HAZARD_ROOT_F32 = 1 << 4, /* nor the square root */
	IR_HAZARD_ROOT_F64 = 1 << 5,
	IR_HAZARD_NO_F64 = 1 << 6, /* F64 cannot be used for corrections: the device has none */
	IR_HAZARD_ROUNDS = 1 << 7, /* a thread's loops may end early, as lavapipe's do after 65,535 rounds in all, and x
	                              + 0.0 may be x for a constant zero, whatever is promised of zeros' signs */
};

/* Of code for any device of Vulkan, which promises neither exact quotients and roots nor subnormals. */
#define IR_HAZARDS_OF_VULKAN                                                                                           \
	((uint32_t)(IR_HAZARD_FLUSH_F32 | IR_HAZARD_FLUSH_F64 | IR_HAZARD_DIVIDE_F32 | IR_HAZARD_DIVIDE_F64 |          \
	            IR_HAZARD_ROOT_F32 | IR_HAZARD_ROOT_F64))

#endif

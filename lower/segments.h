/* Grouped kernels in the sequential mode, before any LLVM: the segments that each lane runs alone, from cut to cut
 * (ir.h), and how values and locals get from one segment to others. */
#ifndef SSPUR_LOWER_SEGMENTS_H
#define SSPUR_LOWER_SEGMENTS_H

#include "ir/ir_analysis.h"

enum carried {
	CARRIED_NOT,   /* used in its segment alone */
	CARRIED_AGAIN, /* made again wherever it is used */
	CARRIED_ONCE,  /* the same for all lanes of a group: kept once */
	CARRIED_LANES, /* one a lane, in the workspace */
};

struct segments {
	const struct ir_kernel *kernel;
	struct arena *arena;
	bool *lockstep;             /* by id, of control */
	enum ir_uniformity *levels; /* by id */
	enum ir_uniformity *locals_levels;
	uint32_t *of;         /* by id: the number of its segment, from 1; 0: the lanes do it together */
	enum carried *values; /* by id */
	enum carried *locals; /* by local */
	bool ends_lanes;      /* a lane may end before others of its group: `return`, or a recorded failure */
};

/* Instructions of one region, from first to the one before end (NULL: to the region's last). */
struct segment {
	const struct ir_instruction *first, *end;
	bool once; /* the same for all lanes and without effects: one lane can run it for all */
};

/* Whether a kernel's threads meet in what runs on a device: at a barrier, or after shared memory is zeroed. */
bool segments_meet(const struct ir_kernel *k);
/* Whether a thread may return before its end. */
bool segments_return(const struct ir_kernel *k);
struct segments segments_find(const struct ir_kernel *k, struct arena *arena);
/* Whether the lanes do the instruction, of a region that they are in together, together. */
bool segments_joint(const struct segments *s, const struct ir_instruction *i);
/* The segment that begins with i, which is not joint. */
struct segment segments_at(const struct segments *s, struct ir_instruction *i);
/* Calls visit for each instruction of the segment and of the regions in it, until it answers false. */
bool segment_visit(const struct segment *segment, bool (*visit)(void *context, struct ir_instruction *i),
                   void *context);
/* Constants, parameters, lengths, ids and sizes. */
bool segments_given(const struct ir_instruction *i);
/* The same for all lanes that compute it. */
bool segments_same(const struct segments *s, const struct ir_instruction *value);
/* A value that is in scope of a whole round of lockstep control: the variable of a lockstep `for`. */
bool segments_joint_variable(const struct segments *s, const struct ir_instruction *value);

#endif

/* Functions that call themselves, on the CPU (for cone_emit*.c alone). */
#ifndef SSPUR_FRONTEND_CONE_CONE_EMIT_RECURSION_H
#define SSPUR_FRONTEND_CONE_CONE_EMIT_RECURSION_H

#include "frontend/cone/cone_emit.h"

/* One of the functions that call each other. */
struct cone_member {
	const struct cone_instance *instance;
	struct cone_node *body; /* flat */
	uint32_t variable_count;
	struct cone_emit_frame frame;
	shape *result; /* NULL: none */
};

/* Where the frame is put on the stack, or taken off it; what that is is known once all is emitted. */
struct cone_frame_move {
	struct ir_region *region;
	struct ir_instruction *after; /* NULL: at the region's start */
	struct ir_instruction *parent;
	struct place place;
	bool is_call;
};

struct cone_recursion {
	struct cone_recursion *outer;
	struct cone_member *members;
	uint32_t member_count, site_count;
	struct ir_local *member, *resume; /* what runs; the call that has come back, from 1, or 0 */
	struct ir_local *depth;           /* of the grid's index type */
	value zero;                       /* at the kernel's start, of that type */
	struct ir_instruction *loop;
	struct ir_local **saved; /* what a frame is made of */
	uint32_t saved_count, saved_capacity;
	struct cone_frame_move *moves;
	uint32_t move_count, move_capacity;
	struct cone_recursion *next; /* of the kernel */
};

/* NULL: the function is none of them. */
struct cone_member *cone_recursion_member(const struct cone_recursion *r, const struct cone_instance *instance);
/* A call of one of them is in it. */
bool cone_recursion_bears(const struct cone_recursion *r, const struct cone_node *n);
/* cone_emit_frames.c: a value as it is now, whatever becomes of the depth. */
shape *cone_recursion_settled(struct cone_emitter *e, shape *s);
/* A reference in it leads to a local of the frame, which a call takes away. `is_target`: so does it itself. */
bool cone_recursion_leads_to_frame(const struct cone_recursion *r, const shape *s, bool is_target);
/* cone_emit_flatten.c */
void cone_recursion_flatten(struct cone_emitter *e, struct cone_recursion *r, struct cone_member *member);

#endif

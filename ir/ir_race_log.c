/* The record of one run's accesses: a hash table with a cell for each scalar that was touched. */
#include "ir/ir_race_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ir_interpreter_frame.h"

/* What the threads of one or several groups did to a scalar; NULL: nothing of the class. */
struct past {
	uint64_t group;
	const struct ir_instruction *read, *write, *atomic; /* of `atomic` one that writes, if there was one */
	uint64_t read_thread, write_thread, atomic_thread;
};

/* All accesses to one scalar in one phase. As long as no two conflict, these are enough to find one that does:
 * either there is one thread, whose latest of each class count, or there are several, of which two are kept, and all
 * read it, or all change it by one kind of atomic. (Where atomics of different kinds do not conflict, what a third
 * thread reads plainly beside the others' `atomic_load` is lost.) Earlier phases matter where a barrier does not part
 * all threads: one of the buffers parts those of its group. */
struct cell {
	const uint8_t *address; /* NULL: free */
	uint64_t phase;
	uint64_t group;                                     /* in which the phase is */
	struct past before, others;                         /* earlier phases of that group; of all other groups */
	uint64_t thread, other_thread;                      /* by linear index */
	const struct ir_instruction *read, *write, *atomic; /* of `thread`; NULL: none */
	const struct ir_instruction *other;                 /* of `other_thread`; NULL: there is one thread */
	uint64_t operands;                                  /* hash of those of `atomic` */
	const struct ir_instruction *mixed;                 /* an atomic of `thread` of another kind than `atomic` */
	bool raced;                                         /* found before: nothing more is recorded */
};

struct race_tracker {
	struct ir_race_log *log;
	struct cell *cells;
	size_t count, capacity; /* a power of two */
};

struct race_tracker *race_tracker_new(struct ir_race_log *log)
{
	struct race_tracker *t = memory_zeroed(1, sizeof *t);
	t->log = log;
	t->capacity = 256;
	t->cells = memory_zeroed(t->capacity, sizeof *t->cells);
	return t;
}

void race_tracker_free(struct race_tracker *t)
{
	if (!t)
		return;
	free(t->cells);
	free(t);
}

void ir_race_log_free(struct ir_race_log *log)
{
	arena_free(&log->arena);
	*log = (struct ir_race_log){0};
}

/* ---- Cells ---- */

/* The address's cell, or the free one where it belongs. */
static struct cell *find_slot(struct cell *cells, size_t capacity, const uint8_t *address)
{
	uint64_t hash = (uint64_t)(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15);
	size_t n = (size_t)(hash >> 20) & (capacity - 1);
	while (cells[n].address && cells[n].address != address)
		n = (n + 1) & (capacity - 1);
	return &cells[n];
}

static void grow(struct race_tracker *t)
{
	size_t capacity = t->capacity * 2;
	struct cell *cells = memory_zeroed(capacity, sizeof *cells);
	for (size_t n = 0; n < t->capacity; n++)
		if (t->cells[n].address)
			*find_slot(cells, capacity, t->cells[n].address) = t->cells[n];
	free(t->cells);
	t->cells = cells;
	t->capacity = capacity;
}

static struct cell *find_cell(struct race_tracker *t, const uint8_t *address)
{
	struct cell *cell = find_slot(t->cells, t->capacity, address);
	if (cell->address)
		return cell;
	if (t->count >= t->capacity / 4 * 3) {
		grow(t);
		cell = find_slot(t->cells, t->capacity, address);
	}
	t->count++;
	cell->address = address;
	return cell;
}

/* ---- Conflicts ---- */

static bool is_atomic(const struct ir_instruction *i)
{
	return ir_op_infos[i->op].flags & IR_FLAG_ATOMIC;
}

static bool writes(const struct ir_instruction *i)
{
	return ir_op_infos[i->op].flags & IR_FLAG_WRITE;
}

/* Of two atomics what makes them one kind; that of `atomic_cas` includes what it compares with and writes. */
static uint64_t operands_of(const struct interpreter_frame *frame, const struct ir_instruction *i)
{
	if (i->op != IR_OP_atomic_cas)
		return 0;
	uint64_t values[2] = {frame->values[i->operands[0]->id], frame->values[i->operands[1]->id]};
	return hash_bytes(HASH_SEED, values, sizeof values);
}

/* Whether i and an atomic of `thread`, or of the other thread, are one kind. */
static bool are_one_kind(const struct interpreter_frame *frame, const struct cell *cell,
                         const struct ir_instruction *atomic, const struct ir_instruction *i)
{
	return frame->kernel->policy == IR_POLICY_RECORD ||
	       (atomic->op == i->op && cell->operands == operands_of(frame, i));
}

/* Whether i conflicts with what another thread did; `before` NULL: nothing. */
static bool conflict(const struct interpreter_frame *frame, const struct cell *cell,
                     const struct ir_instruction *before, const struct ir_instruction *i)
{
	if (!before || !(writes(before) || writes(i)))
		return false;
	return !(is_atomic(before) && is_atomic(i) && are_one_kind(frame, cell, before, i));
}

/* What `thread` did that conflicts with i of another thread; NULL: nothing. */
static const struct ir_instruction *conflicting(const struct interpreter_frame *frame, const struct cell *cell,
                                                const struct ir_instruction *i)
{
	return conflict(frame, cell, cell->write, i)    ? cell->write
	       : conflict(frame, cell, cell->atomic, i) ? cell->atomic
	       : conflict(frame, cell, cell->read, i)   ? cell->read
	       /* No conflict with `atomic`: then i is of its kind, and not of the other, or both only read. */
	       : cell->mixed && (writes(cell->mixed) || writes(i)) ? cell->mixed
	                                                           : NULL;
}

/* ---- Reports ---- */

static struct ir_race_access access_of(const struct interpreter_frame *frame, const struct ir_instruction *i,
                                       uint64_t thread)
{
	const uint64_t *extents = frame->extents;
	return (struct ir_race_access){
	    i, {thread % extents[0], thread / extents[0] % extents[1], thread / extents[0] / extents[1]}};
}

static void report(const struct interpreter_frame *frame, const struct ir_race_report *new)
{
	struct ir_race_log *log = frame->races->log;
	log->elements++;
	for (uint32_t n = 0; n < log->report_count; n++)
		if (log->reports[n].first.instruction == new->first.instruction &&
		    log->reports[n].second.instruction == new->second.instruction)
			return;
	if (log->report_count < log->most)
		*ARENA_PUSH(&log->arena, log->reports, log->report_count, log->report_capacity) = *new;
}

/* ---- Earlier phases ---- */

static void past_add(struct past *past, const struct ir_instruction *i, uint64_t thread)
{
	if (!i)
		return;
	if (is_atomic(i)) {
		if (past->atomic && writes(past->atomic))
			return;
		past->atomic = i;
		past->atomic_thread = thread;
	} else if (writes(i)) {
		past->write = i;
		past->write_thread = thread;
	} else {
		past->read = i;
		past->read_thread = thread;
	}
}

static void past_join(struct past *into, const struct past *from)
{
	past_add(into, from->read, from->read_thread);
	past_add(into, from->write, from->write_thread);
	past_add(into, from->atomic, from->atomic_thread);
}

/* What was in the cell's phase is past. */
static void end_phase(struct cell *cell, uint64_t phase, uint64_t group)
{
	past_add(&cell->before, cell->read, cell->thread);
	past_add(&cell->before, cell->write, cell->thread);
	past_add(&cell->before, cell->atomic, cell->thread);
	past_add(&cell->before, cell->mixed, cell->thread);
	past_add(&cell->before, cell->other, cell->other_thread);
	if (cell->group != group) {
		past_join(&cell->others, &cell->before);
		cell->before = (struct past){0};
	}
	*cell = (struct cell){.address = cell->address,
	                      .phase = phase,
	                      .group = group,
	                      .before = cell->before,
	                      .others = cell->others,
	                      .raced = cell->raced};
}

/* What a thread of another group did in an earlier phase that conflicts with i. */
static const struct ir_instruction *conflicting_past(const struct past *past, const struct ir_instruction *i,
                                                     uint64_t *thread)
{
	if (past->write) {
		*thread = past->write_thread;
		return past->write;
	}
	if (past->atomic && !is_atomic(i) && (writes(past->atomic) || writes(i))) {
		*thread = past->atomic_thread;
		return past->atomic;
	}
	*thread = past->read_thread;
	return past->read && writes(i) ? past->read : NULL;
}

/* ---- Recording ---- */

static uint64_t phase_of(const struct interpreter_frame *frame, const struct ir_memory *memory)
{
	return memory->kind == IR_MEMORY_SHARED ? frame->phase : frame->storage_phase;
}

static void record_own(const struct interpreter_frame *frame, struct cell *cell, const struct ir_instruction *i)
{
	if (!is_atomic(i)) {
		*(writes(i) ? &cell->write : &cell->read) = i;
		return;
	}
	if (cell->atomic && !are_one_kind(frame, cell, cell->atomic, i)) {
		cell->mixed = i;
		return;
	}
	cell->atomic = i;
	cell->operands = operands_of(frame, i);
}

void race_tracker_access(struct interpreter_frame *frame, const struct ir_instruction *i, const uint8_t *address,
                         uint64_t offset)
{
	const struct ir_memory *memory = i->base;
	if (!memory->writable || memory->kind == IR_MEMORY_PRIVATE)
		return;
	const uint64_t *extents = frame->extents, *id = frame->global_id;
	uint64_t thread = (id[2] * extents[1] + id[1]) * extents[0] + id[0], phase = phase_of(frame, memory);
	struct cell *cell = find_cell(frame->races, address);
	if (cell->phase != phase && memory->kind == IR_MEMORY_BUFFER)
		end_phase(cell, phase, frame->group);
	else if (cell->phase != phase)
		*cell = (struct cell){.address = address, .phase = phase};
	if (!(cell->read || cell->write || cell->atomic))
		cell->thread = thread;
	if (cell->raced)
		return;
	uint64_t first_thread = cell->thread;
	const struct ir_instruction *first = cell->thread != thread ? conflicting(frame, cell, i) : NULL;
	if (!first && !(first = conflicting_past(&cell->others, i, &first_thread)))
		first_thread = cell->thread;
	if (!first && cell->other_thread != thread && conflict(frame, cell, cell->other, i)) {
		first = cell->other;
		first_thread = cell->other_thread;
	}
	if (first) {
		cell->raced = true;
		report(frame,
		       &(struct ir_race_report){frame->kernel, memory, offset, access_of(frame, first, first_thread),
		                                access_of(frame, i, thread)});
	} else if (cell->thread == thread) {
		record_own(frame, cell, i);
	} else if (!cell->other) {
		cell->other = i;
		cell->other_thread = thread;
	}
}

/* ---- Text ---- */

void ir_race_print_element(struct text *out, const struct ir_race_report *r)
{
	const struct ir_type *t = r->memory->type;
	uint64_t offset = r->offset;
	text_add(out, r->memory->name);
	if (r->memory->kind == IR_MEMORY_BUFFER) {
		text_add_format(out, "[%" PRIu64 "]", offset / t->size);
		offset %= t->size;
	}
	while (!ir_type_is_scalar(t)) {
		if (t->kind == IR_TYPE_array) {
			t = t->element;
			text_add_format(out, "[%" PRIu64 "]", offset / t->size);
			offset %= t->size;
			continue;
		}
		const struct ir_field *field = &t->fields[t->count - 1];
		while (field->offset > offset)
			field--;
		text_add_format(out, ".%s", field->name);
		offset -= field->offset;
		t = field->type;
	}
}

/* Names of files where the kernel's module lists some; they may be several. */
static void print_place(struct text *out, const struct ir_kernel *k, const struct place *place)
{
	for (uint32_t n = 0; n < k->module->file_count; n++)
		if (k->module->files[n].id == place->file)
			text_add_format(out, "%s:", k->module->files[n].name);
	text_add_format(out, "%u:%u", place->line, place->column);
}

static void print_access(struct text *out, const struct ir_kernel *k, const struct ir_race_access *a)
{
	text_add(out, k->policy == IR_POLICY_RECORD ? " invocation" : " thread");
	text_add_format(out, k->axes > 1 ? " (%" PRIu64 : " %" PRIu64, a->thread[0]);
	for (uint8_t axis = 1; axis < k->axes; axis++)
		text_add_format(out, ", %" PRIu64, a->thread[axis]);
	text_add_format(out, "%s %s it at ", k->axes > 1 ? ")" : "",
	                is_atomic(a->instruction) ? "atomically accesses"
	                : writes(a->instruction)  ? "writes"
	                                          : "reads");
	print_place(out, k, &a->instruction->place);
}

void ir_race_print(struct text *out, const struct ir_race_report *r)
{
	text_add(out, "race on ");
	ir_race_print_element(out, r);
	text_add_char(out, ':');
	print_access(out, r->kernel, &r->first);
	text_add_char(out, ',');
	print_access(out, r->kernel, &r->second);
}

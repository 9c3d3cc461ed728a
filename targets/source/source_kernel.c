/* One kernel: its parameters (docs/abi.md), ids, variables, the body and the report. */
#include <string.h>

#include "targets/source/source_writer.h"

/* ---- Names ---- */

struct id_use {
	bool global, local, group;
};

static bool find_ids(void *context, struct ir_instruction *i)
{
	struct id_use *uses = context;
	uses[i->axis].global |= i->op == IR_OP_global_id;
	uses[i->axis].local |= i->op == IR_OP_local_id;
	uses[i->axis].group |= i->op == IR_OP_group_id;
	return true;
}

static const char *id_name(struct source_writer *w, const char *name, unsigned axis)
{
	static const char *const suffixes[] = {"_x", "_y", "_z"};
	return source_new_name(w, &w->names,
	                       arena_format(w->arena, "%s%s", name, w->kernel->axes > 1 ? suffixes[axis] : ""));
}

/* In the order of the interface: parameters, extents, first groups, status, mask. */
static void name_arguments(struct source_writer *w, const char **names)
{
	const struct ir_kernel *k = w->kernel;
	uint32_t n = 0;
	for (; n < w->interface.count; n++)
		names[n] = source_new_name(w, &w->names, w->interface.arguments[n].name);
	n = 0;
	for (uint32_t p = 0; p < k->parameter_count; p++) {
		w->parameters[p] = names[n++];
		if (k->parameters[p].kind == IR_PARAMETER_BUFFER)
			w->lengths[p] = names[n++];
	}
	for (uint8_t axis = 0; axis < k->axes; axis++)
		w->extents[axis] = names[n++];
	for (uint8_t axis = 0; axis < k->axes; axis++)
		w->first_groups[axis] = names[n++];
	w->status = n < w->interface.count ? names[n] : NULL;
	w->mask = n + 1 < w->interface.count ? names[n + 1] : NULL;
	w->has_mask = w->dialect->settings ? source_new_name(w, &w->names, "has_mask") : NULL;
}

/* ---- Parameters ---- */

static bool is_pointer(const struct interface_argument *a)
{
	return strcmp(a->type, "address") == 0;
}

static bool is_record(const struct interface_argument *a)
{
	return is_pointer(a) && !a->parameter;
}

static bool reads_nothing_written(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->op != IR_OP_load || i->base->kind != IR_MEMORY_BUFFER || !i->base->writable;
}

/* NVIDIA's OpenCL (580) makes one load of those in two branches, and takes the cache of what no thread writes for it if
 * one is of a `const *restrict`. */
static const char *restrict_word(const struct source_writer *w, const struct ir_memory *buffer)
{
	bool is_sound = buffer->writable || ir_visit(&w->kernel->body, reads_nothing_written, NULL);
	return is_sound ? w->dialect->restrict_word : "";
}

static const char *pointer(struct source_writer *w, const struct interface_argument *a, const char *name)
{
	const char *space = w->dialect->spaces[SOURCE_SPACE_GLOBAL];
	if (!a->parameter)
		return arena_format(w->arena, "%s %s *%s", space, w->dialect->record, name);
	const struct ir_type *t = a->parameter->type;
	const char *word = restrict_word(w, a->parameter->memory);
	const char *declarator = arena_format(w->arena, t->kind == IR_TYPE_array ? "(*%s%s)" : "*%s%s", word, name);
	return arena_format(w->arena, "%s %s%s", space, a->parameter->memory->writable ? "" : "const ",
	                    source_declare(w, t, declarator));
}

static const char *scalar(struct source_writer *w, const struct interface_argument *a, const char *name)
{
	bool is_value = a->parameter && a->parameter->kind == IR_PARAMETER_SCALAR;
	return is_value ? source_declare(w, a->parameter->type, name) : arena_format(w->arena, "ulong %s", name);
}

static void print_separated(struct source_writer *w, bool first, const char *text)
{
	text_add(w->out, first ? "" : ",\n\t");
	text_add(w->out, text);
}

static void print_arguments(struct source_writer *w, const char *const *names)
{
	text_add_format(w->out, "__attribute__((reqd_work_group_size(%u, %u, %u)))\n__kernel void %s(",
	                w->kernel->group[0], w->kernel->group[1], w->kernel->group[2], w->entry);
	for (uint32_t n = 0; n < w->interface.count; n++) {
		const struct interface_argument *a = &w->interface.arguments[n];
		print_separated(w, n == 0, is_pointer(a) ? pointer(w, a, names[n]) : scalar(w, a, names[n]));
	}
	text_add(w->out, ")\n");
}

/* Pointers are buffers 0, 1, ... in order, then come the settings, the status record and the mask. */
static void print_bindings(struct source_writer *w, const char *const *names, const char *settings)
{
	unsigned binding = 0;
	text_add_format(w->out, "struct %s_settings {\n", w->entry);
	for (uint32_t n = 0; n < w->interface.count; n++)
		if (!is_pointer(&w->interface.arguments[n]))
			text_add_format(w->out, "\t%s;\n", scalar(w, &w->interface.arguments[n], names[n]));
	if (w->status)
		text_add_format(w->out, "\tuint %s;\n", w->has_mask);
	text_add_format(w->out, "};\n\n[[kernel]] void %s(", w->entry);
	for (int record = 0; record < 2; record++) {
		for (uint32_t n = 0; n < w->interface.count; n++) {
			const struct interface_argument *a = &w->interface.arguments[n];
			if (!is_pointer(a) || record != !a->parameter)
				continue;
			print_separated(w, binding == 0,
			                arena_format(w->arena, "%s [[buffer(%u)]]", pointer(w, a, names[n]), binding));
			binding++;
		}
		if (record)
			continue;
		print_separated(w, binding == 0,
		                arena_format(w->arena, "constant struct %s_settings &%s [[buffer(%u)]]", w->entry,
		                             settings, binding));
		binding++;
	}
}

/* ---- The beginning of the body ---- */

static void take_settings(struct source_writer *w, const char *const *names, const char *settings)
{
	for (uint32_t n = 0; n < w->interface.count; n++)
		if (!is_pointer(&w->interface.arguments[n]))
			source_line(w, "const %s = %s.%s;", scalar(w, &w->interface.arguments[n], names[n]), settings,
			            names[n]);
	if (w->status)
		source_line(w, "const uint %s = %s.%s;", w->has_mask, settings, w->has_mask);
}

/* Where the work-item is, in its group and its group in the launch, on an axis. */
struct position {
	const char *local, *group;
};

static struct position position_on(struct source_writer *w, unsigned axis, const char *in_group, const char *in_grid)
{
	static const char members[] = "xyz";
	if (w->dialect->settings)
		return (struct position){arena_format(w->arena, "%s.%c", in_group, members[axis]),
		                         arena_format(w->arena, "%s.%c", in_grid, members[axis])};
	return (struct position){arena_format(w->arena, "get_local_id(%u)", axis),
	                         arena_format(w->arena, "get_group_id(%u)", axis)};
}

/* Ids are variables of the index type where that holds them: where it has 64 bits, or nothing fails. */
static void make_ids(struct source_writer *w, const char *in_group, const char *in_grid)
{
	const struct ir_kernel *k = w->kernel;
	const char *type = source_holds_ids(w) ? source_type_name(&ir_types[k->index]) : "ulong";
	struct id_use uses[3] = {{0}};
	ir_visit(&k->body, find_ids, uses);
	for (unsigned axis = 0; axis < k->axes; axis++) {
		struct position p = position_on(w, axis, in_group, in_grid);
		bool locals = uses[axis].local || w->meets;
		w->local_id[axis] = id_name(w, "lid", axis);
		w->group_id[axis] = id_name(w, "group", axis);
		w->global_id[axis] = id_name(w, "gid", axis);
		if (locals)
			source_line(w, "const %s %s = (%s)%s;", type, w->local_id[axis], type, p.local);
		if (uses[axis].group)
			source_line(w, "const %s %s = (%s)(%s + %s);", type, w->group_id[axis], type,
			            w->first_groups[axis], p.group);
		source_line(w, "const %s %s = (%s)((%s + %s) * %u + %s);", type, w->global_id[axis], type,
		            w->first_groups[axis], p.group, k->group[axis], p.local);
	}
}

bool source_holds_ids(const struct source_writer *w)
{
	return ir_type_bits(&ir_types[w->kernel->index]) == 64 || source_proved(w);
}

static const char *inside_grid(struct source_writer *w)
{
	const char *inside = NULL;
	for (unsigned axis = 0; axis < w->kernel->axes; axis++) {
		const char *here = arena_format(w->arena, "(ulong)%s < %s", w->global_id[axis], w->extents[axis]);
		inside = inside ? arena_format(w->arena, "%s && %s", inside, here) : here;
	}
	return inside;
}

static void declare_locals(struct source_writer *w)
{
	const struct ir_kernel *k = w->kernel;
	w->locals = ARENA_ARRAY(w->arena, const char *, k->local_count);
	for (uint32_t n = 0; n < k->local_count; n++) {
		const struct ir_local *l = k->locals[n];
		w->locals[n] = source_new_name(w, &w->names, l->name);
		if (w->at_top[n])
			source_line(w, "%s %s = %s;", source_type_name(l->type), w->locals[n],
			            l->type->kind == IR_TYPE_bool ? "false" : "0");
	}
}

/* Threads outside the grid leave; where there are barriers they go on without effects. */
static void begin_thread(struct source_writer *w)
{
	const char *inside = inside_grid(w);
	if (!w->meets) {
		source_line(w, "if (!(%s))", inside);
		source_line(w, "\treturn;");
	}
	if (w->checked)
		source_line(w, w->together ? "ulong %s = %s ? 0 : 16;" : "ulong %s = 0;", w->bad, inside);
	if (w->checked && w->together)
		source_line(w, "bool %s = false;", w->group_bad);
}

static bool is_no_endless_loop(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->op != IR_OP_loop;
}

static void print_body(struct source_writer *w, const char *in_group, const char *in_grid)
{
	source_memories(w);
	make_ids(w, in_group, in_grid);
	w->bad = source_new_name(w, &w->names, "bad");
	w->group_bad = source_new_name(w, &w->names, "group_bad");
	begin_thread(w);
	if (w->dialect->always_is && !ir_visit(&w->kernel->body, is_no_endless_loop, NULL))
		source_line(w, "%s", w->dialect->always_is);
	if (w->meets)
		source_shared_start(w);
	declare_locals(w);
	source_region(w, &w->kernel->body);
	source_report(w);
}

void source_kernel(struct source_writer *w)
{
	const struct ir_kernel *k = w->kernel;
	const char **names = ARENA_ARRAY(w->arena, const char *, k->parameter_count * 2 + 8);
	w->names = (struct table){.arena = w->arena};
	w->interface = kernel_interface_make(k, w->arena);
	while (source_proved(w) && is_record(&w->interface.arguments[w->interface.count - 1]))
		w->interface.count--;
	w->parameters = ARENA_ARRAY(w->arena, const char *, k->parameter_count);
	w->lengths = ARENA_ARRAY(w->arena, const char *, k->parameter_count);
	w->values = ARENA_ARRAY(w->arena, const char *, k->next_id + 1);
	w->line = 0;
	name_arguments(w, names);
	source_find_checks(w);
	source_fold(w);
	text_add_char(w->out, '\n');
	const char *settings = NULL, *in_group = NULL, *in_grid = NULL;
	if (w->dialect->settings) {
		settings = source_new_name(w, &w->names, "settings");
		in_group = source_new_name(w, &w->names, "place");
		in_grid = source_new_name(w, &w->names, "group_place");
		print_bindings(w, names, settings);
		print_separated(w, false,
		                arena_format(w->arena, "uint3 %s [[thread_position_in_threadgroup]]", in_group));
		print_separated(w, false, arena_format(w->arena, "uint3 %s [[threadgroup_position_in_grid]]", in_grid));
		text_add(w->out, ")\n");
	} else {
		print_arguments(w, names);
	}
	text_add(w->out, "{\n");
	w->depth = 1;
	if (settings)
		take_settings(w, names, settings);
	print_body(w, in_group, in_grid);
	w->depth = 0;
	text_add(w->out, "}\n");
}

#include "utils/tools/race_proofs.h"

#include <string.h>

#include "ir/ir_analysis.h"
#include "utils/base/arena.h"

/* What is said of one memory. */
struct verdict {
	const struct ir_kernel *kernel;
	const struct ir_race_proof *proof;
	const char *file; /* where that is */
	struct place place;
	struct text text;
};

static const char *file_of(const struct ir_kernel *k, const struct place *place, const char *path)
{
	for (uint32_t n = 0; n < k->module->file_count; n++)
		if (k->module->files[n].id == place->file)
			return k->module->files[n].name;
	return path;
}

/* Of a place in the kernel, as diagnostics call it. */
static const char *path_of(const struct ir_kernel *k, const struct place *place, const struct cone_program *program,
                           const char *path)
{
	for (uint32_t n = 0; program && n < program->file_count; n++) {
		const struct cone_file *file = program->files[n];
		if (place->file ? file->id == place->file : strcmp(file->source.recorded, k->file) == 0)
			return file->source.name;
	}
	return path;
}

/* ---- Words ---- */

static const char *threads_of(const struct ir_kernel *k)
{
	return k->policy == IR_POLICY_RECORD ? "invocation" : "thread";
}

static const char *verb_of(const struct ir_instruction *access)
{
	unsigned flags = ir_op_infos[access->op].flags;
	return flags & IR_FLAG_ATOMIC ? "atomic update" : flags & IR_FLAG_WRITE ? "write" : "read";
}

static void say_proved(struct verdict *v)
{
	const struct ir_race_proof *p = v->proof;
	const char *name = threads_of(v->kernel);
	text_add(&v->text, "proved: ");
	switch (p->kind) {
	case IR_RACE_PROOF_NONE: break;
	case IR_RACE_PROOF_READ: text_add(&v->text, "no access writes it"); break;
	case IR_RACE_PROOF_ATOMIC: text_add(&v->text, "every access is atomic"); break;
	case IR_RACE_PROOF_THREADS: text_add_format(&v->text, "each element is one %s's", name); break;
	case IR_RACE_PROOF_PHASES:
		text_add_format(&v->text, "between two barriers each element is one %s's, only read or only atomic",
		                name);
		break;
	}
	if (p->in_line)
		text_add_format(&v->text, ", where the dispatch has one %s along y and along z", name);
}

static void say_divergence(struct verdict *v, const char *path)
{
	const struct ir_divergence *d = v->proof->divergence;
	v->place = d->barrier->place;
	v->file = file_of(v->kernel, &v->place, path);
	text_add_format(&v->text, "the %ss of a group may not reach this barrier together: in the %s at line %u, %s",
	                threads_of(v->kernel), ir_op_infos[d->control->op].name, d->control->place.line, d->reason);
}

static void say_race(struct verdict *v, const char *path)
{
	const struct ir_race *race = &v->proof->race;
	v->place = race->second->place;
	v->file = file_of(v->kernel, &v->place, path);
	if (race->first != race->second)
		text_add_format(&v->text, "the %s at line %u and this %s", verb_of(race->first),
		                race->first->place.line, verb_of(race->second));
	if (race->around)
		text_add_format(&v->text, " in a later round of the loop at line %u", race->around->place.line);
	text_add_format(&v->text, "%s%s", v->text.length ? ": " : "", race->reason);
}

static void say(struct verdict *v, const char *path)
{
	v->place = v->kernel->place;
	v->file = file_of(v->kernel, &v->place, path);
	if (v->proof->kind != IR_RACE_PROOF_NONE)
		say_proved(v);
	else if (v->proof->divergence)
		say_divergence(v, path);
	else
		say_race(v, path);
}

/* ---- Both forms ---- */

static void print_line(const struct verdict *v, struct text *out)
{
	text_add_format(out, "  %s: ", v->proof->memory->name);
	if (v->proof->kind == IR_RACE_PROOF_NONE)
		text_add_format(out, "not proved: %s:%u:%u: ", v->file, v->place.line, v->place.column);
	text_add_format(out, "%s\n", text_string(&v->text));
}

static void add_string(struct text *out, const char *name, const char *value)
{
	text_add_format(out, "\"%s\": ", name);
	text_add_json(out, value, strlen(value));
}

static void print_object(const struct verdict *v, struct text *out)
{
	text_add(out, out->length ? ",\n  {" : "{");
	add_string(out, "file", v->file);
	text_add_format(out, ", \"line\": %u, \"column\": %u, \"severity\": \"proof\", ", v->place.line,
	                v->place.column);
	add_string(out, "kernel", v->kernel->name);
	text_add(out, ", ");
	add_string(out, "memory", v->proof->memory->name);
	text_add_format(out, ", \"proved\": %s, \"inLine\": %s, ",
	                v->proof->kind != IR_RACE_PROOF_NONE ? "true" : "false", v->proof->in_line ? "true" : "false");
	add_string(out, "message", text_string(&v->text));
	text_add_char(out, '}');
}

static void print_kernel(const struct ir_kernel *k, const struct cone_program *program, const char *path,
                         struct text *out, bool json)
{
	struct arena arena = {0};
	struct ir_race_proof *proofs;
	uint32_t count = ir_prove_races(k, &arena, &proofs);
	if (!json)
		text_add_format(out, "%s:%u: kernel %s\n", path_of(k, &k->place, program, path), k->place.line,
		                k->name);
	for (uint32_t n = 0; n < count; n++) {
		struct verdict v = {.kernel = k, .proof = &proofs[n]};
		say(&v, path);
		if (json)
			v.file = path_of(k, &v.place, program, path);
		(json ? print_object : print_line)(&v, out);
		text_free(&v.text);
	}
	arena_free(&arena);
}

void race_proofs_print(const struct ir_module *m, const struct cone_program *program, const char *path,
                       struct text *out)
{
	for (uint32_t n = 0; n < m->kernel_count; n++)
		print_kernel(m->kernels[n], program, path, out, false);
}

void race_proofs_print_json(const struct ir_module *m, const struct cone_program *program, const char *path,
                            struct text *out)
{
	for (uint32_t n = 0; n < m->kernel_count; n++)
		print_kernel(m->kernels[n], program, path, out, true);
}

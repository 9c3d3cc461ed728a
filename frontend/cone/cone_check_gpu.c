/* What a GPU lacks, as far as types and calls show it: what the checker kept (1255, 1298, 1299, 1400), recursion
 * (1256), and references chosen at run time (1253, 1254). */
#include <stdio.h>
#include <string.h>

#include "frontend/cone/cone_check.h"

/* ---- Walking typed bodies ---- */

typedef void (*visit_function)(void *context, struct cone_node *n);

static void visit(struct cone_node *n, visit_function f, void *context)
{
	if (!n)
		return;
	f(context, n);
	struct cone_node *children[] = {n->condition, n->left, n->step, n->right, n->other};
	for (size_t i = 0; i < sizeof children / sizeof *children; i++)
		visit(children[i], f, context);
	for (uint32_t i = 0; i < n->part_count; i++)
		visit(n->parts[i], f, context);
}

/* ---- Recursion ---- */

/* Calls in calls, all of which are inlined. */
#define CALL_DEPTH 500

struct walk {
	struct cone_checker *checker;
	struct table marks; /* of instances, by address: open or done */
	struct cone_instance **path;
	uint32_t path_count, path_capacity;
	bool is_deep; /* reported */
};

static void enter(struct walk *w, struct cone_instance *instance);

static void enter_call(void *context, struct cone_node *n)
{
	if (n->kind == CONE_CALL && n->instance)
		enter(context, n->instance);
}

static const char *name_of(const struct cone_instance *instance)
{
	return instance->function->name && *instance->function->name ? instance->function->name : "a closure";
}

static void report_round(struct walk *w, struct cone_instance *instance)
{
	struct text chain = {0};
	uint32_t first = w->path_count;
	while (first > 0 && w->path[first - 1] != instance)
		first--;
	first = first ? first - 1 : 0;
	for (uint32_t i = first; i < w->path_count; i++)
		text_add_format(&chain, "%s calls ", name_of(w->path[i]));
	text_add(&chain, name_of(instance));
	const struct cone_declaration *d = w->path[first]->function;
	struct span span = d->name_span.end > d->name_span.start ? d->name_span : d->span;
	cone_report(d->file, span, "1256", "%s calls itself, and a GPU has no stack for that: %s", name_of(instance),
	            text_string(&chain));
	text_free(&chain);
}

static void enter(struct walk *w, struct cone_instance *instance)
{
	static char open, done;
	char key[32];
	int length = snprintf(key, sizeof key, "%p", (void *)instance);
	void *mark = table_get_n(&w->marks, key, (size_t)length);
	if (mark == &open)
		report_round(w, instance);
	if (mark || !instance->body)
		return;
	if (w->path_count > CALL_DEPTH) {
		if (!w->is_deep)
			cone_report(instance->function->file, instance->function->name_span, "1256",
			            "%s is called through more than %d others", name_of(instance), CALL_DEPTH);
		w->is_deep = true;
		return;
	}
	table_set_n(&w->marks, key, (size_t)length, &open);
	*(struct cone_instance **)ARENA_PUSH(w->checker->arena, w->path, w->path_count, w->path_capacity) = instance;
	visit(instance->body, enter_call, w);
	w->path_count--;
	table_set_n(&w->marks, key, (size_t)length, &done);
}

/* ---- Inline functions that call what is not there ---- */

struct reach {
	struct cone_checker *checker;
	struct table seen; /* instances: by address */
	uint32_t depth;
	bool found;
};

static bool is_seen(struct reach *r, const struct cone_instance *instance)
{
	bool seen = table_get_n(&r->seen, (const char *)&instance, sizeof instance) != NULL;
	table_set_n(&r->seen, (const char *)&instance, sizeof instance, r);
	return seen;
}

static void find_faults(void *context, struct cone_node *n)
{
	struct reach *r = context;
	if (r->found || n->kind != CONE_CALL || !n->instance || !n->instance->function->is_inline)
		return;
	r->found = n->instance->has_faults;
	if (!r->found && r->depth < CALL_DEPTH && !is_seen(r, n->instance)) {
		r->depth++;
		visit(n->instance->body, find_faults, r);
		r->depth--;
	}
}

/* At calls from code that is not inline, of what is. */
static void check_reached(void *context, struct cone_node *n)
{
	struct reach *r = context;
	if (n->kind != CONE_CALL || !n->instance || !n->instance->body)
		return;
	if (!n->instance->function->is_inline) {
		if (r->depth < CALL_DEPTH && !is_seen(r, n->instance)) {
			r->depth++;
			visit(n->instance->body, check_reached, r);
			r->depth--;
		}
		return;
	}
	struct reach inner = {.checker = r->checker, .seen = {.arena = r->checker->arena}};
	find_faults(&inner, n);
	if (inner.found)
		cone_report(n->file, n->at.end > n->at.start ? n->at : n->span, "1400",
		            "%s calls what is defined elsewhere, and a GPU has only what it is given",
		            n->instance->function->name);
}

/* ---- References chosen at run time ---- */

static bool is_reference(const struct cone_type *t)
{
	return t->kind == CONE_TYPE_REFERENCE || t->kind == CONE_TYPE_SLICE || t->kind == CONE_TYPE_POINTER;
}

static bool is_constant(const struct cone_node *n)
{
	return n->kind == CONE_CONSTANT;
}

static void check_indexed(void *context, struct cone_node *n)
{
	struct cone_checker *c = context;
	if (n->kind == CONE_INDEX && n->part_count == 1 && n->parts[0]->kind != CONE_RANGE &&
	    !is_constant(n->parts[0]) && n->type && cone_type_holds(c, n->type, is_reference))
		cone_report(
		    n->file, n->at.end > n->at.start ? n->at : n->span, "1254",
		    "a reference is taken out of an array by an index that is not constant: a GPU cannot choose "
		    "where it points");
}

void cone_check_gpu(struct cone_program *p)
{
	struct cone_checker *c = p->checker;
	for (uint32_t i = 0; i < c->gpu_fault_count; i++) {
		struct cone_gpu_fault *fault = &c->gpu_faults[i];
		cone_report(fault->file, fault->span, fault->code, "%s", fault->message);
	}
	struct reach reach = {.checker = c, .seen = {.arena = c->arena}};
	for (uint32_t i = 0; i < p->entry_count; i++)
		visit(p->entries[i].instance->body, check_reached, &reach);
	struct walk w = {.checker = c, .marks = {.arena = c->arena}};
	for (uint32_t i = 0; i < c->instance_count; i++) {
		enter(&w, c->instances[i]);
		if (c->instances[i]->body)
			visit(c->instances[i]->body, check_indexed, c);
	}
}

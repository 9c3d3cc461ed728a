/* Calls: functions with their contracts, lambdas, builtins. */
#include "frontend/ssp/host_internal.h"

static builtin_function *const builtins[BUILTIN_COUNT] = {
#define METHOD(id, name, receiver, minimum, maximum) [BUILTIN_##id] = builtin_##id,
#define GLOBAL(id, name, minimum, maximum, effects) [BUILTIN_##id] = builtin_##id,
#include "frontend/ssp/builtins.def"
#undef METHOD
#undef GLOBAL
};

uint32_t argument_count(const struct node *n)
{
	return n->part_count + (n->kind == NODE_METHOD);
}

struct node *argument(const struct node *n, uint32_t i)
{
	if (n->kind == NODE_METHOD)
		return i == 0 ? n->left : n->parts[i - 1];
	return n->parts[i];
}

static bool evaluate_arguments(struct task *t, const struct node *n)
{
	uint32_t count = argument_count(n);
	for (uint32_t i = 0; i < count; i++)
		if (!evaluate(t, argument(n, i)))
			return false;
	witness_arguments(t, n, t->top - count);
	return true;
}

static void push_units(struct task *t, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		push(t, value_unit());
}

static bool check_clauses(struct task *t, const struct definition *d, const struct clause *clauses, uint32_t count,
                          const char *word, const struct node *call)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!evaluate(t, clauses[i].condition))
			return false;
		if (pop(t).truth)
			continue;
		trap_at(t, call ? call->at : clauses[i].span, "contract violated: %s %s in %s", word, clauses[i].text,
		        d->name);
		witness_parameters(t, d);
		if (clauses == d->post)
			witness_named(t, "r", t->frame->slots[d->result_variable->slot]);
		return false;
	}
	return true;
}

/* The frame is made. Leaves the result on top. */
static bool run_function(struct task *t, const struct definition *d, const struct node *call)
{
	if (!check_clauses(t, d, d->pre, d->pre_count, "pre", call))
		return false;
	bool good = t->witness && d->kind == DEFINITION_TEST ? witness_evaluate(t, d->body)
	            : d->post_count                          ? evaluate(t, d->body)
	                                                     : evaluate_body(t, d->body);
	if (!good && t->unwind == UNWIND_TRAP)
		return false;
	if (!good)
		push(t, t->returned);
	/* The last value of `main` is looked at by host_run_main. */
	bool is_last = !call && d->post_count == 0;
	if (d->kind == DEFINITION_FUNCTION && d->result->kind == TYPE_UNIT && !is_last) {
		value_release(t->top[-1]);
		t->top[-1] = value_unit();
	}
	if (d->post_count == 0)
		return true;
	value_retain(t->top[-1]);
	variable_declare(t, d->result_variable, t->top[-1]);
	return check_clauses(t, d, d->post, d->post_count, "post", NULL);
}

bool call_function(struct task *t, const struct definition *d, struct value *base, const struct node *call)
{
	if (!task_room(t, call ? call : d->body, d->frame_slots))
		return false;
	struct frame frame = {.slots = base};
	struct frame *caller = t->frame;
	push_units(t, d->frame_slots - d->parameter_count);
	t->frame = &frame;
	bool good = run_function(t, d, call);
	t->frame = caller;
	if (!good)
		return false;
	struct value result = pop(t);
	return give(t, base, result);
}

/* ---- Function values ---- */

bool callable_open(struct task *t, struct callable *c, struct value function, const struct node *call)
{
	*c = (struct callable){.call = call};
	if (function.kind == VALUE_FUNCTION) {
		c->function = function.function;
		return true;
	}
	c->lambda = function.lambda;
	if (!task_room(t, call, c->lambda->frame_slots))
		return false;
	c->frame.parent = t->frame;
	for (uint32_t i = 0; i < function.hops; i++)
		c->frame.parent = c->frame.parent->parent;
	c->frame.slots = t->top;
	push_units(t, c->lambda->frame_slots);
	return true;
}

static void bind_parameters(const struct callable *c, const struct value *arguments, uint32_t count)
{
	const struct node *lambda = c->lambda;
	if (!lambda->spread) {
		for (uint32_t i = 0; i < count; i++)
			c->frame.slots[lambda->parameters[i].variable->slot] = arguments[i];
		return;
	}
	const struct tuple *tuple = arguments[0].tuple;
	for (uint32_t i = 0; i < tuple->count; i++) {
		value_retain(tuple->items[i]);
		c->frame.slots[lambda->parameters[i].variable->slot] = tuple->items[i];
	}
	value_release(arguments[0]);
}

bool callable_call(struct task *t, struct callable *c, const struct value *arguments, uint32_t count)
{
	struct value *base = t->top;
	if (c->function) {
		for (uint32_t i = 0; i < count; i++)
			push(t, arguments[i]);
		return call_function(t, c->function, base, c->call);
	}
	bind_parameters(c, arguments, count);
	struct frame *caller = t->frame;
	t->frame = &c->frame;
	bool good = evaluate_body(t, c->lambda->left);
	t->frame = caller;
	if (!good && t->unwind == UNWIND_TRAP)
		return false;
	if (!good) {
		cut(t, base);
		push(t, t->returned);
	}
	for (uint32_t i = 0; i < c->lambda->frame_slots; i++) {
		value_release(c->frame.slots[i]);
		c->frame.slots[i] = value_unit();
	}
	return true;
}

void callable_close(struct task *t, struct callable *c)
{
	if (c->lambda)
		cut(t, c->frame.slots);
}

/* A call of a lambda in a variable, or of a lambda as written. */
static bool call_value(struct task *t, const struct node *n)
{
	struct value *a = t->top;
	struct callable c;
	if (!evaluate(t, n->left) || !callable_open(t, &c, *a, n))
		return false;
	struct value *arguments = t->top;
	if (!evaluate_arguments(t, n))
		return false;
	uint32_t count = (uint32_t)(t->top - arguments);
	if (c.function) {
		if (!call_function(t, c.function, arguments, n))
			return false;
	} else {
		t->top = arguments; /* moved into the frame */
		if (!callable_call(t, &c, arguments, count))
			return false;
	}
	struct value result = pop(t);
	return give(t, a, result);
}

bool evaluate_call(struct task *t, const struct node *n)
{
	const struct node *callee = n->kind == NODE_METHOD ? n : n->left;
	struct value *a = t->top;
	switch (callee->reference) {
	case REFERENCE_FUNCTION: return evaluate_arguments(t, n) && call_function(t, callee->definition, a, n);
	case REFERENCE_KERNEL: return evaluate_launch(t, n, callee->definition);
	case REFERENCE_LOCAL: break;
	case REFERENCE_BUILTIN:
	case REFERENCE_NONE:
		if (n->builtin < 0)
			break;
		if (n->builtin == BUILTIN_par)
			return builtin_par(t, n, a);
		if (pipeline_fuses(n))
			return evaluate_pipeline(t, n);
		return evaluate_arguments(t, n) && builtins[n->builtin](t, n, a);
	}
	return call_value(t, n);
}

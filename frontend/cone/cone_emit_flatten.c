/* Bodies of functions that call themselves, in the form that cone_emit_recursion.c goes through: every such call is a
 * statement of its own, `imm t = f(..)` or `f(..)`, whose arguments hold none; loops around one have no condition; the
 * value of a body is returned. What is evaluated before a call, and used after it, is in a variable. */
#include "frontend/cone/cone_emit_recursion.h"
#include "frontend/cone/cone_types.h"

static const struct cone_type *const truth = &cone_bool;

struct flat {
	struct cone_emitter *e;
	struct cone_recursion *r;
	struct cone_member *member;
	struct cone_node **list; /* the statements being made */
	uint32_t count, capacity;
};

static bool is_site(void *context, const struct cone_node *n)
{
	return n->kind == CONE_CALL && cone_recursion_member(context, n->instance) != NULL;
}

bool cone_recursion_bears(const struct cone_recursion *r, const struct cone_node *n)
{
	return cone_emit_any_node(n, is_site, (void *)r);
}

/* ---- Nodes ---- */

static struct cone_node *copy_of(struct flat *f, const struct cone_node *n)
{
	struct cone_node *copy = ARENA_NEW(&f->e->arena, struct cone_node);
	*copy = *n;
	copy->parts = ARENA_ARRAY(&f->e->arena, struct cone_node *, n->part_count);
	for (uint32_t i = 0; i < n->part_count; i++)
		copy->parts[i] = n->parts[i];
	return copy;
}

static struct cone_node *make(struct flat *f, enum cone_node_kind kind, const struct cone_node *at,
                              const struct cone_type *type)
{
	struct cone_node *n = ARENA_NEW(&f->e->arena, struct cone_node);
	*n = (struct cone_node){
	    .kind = kind, .file = at->file, .span = at->span, .at = at->at, .type = (struct cone_type *)type};
	return n;
}

static void push(struct flat *f, struct cone_node *n)
{
	*ARENA_PUSH(&f->e->arena, f->list, f->count, f->capacity) = n;
}

static struct cone_node *use(struct flat *f, struct cone_variable *v, const struct cone_node *at)
{
	struct cone_node *n = make(f, CONE_NAME, at, v->type);
	n->name = v->name;
	n->variable = v;
	return n;
}

/* A variable with a value, or without one. */
static struct cone_variable *declare(struct flat *f, const char *name, const struct cone_node *at,
                                     struct cone_node *given, const struct cone_type *type)
{
	struct cone_variable *v = ARENA_NEW(&f->e->arena, struct cone_variable);
	*v = (struct cone_variable){.name = name,
	                            .span = at->span,
	                            .type = (struct cone_type *)type,
	                            .mutable = true,
	                            .index = f->member->variable_count++};
	struct cone_node *local = make(f, CONE_LOCAL, at, &cone_void);
	local->declared = ARENA_ARRAY(&f->e->arena, struct cone_variable *, 1);
	local->declared[0] = v;
	local->declared_count = 1;
	local->mutable = true;
	local->left = given;
	push(f, local);
	return v;
}

static void assign(struct flat *f, struct cone_variable *v, struct cone_node *given)
{
	struct cone_node *n = make(f, CONE_ASSIGN, given, &cone_void);
	n->left = use(f, v, given);
	n->right = given;
	push(f, n);
}

static struct cone_node *logic(struct flat *f, enum cone_operator op, struct cone_node *left, struct cone_node *right)
{
	struct cone_node *n = make(f, CONE_LOGIC, left, truth);
	n->op = op;
	n->left = left;
	n->right = right;
	return n;
}

static struct cone_node *binary(struct flat *f, enum cone_operator op, struct cone_node *left, struct cone_node *right,
                                const struct cone_type *type)
{
	struct cone_node *n = make(f, CONE_BINARY, left, type);
	n->op = op;
	n->left = left;
	n->right = right;
	return n;
}

static bool has_value(const struct cone_type *t)
{
	return t && t->kind != CONE_TYPE_VOID && t->kind != CONE_TYPE_NEVER;
}

/* ---- Expressions ---- */

static struct cone_node *flatten(struct flat *f, struct cone_node *n);
static void statement(struct flat *f, struct cone_node *n);

static bool bears(const struct flat *f, const struct cone_node *n)
{
	return n && cone_recursion_bears(f->r, n);
}

static struct cone_node *saved(struct flat *f, struct cone_node *n)
{
	return n->kind == CONE_CONSTANT || n->kind == CONE_STRING ? n : use(f, declare(f, "kept", n, n, n->type), n);
}

/* A place, the indexes of which are evaluated now. */
static struct cone_node *place(struct flat *f, struct cone_node *n)
{
	if (n->kind == CONE_NAME || (n->kind == CONE_MEMBER && n->global))
		return n;
	if (n->kind != CONE_MEMBER && n->kind != CONE_INDEX && n->kind != CONE_DEREFERENCE)
		return saved(f, flatten(f, n));
	struct cone_node *copy = copy_of(f, n);
	bool reference = n->kind == CONE_DEREFERENCE || n->left->type->kind == CONE_TYPE_SLICE;
	copy->left = reference ? saved(f, flatten(f, n->left)) : place(f, n->left);
	for (uint32_t i = 0; i < n->part_count; i++) {
		struct cone_node *part = n->parts[i];
		if (part->kind != CONE_RANGE) {
			copy->parts[i] = saved(f, flatten(f, part));
			continue;
		}
		copy->parts[i] = copy_of(f, part);
		copy->parts[i]->left = part->left ? saved(f, flatten(f, part->left)) : NULL;
		copy->parts[i]->right = part->right ? saved(f, flatten(f, part->right)) : NULL;
	}
	return copy;
}

/* All but the last that holds a call are kept while that is made. */
static void parts(struct flat *f, struct cone_node **items[], uint32_t count)
{
	uint32_t last = 0;
	for (uint32_t i = 0; i < count; i++)
		if (*items[i] && bears(f, *items[i]))
			last = i;
	for (uint32_t i = 0; i <= last && i < count; i++) {
		if (!*items[i])
			continue;
		struct cone_node *of = (*items[i])->kind == CONE_OF ? copy_of(f, *items[i]) : NULL;
		struct cone_node *v = flatten(f, of ? of->right : *items[i]);
		v = i < last ? saved(f, v) : v;
		if (of)
			of->right = v;
		*items[i] = of ? of : v;
	}
}

static struct cone_node *flatten_call(struct flat *f, struct cone_node *copy)
{
	if (!cone_recursion_member(f->r, copy->instance))
		return copy;
	copy->constant = ++f->r->site_count;
	if (has_value(copy->type))
		return use(f, declare(f, "result", copy, copy, copy->type), copy);
	push(f, copy);
	return make(f, CONE_BLOCK, copy, copy->type);
}

static struct cone_node *block_of(struct flat *f, struct cone_node *n, struct cone_variable *result)
{
	struct flat inner = {.e = f->e, .r = f->r, .member = f->member};
	struct cone_node *block = make(f, CONE_BLOCK, n, n->type->kind == CONE_TYPE_NEVER ? n->type : &cone_void);
	bool many = n->kind == CONE_BLOCK;
	for (uint32_t i = 0; i < (many ? n->part_count : 1); i++) {
		struct cone_node *part = many ? n->parts[i] : n;
		bool last = !many || i + 1 == n->part_count;
		if (last && result && has_value(part->type))
			assign(&inner, result, flatten(&inner, part));
		else
			statement(&inner, part);
	}
	block->parts = inner.list;
	block->part_count = inner.count;
	return block;
}

static void choice(struct flat *f, struct cone_node *n, struct cone_variable *result)
{
	struct cone_node *copy = copy_of(f, n);
	copy->type = n->type->kind == CONE_TYPE_NEVER ? n->type : &cone_void;
	copy->condition = flatten(f, n->condition);
	copy->left = block_of(f, n->left, result);
	copy->right = n->right ? block_of(f, n->right, result) : NULL;
	push(f, copy);
}

static struct cone_node *flatten_logic(struct flat *f, struct cone_node *n)
{
	struct cone_node *left = flatten(f, n->left);
	if (n->op == CONE_NOT || !bears(f, n->right)) {
		struct cone_node *copy = copy_of(f, n);
		copy->left = left;
		return copy;
	}
	struct cone_variable *v = declare(f, "logic", n, left, truth);
	struct cone_node *test = make(f, CONE_IF, n, &cone_void);
	test->condition = n->op == CONE_OR ? logic(f, CONE_NOT, use(f, v, n), NULL) : use(f, v, n);
	test->left = block_of(f, n->right, v);
	push(f, test);
	return use(f, v, n);
}

/* What is left is evaluated after the statements that were made, and holds no call. */
static struct cone_node *flatten(struct flat *f, struct cone_node *n)
{
	if (!bears(f, n))
		return n;
	switch ((int)n->kind) {
	case CONE_LOGIC: return flatten_logic(f, n);
	case CONE_IF:
	case CONE_BLOCK: {
		struct cone_variable *v = has_value(n->type) ? declare(f, "value", n, NULL, n->type) : NULL;
		if (n->kind == CONE_IF)
			choice(f, n, v);
		else
			push(f, block_of(f, n, v));
		return v ? use(f, v, n) : make(f, CONE_BLOCK, n, &cone_void);
	}
	case CONE_MEMBER:
	case CONE_INDEX:
	case CONE_DEREFERENCE: return place(f, n);
	case CONE_WHILE:
	case CONE_EACH:
	case CONE_ASSIGN:
	case CONE_LOCAL:
	case CONE_RETURN:
		if (has_value(n->type))
			cone_emit_refuse(f->e, n, "1400",
			                 "the value of a loop is made of calls of the function that it is in");
		statement(f, n);
		return make(f, CONE_BLOCK, n, n->type);
	}
	struct cone_node *copy = copy_of(f, n);
	if (n->kind == CONE_BORROW) {
		copy->left = place(f, n->left);
		const struct cone_variable *v = copy->left->kind == CONE_NAME ? copy->left->variable : NULL;
		if (v)
			table_set_n(&f->e->borrowed, (const char *)&v, sizeof v, f->e);
		return copy;
	}
	uint32_t count = 0;
	struct cone_node ***items = ARENA_ARRAY(&f->e->arena, struct cone_node **, n->part_count + 2);
	if (copy->left)
		items[count++] = &copy->left;
	if (copy->right)
		items[count++] = &copy->right;
	for (uint32_t i = 0; i < n->part_count; i++)
		items[count++] = &copy->parts[i];
	parts(f, items, count);
	return n->kind == CONE_CALL ? flatten_call(f, copy) : copy;
}

/* ---- Statements ---- */

static void leave_unless(struct flat *f, struct cone_node *condition, struct cone_node *other, struct cone_node *loop)
{
	struct cone_node *test = make(f, CONE_IF, condition, &cone_void);
	struct flat inner = {.e = f->e, .r = f->r, .member = f->member};
	struct cone_node *leave = make(f, CONE_BREAK, condition, &cone_never);
	if (other)
		statement(&inner, other);
	leave->target = loop;
	push(&inner, leave);
	test->condition = logic(f, CONE_NOT, condition, NULL);
	test->left = make(f, CONE_BLOCK, condition, &cone_void);
	test->left->parts = inner.list;
	test->left->part_count = inner.count;
	push(f, test);
}

static void finish_loop(struct flat *f, struct flat *inner, struct cone_node *loop, struct cone_node *body)
{
	struct cone_node *copy = make(f, CONE_WHILE, loop, &cone_void);
	push(inner, block_of(inner, body, NULL));
	copy->target = loop; /* what breaks name */
	copy->left = make(f, CONE_BLOCK, body, &cone_void);
	copy->left->parts = inner->list;
	copy->left->part_count = inner->count;
	push(f, copy);
}

static void loop_while(struct flat *f, struct cone_node *n)
{
	struct flat inner = {.e = f->e, .r = f->r, .member = f->member};
	if (n->condition)
		leave_unless(&inner, flatten(&inner, n->condition), n->right, n);
	finish_loop(f, &inner, n, n->left);
}

static void loop_each(struct flat *f, struct cone_node *n)
{
	const struct cone_type *type = n->declared[0]->type;
	bool up = n->left->op == CONE_LESS || n->left->op == CONE_LESS_EQUAL, is_float = type->kind == CONE_TYPE_FLOAT;
	struct cone_variable *at = declare(f, "at", n, flatten(f, n->left->left), type);
	struct cone_node *end = saved(f, flatten(f, n->left->right)), *step = n->step;
	if (step)
		step = saved(f, flatten(f, step));
	struct cone_node *no = make(f, CONE_CONSTANT, n, truth), *one = make(f, CONE_CONSTANT, n, type);
	one->constant = is_float ? ir_float_power(cone_emit_scalar(type), 0) : 1;
	struct cone_variable *last = declare(f, "last", n, no, truth);
	struct flat inner = {.e = f->e, .r = f->r, .member = f->member};
	struct cone_node *within = binary(f, n->left->op, use(f, at, n), end, truth);
	leave_unless(&inner, logic(f, CONE_AND, logic(f, CONE_NOT, use(f, last, n), NULL), within), n->other, n);
	struct cone_node *local = make(f, CONE_LOCAL, n, &cone_void);
	local->declared = n->declared;
	local->declared_count = 1;
	local->left = use(f, at, n);
	push(&inner, local);
	struct cone_node *next =
	    binary(f, step || up ? CONE_ADD : CONE_SUBTRACT, use(f, at, n), step ? step : one, type);
	assign(&inner, at, next);
	if (!is_float)
		assign(&inner, last,
		       binary(f, up ? CONE_LESS : CONE_GREATER, use(f, at, n), use(f, n->declared[0], n), truth));
	finish_loop(f, &inner, n, n->right);
}

static void assignment(struct flat *f, struct cone_node *n)
{
	struct cone_node *copy = copy_of(f, n);
	if (n->compound) {
		copy->left = place(f, n->left);
		struct cone_node *before = saved(f, copy->left);
		copy->right = binary(f, n->op, before, flatten(f, n->right), n->left->type);
		copy->compound = false;
	} else if (n->left->kind == CONE_TUPLE) {
		copy->right = saved(f, flatten(f, n->right));
		copy->left = copy_of(f, n->left);
		for (uint32_t i = 0; i < n->left->part_count; i++)
			copy->left->parts[i] =
			    bears(f, n->left->parts[i]) ? place(f, n->left->parts[i]) : n->left->parts[i];
	} else {
		copy->right = flatten(f, n->right);
		if (bears(f, n->left)) {
			copy->right = saved(f, copy->right);
			copy->left = place(f, n->left);
		}
	}
	push(f, copy);
}

static void statement(struct flat *f, struct cone_node *n)
{
	if (!bears(f, n)) {
		push(f, n);
		return;
	}
	switch ((int)n->kind) {
	case CONE_LOCAL:
	case CONE_BREAK: {
		struct cone_node *copy = copy_of(f, n);
		copy->left = flatten(f, n->left);
		push(f, copy);
		return;
	}
	case CONE_RETURN: {
		struct cone_node *copy = copy_of(f, n);
		copy->parts[0] = flatten(f, n->parts[0]);
		push(f, copy);
		return;
	}
	case CONE_ASSIGN: assignment(f, n); return;
	case CONE_IF: choice(f, n, NULL); return;
	case CONE_BLOCK: push(f, block_of(f, n, NULL)); return;
	case CONE_WHILE: loop_while(f, n); return;
	case CONE_EACH: loop_each(f, n); return;
	}
	push(f, flatten(f, n));
}

void cone_recursion_flatten(struct cone_emitter *e, struct cone_recursion *r, struct cone_member *member)
{
	struct flat f = {.e = e, .r = r, .member = member};
	const struct cone_instance *instance = member->instance;
	struct cone_node *body = instance->body;
	member->variable_count = instance->variable_count;
	if (has_value(instance->result) && has_value(body->type)) {
		struct cone_node *end = make(&f, CONE_RETURN, body, &cone_never);
		end->parts = ARENA_ARRAY(&e->arena, struct cone_node *, 1);
		end->part_count = 1;
		end->parts[0] = flatten(&f, body);
		push(&f, end);
	} else {
		statement(&f, body);
	}
	member->body = make(&f, CONE_BLOCK, body, &cone_void);
	member->body->parts = f.list;
	member->body->part_count = f.count;
}

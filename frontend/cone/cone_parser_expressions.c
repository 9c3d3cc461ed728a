/* Operators by their strength, loosest first (spec/cone.md 1.7). */
#include <string.h>

#include "frontend/cone/cone_parser.h"

/* ---- Suffixes ---- */

static struct cone_node *suffix_node(struct cone_parser *p, enum cone_node_kind kind, struct cone_node *left,
                                     struct span at)
{
	struct cone_node *node = cone_parser_node(p, kind, left->span, at);
	node->left = left;
	return node;
}

/* `name: value` or a value. */
static void parse_call_argument(struct cone_parser *p, struct cone_list *parts, struct cone_list *names)
{
	const char *name = NULL;
	if (cone_parser_kind(p) == CONE_TOKEN_NAME && cone_parser_ahead(p, 1) == CONE_TOKEN_COLON) {
		name = cone_parser_token(p)->text;
		cone_parser_advance(p);
		cone_parser_advance(p);
	}
	cone_list_add(p, parts, cone_parser_expression(p));
	cone_list_add(p, names, (void *)name);
}

static void set_parts(struct cone_node *node, const struct cone_list *parts, const struct cone_list *names)
{
	node->parts = (struct cone_node **)parts->items;
	node->part_count = parts->count;
	for (uint32_t i = 0; i < names->count; i++)
		if (names->items[i])
			node->part_names = (const char **)names->items;
}

static struct cone_node *parse_call(struct cone_parser *p, struct cone_node *left)
{
	struct cone_node *node = suffix_node(p, CONE_CALL, left, left->at);
	node->at = (struct span){left->span.start, left->at.end > left->span.start ? left->at.end : left->span.end};
	struct cone_list parts = {0}, names = {0};
	cone_parser_advance(p);
	if (!cone_parser_accept(p, CONE_TOKEN_CLOSE_PARENTHESIS)) {
		do {
			parse_call_argument(p, &parts, &names);
		} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
		cone_parser_expect(p, CONE_TOKEN_CLOSE_PARENTHESIS);
	}
	set_parts(node, &parts, &names);
	return cone_parser_finish(p, node);
}

static bool at_range(const struct cone_parser *p)
{
	enum cone_token_kind kind = cone_parser_kind(p);
	return kind == CONE_TOKEN_RANGE || kind == CONE_TOKEN_RANGE_BELOW || kind == CONE_TOKEN_RANGE_OLD_INCLUSIVE;
}

/* From the `..`, `..<` or older `...`. */
static struct cone_node *parse_range(struct cone_parser *p, struct cone_node *left)
{
	struct cone_node *node = cone_parser_begin(p, CONE_RANGE);
	if (left)
		node->span.start = left->span.start;
	node->left = left;
	enum cone_token_kind kind = cone_parser_kind(p);
	cone_parser_advance(p);
	if (cone_parser_kind(p) != CONE_TOKEN_CLOSE_BRACKET)
		node->right = cone_parser_expression(p);
	else if (kind == CONE_TOKEN_RANGE_BELOW)
		cone_parser_expected(p, "the end of the range");
	node->inclusive = kind == CONE_TOKEN_RANGE_OLD_INCLUSIVE;
	node->is_old = node->inclusive || (kind == CONE_TOKEN_RANGE && node->right);
	if (kind == CONE_TOKEN_RANGE && node->right) {
		cone_parser_old(p, "1001", node->at, "a range up to an end is not written with `..`");
		cone_parser_hint(p, "write `..<`: the end is not in it");
	} else if (node->inclusive) {
		cone_parser_old(p, "1001", node->at, "a range is not written with `...`");
		cone_parser_hint(p, "write `a..<b + 1`");
	}
	return cone_parser_finish(p, node);
}

/* T[f: v]: new T(f: v). */
static struct cone_node *old_construction(struct cone_parser *p, struct cone_node *index)
{
	struct cone_node *node = cone_parser_node(p, CONE_NEW, index->span, index->left->at);
	node->parts = index->parts;
	node->part_names = index->part_names;
	node->part_count = index->part_count;
	struct cone_list path = {0};
	for (struct cone_node *n = index->left; n; n = n->left)
		if (n->name)
			cone_list_add(p, &path, (void *)n->name);
	for (uint32_t i = 0, n = path.count; i < n / 2; i++) {
		void *name = path.items[i];
		path.items[i] = path.items[n - 1 - i];
		path.items[n - 1 - i] = name;
	}
	node->type_syntax = cone_parser_named_type(p, "", index->left->span);
	if (path.count) {
		node->type_syntax->path = (const char **)path.items;
		node->type_syntax->path_count = path.count;
	}
	const char *name = path.count ? path.items[path.count - 1] : "T";
	cone_parser_old(p, "1209", node->span, "a struct is not built with brackets");
	cone_parser_hint(p, "write `new %s(field: value)`", name);
	return cone_parser_finish(p, node);
}

/* u32[x]: u32.from(x). */
static struct cone_node *old_conversion(struct cone_parser *p, struct cone_node *index)
{
	struct cone_node *member = suffix_node(p, CONE_MEMBER, index->left, index->left->at);
	member->name = "from";
	member->height = index->left->height + 1;
	struct cone_node *call = suffix_node(p, CONE_CALL, member, index->left->at);
	call->parts = index->parts;
	call->part_count = 1;
	if (strcmp(index->left->name, "Bool") == 0)
		index->left->name = "bool";
	cone_parser_old(p, "1207", cone_parser_span_from(p, index->span.start),
	                "a number is not converted with brackets");
	cone_parser_hint(p, "write `%s.from(x)`", index->left->name);
	return cone_parser_finish(p, call);
}

static struct cone_node *parse_index(struct cone_parser *p, struct cone_node *left)
{
	struct cone_node *node = suffix_node(p, CONE_INDEX, left, cone_parser_span(p));
	struct cone_list parts = {0}, names = {0};
	cone_parser_advance(p);
	if (!cone_parser_accept(p, CONE_TOKEN_CLOSE_BRACKET)) {
		do {
			enum cone_token_kind next = cone_parser_ahead(p, 1);
			if (next == CONE_TOKEN_COMMA || next == CONE_TOKEN_CLOSE_BRACKET)
				if (cone_parser_accept_lifetime(p, &node->lifetimes))
					continue;
			const char *permission = cone_parser_permission(cone_parser_kind(p));
			if (permission && next == CONE_TOKEN_COMMA) { /* None[Rc[mut, T]][] */
				struct cone_node *name = cone_parser_begin(p, CONE_NAME);
				name->name = permission;
				cone_parser_advance(p);
				cone_list_add(p, &parts, cone_parser_finish(p, name));
				cone_list_add(p, &names, NULL);
			} else if (at_range(p)) {
				cone_list_add(p, &parts, parse_range(p, NULL));
				cone_list_add(p, &names, NULL);
			} else {
				parse_call_argument(p, &parts, &names);
			}
			if (at_range(p))
				parts.items[parts.count - 1] = parse_range(p, parts.items[parts.count - 1]);
		} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
		cone_parser_expect(p, CONE_TOKEN_CLOSE_BRACKET);
	}
	set_parts(node, &parts, &names);
	if (!p->failed && node->part_names)
		return old_construction(p, cone_parser_finish(p, node));
	if (!p->failed && left->kind == CONE_NAME && node->part_count == 1 && node->parts[0]->kind != CONE_RANGE &&
	    cone_parser_is_number_name(left->name))
		return old_conversion(p, cone_parser_finish(p, node));
	return cone_parser_finish(p, node);
}

static struct cone_node *parse_member(struct cone_parser *p, struct cone_node *left)
{
	struct span at = cone_parser_span(p);
	bool old = cone_parser_kind(p) == CONE_TOKEN_PATH_OLD;
	cone_parser_advance(p);
	struct cone_node *node = suffix_node(p, CONE_MEMBER, left, cone_parser_span(p));
	node->name = cone_parser_name(p, "a name behind the point");
	if (old) {
		cone_parser_old(p, "1001", at, "a path is not written with `::`");
		cone_parser_hint(p, "write `.`");
	}
	return cone_parser_finish(p, node);
}

static struct cone_node *parse_increment(struct cone_parser *p, struct cone_node *left)
{
	struct cone_node *node = cone_parser_begin(p, CONE_INCREMENT);
	node->op = cone_parser_kind(p) == CONE_TOKEN_INCREMENT ? CONE_ADD : CONE_SUBTRACT;
	cone_parser_advance(p);
	if (left)
		node->span.start = left->span.start;
	node->left = left;
	return node;
}

static struct cone_node *parse_suffixed(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_primary(p);
	for (;;) {
		switch ((int)cone_parser_kind(p)) {
		case CONE_TOKEN_DOT:
		case CONE_TOKEN_PATH_OLD: node = parse_member(p, node); continue;
		case CONE_TOKEN_OPEN_PARENTHESIS: node = parse_call(p, node); continue;
		case CONE_TOKEN_OPEN_BRACKET: node = parse_index(p, node); continue;
		case CONE_TOKEN_INCREMENT:
		case CONE_TOKEN_DECREMENT: node = cone_parser_finish(p, parse_increment(p, node)); continue;
		}
		return node;
	}
}

/* ---- Prefixes ---- */

static struct cone_node *parse_prefixed(struct cone_parser *p);

/* A `-` directly before a literal is part of it: -128i8 fits. */
static struct cone_node *parse_negation(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_UNARY);
	node->op = CONE_NEGATE;
	cone_parser_advance(p);
	enum cone_token_kind kind = cone_parser_kind(p);
	bool literal = kind == CONE_TOKEN_INTEGER || kind == CONE_TOKEN_FLOAT;
	node->left = parse_prefixed(p);
	if (literal && (node->left->kind == CONE_INTEGER || node->left->kind == CONE_FLOAT) && !node->left->negative) {
		node->left->negative = true;
		node->left->span.start = node->left->at.start = node->span.start;
		return node->left;
	}
	return cone_parser_finish(p, node);
}

/* &[]T among generic arguments: & of Array[T]. */
static void parse_old_slice(struct cone_parser *p, struct cone_node *borrow)
{
	struct cone_node *array = cone_parser_begin(p, CONE_NAME);
	array->name = "Array";
	cone_parser_advance(p);
	cone_parser_advance(p);
	if (cone_parser_accept(p, CONE_TOKEN_MUT)) {
		borrow->mutable = true;
		borrow->permission = "mut";
	}
	struct cone_node *index = suffix_node(p, CONE_INDEX, array, array->at);
	struct cone_list parts = {0};
	cone_list_add(p, &parts, parse_prefixed(p));
	index->parts = (struct cone_node **)parts.items;
	index->part_count = 1;
	borrow->left = cone_parser_finish(p, index);
	cone_parser_old(p, "1336", cone_parser_span_from(p, borrow->span.start), "`&[]` is no type");
	cone_parser_hint(p, "a slice is written `&%sArray[T]`", borrow->mutable ? "mut " : "");
}

static struct cone_node *parse_borrow(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_BORROW);
	cone_parser_advance(p);
	if (cone_parser_ahead(p, 1) != CONE_TOKEN_COLON) /* no loop's label: f[&'a T](x) */
		cone_parser_accept_lifetime(p, &node->lifetimes);
	switch ((int)cone_parser_kind(p)) {
	case CONE_TOKEN_MUT: node->permission = "mut"; break;
	case CONE_TOKEN_IMM: node->permission = "imm"; break;
	case CONE_TOKEN_RO: node->permission = "ro"; break;
	case CONE_TOKEN_UNI: node->permission = "uni"; break;
	}
	if (node->permission)
		cone_parser_advance(p);
	node->mutable = node->permission && (node->permission[0] == 'm' || node->permission[0] == 'u');
	if (cone_parser_kind(p) == CONE_TOKEN_OPEN_BRACKET && cone_parser_ahead(p, 1) == CONE_TOKEN_CLOSE_BRACKET) {
		parse_old_slice(p, node);
		return cone_parser_finish(p, node);
	}
	node->left = parse_prefixed(p);
	return cone_parser_finish(p, node);
}

/* +Rc x: new Rc(x). */
static struct cone_node *parse_old_owner(struct cone_parser *p)
{
	struct cone_node *node = cone_parser_begin(p, CONE_NEW);
	cone_parser_advance(p);
	if (cone_parser_kind(p) != CONE_TOKEN_NAME || cone_parser_ahead(p, 1) == CONE_TOKEN_DOT ||
	    !(cone_parser_ahead(p, 1) == CONE_TOKEN_NAME || cone_parser_ahead(p, 1) == CONE_TOKEN_INTEGER ||
	      cone_parser_ahead(p, 1) == CONE_TOKEN_FLOAT)) {
		p->position--;
		cone_parser_expected(p, "an expression");
		return node;
	}
	const char *owner = cone_parser_token(p)->text;
	node->type_syntax = cone_parser_named_type(p, owner, cone_parser_span(p));
	cone_parser_advance(p);
	struct cone_list parts = {0};
	cone_list_add(p, &parts, parse_prefixed(p));
	node->parts = (struct cone_node **)parts.items;
	node->part_count = 1;
	cone_parser_old(p, "1216", node->span, "an owner is not made with `+`");
	cone_parser_hint(p, "write `new %s[T](value)`", owner);
	return cone_parser_finish(p, node);
}

static struct cone_node *parse_prefix_operator(struct cone_parser *p)
{
	struct cone_node *node;
	switch ((int)cone_parser_kind(p)) {
	case CONE_TOKEN_MINUS: return parse_negation(p);
	case CONE_TOKEN_AMPERSAND: return parse_borrow(p);
	case CONE_TOKEN_PLUS: return parse_old_owner(p);
	case CONE_TOKEN_TILDE:
		node = cone_parser_begin(p, CONE_UNARY);
		node->op = CONE_COMPLEMENT;
		cone_parser_advance(p);
		break;
	case CONE_TOKEN_STAR:
		node = cone_parser_begin(p, CONE_DEREFERENCE);
		cone_parser_advance(p);
		break;
	case CONE_TOKEN_INCREMENT:
	case CONE_TOKEN_DECREMENT:
		node = parse_increment(p, NULL);
		node->prefix = true;
		break;
	default: return parse_suffixed(p);
	}
	node->left = parse_prefixed(p);
	return cone_parser_finish(p, node);
}

static struct cone_node *parse_prefixed(struct cone_parser *p)
{
	if (!cone_parser_enter(p))
		return cone_parser_error_node(p);
	struct cone_node *node = parse_prefix_operator(p);
	cone_parser_leave(p);
	return node;
}

/* `as`, and the refused `into`. */
static struct cone_node *parse_converted(struct cone_parser *p)
{
	struct cone_node *node = parse_prefixed(p);
	while (cone_parser_kind(p) == CONE_TOKEN_AS || cone_parser_kind(p) == CONE_TOKEN_INTO) {
		struct cone_node *as = suffix_node(p, CONE_AS, node, cone_parser_span(p));
		as->into = cone_parser_kind(p) == CONE_TOKEN_INTO;
		cone_parser_advance(p);
		as->type_syntax = cone_parser_type(p);
		if (as->into) {
			cone_parser_report(p, "1224", as->at, "a value is not converted with `into`");
			cone_parser_hint(p, "write `T.from(x)`");
		}
		node = cone_parser_finish(p, as);
	}
	return node;
}

/* ---- Binary operators ---- */

/* 0: none. The larger binds tighter. */
static int binary_level(enum cone_token_kind kind, enum cone_operator *op)
{
	static const struct {
		enum cone_token_kind kind;
		enum cone_operator op;
		int level;
	} rows[] = {
	    {CONE_TOKEN_STAR, CONE_MULTIPLY, 6},           {CONE_TOKEN_SLASH, CONE_DIVIDE, 6},
	    {CONE_TOKEN_PERCENT, CONE_REMAINDER, 6},       {CONE_TOKEN_PLUS, CONE_ADD, 5},
	    {CONE_TOKEN_MINUS, CONE_SUBTRACT, 5},          {CONE_TOKEN_SHIFT_LEFT, CONE_SHIFT_LEFT, 4},
	    {CONE_TOKEN_SHIFT_RIGHT, CONE_SHIFT_RIGHT, 4}, {CONE_TOKEN_AMPERSAND, CONE_BITS_AND, 3},
	    {CONE_TOKEN_CARET, CONE_BITS_XOR, 2},          {CONE_TOKEN_BAR, CONE_BITS_OR, 1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].kind == kind) {
			*op = rows[i].op;
			return rows[i].level;
		}
	return 0;
}

static struct cone_node *binary(struct cone_parser *p, enum cone_node_kind kind, enum cone_operator op,
                                struct cone_node *left)
{
	struct cone_node *node = suffix_node(p, kind, left, cone_parser_span(p));
	node->op = op;
	cone_parser_advance(p);
	return node;
}

/* `&&` and `||` lex as two operators. */
static bool refuse_doubled(struct cone_parser *p)
{
	enum cone_token_kind kind = cone_parser_kind(p);
	const struct cone_token *t = cone_parser_token(p);
	if ((kind != CONE_TOKEN_AMPERSAND && kind != CONE_TOKEN_BAR) || t[1].kind != kind || t[1].start != t->end)
		return false;
	bool is_and = kind == CONE_TOKEN_AMPERSAND;
	cone_parser_report(p, "1001", (struct span){t->start, t[1].end}, "there is no operator `%s`",
	                   is_and ? "&&" : "||");
	cone_parser_hint(p, "write `%s`", is_and ? "and" : "or");
	p->failed = true;
	return true;
}

static struct cone_node *parse_binary(struct cone_parser *p, int level)
{
	struct cone_node *left = parse_converted(p);
	for (;;) {
		enum cone_operator op = CONE_ADD;
		int found = binary_level(cone_parser_kind(p), &op);
		if (found < level || !found || refuse_doubled(p))
			return left;
		struct cone_node *node = binary(p, CONE_BINARY, op, left);
		node->right = parse_binary(p, found + 1);
		left = cone_parser_finish(p, node);
	}
}

struct cone_node *cone_parser_operand(struct cone_parser *p)
{
	return parse_binary(p, 1);
}

static bool comparison(enum cone_token_kind kind, enum cone_operator *op)
{
	switch ((int)kind) {
	case CONE_TOKEN_EQUAL: *op = CONE_EQUAL; return true;
	case CONE_TOKEN_NOT_EQUAL: *op = CONE_NOT_EQUAL; return true;
	case CONE_TOKEN_LESS: *op = CONE_LESS; return true;
	case CONE_TOKEN_LESS_EQUAL: *op = CONE_LESS_EQUAL; return true;
	case CONE_TOKEN_GREATER: *op = CONE_GREATER; return true;
	case CONE_TOKEN_GREATER_EQUAL: *op = CONE_GREATER_EQUAL; return true;
	case CONE_TOKEN_IS: *op = CONE_MATCHES; return true;
	}
	return false;
}

static struct cone_node *parse_comparison(struct cone_parser *p)
{
	struct cone_node *left = cone_parser_operand(p);
	enum cone_operator op, second;
	enum cone_token_kind kind = cone_parser_kind(p);
	if (kind == CONE_TOKEN_SAME || kind == CONE_TOKEN_NOT_SAME || kind == CONE_TOKEN_COMPARE) {
		cone_parser_report(p, "1001", cone_parser_span(p), "`%s` is not in the kernel subset",
		                   cone_token_spelling(kind));
		p->failed = true;
		return left;
	}
	if (!comparison(kind, &op))
		return left;
	struct cone_node *node = binary(p, op == CONE_MATCHES ? CONE_IS : CONE_BINARY, op, left);
	node->right = cone_parser_operand(p);
	node = cone_parser_finish(p, node);
	if (comparison(cone_parser_kind(p), &second)) {
		cone_parser_report(p, "1001", cone_parser_span(p), "comparisons do not chain");
		cone_parser_hint(p, "join two with `and`, or put one in parentheses");
		p->failed = true;
	}
	return node;
}

/* Looser than a comparison: `!a == b` is `!(a == b)`. */
static struct cone_node *parse_not(struct cone_parser *p)
{
	if (cone_parser_kind(p) != CONE_TOKEN_EXCLAMATION && cone_parser_kind(p) != CONE_TOKEN_NOT)
		return parse_comparison(p);
	if (!cone_parser_enter(p))
		return cone_parser_error_node(p);
	struct cone_node *node = cone_parser_begin(p, CONE_LOGIC);
	node->op = CONE_NOT;
	cone_parser_advance(p);
	node->left = parse_not(p);
	cone_parser_leave(p);
	return cone_parser_finish(p, node);
}

static struct cone_node *parse_and(struct cone_parser *p)
{
	struct cone_node *left = parse_not(p);
	while (cone_parser_kind(p) == CONE_TOKEN_AND) {
		struct cone_node *node = binary(p, CONE_LOGIC, CONE_AND, left);
		node->right = parse_not(p);
		left = cone_parser_finish(p, node);
	}
	return left;
}

static struct cone_node *parse_or(struct cone_parser *p)
{
	struct cone_node *left = parse_and(p);
	while (cone_parser_kind(p) == CONE_TOKEN_OR) {
		struct cone_node *node = binary(p, CONE_LOGIC, CONE_OR, left);
		node->right = parse_and(p);
		left = cone_parser_finish(p, node);
	}
	return left;
}

struct cone_node *cone_parser_expression(struct cone_parser *p)
{
	if (!cone_parser_enter(p))
		return cone_parser_error_node(p);
	struct cone_node *node = cone_parser_at_closure(p) ? cone_parser_closure(p) : parse_or(p);
	cone_parser_leave(p);
	return node;
}

void cone_parser_expressions(struct cone_parser *p, struct cone_node *node)
{
	struct cone_list parts = {0};
	do {
		cone_list_add(p, &parts, cone_parser_expression(p));
	} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
	node->parts = (struct cone_node **)parts.items;
	node->part_count = parts.count;
}

struct cone_node *cone_parser_tuple(struct cone_parser *p)
{
	struct cone_node *first = cone_parser_expression(p);
	if (cone_parser_kind(p) != CONE_TOKEN_COMMA)
		return first;
	struct cone_node *node = cone_parser_node(p, CONE_TUPLE, first->span, first->at);
	struct cone_list parts = {0};
	cone_list_add(p, &parts, first);
	while (cone_parser_accept(p, CONE_TOKEN_COMMA))
		cone_list_add(p, &parts, cone_parser_expression(p));
	node->parts = (struct cone_node **)parts.items;
	node->part_count = parts.count;
	return cone_parser_finish(p, node);
}

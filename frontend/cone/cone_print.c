#include "frontend/cone/cone_print.h"

static const char *operator_text(enum cone_operator op)
{
	switch (op) {
	case CONE_ADD: return "+";
	case CONE_SUBTRACT: return "-";
	case CONE_MULTIPLY: return "*";
	case CONE_DIVIDE: return "/";
	case CONE_REMAINDER: return "%";
	case CONE_SHIFT_LEFT: return "<<";
	case CONE_SHIFT_RIGHT: return ">>";
	case CONE_BITS_AND: return "&";
	case CONE_BITS_XOR: return "^";
	case CONE_BITS_OR: return "|";
	case CONE_EQUAL: return "==";
	case CONE_NOT_EQUAL: return "!=";
	case CONE_LESS: return "<";
	case CONE_LESS_EQUAL: return "<=";
	case CONE_GREATER: return ">";
	case CONE_GREATER_EQUAL: return ">=";
	case CONE_NEGATE: return "negate";
	case CONE_COMPLEMENT: return "~";
	case CONE_NOT: return "not";
	case CONE_AND: return "and";
	case CONE_OR: return "or";
	case CONE_MATCHES: return "is";
	}
	return "";
}

static const char *kind_text(enum cone_node_kind kind)
{
	switch (kind) {
	case CONE_INTEGER: return "integer";
	case CONE_FLOAT: return "float";
	case CONE_BOOL: return "bool";
	case CONE_CHAR: return "char";
	case CONE_STRING: return "string";
	case CONE_NAME: return "name";
	case CONE_LIST: return "list";
	case CONE_NEW: return "new";
	case CONE_NEW_ARRAY: return "new-array";
	case CONE_OF: return "of";
	case CONE_MEMBER: return "member";
	case CONE_INDEX: return "index";
	case CONE_RANGE: return "range";
	case CONE_CALL: return "call";
	case CONE_UNARY: return "unary";
	case CONE_BINARY: return "binary";
	case CONE_LOGIC: return "logic";
	case CONE_IS: return "is";
	case CONE_BORROW: return "borrow";
	case CONE_DEREFERENCE: return "dereference";
	case CONE_AS: return "as";
	case CONE_IF: return "if";
	case CONE_MATCH: return "match";
	case CONE_CASE: return "case";
	case CONE_BLOCK: return "block";
	case CONE_WHILE: return "while";
	case CONE_EACH: return "each";
	case CONE_CLOSURE: return "closure";
	case CONE_TUPLE: return "tuple";
	case CONE_LOCAL: return "local";
	case CONE_ASSIGN: return "assign";
	case CONE_INCREMENT: return "increment";
	case CONE_BREAK: return "break";
	case CONE_CONTINUE: return "continue";
	case CONE_RETURN: return "return";
	case CONE_EMPTY: return "empty";
	case CONE_REFUSED: return "refused";
	case CONE_ERROR: return "error";
	case CONE_CONVERT: return "convert";
	case CONE_INTRINSIC: return "intrinsic";
	case CONE_CONSTANT: return "constant";
	}
	return "";
}

static void print_signature(struct text *out, const struct cone_declaration *d)
{
	static const char *const receivers[] = {"", "self", "self &", "self &mut", "self &new"};
	static const char *const permissions[] = {"", "", "", " mut", " new"};
	text_add_format(out, "(%s", d->receiver && d->mutable ? "mut " : "");
	if (d->receiver_lifetime.name)
		text_add_format(out, "self &'%s%s", d->receiver_lifetime.name, permissions[d->receiver]);
	else
		text_add(out, receivers[d->receiver]);
	for (uint32_t i = 0; i < d->parameter_count; i++) {
		const struct cone_parameter *p = &d->parameters[i];
		const char *separator = i || d->receiver ? ", " : "";
		text_add_format(out, "%s%s%s", separator, p->variable->mutable ? "mut " : "", p->variable->name);
		if (p->type_syntax) {
			text_add_char(out, ' ');
			cone_print_type(out, p->type_syntax);
		}
		if (p->value) {
			text_add(out, " = ");
			cone_print_node(out, p->value, 0);
		}
	}
	text_add(out, !d->is_variadic ? ")" : d->parameter_count ? ", ...)" : "...)");
	for (uint32_t i = 0; i < d->result_count; i++) {
		text_add(out, i ? ", " : " ");
		cone_print_type(out, d->results[i]);
	}
}

static void print_path(struct text *out, const char *const *path, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		text_add_format(out, "%s%s", i ? "." : "", path[i]);
}

/* `before`: the first. */
static void print_lifetimes(struct text *out, const struct cone_lifetimes *lifetimes, const char *before)
{
	for (uint32_t i = 0; i < lifetimes->count; i++)
		text_add_format(out, "%s'%s", i ? ", " : before, lifetimes->items[i].name);
}

static void print_arguments(struct text *out, const struct cone_type_syntax *type)
{
	bool are_first = type->form == CONE_FORM_NAME && type->lifetimes.count;
	if (are_first)
		print_lifetimes(out, &type->lifetimes, "");
	for (uint32_t i = 0; i < type->argument_count; i++) {
		text_add(out, i || are_first ? ", " : "");
		if (type->arguments[i].type)
			cone_print_type(out, type->arguments[i].type);
		else if (type->arguments[i].value)
			cone_print_node(out, type->arguments[i].value, 0);
		else
			text_add_char(out, '_');
	}
}

void cone_print_type(struct text *out, const struct cone_type_syntax *type)
{
	const char *before = "", *after = "";
	switch (type->form) {
	case CONE_FORM_NAME:
		print_path(out, type->path, type->path_count);
		if (type->argument_count || type->lifetimes.count)
			before = "[", after = "]";
		break;
	case CONE_FORM_REFERENCE:
		text_add_char(out, '&');
		if (type->lifetimes.count)
			text_add_format(out, "'%s ", type->lifetimes.items[0].name);
		break;
	case CONE_FORM_VIRTUAL:
		text_add(out, type->lifetimes.count ? "&" : "&<");
		if (type->lifetimes.count)
			text_add_format(out, "'%s <", type->lifetimes.items[0].name);
		break;
	case CONE_FORM_FUNCTION:
		text_add(out, "fn");
		print_lifetimes(out, &type->function->lifetimes, "[");
		text_add(out, type->function->lifetimes.count ? "]" : "");
		print_signature(out, type->function);
		break;
	case CONE_FORM_POINTER: text_add_char(out, '*'); break;
	case CONE_FORM_OPTION: text_add_char(out, '?'); break;
	case CONE_FORM_TUPLE: before = "(", after = ")"; break;
	}
	if (type->permission)
		text_add_format(out, "%s ", type->permission);
	text_add(out, before);
	print_arguments(out, type);
	text_add(out, after);
}

/* ---- Nodes ---- */

static void print_child(struct text *out, const char *before, const struct cone_node *child, uint32_t indent)
{
	if (!child)
		return;
	text_add_format(out, " %s", before);
	cone_print_node(out, child, indent);
}

static void print_block(struct text *out, const struct cone_node *block, uint32_t indent)
{
	text_add(out, "{");
	for (uint32_t i = 0; i < block->part_count; i++) {
		text_add_char(out, '\n');
		text_add_repeat(out, ' ', 2 * (size_t)indent + 2);
		cone_print_node(out, block->parts[i], indent + 1);
	}
	text_add(out, "}");
}

/* Those that are a word of their own; false for the others. */
static bool print_leaf(struct text *out, const struct cone_node *n)
{
	const char *sign = n->negative ? "-" : "", *suffix = n->suffix ? n->suffix : "";
	switch ((int)n->kind) {
	case CONE_INTEGER: text_add_format(out, "%s%llu%s", sign, (unsigned long long)n->number, suffix); return true;
	case CONE_FLOAT: text_add_format(out, "%s%s~%s", sign, n->text, suffix); return true;
	case CONE_BOOL: text_add(out, n->truth ? "true" : "false"); return true;
	case CONE_CHAR: text_add_format(out, "'U+%04X'", (unsigned)n->number); return true;
	case CONE_STRING: text_add_json(out, n->text, n->length); return true;
	case CONE_NAME: text_add(out, n->name); return true;
	case CONE_EMPTY: text_add_char(out, ';'); return true;
	}
	return false;
}

static void print_head(struct text *out, const struct cone_node *n)
{
	switch ((int)n->kind) {
	case CONE_MEMBER: text_add_format(out, ".%s", n->name); return;
	case CONE_UNARY:
	case CONE_BINARY:
	case CONE_LOGIC: text_add(out, operator_text(n->op)); return;
	case CONE_ASSIGN: text_add_format(out, "%s=", n->compound ? operator_text(n->op) : ""); return;
	case CONE_INCREMENT:
		text_add_format(out, "%s%s%s", n->prefix ? "" : "post", operator_text(n->op), operator_text(n->op));
		return;
	case CONE_LOCAL: text_add(out, n->mutable ? "mut" : "imm"); return;
	case CONE_BORROW: text_add(out, "&"); return;
	case CONE_DEREFERENCE: text_add(out, "*"); return;
	case CONE_CASE: text_add(out, n->op == CONE_MATCHES ? "case is" : n->left ? "case ==" : "else"); return;
	case CONE_RANGE: text_add(out, n->inclusive ? "..." : "..<"); return;
	}
	text_add(out, kind_text(n->kind));
}

static void print_parts(struct text *out, const struct cone_node *n, uint32_t indent)
{
	for (uint32_t i = 0; i < n->part_count; i++) {
		text_add_char(out, ' ');
		if (n->part_names && n->part_names[i])
			text_add_format(out, "%s: ", n->part_names[i]);
		cone_print_node(out, n->parts[i], indent);
	}
}

void cone_print_node(struct text *out, const struct cone_node *n, uint32_t indent)
{
	if (n->kind == CONE_BLOCK) {
		print_block(out, n, indent);
		return;
	}
	if (print_leaf(out, n))
		return;
	text_add_char(out, '(');
	print_head(out, n);
	if (n->permission)
		text_add_format(out, "%s", n->permission);
	text_add(out, n->into ? " into" : "");
	if (n->label)
		text_add_format(out, " '%s", n->label);
	if (n->text && n->kind == CONE_REFUSED)
		text_add_format(out, " %s", n->text);
	for (uint32_t i = 0; i < n->declared_count; i++)
		text_add_format(out, "%s%s%s", i ? ", " : " ", n->binds && n->declared[i]->mutable ? "mut " : "",
		                n->declared[i]->name);
	if (n->kind == CONE_RANGE && !n->left)
		text_add(out, " _");
	if (n->type_syntax && n->kind != CONE_AS) {
		text_add_char(out, ' ');
		cone_print_type(out, n->type_syntax);
	}
	if (n->function) {
		text_add_char(out, ' ');
		print_lifetimes(out, &n->function->lifetimes, "[");
		text_add(out, n->function->lifetimes.count ? "] " : "");
		print_signature(out, n->function);
	}
	print_lifetimes(out, &n->lifetimes, " ");
	text_add(out, n->fills ? " fill" : "");
	if (n->kind == CONE_IF || n->kind == CONE_WHILE)
		print_child(out, "", n->condition, indent);
	print_child(out, "", n->left, indent);
	if (n->type_syntax && n->kind == CONE_AS) {
		text_add_char(out, ' ');
		cone_print_type(out, n->type_syntax);
	}
	print_child(out, "by ", n->step, indent);
	if (n->kind != CONE_IF && n->kind != CONE_WHILE)
		print_child(out, "if ", n->condition, indent);
	print_parts(out, n, indent);
	print_child(out, n->kind == CONE_IF || n->kind == CONE_WHILE ? "else " : "", n->right, indent);
	print_child(out, "else ", n->other, indent);
	if (n->function)
		print_child(out, "", n->function->body, indent);
	text_add_char(out, ')');
}

/* ---- Declarations ---- */

static const char *declaration_text(const struct cone_declaration *d)
{
	switch (d->kind) {
	case CONE_IMPORT: return "import";
	case CONE_USE: return "use";
	case CONE_CONST: return "const";
	case CONE_GLOBAL: return d->mutable ? "mut" : "imm";
	case CONE_FUNCTION: return "fn";
	case CONE_STRUCT: return "struct";
	case CONE_TRAIT: return "trait";
	case CONE_ENUM: return "enum";
	case CONE_ALIAS: return "alias";
	case CONE_UNIT_REFUSED: return "refused";
	}
	return "";
}

static void print_attributes(struct text *out, const struct cone_declaration *d)
{
	for (uint32_t i = 0; i < d->attribute_count; i++) {
		const struct cone_attribute *a = &d->attributes[i];
		text_add_format(out, " @%s", a->name);
		for (uint32_t n = 0; n < a->argument_count; n++) {
			text_add(out, n ? ", " : "(");
			cone_print_node(out, a->arguments[n], 0);
		}
		text_add(out, a->argument_count ? ")" : "");
	}
}

static void print_types(struct text *out, const char *before, const char *between,
                        struct cone_type_syntax *const *types, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		text_add(out, i ? between : before);
		cone_print_type(out, types[i]);
	}
}

static void print_generics(struct text *out, const struct cone_declaration *d)
{
	print_lifetimes(out, &d->lifetimes, "[");
	for (uint32_t i = 0; i < d->generic_count; i++) {
		text_add_format(out, "%s%s", i || d->lifetimes.count ? ", " : "[", d->generics[i].name);
		print_types(out, " ", " + ", d->generics[i].bounds, d->generics[i].bound_count);
	}
	text_add(out, d->generic_count || d->lifetimes.count ? "]" : "");
}

static void print_folds(struct text *out, const struct cone_declaration *d)
{
	if (d->kind == CONE_IMPORT || d->kind == CONE_USE) {
		text_add_char(out, ' ');
		print_path(out, d->path, d->path_count);
	}
	if (d->alias)
		text_add_format(out, " as %s", d->alias);
	text_add(out, d->folds_all ? d->fold_count ? " use * but" : " use *" : d->fold_count ? " use" : "");
	for (uint32_t i = 0; i < d->fold_count; i++) {
		text_add_format(out, "%s%s", i ? ", " : " ", d->folds[i].name);
		if (d->folds[i].as)
			text_add_format(out, " as %s", d->folds[i].as);
	}
}

static void print_fields(struct text *out, const struct cone_declaration *d, uint32_t indent)
{
	for (uint32_t i = 0; i < d->field_count; i++) {
		const struct cone_field *f = &d->fields[i];
		text_add_repeat(out, ' ', 2 * (size_t)indent + 2);
		text_add_format(out, "%sfield %s", f->is_public ? "pub " : "", f->name);
		print_types(out, " ", "", &f->type_syntax, f->type_syntax ? 1 : 0);
		print_child(out, "= ", f->value, indent);
		text_add_char(out, '\n');
	}
	for (uint32_t i = 0; i < d->member_count; i++)
		cone_print_declaration(out, d->members[i], indent + 1);
}

void cone_print_declaration(struct text *out, const struct cone_declaration *d, uint32_t indent)
{
	text_add_repeat(out, ' ', 2 * (size_t)indent);
	text_add_format(out, "%s%s%s", d->is_public ? "pub " : "", d->is_extern ? "extern " : "", declaration_text(d));
	if (d->kind == CONE_UNIT_REFUSED)
		text_add_format(out, " %s", d->text);
	if (d->kind != CONE_IMPORT && d->kind != CONE_USE)
		text_add_format(out, " %s", d->name);
	print_attributes(out, d);
	print_folds(out, d);
	print_generics(out, d);
	if (d->overloads)
		text_add_format(out, " overload %s", d->overloads);
	if (d->kind == CONE_FUNCTION)
		print_signature(out, d);
	text_add(out, d->is_inline ? " inline" : "");
	print_types(out, " is ", ", ", d->traits, d->trait_count);
	print_types(out, " ", "", &d->type_syntax, d->type_syntax ? 1 : 0);
	print_child(out, "= ", d->value, indent);
	print_child(out, "", d->body, indent);
	text_add_char(out, '\n');
	print_fields(out, d, indent);
}

void cone_print_module(struct text *out, const struct cone_module *module)
{
	text_add_format(out, "mod %s", module->name);
	if (module->extends)
		text_add_format(out, " extends %s", module->extends);
	text_add_char(out, '\n');
	for (uint32_t i = 0; i < module->declaration_count; i++)
		cone_print_declaration(out, module->declarations[i], 0);
}

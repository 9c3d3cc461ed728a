/* `mod`, `import` and `use` lines (spec/cone.md 1.2). */
#include <string.h>

#include "frontend/cone/cone_parser.h"

/* a.b.c; the older a::b is seen to. */
const char **cone_parser_path(struct cone_parser *p, uint32_t *count)
{
	struct cone_list path = {0};
	cone_list_add(p, &path, (void *)cone_parser_name(p, "a name"));
	while (cone_parser_ahead(p, 1) == CONE_TOKEN_NAME) {
		struct span span = cone_parser_span(p);
		if (cone_parser_accept(p, CONE_TOKEN_PATH_OLD)) {
			cone_parser_old(p, "1001", span, "a path is not written with `::`");
			cone_parser_hint(p, "write `.`");
		} else if (!cone_parser_accept(p, CONE_TOKEN_DOT)) {
			break;
		}
		cone_list_add(p, &path, (void *)cone_parser_name(p, "a name"));
	}
	*count = path.count;
	return (const char **)path.items;
}

static void add_fold(struct cone_parser *p, struct cone_declaration *d)
{
	struct cone_fold fold = {.span = cone_parser_span(p)};
	fold.name = cone_parser_name(p, "a name to fold");
	if (cone_parser_accept(p, CONE_TOKEN_AS))
		fold.as = cone_parser_name(p, "the new name");
	uint32_t n = d->fold_count++;
	d->folds = cone_parser_grow(p, d->folds, n, sizeof fold);
	d->folds[n] = fold;
}

/* * [but a, b] | a, b as c | { a, b } */
static void parse_folds(struct cone_parser *p, struct cone_declaration *d)
{
	if (cone_parser_accept(p, CONE_TOKEN_STAR)) {
		d->folds_all = true;
		if (!cone_parser_accept(p, CONE_TOKEN_BUT))
			return;
	}
	bool braces = cone_parser_accept(p, CONE_TOKEN_OPEN_BRACE);
	do {
		add_fold(p, d);
	} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
	if (braces)
		cone_parser_expect(p, CONE_TOKEN_CLOSE_BRACE);
}

/* import m::* and import m::a. */
static void parse_old_folds(struct cone_parser *p, struct cone_declaration *d)
{
	struct span span = cone_parser_span(p);
	if (!cone_parser_accept(p, CONE_TOKEN_PATH_OLD))
		return;
	cone_parser_old(p, "1001", span, "what is folded is not written with `::`");
	cone_parser_hint(p, "write `import %s use *;`", d->name);
	parse_folds(p, d);
}

static bool imports_may_follow(const struct cone_parser *p)
{
	const struct cone_module *m = p->module;
	for (uint32_t i = m->declaration_count; i-- > 0 && m->declarations[i]->file == p->file;)
		if (m->declarations[i]->kind != CONE_IMPORT && m->declarations[i]->kind != CONE_USE)
			return false;
	return true;
}

/* False: the module imports it already. */
static bool note_import(struct cone_parser *p, const struct cone_declaration *d)
{
	struct text key = {0};
	for (uint32_t i = 0; i < d->path_count; i++)
		text_add_format(&key, "%s.", d->path[i]);
	bool is_new = !table_set(&p->imports, text_string(&key), (void *)d);
	text_free(&key);
	return is_new;
}

void cone_parser_note_imports(struct cone_parser *p)
{
	p->imports.arena = p->arena;
	for (uint32_t i = 0; i < p->module->declaration_count; i++)
		if (p->module->declarations[i]->kind == CONE_IMPORT)
			note_import(p, p->module->declarations[i]);
}

static void parse_import_line(struct cone_parser *p, struct cone_declaration *d)
{
	d->name_span = cone_parser_span(p);
	d->name = cone_parser_name(p, "the name of a module");
	struct cone_list path = {0};
	cone_list_add(p, &path, (void *)d->name);
	while (cone_parser_accept(p, CONE_TOKEN_DOT))
		cone_list_add(p, &path, (void *)cone_parser_name(p, "the name of a module"));
	d->path = (const char **)path.items;
	d->path_count = path.count;
	parse_old_folds(p, d);
	if (cone_parser_accept(p, CONE_TOKEN_AS))
		d->alias = cone_parser_name(p, "the new name");
	if (cone_parser_accept(p, CONE_TOKEN_USE))
		parse_folds(p, d);
}

struct cone_declaration *cone_parser_import(struct cone_parser *p, bool is_public)
{
	bool is_import = cone_parser_kind(p) == CONE_TOKEN_IMPORT;
	struct cone_declaration *d = cone_parser_new_declaration(p, is_import ? CONE_IMPORT : CONE_USE);
	d->is_public = is_public;
	if (is_import && !imports_may_follow(p))
		cone_parser_report(p, "1146", cone_parser_span(p), "an import stands before the other declarations");
	cone_parser_advance(p);
	if (is_import) {
		parse_import_line(p, d);
		if (!p->failed && !note_import(p, d)) {
			cone_parser_report(p, "1116", d->name_span, "the module imports `%s` already", d->name);
			cone_parser_hint(p, "write one import of it, with all that it folds");
		}
	} else {
		d->name_span = cone_parser_span(p);
		d->path = cone_parser_path(p, &d->path_count);
		d->name = d->path[0];
		parse_folds(p, d);
	}
	d->span = cone_parser_span_from(p, d->span.start);
	cone_parser_semicolon(p);
	return d;
}

/* [pub] mod NAME [extends M] [is ModTrait] [use fold]; */
void cone_parser_module_line(struct cone_parser *p)
{
	struct cone_module *m = p->module;
	bool is_public = cone_parser_kind(p) == CONE_TOKEN_PUB && cone_parser_ahead(p, 1) == CONE_TOKEN_MOD;
	if (!is_public && cone_parser_kind(p) != CONE_TOKEN_MOD) {
		/* Other files of a module's folder join it without a line. */
		if (!m->name || !*m->name) {
			m->name = "";
			cone_parser_report(p, "1145", cone_parser_span(p), "a file begins with its `mod` line");
			cone_parser_hint(p, "write `mod name;` first");
		}
		return;
	}
	if (is_public)
		cone_parser_advance(p);
	cone_parser_advance(p);
	const char *name = cone_parser_name(p, "the name of the module");
	if (!m->name || !*m->name)
		m->name = name;
	if (cone_parser_accept_contextual(p, "extends")) {
		uint32_t count;
		struct span span = cone_parser_span(p);
		const char **path = cone_parser_path(p, &count);
		m->extends = path[0];
		m->extends_span = span;
		if (count > 1)
			cone_parser_report(p, "1001", span, "a module extends one of its sisters");
	}
	if (cone_parser_accept(p, CONE_TOKEN_IS)) {
		struct cone_list traits = {0};
		do {
			cone_list_add(p, &traits, cone_parser_type(p));
		} while (cone_parser_accept(p, CONE_TOKEN_COMMA));
		m->traits = (struct cone_type_syntax **)traits.items;
		m->trait_count = traits.count;
	}
	if (cone_parser_kind(p) == CONE_TOKEN_USE) {
		struct cone_declaration *d = cone_parser_new_declaration(p, CONE_USE);
		cone_parser_advance(p);
		if (!m->extends)
			cone_parser_expected(p, "`extends` before the `use` of a mod line");
		d->name = m->extends;
		d->path = &m->extends;
		d->path_count = 1;
		parse_folds(p, d);
		if (!p->failed)
			cone_parser_add(p, d);
	}
	cone_parser_semicolon(p);
	if (cone_parser_kind(p) == CONE_TOKEN_OPEN_BRACE) {
		cone_parser_report(p, "1001", cone_parser_span(p), "a module is a file: it has no braces");
		p->failed = true;
	}
}

/* congo.toml: [package], and what it may say. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontend/cone/cone_lexer.h"
#include "utils/base/file.h"
#include "utils/tools/package.h"
#include "utils/tools/toml.h"

void package_refuse(struct package_session *s, const char *place, const char *hint, const char *format, ...)
{
	va_list list;
	fflush(stdout);
	fprintf(stderr, "sspur: error: %s%s", place ? place : "", place ? ": " : "");
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	if (hint)
		fprintf(stderr, "hint: %s\n", hint);
	s->refusals++;
}

/* A manifest being read. */
struct manifest {
	struct package_session *session;
	struct package *package;
	struct source source;
};

static const char *place_of(const struct manifest *m, struct span span)
{
	struct place place = source_place(&m->source, span.start);
	return arena_format(&m->session->arena, "%s:%u:%u", m->package->manifest, place.line, place.column);
}

bool package_name_is_good(struct package_session *s, const char *name)
{
	struct cone_tokens tokens = {0};
	struct cone_file file = {0};
	source_init(&file.source, "", name, strlen(name));
	file.diagnostics.source = &file.source;
	cone_lexer_run(&tokens, &file, &s->arena);
	const struct cone_token *t = tokens.items;
	bool good = !file.diagnostics.error_count && tokens.count == 2 && t->kind == CONE_TOKEN_NAME && !t->quoted &&
	            t->start == 0 && t->end == strlen(name);
	diagnostics_free(&file.diagnostics);
	source_free(&file.source);
	return good;
}

/* In quotes, so that no character of it breaks the line. */
static const char *quoted(const struct manifest *m, const char *text)
{
	struct text out = {0};
	text_add_json(&out, text, strlen(text));
	const char *copy = arena_string(&m->session->arena, text_string(&out));
	text_free(&out);
	return copy;
}

/* ---- The keys ---- */

static const char *const shown_targets = "write targets = [\"native\", \"gpu\"], or targets = [\"native\"]";

/* NULL: it is no string, which is said. */
static const char *string_of(const struct manifest *m, const struct toml_entry *e)
{
	if (e->value->kind == TOML_STRING)
		return e->value->text;
	package_refuse(m->session, place_of(m, e->value->span),
	               arena_format(&m->session->arena, "write %s = \"...\"", e->key),
	               "%s is %s: it should be a string", e->key, toml_kind_text(e->value->kind));
	return NULL;
}

static void read_name(struct manifest *m, const struct toml_entry *e)
{
	const char *name = string_of(m, e);
	if (!name)
		return;
	if (!package_name_is_good(m->session, name) || strcmp(name, "core") == 0)
		package_refuse(
		    m->session, place_of(m, e->value->span),
		    "a letter or `_` begins it, letters, digits and `_` follow; Cone's own words, and core, are taken",
		    "%s is no name of a package", quoted(m, name));
	else
		m->package->given = name;
}

static void read_output(struct manifest *m, const struct toml_entry *e)
{
	const char *output = string_of(m, e);
	if (output && strcmp(output, "library") != 0 && strcmp(output, "executable") != 0)
		package_refuse(m->session, place_of(m, e->value->span), NULL,
		               "there is no output %s: it is \"library\" or \"executable\"", quoted(m, output));
	m->package->is_program = output && strcmp(output, "executable") == 0;
}

static void read_targets(struct manifest *m, const struct toml_entry *e)
{
	const struct toml_value *list = e->value;
	bool native = false, gpu = false;
	uint32_t refusals = m->session->refusals;
	m->package->marking = place_of(m, list->span);
	if (list->kind != TOML_ARRAY || !list->is_closed) {
		package_refuse(m->session, place_of(m, list->span), shown_targets, "targets is %s: it should be a list",
		               toml_kind_text(list->kind));
		return;
	}
	for (uint32_t i = 0; i < list->item_count; i++) {
		const struct toml_value *item = list->items[i];
		bool is_text = item->kind == TOML_STRING;
		bool is_native = is_text && strcmp(item->text, "native") == 0;
		bool is_gpu = is_text && strcmp(item->text, "gpu") == 0;
		if (!is_text)
			package_refuse(m->session, place_of(m, item->span), shown_targets,
			               "targets holds %s: it should hold strings", toml_kind_text(item->kind));
		else if (!is_native && !is_gpu)
			package_refuse(m->session, place_of(m, item->span), shown_targets,
			               "there is no target %s: the targets are \"native\" and \"gpu\"",
			               quoted(m, item->text));
		native |= is_native;
		gpu |= is_gpu;
	}
	if (m->session->refusals != refusals)
		return;
	if (!native)
		package_refuse(
		    m->session, place_of(m, list->span), shown_targets,
		    "targets lacks \"native\", which is required: a package for the GPU alone is not built yet");
	m->package->is_marked = native && gpu;
}

static void read_keys(struct manifest *m, const struct toml_value *table)
{
	for (uint32_t i = 0; i < table->entry_count; i++) {
		const struct toml_entry *e = table->entries[i];
		if (strcmp(e->key, "name") == 0)
			read_name(m, e);
		else if (strcmp(e->key, "version") == 0)
			string_of(m, e);
		else if (strcmp(e->key, "output") == 0)
			read_output(m, e);
		else if (strcmp(e->key, "targets") == 0)
			read_targets(m, e);
		else
			package_refuse(m->session, place_of(m, e->span), NULL,
			               "[package] has no key %s: its keys are name, version, output and targets",
			               quoted(m, e->key));
	}
	if (m->package->is_program && m->package->is_marked)
		package_refuse(
		    m->session, m->package->marking,
		    "put its kernels in a gpu/ folder beside src/, or in a library of their own, and leave \"gpu\" out",
		    "a program is not built for the GPU: targets of an executable may not hold \"gpu\"");
}

static bool read_package(struct manifest *m, const struct toml_value *root)
{
	const struct toml_entry *e = toml_find(root, "package");
	if (!e || e->value->kind != TOML_TABLE) {
		package_refuse(m->session, e ? place_of(m, e->span) : m->package->manifest,
		               "write [package], and below it name = \"...\"",
		               e ? "`package` is not a table" : "there is no [package]");
		return false;
	}
	m->package->marking = place_of(m, e->span);
	read_keys(m, e->value);
	if (!toml_find(e->value, "name"))
		package_refuse(m->session, place_of(m, e->span), "write name = \"...\", as the folder is named",
		               "[package] has no name");
	return m->package->given;
}

/* NULL: it could not be read; *error says why, *place is empty or where. */
static struct toml_value *read_file(struct package_session *s, const char *path, struct source *source,
                                    struct span *place, struct text *error)
{
	struct text bytes = {0};
	struct toml_value *root = NULL;
	*place = (struct span){0, 0};
	file_roles_add(&s->files, FILE_READ, path, path);
	if (package_file_kind(path) == PACKAGE_OTHER)
		text_add_format(error, "cannot read %s: it is no file", path);
	else if (file_read_source(path, &bytes, error)) {
		source_init(source, path, text_string(&bytes), bytes.length);
		root = toml_read(&s->arena, source, place, error);
	}
	text_free(&bytes);
	return root;
}

bool package_read_manifest(struct package_session *s, struct package *p)
{
	struct manifest m = {.session = s, .package = p};
	struct text error = {0};
	struct span place;
	uint32_t refusals = s->refusals;
	const struct toml_value *root = read_file(s, p->manifest, &m.source, &place, &error);
	if (!root)
		package_refuse(s, m.source.bytes ? place_of(&m, place) : NULL, NULL, "%s", text_string(&error));
	bool good = root && read_package(&m, root) && s->refusals == refusals;
	text_free(&error);
	source_free(&m.source);
	return good;
}

const char *package_name_in(struct package_session *s, const char *manifest)
{
	struct source source = {0};
	struct text error = {0};
	struct span place;
	const struct toml_value *root = read_file(s, manifest, &source, &place, &error);
	const struct toml_entry *e = root ? toml_find(root, "package") : NULL;
	e = e && e->value->kind == TOML_TABLE ? toml_find(e->value, "name") : NULL;
	text_free(&error);
	source_free(&source);
	return e && e->value->kind == TOML_STRING ? e->value->text : NULL;
}

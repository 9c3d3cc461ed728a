/* Opens a program: its file, the files and modules of its folder, what it imports, and what is built in. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/cone/cone_ast.h"
#include "frontend/cone/cone_core.h"
#include "ir/ir.h"
#include "utils/base/file.h"

/* Folders in folders, and packages of packages. */
#define FOLDER_DEPTH 16
#define MOST_MODULES 1000

struct opener {
	struct cone_program *program;
	const char *const *paths;
	uint32_t path_count;
	const struct cone_package_build *package; /* NULL: a file is opened */
	bool old_spellings;
	struct table folders; /* of modules, by their address: char *, where sisters are looked for */
};

static struct cone_file *add_file(struct opener *o, const char *name, const char *bytes, size_t length)
{
	struct cone_program *p = o->program;
	struct cone_file *file = ARENA_NEW(&p->arena, struct cone_file);
	source_init(&file->source, arena_string(&p->arena, name), bytes, length);
	file->diagnostics.source = &file->source;
	file->old_spellings = o->old_spellings;
	*(struct cone_file **)ARENA_PUSH(&p->arena, p->files, p->file_count, p->file_capacity) = file;
	file->id = p->file_count;
	return file;
}

static struct cone_module *add_module(struct opener *o, const char *name, struct cone_module *parent)
{
	struct cone_program *p = o->program;
	struct cone_module *m = ARENA_NEW(&p->arena, struct cone_module);
	m->name = arena_string(&p->arena, name);
	m->parent = parent;
	m->names.arena = &p->arena;
	*(struct cone_module **)ARENA_PUSH(&p->arena, p->modules, p->module_count, p->module_capacity) = m;
	return m;
}

static void read_into(struct opener *o, struct cone_module *m, struct cone_file *file)
{
	struct cone_file **files = ARENA_ARRAY(&o->program->arena, struct cone_file *, m->file_count + 1);
	for (uint32_t i = 0; i < m->file_count; i++)
		files[i] = m->files[i];
	files[m->file_count++] = file;
	m->files = files;
	cone_parse(o->program, file, m);
}

/* ---- Folders ---- */

static char *folder_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	return !slash ? arena_string(a, ".") : arena_string_n(a, path, slash == path ? 1 : (size_t)(slash - path));
}

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n > m && strcmp(name + n - m, end) == 0;
}

/* The folder is named for the module, itself or as a link, or is src/ of a folder that is. */
static bool is_module_folder(struct arena *a, const char *folder, const char *name)
{
	const char *given = strrchr(folder, '/');
	if (strcmp(given ? given + 1 : folder, name) == 0)
		return true;
	char *real = realpath(folder, NULL);
	if (!real)
		return false;
	char *slash = strrchr(real, '/');
	bool good = slash && strcmp(slash + 1, name) == 0;
	if (slash && !good && strcmp(slash + 1, "src") == 0) {
		char *parent = folder_of(a, real);
		const char *last = strrchr(parent, '/');
		good = last && strcmp(last + 1, name) == 0;
	}
	free(real);
	return good;
}

/* Past blanks and comments. */
static const char *first_word(const char *s)
{
	if (strncmp(s, "\xef\xbb\xbf", 3) == 0)
		s += 3;
	for (;;) {
		while (*s && (unsigned char)*s <= 32)
			s++;
		if (s[0] == '/' && s[1] == '/') {
			s += strcspn(s, "\n");
		} else if (s[0] == '/' && s[1] == '*') {
			int depth = 0;
			do {
				depth += s[0] == '/' && s[1] == '*' ? 1 : s[0] == '*' && s[1] == '/' ? -1 : 0;
				s += (s[0] == '/' && s[1] == '*') || (s[0] == '*' && s[1] == '/') ? 2 : 1;
			} while (*s && depth);
		} else {
			return s;
		}
	}
}

bool cone_has_module_line(const char *bytes)
{
	const char *s = first_word(bytes);
	if (strncmp(s, "pub", 3) == 0 && (unsigned char)s[3] <= 32)
		s = first_word(s + 3);
	return strncmp(s, "mod", 3) == 0 && (unsigned char)s[3] <= 32 && s[3];
}

static bool is_file(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static struct cone_module *open_module(struct opener *o, const char *path, const char *name, struct cone_module *parent,
                                       const char *bytes, size_t length, uint32_t depth);

/* Reads a file of a module's folder: a part of it, or a submodule. */
static void open_member(struct opener *o, struct cone_module *m, const char *folder, const char *entry, uint32_t depth)
{
	struct arena *a = &o->program->arena;
	struct text bytes = {0}, error = {0};
	bool is_source = ends_with(entry, ".cone");
	const char *stem = is_source ? arena_string_n(a, entry, strlen(entry) - 5) : entry;
	const char *path = is_source ? arena_format(a, "%s/%s", folder, entry)
	                             : arena_format(a, "%s/%s/%s.cone", folder, entry, entry);
	if (is_file(path) && o->program->module_count < MOST_MODULES && depth < FOLDER_DEPTH &&
	    file_read_source(path, &bytes, &error)) {
		if (!is_source || cone_has_module_line(text_string(&bytes)))
			open_module(o, path, stem, m, text_string(&bytes), bytes.length, depth + 1);
		else
			read_into(o, m, add_file(o, path, text_string(&bytes), bytes.length));
	}
	text_free(&bytes);
	text_free(&error);
}

/* Parts and submodules. */
static void open_members(struct opener *o, struct cone_module *m, const char *folder, const char *name, uint32_t depth)
{
	struct arena *a = &o->program->arena;
	uint32_t count;
	char **entries = folder_list(a, folder, &count);
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(entries[i], arena_format(a, "%s.cone", name)) != 0)
			open_member(o, m, folder, entries[i], depth);
}

static bool is_package(const struct opener *o, const char *path)
{
	for (uint32_t i = 0; o->package && i < o->package->package_count; i++)
		if (o->package->packages[i].is_folder && strcmp(o->package->packages[i].path, path) == 0)
			return true;
	return false;
}

static struct cone_module *open_module(struct opener *o, const char *path, const char *name, struct cone_module *parent,
                                       const char *bytes, size_t length, uint32_t depth)
{
	struct arena *a = &o->program->arena;
	struct cone_module *m = add_module(o, "", parent);
	char *folder = folder_of(a, path);
	read_into(o, m, add_file(o, path, bytes, length));
	if (!*m->name || parent)
		m->name = arena_string(a, name);
	table_set_n(&o->folders, (const char *)&m, sizeof m, folder);
	if (is_module_folder(a, folder, name) || is_package(o, path))
		open_members(o, m, folder, name, depth);
	return m;
}

/* ---- Imports ---- */

static bool is_open(const struct opener *o, const struct cone_module *from, const char *name)
{
	for (uint32_t i = 0; i < o->program->module_count; i++) {
		const struct cone_module *m = o->program->modules[i];
		bool is_near = !m->parent;
		for (const struct cone_module *at = from->parent; at; at = at->parent)
			is_near = is_near || m->parent == at;
		if (is_near && strcmp(m->name, name) == 0)
			return true;
	}
	return false;
}

static bool try_open(struct opener *o, const char *path, const char *name)
{
	struct text bytes = {0}, error = {0};
	bool good = is_file(path) && file_read_source(path, &bytes, &error);
	if (good)
		open_module(o, path, name, NULL, text_string(&bytes), bytes.length, 0);
	text_free(&bytes);
	text_free(&error);
	return good;
}

/* A package's folder, or a folder of packages. */
static bool open_package(struct opener *o, const char *folder, const char *name)
{
	struct arena *a = &o->program->arena;
	return try_open(o, arena_format(a, "%s/%s/src/%s.cone", folder, name, name), name) ||
	       try_open(o, arena_format(a, "%s/%s/%s.cone", folder, name, name), name) ||
	       try_open(o, arena_format(a, "%s/src/%s.cone", folder, name), name) ||
	       try_open(o, arena_format(a, "%s/%s.cone", folder, name), name);
}

static void open_builtin(struct opener *o, const struct cone_builtin *b, struct cone_module *parent, bool is_core)
{
	struct cone_module *m = add_module(o, "", parent);
	bool old = o->old_spellings;
	o->old_spellings = false;
	m->is_core = is_core;
	struct cone_file *file = add_file(o, b->file, (const char *)b->bytes, b->length);
	file->is_built_in = true;
	read_into(o, m, file);
	o->old_spellings = old;
	m->name = b->name;
}

static void open_import(struct opener *o, struct cone_module *from, const char *name)
{
	const char *folder = table_get_n(&o->folders, (const char *)&from, sizeof from);
	const struct cone_builtin *b = cone_builtin_named(name);
	if (is_open(o, from, name) || o->program->module_count >= MOST_MODULES)
		return;
	for (uint32_t i = 0; i < o->path_count; i++)
		if (open_package(o, o->paths[i], name))
			return;
	for (uint32_t i = 0; o->package && i < o->package->package_count; i++)
		if (strcmp(o->package->packages[i].name, name) == 0 && try_open(o, o->package->packages[i].path, name))
			return;
	if (b && strcmp(name, "libc") == 0) {
		open_builtin(o, b, NULL, false);
		return;
	}
	if (folder && !from->parent && !o->package)
		(void)(try_open(o, arena_format(&o->program->arena, "%s/%s/%s.cone", folder, name, name), name) ||
		       try_open(o, arena_format(&o->program->arena, "%s/%s.cone", folder, name), name));
}

static void open_imports(struct opener *o)
{
	for (uint32_t i = 0; i < o->program->module_count; i++) {
		struct cone_module *m = o->program->modules[i];
		if (m->extends)
			open_import(o, m, m->extends);
		for (uint32_t j = 0; j < m->declaration_count; j++)
			if (m->declarations[j]->kind == CONE_IMPORT && m->declarations[j]->path_count)
				open_import(o, m, m->declarations[j]->path[0]);
	}
}

/* mem is a submodule of core, which is the last module. */
static void open_core(struct opener *o)
{
	struct cone_program *p = o->program;
	open_builtin(o, cone_builtin_named("mem"), NULL, true);
	open_builtin(o, cone_builtin_named("core"), NULL, true);
	p->modules[p->module_count - 2]->parent = p->modules[p->module_count - 1];
}

struct cone_program *cone_program_open(const char *path, const char *const *paths, uint32_t path_count,
                                       bool old_spellings, struct text *error)
{
	struct text bytes = {0};
	if (!file_read_source(path, &bytes, error)) {
		text_free(&bytes);
		return NULL;
	}
	struct cone_program *p = memory_zeroed(1, sizeof *p);
	struct opener o = {.program = p, .paths = paths, .path_count = path_count, .old_spellings = old_spellings};
	o.folders.arena = &p->arena;
	char *stem = path_stem(path);
	open_module(&o, strcmp(path, "-") == 0 ? "<stdin>" : path, stem, NULL, text_string(&bytes), bytes.length, 0);
	free(stem);
	text_free(&bytes);
	open_imports(&o);
	open_core(&o);
	return p;
}

struct cone_program *cone_program_open_package(const struct cone_package_build *package, bool old_spellings)
{
	struct cone_program *p = memory_zeroed(1, sizeof *p);
	struct opener o = {.program = p, .package = package, .old_spellings = old_spellings};
	struct arena *a = &p->arena;
	const char *name = arena_format(a, "%s_gpu", package->name);
	const char *file = arena_format(a, "%s.cone", name);
	const char *line = package->gpu_folder ? arena_format(a, "mod %s;\n", name)
	                                       : arena_format(a, "mod %s; import %s;\n", name, package->name);
	o.folders.arena = a;
	struct cone_module *m = add_module(&o, name, NULL);
	struct cone_file *made = add_file(&o, file, line, strlen(line));
	made->is_built_in = true;
	read_into(&o, m, made);
	if (package->gpu_folder)
		open_members(&o, m, package->gpu_folder, name, 0);
	open_imports(&o);
	p->kernels_of = m;
	for (uint32_t i = 0; !package->gpu_folder && i < p->module_count; i++)
		if (!p->modules[i]->parent && strcmp(p->modules[i]->name, package->name) == 0)
			p->kernels_of = p->modules[i];
	open_core(&o);
	return p;
}

void cone_program_free(struct cone_program *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->file_count; i++) {
		diagnostics_free(&p->files[i]->diagnostics);
		source_free(&p->files[i]->source);
	}
	ir_module_free(p->module);
	arena_free(&p->arena);
	free(p);
}

void cone_print_diagnostics(struct cone_program *p, struct text *out)
{
	for (uint32_t i = 0; i < p->file_count; i++)
		diagnostics_print(&p->files[i]->diagnostics, out);
}

uint32_t cone_error_count(const struct cone_program *p)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < p->file_count; i++)
		count += (uint32_t)p->files[i]->diagnostics.error_count;
	return count;
}

/* The rules of a package that is compiled for the GPU (spec/cone.md part 6), but those of its manifest and of marks. */
#include <stdlib.h>
#include <string.h>

#include "frontend/cone/cone_ast.h"
#include "frontend/cone/cone_core.h"
#include "utils/base/file.h"
#include "utils/tools/package.h"

bool package_is_compiled(const struct package_session *s, const struct package *p)
{
	return p->is_marked && !p->is_builtin && (p == s->packages[0] || p->source.kernel_count);
}

/* ---- The folder ---- */

/* As it is written, or what a link or `.` leads to. */
static bool is_folder_named(const char *folder, const char *name)
{
	const char *slash = strrchr(folder, '/');
	if (strcmp(slash ? slash + 1 : folder, name) == 0)
		return true;
	char *real = realpath(folder, NULL);
	slash = real ? strrchr(real, '/') : NULL;
	bool good = slash && strcmp(slash + 1, name) == 0;
	free(real);
	return good;
}

static void check_folder(struct package_session *s, const struct package *p)
{
	if (p->given && (!is_folder_named(p->folder, p->given) || strcmp(p->name, p->given) != 0))
		package_refuse(
		    s, p->manifest, arena_format(&s->arena, "rename the folder %s, or the package", p->folder),
		    "a package that is compiled for the GPU is in a folder named for it: this one is `%s`, in %s",
		    p->given, p->folder);
}

static void check_source(struct package_session *s, const struct package *p)
{
	if (package_file_kind(p->path) == PACKAGE_NOTHING)
		package_refuse(s, p->manifest, NULL, "the package has no source: there is no %s", p->path);
}

/* ---- The layout of gpu/ ---- */

static bool has_module_line(const char *path)
{
	struct text bytes = {0}, error = {0};
	bool good = !file_read_source(path, &bytes, &error) || cone_has_module_line(text_string(&bytes));
	text_free(&bytes);
	text_free(&error);
	return good;
}

static void check_layout(struct package_session *s, const struct package *p)
{
	struct arena *a = &s->arena;
	uint32_t count;
	char **entries = folder_list(a, p->gpu, &count);
	for (uint32_t i = 0; i < count; i++) {
		const char *path = arena_format(a, "%s/%s", p->gpu, entries[i]);
		size_t length = strlen(entries[i]);
		bool is_source = length > 5 && strcmp(entries[i] + length - 5, ".cone") == 0;
		enum package_file_kind kind = package_file_kind(path);
		const char *own = arena_format(a, "%s/%s.cone", path, entries[i]);
		if (kind == PACKAGE_FILE && is_source && !has_module_line(path))
			package_refuse(s, path, arena_format(a, "write mod %.*s; first", (int)length - 5, entries[i]),
			               "a file in gpu/ opens with its own mod line");
		else if (kind == PACKAGE_FOLDER && package_file_kind(own) == PACKAGE_NOTHING)
			package_refuse(s, path, NULL,
			               "a folder in gpu/ is a module, and has its designated file: there is no %s",
			               own);
	}
}

static void refuse_names(struct package_session *s, const struct package_module *m, const char *other)
{
	package_refuse(s, m->path, "rename one of them", "this and %s are both the module `%s`", other, m->name);
}

static void check_names(struct package_session *s, const struct package *p)
{
	const struct package_tree *src = &p->source, *gpu = &p->kernels;
	const struct package_module *root = src->module_count ? src->modules[0] : NULL;
	for (uint32_t i = 0; i < gpu->module_count; i++) {
		const struct package_module *m = gpu->modules[i];
		const struct package_module *other = package_module_in(gpu, m->parent, m->name);
		if (other != m)
			refuse_names(s, m, other->path);
		if (m->parent)
			continue;
		other = root ? package_module_in(src, root, m->name) : NULL;
		if (strcmp(m->name, p->name) == 0)
			refuse_names(s, m, p->path);
		else if (other)
			refuse_names(s, m, other->path);
		bool is_used = cone_builtin_named(m->name);
		for (uint32_t j = 0; j < s->package_count; j++)
			is_used |= s->packages[j] != p && strcmp(s->packages[j]->name, m->name) == 0;
		if (is_used)
			package_refuse(
			    s, m->path, "rename the module, and its file or folder",
			    "`%s` is the name of a package that this build uses: a file or folder of gpu/ has a "
			    "name of its own",
			    m->name);
	}
}

/* ---- gpu/ without src/ ---- */

static bool is_sister(const struct package *p, const struct package_import *import)
{
	if (!import->from)
		return false;
	for (const struct package_module *at = import->from->parent; at; at = at->parent)
		if (package_module_in(&p->kernels, at, import->name))
			return true;
	return package_module_in(&p->kernels, NULL, import->name);
}

static void check_import(struct package_session *s, const struct package *p, const struct package_import *import)
{
	static const char hint[] = "move what both need into gpu/: src/ may use all of gpu/";
	static const char why[] = "gpu/ may not use src/, as it is compiled for the GPU without it";
	const struct package_module *root = p->source.module_count ? p->source.modules[0] : NULL;
	const struct package_module *module = root ? package_module_in(&p->source, root, import->name) : NULL;
	const char *place = arena_format(&s->arena, "%s:%u", import->file, import->line);
	bool is_root = strcmp(import->name, p->name) == 0;
	if (is_sister(p, import) || strcmp(import->name, "core") == 0)
		return;
	if (module || is_root)
		package_refuse(s, place, hint, "%s: this %s the module `%s` of src/ (%s)", why,
		               import->is_extended ? "extends" : "imports", import->name,
		               is_root ? p->path : module->path);
	else if (!import->package && !import->is_extended)
		package_refuse(s, place, hint,
		               "%s: this imports `%s`, which is no package, and so is a name of the root", why,
		               import->name);
}

void package_check_rules(struct package_session *s, struct package *p)
{
	if (p->is_builtin)
		return;
	if (package_is_compiled(s, p) || p->gpu)
		check_folder(s, p);
	if (package_is_compiled(s, p)) {
		check_source(s, p);
		package_check_imports(s, p, false);
	}
	if (p->is_marked && p->gpu) {
		package_refuse(s, p->gpu, "move its modules into src/, or take \"gpu\" out of the targets",
		               "a package marked for the GPU has no gpu/ folder: all of it is compiled for the GPU");
		return;
	}
	if (!p->gpu)
		return;
	check_layout(s, p);
	check_names(s, p);
	for (uint32_t i = 0; i < p->kernels.import_count; i++)
		check_import(s, p, &p->kernels.imports[i]);
	package_check_imports(s, p, true);
}

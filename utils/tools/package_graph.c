/* Which packages there are, what imports what, and whether it may. */
#include <stdio.h>
#include <string.h>

#include "utils/tools/package.h"

/* ---- Finding a package ---- */

static struct package *add_package(struct package_session *s, const char *name, const char *folder, const char *path)
{
	struct package *p = ARENA_NEW(&s->arena, struct package);
	p->name = arena_string(&s->arena, name);
	p->folder = folder;
	p->path = path;
	*(struct package **)ARENA_PUSH(&s->arena, s->packages, s->package_count, s->package_capacity) = p;
	return p;
}

struct package *package_add(struct package_session *s, const char *name, const char *folder)
{
	struct arena *a = &s->arena;
	struct package *p = add_package(s, name, folder, arena_format(a, "%s/src/%s.cone", folder, name));
	const char *gpu = arena_format(a, "%s/gpu", folder);
	p->manifest = arena_format(a, "%s/congo.toml", folder);
	p->gpu = package_file_kind(gpu) == PACKAGE_FOLDER ? gpu : NULL;
	package_read_manifest(s, p);
	return p;
}

void package_add_program(struct package_session *s, const char *name, const char *folder, const char *path)
{
	struct package *p = add_package(s, name, folder, arena_string(&s->arena, path));
	p->is_single = p->is_program = true;
}

static struct package *find_managed(struct package_session *s, const char *folder, const char *name)
{
	const char *inside =
	    strcmp(folder, ".") == 0 ? arena_string(&s->arena, name) : arena_format(&s->arena, "%s/%s", folder, name);
	if (package_file_kind(arena_format(&s->arena, "%s/congo.toml", inside)) == PACKAGE_NOTHING)
		return NULL;
	return package_add(s, name, inside);
}

/* A module without a congo.toml, where `--package` has one. */
static struct package *find_plain(struct package_session *s, const char *folder, const char *name)
{
	struct arena *a = &s->arena;
	const char *paths[] = {arena_format(a, "%s/%s/src/%s.cone", folder, name, name),
	                       arena_format(a, "%s/%s/%s.cone", folder, name, name),
	                       arena_format(a, "%s/src/%s.cone", folder, name),
	                       arena_format(a, "%s/%s.cone", folder, name)};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		if (package_file_kind(paths[i]) == PACKAGE_FILE) {
			struct package *p = add_package(s, name, folder, paths[i]);
			p->is_single = i >= 2;
			return p;
		}
	return NULL;
}

static bool is_named(const char *folder, const char *name)
{
	const char *slash = strrchr(folder, '/');
	return strcmp(slash ? slash + 1 : folder, name) == 0;
}

/* One of `--package`: a folder of packages, or a package. */
static struct package *find_in(struct package_session *s, const char *folder, const char *name)
{
	const char *manifest = arena_format(&s->arena, "%s/congo.toml", folder);
	struct package *p = find_managed(s, folder, name);
	if (p || package_file_kind(manifest) == PACKAGE_NOTHING)
		return p ? p : find_plain(s, folder, name);
	const char *own = package_name_in(s, manifest);
	return (own && strcmp(own, name) == 0) || is_named(folder, name) ? package_add(s, name, folder) : NULL;
}

static struct package *look_for(struct package_session *s, const char *name)
{
	for (uint32_t i = 0; i < s->path_count; i++) {
		struct package *p = find_in(s, s->paths[i], name);
		if (p)
			return p;
	}
	if (strcmp(name, "libc") == 0) {
		struct package *p = add_package(s, name, "", "");
		p->is_builtin = p->is_marked = true;
		return p;
	}
	struct package *p = find_managed(s, s->beside, name);
	return p || !s->is_program_file ? p : find_plain(s, s->beside, name);
}

struct package *package_find(struct package_session *s, const char *name)
{
	for (uint32_t i = 0; i < s->package_count; i++)
		if (strcmp(s->packages[i]->name, name) == 0)
			return s->packages[i];
	struct package *p = look_for(s, name);
	if (p)
		package_scan(s, p);
	return p;
}

/* ---- What imports name ---- */

/* A sister of the module, or of one that it is in: of src/ or of gpu/, which have one root. */
static bool is_sister(const struct package *p, const struct package_import *import)
{
	const struct package_module *root = p->source.module_count ? p->source.modules[0] : NULL;
	const struct package_module *from = import->from;
	if (!from || from == root)
		return false;
	for (const struct package_module *at = from->parent; at && at != root; at = at->parent)
		if (package_module_in(&p->source, at, import->name) || package_module_in(&p->kernels, at, import->name))
			return true;
	return (root && package_module_in(&p->source, root, import->name)) ||
	       package_module_in(&p->kernels, NULL, import->name);
}

/* A module of its own that only the root could name. */
static bool is_inside(const struct package *p, const char *name)
{
	const struct package_module *root = p->source.module_count ? p->source.modules[0] : NULL;
	return (root && package_module_in(&p->source, root, name)) || package_module_in(&p->kernels, NULL, name);
}

static void resolve(struct package_session *s, struct package *p, struct package_tree *t)
{
	for (uint32_t i = 0; i < t->import_count; i++) {
		struct package_import *import = &t->imports[i];
		import->is_own = strcmp(import->name, p->name) == 0 || is_sister(p, import);
		if (!import->is_own && strcmp(import->name, "core") != 0 && !import->is_extended)
			import->package = package_find(s, import->name);
		import->is_own = import->is_own || (!import->package && is_inside(p, import->name));
	}
}

void package_resolve_all(struct package_session *s)
{
	for (uint32_t i = 0; i < s->package_count; i++) {
		package_scan(s, s->packages[i]);
		resolve(s, s->packages[i], &s->packages[i]->source);
		resolve(s, s->packages[i], &s->packages[i]->kernels);
		resolve(s, s->packages[i], &s->packages[i]->programs);
	}
}

/* ---- Marks ---- */

static void add_chain(struct text *out, const struct package *to)
{
	if (to->importer->import)
		add_chain(out, to->importer);
	text_add_format(out, "%s%s imports %s at %s:%u", out->length ? "; " : "", to->importer->name, to->name,
	                to->import->file, to->import->line);
}

static void print_unmarked(const struct package *p)
{
	struct text chain = {0};
	add_chain(&chain, p);
	fprintf(stderr, "  %s: %s%s\n", p->name, text_string(&chain), p->manifest ? "" : " (it has no congo.toml)");
	text_free(&chain);
}

/* Breadth first, so that chains are the shortest. `reached` has place for all packages. */
static uint32_t reach(struct package_session *s, struct package *start, const struct package_tree *first,
                      struct package **reached)
{
	uint32_t count = 0;
	const struct package_tree *t = first;
	/* A copy of it: what gpu/ imports may lead back to the package, which is not gpu/. */
	struct package *from = ARENA_NEW(&s->arena, struct package);
	*from = *start;
	from->import = NULL;
	s->round++;
	if (first == &start->source)
		start->round = s->round;
	for (uint32_t next = 0;; from = reached[next++], t = &from->source) {
		for (uint32_t i = 0; i < t->import_count; i++) {
			struct package *to = t->imports[i].package;
			if (!to || to->round == s->round)
				continue;
			to->round = s->round;
			to->importer = from;
			to->import = &t->imports[i];
			reached[count++] = to;
		}
		if (next == count)
			return count;
	}
}

static const char *places(struct package_session *s)
{
	struct text out = {0};
	text_add(&out, "looked in ");
	for (uint32_t i = 0; i < s->path_count; i++)
		text_add_format(&out, "%s, ", s->paths[i]);
	text_add_format(&out, "%s; `--package DIR` names more folders", s->beside);
	const char *copy = arena_string(&s->arena, text_string(&out));
	text_free(&out);
	return copy;
}

/* Of a package that is compiled: the compiler would not find it either. */
static void refuse_missing(struct package_session *s, const struct package_tree *t)
{
	for (uint32_t i = 0; i < t->import_count; i++) {
		const struct package_import *import = &t->imports[i];
		if (!import->package && !import->is_own && !import->is_extended && strcmp(import->name, "core") != 0)
			package_refuse(s, arena_format(&s->arena, "%s:%u", import->file, import->line), places(s),
			               "there is no package `%s`", import->name);
	}
}

void package_check_imports(struct package_session *s, struct package *p, bool is_gpu_folder)
{
	struct package **reached = ARENA_ARRAY(&s->arena, struct package *, s->package_count);
	uint32_t count = reach(s, p, is_gpu_folder ? &p->kernels : &p->source, reached);
	bool is_said = false;
	for (uint32_t i = 0; i < count; i++) {
		if (reached[i]->is_marked)
			continue;
		if (!is_said)
			package_refuse(s, is_gpu_folder ? p->gpu : p->marking, NULL,
			               "%s%s is compiled for the GPU, and each package that it imports, at any depth, "
			               "is to be marked "
			               "for it, by targets = [\"native\", \"gpu\"] in its congo.toml; these are not:",
			               p->name, is_gpu_folder ? "'s gpu/ folder" : "");
		is_said = true;
		print_unmarked(reached[i]);
	}
	if (!is_gpu_folder)
		refuse_missing(s, &p->source);
	for (uint32_t i = 0; i < count; i++)
		if (reached[i]->is_marked)
			refuse_missing(s, &reached[i]->source);
}

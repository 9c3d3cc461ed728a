/* What stands in src/ and gpu/: modules, imports and kernels, by tokens. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/cone/cone_lexer.h"
#include "utils/base/file.h"
#include "utils/base/plain_locale.h"
#include "utils/tools/package.h"

/* As cone_program.c takes them. */
enum { DEPTH_MOST = 16, MODULES_MOST = 1000 };

enum package_file_kind package_file_kind(const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return errno == ENOENT || errno == ENOTDIR ? PACKAGE_NOTHING : PACKAGE_OTHER;
	return S_ISREG(status.st_mode) ? PACKAGE_FILE : S_ISDIR(status.st_mode) ? PACKAGE_FOLDER : PACKAGE_OTHER;
}

/* One tree being read. */
struct scan {
	struct package_session *session;
	struct package_tree *tree;
	bool is_full; /* which has been said */
};

static struct package_module *add_module(struct scan *s, const char *name, const char *path,
                                         struct package_module *parent)
{
	struct package_tree *t = s->tree;
	struct package_module *m = ARENA_NEW(&s->session->arena, struct package_module);
	*m = (struct package_module){.name = name, .path = path, .parent = parent};
	*(struct package_module **)ARENA_PUSH(&s->session->arena, t->modules, t->module_count, t->module_capacity) = m;
	return m;
}

/* ---- One file ---- */

struct file {
	struct scan *scan;
	const char *path;
	struct cone_file cone;
	struct cone_tokens tokens;
	struct package_module *module;
};

static enum cone_token_kind kind_at(const struct file *f, uint32_t i)
{
	return i < f->tokens.count ? (enum cone_token_kind)f->tokens.items[i].kind : CONE_TOKEN_END;
}

static void add_import(struct file *f, uint32_t i, bool is_extended)
{
	struct package_tree *t = f->scan->tree;
	struct arena *a = &f->scan->session->arena;
	const struct cone_token *token = &f->tokens.items[i];
	*ARENA_PUSH(a, t->imports, t->import_count, t->import_capacity) =
	    (struct package_import){.name = arena_string(a, token->text),
	                            .is_extended = is_extended,
	                            .file = f->path,
	                            .line = source_place(&f->cone.source, token->start).line,
	                            .from = f->module};
}

static void read_tokens(struct file *f)
{
	uint32_t i = kind_at(f, 0) == CONE_TOKEN_PUB ? 1 : 0;
	if (kind_at(f, i) == CONE_TOKEN_MOD && kind_at(f, i + 1) == CONE_TOKEN_NAME &&
	    kind_at(f, i + 2) == CONE_TOKEN_NAME && strcmp(f->tokens.items[i + 2].text, "extends") == 0 &&
	    kind_at(f, i + 3) == CONE_TOKEN_NAME)
		add_import(f, i + 3, true);
	for (i = 0; i < f->tokens.count; i++) {
		if (kind_at(f, i) == CONE_TOKEN_IMPORT && kind_at(f, i + 1) == CONE_TOKEN_NAME)
			add_import(f, i + 1, false);
		bool is_kernel = false;
		for (uint32_t j = i + 1; kind_at(f, i) == CONE_TOKEN_FN && kind_at(f, j) == CONE_TOKEN_ATTRIBUTE; j++)
			is_kernel |= strcmp(f->tokens.items[j].text, "compute") == 0;
		f->scan->tree->kernel_count += is_kernel;
	}
}

static void read_source(struct scan *s, const char *path, const struct text *bytes, struct package_module *module)
{
	struct file f = {.scan = s, .path = path, .module = module};
	struct arena scratch = {0};
	source_init(&f.cone.source, path, text_string(bytes), bytes->length);
	f.cone.diagnostics.source = &f.cone.source;
	cone_lexer_run(&f.tokens, &f.cone, &scratch);
	read_tokens(&f);
	diagnostics_free(&f.cone.diagnostics);
	source_free(&f.cone.source);
	arena_free(&scratch);
}

static bool read_bytes(struct scan *s, const char *path, struct text *bytes)
{
	struct text error = {0};
	bool good = false;
	if (package_file_kind(path) == PACKAGE_OTHER)
		package_refuse(s->session, NULL, NULL, "cannot read %s: it is no file", path);
	else if (!(good = file_read_source(path, bytes, &error)))
		package_refuse(s->session, NULL, NULL, "%s", text_string(&error));
	file_roles_add(&s->session->files, FILE_READ, path, path);
	text_free(&error);
	return good;
}

/* ---- Folders ---- */

static void scan_folder(struct scan *s, const char *folder, const char *designated, struct package_module *module,
                        uint32_t depth);

/* The module's own file, and what stands beside it if it has a folder of its own. */
static void scan_module(struct scan *s, const char *path, const char *name, struct package_module *parent,
                        const struct text *bytes, const char *folder, uint32_t depth)
{
	if (s->tree->module_count >= MODULES_MOST || depth > DEPTH_MOST) {
		if (!s->is_full)
			package_refuse(s->session, NULL, "a folder may be a link that leads to where it stands",
			               "%s: there are more than %d modules, or they are more than %d deep", path,
			               MODULES_MOST, DEPTH_MOST);
		s->is_full = true;
		return;
	}
	struct package_module *m = add_module(s, name, path, parent);
	read_source(s, path, bytes, m);
	if (folder)
		scan_folder(s, folder, name, m, depth);
}

static bool ends_with_cone(const char *name)
{
	size_t length = strlen(name);
	return length > 5 && strcmp(name + length - 5, ".cone") == 0;
}

static void scan_entry(struct scan *s, const char *folder, const char *entry, struct package_module *module,
                       uint32_t depth)
{
	struct arena *a = &s->session->arena;
	const char *path = arena_format(a, "%s/%s", folder, entry), *own = NULL;
	const char *name = entry;
	struct text bytes = {0};
	if (package_file_kind(path) == PACKAGE_FOLDER) {
		own = path;
		path = arena_format(a, "%s/%s.cone", own, name);
		if (package_file_kind(path) == PACKAGE_NOTHING)
			return;
	} else if (ends_with_cone(entry)) {
		name = arena_string_n(a, entry, strlen(entry) - 5);
	} else {
		return;
	}
	if (!s->is_full && read_bytes(s, path, &bytes)) {
		if (own || cone_has_module_line(text_string(&bytes)))
			scan_module(s, path, name, module, &bytes, own, depth + 1);
		else
			read_source(s, path, &bytes, module);
	}
	text_free(&bytes);
}

static void scan_folder(struct scan *s, const char *folder, const char *designated, struct package_module *module,
                        uint32_t depth)
{
	struct arena *a = &s->session->arena;
	uint32_t count;
	char **entries = folder_list(a, folder, &count);
	if (!entries && errno)
		package_refuse(s->session, NULL, NULL, "cannot read %s: %s", folder, plain_error_text(errno));
	for (uint32_t i = 0; i < count; i++)
		if (!designated || strcmp(entries[i], arena_format(a, "%s.cone", designated)) != 0)
			scan_entry(s, folder, entries[i], module, depth);
}

static void scan_source(struct package_session *session, struct package *p)
{
	struct scan s = {.session = session, .tree = &p->source};
	struct text bytes = {0};
	char *around = path_folder(p->path);
	const char *folder = arena_string(&session->arena, around);
	free(around);
	if (package_file_kind(p->path) != PACKAGE_NOTHING && read_bytes(&s, p->path, &bytes)) {
		scan_module(&s, p->path, p->name, NULL, &bytes, p->is_single ? NULL : folder, 0);
	} else if (!p->is_single && package_file_kind(folder) == PACKAGE_FOLDER) {
		struct package_module *root = add_module(&s, p->name, p->path, NULL);
		scan_folder(&s, folder, p->name, root, 0);
	}
	text_free(&bytes);
}

const char *const package_program_folders[] = {"tests", "examples", NULL};

/* What stands beside a program in its own folder may be a module of it: its imports are the program's. */
static bool scan_programs_in(struct scan *s, const char *folder, uint32_t depth)
{
	struct arena *a = &s->session->arena;
	uint32_t count;
	bool any = false;
	char **entries = folder_list(a, folder, &count);
	for (uint32_t i = 0; i < count; i++) {
		const char *path = arena_format(a, "%s/%s", folder, entries[i]);
		enum package_file_kind kind = package_file_kind(path);
		struct text bytes = {0};
		if (kind == PACKAGE_FOLDER && depth < DEPTH_MOST)
			any |= scan_programs_in(s, path, depth + 1);
		else if (kind == PACKAGE_FILE && ends_with_cone(entries[i]) && read_bytes(s, path, &bytes)) {
			read_source(s, path, &bytes, NULL);
			any = true;
		}
		text_free(&bytes);
	}
	return any;
}

bool package_scan_programs(struct package_session *session, struct package *p, const char *folder)
{
	struct scan s = {.session = session, .tree = &p->programs};
	return scan_programs_in(&s, folder, 0);
}

void package_scan(struct package_session *session, struct package *p)
{
	if (p->is_scanned || p->is_builtin)
		return;
	p->is_scanned = true;
	scan_source(session, p);
	if (p->gpu) {
		struct scan s = {.session = session, .tree = &p->kernels};
		scan_folder(&s, p->gpu, NULL, NULL, 0);
	}
}

struct package_module *package_module_in(const struct package_tree *t, const struct package_module *parent,
                                         const char *name)
{
	for (uint32_t i = 0; i < t->module_count; i++)
		if (t->modules[i]->parent == parent && strcmp(t->modules[i]->name, name) == 0)
			return t->modules[i];
	return NULL;
}

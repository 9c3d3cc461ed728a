/* Packages: a folder with a congo.toml (docs/packages.md). What `sspur build`, `check` and `test` do for one, and what
 * the files package_*.c share. */
#ifndef SSPUR_TOOLS_PACKAGE_H
#define SSPUR_TOOLS_PACKAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "utils/base/arena.h"
#include "utils/base/file_roles.h"
#include "utils/base/source.h"
#include "utils/base/text.h"
#include "utils/tools/command.h"

struct cone_program;

/* ---- For the commands ---- */

/* It is a folder. */
bool package_is_named(const char *path);
enum status package_build(const struct options *o);
/* Builds the packages that a program, a file of Cone, imports: what of them is for the GPU stands beside it. */
enum status package_build_program(const struct options *o);
/* What the compiler found in a package, with or without errors: said, or appended to *json. */
typedef void package_report(const struct options *o, struct cone_program *p, const char *name, struct text *json);
/* Without writing. */
enum status package_check(const struct options *o, const char *folder, struct text *json, package_report *report);
/* Builds, then validates what was made. */
enum status package_test(const struct options *o);

/* ---- A package ---- */

struct package;

/* A module of its source. */
struct package_module {
	const char *name;
	const char *path;              /* of its designated file */
	struct package_module *parent; /* NULL: the root, or a module of gpu/ itself */
};

/* An `import` line, or what a `mod` line extends. */
struct package_import {
	const char *name; /* the first of a path a.b */
	bool is_extended; /* `mod m extends name;` */
	const char *file;
	uint32_t line;
	struct package_module *from;
	struct package *package; /* what it names; NULL: a module of the same package, or nothing */
	bool is_own;             /* a module of the same package */
};

/* src/ or gpu/. */
struct package_tree {
	struct package_module **modules;
	uint32_t module_count, module_capacity;
	struct package_import *imports;
	uint32_t import_count, import_capacity;
	uint32_t kernel_count; /* `fn @compute` */
};

struct package {
	const char *name;     /* that imports know it by */
	const char *given;    /* its name in congo.toml; NULL: none could be read */
	const char *folder;   /* "" of what is built in */
	const char *path;     /* of its designated file */
	const char *manifest; /* path of its congo.toml; NULL: it has none */
	bool is_single;       /* one file in a folder of packages */
	bool is_builtin;
	bool is_program;     /* output = "executable" */
	bool is_marked;      /* "gpu" is one of its targets */
	const char *marking; /* FILE:LINE:COL of its targets, or of its [package] */
	const char *gpu;     /* its gpu/ folder; NULL: none */
	bool is_scanned;
	struct package_tree source, kernels; /* of src/ and of gpu/ */
	struct package_tree programs;        /* of tests/ and examples/, where it is the one that is built */
	/* Of the search going on (package_graph.c). */
	uint32_t round;
	struct package *importer;
	const struct package_import *import;
};

/* All of one command. */
struct package_session {
	struct arena arena;
	const char *const *paths; /* --package */
	uint32_t path_count;
	const char *beside;        /* the folder in which the package, or the program, is */
	bool is_program_file;      /* the first is no package, but a program of one file */
	struct package **packages; /* the one named first */
	uint32_t package_count, package_capacity;
	uint32_t refusals;
	uint32_t round;
	struct file_roles files; /* that were read */
	bool has_programs[2];    /* in the i-th of package_program_folders */
};

/* `sspur: error: PLACE: TEXT` and `hint: HINT` on standard error; place and hint may be NULL. Counted. */
void package_refuse(struct package_session *s, const char *place, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Of package_manifest.c. Reads congo.toml into the package; false: it could not be read, which is said. */
bool package_read_manifest(struct package_session *s, struct package *p);
/* The name that a congo.toml gives; NULL where there is none. Nothing is said. */
const char *package_name_in(struct package_session *s, const char *manifest);
/* Whether it may be the name of a module. */
bool package_name_is_good(struct package_session *s, const char *name);
/* Of package_scan.c. Links are followed. */
enum package_file_kind { PACKAGE_NOTHING, PACKAGE_FILE, PACKAGE_FOLDER, PACKAGE_OTHER };
enum package_file_kind package_file_kind(const char *path);
/* Modules, imports and kernels of src/ and gpu/, by their tokens alone: what the compiler does not take is no
 * error here. */
void package_scan(struct package_session *s, struct package *p);
/* The folders of a package that hold programs other than its own; NULL ends them. */
extern const char *const package_program_folders[];
/* The imports of such programs, each a file or a folder with a file of its name; true if there are any. */
bool package_scan_programs(struct package_session *s, struct package *p, const char *folder);
struct package_module *package_module_in(const struct package_tree *t, const struct package_module *parent,
                                         const char *name);
/* Of package_graph.c. Adds a folder that has a congo.toml, and reads it. */
struct package *package_add(struct package_session *s, const char *name, const char *folder);
/* Adds a program of one file. */
void package_add_program(struct package_session *s, const char *name, const char *folder, const char *path);
/* The package that an import names; NULL: there is none. Its source is scanned, what it imports not found yet. */
struct package *package_find(struct package_session *s, const char *name);
/* Finds all that packages import, from the first one on. */
void package_resolve_all(struct package_session *s);
/* Refuses what the package, or its gpu/ folder, imports and may not. */
void package_check_imports(struct package_session *s, struct package *p, bool is_gpu_folder);
/* It is compiled for the GPU whole. */
bool package_is_compiled(const struct package_session *s, const struct package *p);
/* Of package_rules.c: all the rules of a package that are not of its manifest. */
void package_check_rules(struct package_session *s, struct package *p);

#endif

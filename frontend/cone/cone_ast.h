/* clang-format off */
/* The syntax tree of Cone's kernel subset (spec/cone.md part 1), what the checker writes on it, and the passes.
 *
 * The parser fills what is called syntax. The checker types a function once an instance: it works on a copy of the body
 * (cone_copy), and makes everything explicit there, so that the emitter (cone_emit) has no rules of its own: implicit
 * conversions are CONE_CONVERT nodes; borrows of receivers and dereferences are CONE_BORROW and CONE_DEREFERENCE nodes;
 * operators of structs and methods are CONE_CALL nodes of an instance, the receiver being the first argument; default
 * arguments are there; literals have their final type.
 *
 * What is left in a typed body (every node has `type`; arguments evaluate left to right):
 *   CONSTANT   every literal, const of a scalar, `.len` of an array, payload-less enum value's tag
 *   STRING     only of type &str (a slice of u8); number: the file's id where it came from srcFile(), else 0
 *   NAME       `variable` or `global`; a const that is no scalar is there as its typed value
 *   LIST       of an ARRAY; NEW_ARRAY: parts may be OF (left: a CONSTANT), or `fills`
 *   NEW        of a STRUCT, ENUM, TUPLE or CLOSURE type: one part a field, all there; a NULL part is zero. Of an OWNER:
 *              one part, what is owned; `tries`: the same of an Option of an OWNER, which is None where there is no room
 *   MEMBER     left is a value or place of a type with fields (never a reference: DEREFERENCE is there); of a SLICE: its
 *              length, a usize
 *   INDEX      left is an ARRAY or a SLICE (a value), one part, a usize. With a RANGE part (left always there, right may
 *              be NULL: to the end; never inclusive) it is only found under BORROW, which then is of a SLICE type
 *   CALL       `instance`, parts: all parameters of it; left is NULL. Without an instance: through a reference, parts:
 *              all parameters but a receiver; left is what is called, of a FUNCTION type, or a VIRTUAL and `name` its
 *              method. INTRINSIC: `intrinsic`, parts
 *   UNARY BINARY LOGIC   both sides of one type (shifts too); LOGIC is of bools
 *   BORROW     left is a place, or a value that then lives in a nameless local; DEREFERENCE left is a REFERENCE or an
 *              OWNER
 *   CONVERT    also: a REFERENCE to an ARRAY made a SLICE; to the same type: nothing to do
 *   AS         left to `type`, same bits
 *   IF         its type is void or the value's (both arms have it, or are Never); condition is a bool
 *   BLOCK      its type is void or that of its last part; statements before are evaluated and dropped
 *   WHILE      condition or NULL, left, right (else; then breaks have values)
 *   EACH       declared[0], left: BINARY of the two bounds (op says which way), step (a value of the same type) or NULL,
 *              right, other. Arrays and slices are gone through by index, the borrow being a LOCAL of the body; `if` is
 *              an IF in it
 *   LOCAL ASSIGN INCREMENT BREAK CONTINUE RETURN   as written; a `break if c` is an IF with a BREAK; LOCAL of several
 *              variables: left is of a TUPLE type; ASSIGN of a TUPLE of places: right is a TUPLE, evaluated whole before;
 *              RETURN has one part or none (a TUPLE for several)
 * MATCH, CASE, IS, CLOSURE, RANGE elsewhere, REFUSED, EMPTY and ERROR are gone: match is a BLOCK of a LOCAL and IFs, a
 * closure a NEW of its type. An ENUM type has fields as a struct has: `tag`, a u32, then one for each variant with a payload;
 * `x is V` compares tags. */
/* clang-format on */
#ifndef SSPUR_FRONTEND_CONE_CONE_AST_H
#define SSPUR_FRONTEND_CONE_CONE_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "utils/base/arena.h"
#include "utils/base/diagnostic.h"
#include "utils/base/source.h"
#include "utils/base/table.h"

struct ir_module;
struct cone_type;
struct cone_node;
struct cone_module;
struct cone_declaration;
struct cone_instance;
struct cone_variable;

/* ---- Files ---- */

/* One source file. Diagnostics' codes are the numbers of spec/cone.md part 3 as text, "1262", and print as
 * `FILE:LINE:COL: Error 1262: TEXT`. */
struct cone_file {
	struct source source;
	struct diagnostics diagnostics;
	uint32_t id;        /* of the `cone.file` list: from 1, in the order in which files are read */
	bool old_spellings; /* 1.12: accepted with a warning, else refused */
	bool is_built_in;   /* its text is the compiler's own: nothing was read */
};

/* A place in the program. */
struct cone_place {
	struct cone_file *file;
	struct span span;
};

/* ---- Syntax: expressions and statements ---- */

/* No tree is higher: passes may go through it by recursion. */
#define CONE_HEIGHT_LIMIT 400

enum cone_node_kind {
	/* Values. */
	CONE_INTEGER,   /* number: the magnitude, of up to 64 bits; negative: a `-` folded in; suffix */
	CONE_FLOAT,     /* text: the digits as written without `_` and suffix; negative; suffix */
	CONE_BOOL,      /* truth */
	CONE_CHAR,      /* number: the code point */
	CONE_STRING,    /* text, length: bytes, escapes done */
	CONE_NAME,      /* name; `self` and `Self` are names */
	CONE_LIST,      /* [a, b]: parts */
	CONE_NEW,       /* new T(a, b), new T(x: 1.): type_syntax, parts, part_names (NULL, or one a part) */
	CONE_NEW_ARRAY, /* new T <- a, 3 of c, or new T <- fill v: type_syntax, parts; fills: `fill`, one part. Of the
	                   older   [4; v] the type is `Array` with a first argument that is neither type nor value: v's
	                   type */
	CONE_OF,        /* n of v, among the parts of NEW_ARRAY: left, right */
	CONE_MEMBER,    /* left.name */
	CONE_INDEX,     /* left[parts]: an element, a range (one part, CONE_RANGE), or generic arguments: f[i32] */
	CONE_RANGE,  /* a..<b, a.., ..<b: left and right, either may be NULL; inclusive: the older a...b; is_old: it or
	                the older a..b */
	CONE_CALL,   /* left(parts), part_names as for NEW (named arguments are refused) */
	CONE_UNARY,  /* op (NEGATE, COMPLEMENT), left */
	CONE_BINARY, /* op (ADD ... GREATER_EQUAL), left, right */
	CONE_LOGIC,  /* op (AND, OR, NOT), left, right */
	CONE_IS,     /* left is pattern: name in `right` */
	CONE_BORROW, /* &left; mutable: &mut; `permission` as written: "imm" "ro" "uni" or NULL */
	CONE_DEREFERENCE, /* *left */
	CONE_AS,          /* left as type_syntax; `into` where written so (refused, 1224) */
	CONE_IF,          /* condition, left = then, right = else (a BLOCK or an IF) or NULL; binds: `if imm c V = e` */
	CONE_MATCH,       /* left; parts are CONE_CASE */
	CONE_CASE,        /* left = value or NULL for else; op: EQUAL, or IS with type_syntax; binds; right = BLOCK */
	CONE_BLOCK,       /* parts: statements; the value is the last one where that is an expression */
	CONE_WHILE,       /* label or NULL, condition or NULL, left = body, right = else or NULL */
	CONE_EACH,    /* label, declared[0..declared_count): the variables; left = what is gone through: a comparison
	                 BINARY (`v in lo < hi`: left is lo, right hi, op LESS...), else an expression; step or NULL;
	                 condition: `if c` or NULL; right = body; other = else or NULL */
	CONE_CLOSURE, /* p => e and fn(p T) [st = v] { body }: function (its parameters and body), parts: state values,
	                 part_names */
	CONE_TUPLE,   /* a, b: parts */
	/* Statements. */
	CONE_LOCAL,     /* imm|mut a T = e: declared, type_syntax or NULL, left = value or NULL; mutable */
	CONE_ASSIGN,    /* left = right, left op= right with `compound`; left may be a TUPLE (parallel assignment) */
	CONE_INCREMENT, /* op ADD or SUBTRACT; left; `prefix` */
	CONE_BREAK,     /* label or NULL, left = value or NULL, condition: `if c` or NULL */
	CONE_CONTINUE,  /* label or NULL, condition */
	CONE_RETURN,    /* parts: values; condition */
	CONE_EMPTY,     /* ; (the parser leaves them out of blocks) */
	CONE_REFUSED, /* what a GPU lacks and the grammar knows: text says what ("parallel each", "await", "actor"); its
	                 own refusal is the checker's (1400) */
	CONE_ERROR,   /* could not be read; reported */
	/* The checker's. */
	CONE_CONVERT,   /* left to `type`: numbers (T.from and implicit widening), bool, char, array borrow to slice */
	CONE_INTRINSIC, /* intrinsic, parts */
	CONE_CONSTANT,  /* a value known when compiling: `constant` */
};

enum cone_operator {
	CONE_ADD,
	CONE_SUBTRACT,
	CONE_MULTIPLY,
	CONE_DIVIDE,
	CONE_REMAINDER,
	CONE_SHIFT_LEFT,
	CONE_SHIFT_RIGHT,
	CONE_BITS_AND,
	CONE_BITS_XOR,
	CONE_BITS_OR,
	CONE_EQUAL,
	CONE_NOT_EQUAL,
	CONE_LESS,
	CONE_LESS_EQUAL,
	CONE_GREATER,
	CONE_GREATER_EQUAL,
	CONE_NEGATE,
	CONE_COMPLEMENT,
	CONE_NOT,
	CONE_AND,
	CONE_OR,
	CONE_MATCHES, /* is */
};

/* A lifetime, `'a`, without the quote: where it is declared, or where it is written. */
struct cone_lifetime {
	const char *name;
	struct span span;
};

struct cone_lifetimes {
	struct cone_lifetime *items;
	uint32_t count;
};

/* A type as written: a name (path) with arguments, or a constructor. */
enum cone_type_form {
	CONE_FORM_NAME,      /* path[0..path_count): `noise.Settings`; arguments: types and constant expressions */
	CONE_FORM_REFERENCE, /* &T, &mut T: arguments[0] is the type; mutable; permission */
	CONE_FORM_VIRTUAL,   /* &<T */
	CONE_FORM_FUNCTION,  /* fn(p T) R: parameters, results; `&fn` is a REFERENCE to it */
	CONE_FORM_POINTER,   /* *T */
	CONE_FORM_OPTION,    /* ?T */
	CONE_FORM_TUPLE,     /* (A, B) */
};

struct cone_type_syntax {
	enum cone_type_form form;
	struct span span;
	const char **path;
	uint32_t path_count;
	/* An argument is a type or an expression: `Array[u32, 4]`. A bare name is a type here; the checker sees to the
	 * value parameters and constants among them. */
	struct {
		struct cone_type_syntax *type;
		struct cone_node *value;
	} * arguments;
	uint32_t argument_count;
	struct cone_lifetimes lifetimes; /* NAME: V['a]; REFERENCE, VIRTUAL: &'a T, one or none */
	bool mutable;
	const char *permission;            /* NULL: none written */
	struct cone_declaration *function; /* FUNCTION: its parameters and results, no body */
};

/* A local variable: a parameter, an imm or mut, a loop's. */
struct cone_variable {
	const char *name;
	struct span span;
	bool mutable;
	struct cone_type *type; /* checker */
	uint32_t index;         /* checker: in its instance, from 0 */
	bool is_late;           /* checker: declared without a value, so that even an imm is assigned */
};

struct cone_node {
	enum cone_node_kind kind;
	struct cone_file *file;
	struct span span;
	struct span
	    at; /* where it is blamed: an operator, a member's name, an index's bracket; else span's first token */
	/* Syntax; which are used is said at the kind. */
	enum cone_operator op;
	struct cone_node *left, *right, *other, *condition, *step;
	struct cone_node **parts;
	const char **part_names;
	uint32_t part_count;
	const char *name, *label, *text, *permission;
	size_t length;
	uint64_t number;
	const char *suffix; /* "u32", ...; NULL: none */
	uint32_t height;    /* of its tree, from 1 to CONE_HEIGHT_LIMIT */
	bool negative, truth, mutable, fills, inclusive, compound, prefix, into, binds;
	bool tries;                      /* trynew with values in parentheses: REFUSED, and NEW in a typed body */
	bool is_old;                     /* RANGE */
	bool is_static;                  /* LOCAL */
	struct cone_lifetimes lifetimes; /* INDEX: those among the arguments, without other parts or with them; BORROW
	                                    as a type: &'a T */
	struct cone_type_syntax *type_syntax;
	struct cone_variable **declared;
	uint32_t declared_count;
	struct cone_declaration *function; /* CLOSURE */
	/* Checker. */
	struct cone_type *type;          /* of the value; void for none */
	struct cone_variable *variable;  /* NAME of a local or parameter */
	struct cone_declaration *global; /* NAME or MEMBER of a global */
	struct cone_instance *instance;  /* CALL: what is called */
	uint32_t field;                  /* MEMBER: index of the field */
	int intrinsic;                   /* enum cone_intrinsic */
	uint64_t constant;               /* CONSTANT: bits of a scalar in 64-bit form (ir/ir.h) */
	struct cone_node *target;        /* BREAK, CONTINUE: the loop */
};

/* ---- Syntax: declarations ---- */

enum cone_declaration_kind {
	CONE_IMPORT,   /* path; alias; folds */
	CONE_USE,      /* use SUBMOD a, b */
	CONE_CONST,    /* type_syntax or NULL, value */
	CONE_GLOBAL,   /* mutable, type_syntax or NULL, value or NULL, workgroup */
	CONE_FUNCTION, /* generics, parameters, results, body or NULL */
	CONE_STRUCT,   /* generics, traits, fields, members (functions) */
	CONE_TRAIT,    /* members; a member without body is required */
	CONE_ENUM,  /* fields: the variants, type_syntax being the payload or NULL, value `= 3` or NULL; type_syntax: of
	               the tag, or NULL; members */
	CONE_ALIAS, /* type_syntax */
	CONE_UNIT_REFUSED, /* actor and the like: text names it; refused by the checker (1400) */
};

enum cone_receiver { CONE_SELF_NONE, CONE_SELF_VALUE, CONE_SELF_REFERENCE, CONE_SELF_MUTABLE, CONE_SELF_NEW };

/* [T], [T A + B], [F fn(p P) R], [N usize]. */
struct cone_generic {
	const char *name;
	struct span span;
	struct cone_type_syntax **bounds; /* traits, one signature, or a number type */
	uint32_t bound_count;
};

struct cone_parameter {
	struct cone_variable *variable;       /* name, span, mutable */
	struct cone_type_syntax *type_syntax; /* NULL: a closure's, of the expected type */
	struct cone_node *value;              /* default; NULL: none */
};

struct cone_field {
	const char *name;
	struct span span;
	bool is_public;
	struct cone_type_syntax *type_syntax;
	struct cone_node *value; /* default; NULL: none */
};

/* One name of `use a, b as c`. */
struct cone_fold {
	const char *name, *as;
	struct span span;
};

struct cone_attribute {
	const char *name; /* "compute", without `@`; an unknown one is reported (1119) and left out */
	struct span span;
	struct cone_node **arguments;
	uint32_t argument_count;
};

struct cone_declaration {
	enum cone_declaration_kind kind;
	struct cone_file *file;
	struct span span, name_span;
	const char *name;
	bool is_public, is_extern, is_inline, mutable, workgroup; /* mutable: of a method, `mut self` */
	bool is_variadic;                                         /* `...` ends its parameters, as C's do */
	struct cone_module *module;
	struct cone_declaration *owner; /* of a method: the struct or trait */
	struct cone_attribute *attributes;
	uint32_t attribute_count;
	struct cone_generic *generics;
	uint32_t generic_count;
	struct cone_lifetimes lifetimes;        /* declared among the generics */
	struct cone_lifetime receiver_lifetime; /* self &'a; no name: none written */
	struct cone_parameter *parameters;      /* without the receiver */
	uint32_t parameter_count;
	enum cone_receiver receiver;
	struct cone_type_syntax **results;
	uint32_t result_count;
	const char *overloads; /* of `overload` and operator-named methods: "+"; NULL: none */
	struct cone_node *body, *value;
	struct cone_type_syntax *type_syntax;
	struct cone_type_syntax **traits;
	uint32_t trait_count;
	struct cone_field *fields;
	uint32_t field_count;
	struct cone_declaration **members; /* methods; an enum's variants are fields without a type */
	uint32_t member_count;
	const char **path; /* IMPORT, USE */
	uint32_t path_count;
	const char *alias;
	struct cone_fold *folds; /* NULL with folds_all: `use *`, folds then are those after `but` */
	uint32_t fold_count;
	bool folds_all;
	const char *text; /* UNIT_REFUSED */
};

/* A module: one file, or the files of its folder. */
struct cone_module {
	const char *name; /* "" before a `mod` line has been read */
	struct cone_file **files;
	uint32_t file_count;
	struct cone_declaration **declarations; /* in source order, file by file */
	uint32_t declaration_count, declaration_capacity;
	const char *extends; /* `mod name extends M`; NULL: none */
	struct span extends_span;
	struct cone_type_syntax **traits; /* `mod name is A, B` */
	uint32_t trait_count;
	struct cone_module *parent; /* of a submodule */
	bool is_core;               /* core or a submodule of it */
	struct table names;         /* checker: struct cone_symbol of cone_check.h */
};

/* ---- Types (cone_types.c) ---- */

enum cone_type_kind {
	CONE_TYPE_VOID,
	CONE_TYPE_NEVER,
	CONE_TYPE_BOOL,
	CONE_TYPE_CHAR,
	CONE_TYPE_INTEGER,   /* bits, is_signed, is_size (usize, isize) */
	CONE_TYPE_FLOAT,     /* bits */
	CONE_TYPE_ARRAY,     /* element, count */
	CONE_TYPE_STRUCT,    /* declaration with its arguments; fields; Invocation and Atomic are structs of core */
	CONE_TYPE_ENUM,      /* declaration; Option and Result are enums of core with arguments */
	CONE_TYPE_REFERENCE, /* element, mutable */
	CONE_TYPE_SLICE,     /* element, mutable: &Array[T] */
	CONE_TYPE_POINTER,
	CONE_TYPE_FUNCTION, /* a signature; referred to only (refused on a GPU, 1400) */
	CONE_TYPE_CLOSURE,  /* one a CONE_CLOSURE node and instance: fields are its state and borrows */
	CONE_TYPE_TUPLE,    /* fields without names */
	CONE_TYPE_OWNER,    /* element, mutable; count: enum cone_owner. Refused on a GPU */
	CONE_TYPE_VIRTUAL,
	CONE_TYPE_MODULE, /* a name that is a module, in a path */
	CONE_TYPE_TYPE,   /* a name that is a type, in `T.from(x)`; element: the type */
	CONE_TYPE_ERROR,  /* of what is reported already: fits everything */
};

/* LOCKED is added where a lock is the permission: Rc[Rwcell, T]. */
enum cone_owner { CONE_OWNER_SO, CONE_OWNER_RC, CONE_OWNER_ARC, CONE_OWNER_WEAK, CONE_OWNER_LOCKED };

struct cone_type_field {
	const char *name;
	struct cone_type *type;
	bool is_public;
};

/* Interned: equal types are one pointer. */
struct cone_type {
	enum cone_type_kind kind;
	uint32_t bits;
	bool is_signed, is_size, mutable;
	struct cone_type *element;
	uint64_t count;
	struct cone_declaration *declaration;
	struct cone_type **arguments; /* of generics; a value parameter is a CONSTANT wrapped in count of a
	                                 TYPE_ERROR-free INTEGER type: see cone_types.h */
	uint32_t argument_count;
	struct cone_type_field *fields;
	uint32_t field_count;
	struct cone_instance *call; /* CLOSURE: what `f(p)` calls; of a closure type without fields it may be a named
	                               function, which takes no receiver (call->self_type is not the closure then) */
	struct cone_declaration **fills; /* CLOSURE: traits whose one required method it is (cone_check_fills.c) */
	uint32_t fill_count, fill_capacity;
	uint32_t depth;   /* of the types in it */
	bool is_complete; /* STRUCT, ENUM: the fields are there; all are when cone_check is done */
};

/* A function, typed for its generic arguments. Instances are interned by function and arguments. */
struct cone_instance {
	struct cone_declaration *function;
	struct cone_type **arguments;
	uint32_t argument_count;
	struct cone_variable **parameters; /* the receiver first */
	uint32_t parameter_count;
	uint32_t variable_count;     /* of all its variables */
	struct cone_type *result;    /* void, a type, or a TUPLE */
	struct cone_node *body;      /* a typed copy; NULL: extern */
	int intrinsic;               /* of an extern or @intrinsic function that is known; -1: none */
	struct cone_type *self_type; /* what `Self` is; NULL outside of types */
	uint32_t depth;              /* checker: of instances that asked for instances */
	bool has_faults, is_broken;  /* checker: broken: parts are left out, being reported */
};

/* ---- A program ---- */

struct cone_entry {
	struct cone_declaration *function;
	struct cone_instance *instance;
	uint32_t size[3];
};

/* What kernels are compiled for (spec/cone.md part 8). */
struct cone_machine {
	uint32_t address_bits; /* of usize and isize: 64, or 32 */
	bool one_memory;       /* a `mut` global is one for all invocations, not each one's own */
	bool chooses;          /* what only a CPU has: references chosen at run time, and what calls through them */
};

extern const struct cone_machine cone_machine_twin; /* the device `twin`, and native objects */

struct cone_program {
	struct arena arena;
	struct cone_machine machine; /* zero: a device, of 32 bits; the caller may say other before cone_analyze */
	bool is_debug;               /* what isDebugBuild() is; the caller may say so before cone_analyze */
	struct cone_file **files;
	uint32_t file_count, file_capacity;
	struct cone_module **modules; /* the first is the one being compiled; the last is core */
	uint32_t module_count, module_capacity;
	struct cone_module *kernels_of; /* the package whose entry points are compiled; NULL: of all modules */
	struct cone_entry *entries;     /* checker: in module order, then source order */
	uint32_t entry_count, entry_capacity;
	struct cone_checker *checker; /* cone_check; in the arena */
	struct ir_module *module;     /* cone_emit */
};

/* ---- The passes, in order ---- */

/* Reads one file into the module (cone_parser.c). Always gives what could be read; errors go to file->diagnostics. */
void cone_parse(struct cone_program *p, struct cone_file *file, struct cone_module *module);
/* A deep copy of a body, for an instance (cone_copy.c). Variables are copied too. */
struct cone_node *cone_copy(struct arena *a, const struct cone_node *node);
/* Opens FILE and all that it imports: modules of its folder, packages given by `paths` (`--package DIR`), libc and
 * core's built in (cone_program.c). NULL with one line in *error only when the file cannot be read. */
struct cone_program *cone_program_open(const char *path, const char *const *paths, uint32_t path_count,
                                       bool old_spellings, struct text *error);
/* A package that imports may name: its designated file. */
struct cone_package {
	const char *name, *path;
	bool is_folder; /* what stands beside the file is of the package too */
};
/* What a package compiles for the GPU: one module, NAME_gpu, which imports it, or which has the modules of its gpu/
 * folder. */
struct cone_package_build {
	const char *name;
	const char *gpu_folder; /* NULL: all of the package, which is one of `packages` */
	const struct cone_package *packages;
	uint32_t package_count;
};
/* Opens it with what it imports, of `packages`, libc and core alone. Only its own entry points are compiled. What
 * cannot be read is not there. */
struct cone_program *cone_program_open_package(const struct cone_package_build *package, bool old_spellings);
/* Whether the first words of a file are its own `mod` line: otherwise it is a part of the module of its folder. */
bool cone_has_module_line(const char *bytes);
void cone_program_free(struct cone_program *p);
/* Names, types, instances, entry points (cone_check*.c). */
void cone_check(struct cone_program *p);
/* What a GPU lacks (spec/cone.md part 3, column GPU): after cone_check, before cone_emit. */
void cone_check_gpu(struct cone_program *p);
/* Kernels as IR, everything inlined: policy RECORD, index as wide as usize. Refuses what only inlining shows
 * (1264, 1269, 1253, 1254). */
void cone_emit(struct cone_program *p);
/* All of the above but opening. True when there are no errors. */
bool cone_analyze(struct cone_program *p, bool gpu);
/* Of all files, in their order. */
void cone_print_diagnostics(struct cone_program *p, struct text *out);
uint32_t cone_error_count(const struct cone_program *p);

#endif

/* Inside of the checker: names, scopes, frames. The typed tree it makes is described in cone_ast.h. */
#ifndef SSPUR_FRONTEND_CONE_CONE_CHECK_H
#define SSPUR_FRONTEND_CONE_CONE_CHECK_H

#include "frontend/cone/cone_ast.h"
#include "frontend/cone/cone_types.h"

enum cone_intrinsic {
#define INTRINSIC(name, symbol, kind, description) CONE_INTRINSIC_##name,
#include "frontend/cone/cone_intrinsics.def"
#undef INTRINSIC
	CONE_INTRINSIC_COUNT,
};

enum cone_intrinsic_kind {
	CONE_KIND_BARRIER,
	CONE_KIND_HOST,
	CONE_KIND_FAILURE,
	CONE_KIND_PLACE,
	CONE_KIND_ATOMIC,
	CONE_KIND_BITS,
	CONE_KIND_MATH,
};

/* core's MemOrder, in its order. */
enum cone_memory_order { CONE_RELAXED, CONE_ACQUIRE, CONE_RELEASE, CONE_ACQUIRE_RELEASE, CONE_SEQUENTIAL };

/* What a name of a module is: a declaration, or a module. */
struct cone_symbol {
	struct cone_declaration *declaration;
	struct cone_module *module;
	bool is_public;
};

/* A refusal that holds for GPU code only: kept until cone_check_gpu. */
struct cone_gpu_fault {
	struct cone_file *file;
	struct span span;
	const char *code;
	char *message;
};

/* Generic names that a text can see, and where its module's names are. */
struct cone_scope {
	struct cone_module *module;
	struct cone_file *file;
	struct cone_type *self_type;       /* NULL: none; its arguments are the names of its declaration's generics */
	struct cone_declaration *function; /* its generics are `arguments`; NULL entries: not known yet */
	struct cone_type **arguments;
};

/* A variable of the code around a closure, or a listed state: a field of the closure's type. */
struct cone_capture {
	const char *name;
	struct cone_node *place; /* the variable, in the frame around */
	struct cone_node *value; /* there: a borrow of it, or a copy */
	struct cone_type *type;  /* the variable's */
	bool borrowed, mutable;
	struct cone_node **uses; /* MEMBER nodes, whose type is set at the end */
	uint32_t use_count, use_capacity;
};

struct cone_loop {
	struct cone_loop *outer;
	struct cone_node *node;
	struct cone_type *expected, *type; /* of its breaks' values; type NULL: no break yet */
	bool is_broken;                    /* some break leaves it */
};

/* A function body being checked. */
struct cone_frame {
	struct cone_checker *checker;
	struct cone_frame *outer; /* CLOSURE: the code around it */
	struct cone_scope scope;
	struct cone_instance *instance;
	struct cone_variable **locals; /* the visible ones, innermost last */
	uint32_t local_count, local_capacity;
	struct cone_loop *loop;
	struct cone_type *result;         /* NULL: a closure's, of its first return */
	bool is_result_found;             /* it is not written, but of that return */
	const struct cone_node *declares; /* the local whose value is being checked; NULL: none */
	struct cone_capture *captures;
	uint32_t capture_count, capture_capacity;
	struct cone_variable *closure_self; /* CLOSURE: its receiver */
	struct cone_node *call;             /* default arguments: the call, for srcFile and srcLine */
	const struct cone_node *borrowed;   /* what stands under the & that is being checked */
	uint32_t depth;
};

/* An owner of `type` was made one of the trait. */
struct cone_owned_as {
	const struct cone_declaration *trait;
	const struct cone_type *type;
};

struct cone_checker {
	struct cone_program *program;
	struct arena *arena;
	struct cone_types types;
	struct cone_module *core;
	struct table instance_names;
	struct cone_instance **instances; /* those whose body is checked, or waits for it */
	uint32_t instance_count, instance_capacity, checked_count;
	struct cone_gpu_fault *gpu_faults;
	uint32_t gpu_fault_count, gpu_fault_capacity;
	struct cone_type **unfinished; /* structs whose fields are being resolved */
	uint32_t unfinished_count, unfinished_capacity;
	struct cone_type **nominals; /* structs and enums met, to be complete at the end */
	uint32_t nominal_count, nominal_capacity;
	struct table constants;   /* declarations being evaluated or done: struct cone_node, typed */
	struct table followed;    /* of types: whether they hold references; cone_check_lifetimes.c */
	struct table effects;     /* of instances, by address: cone_check_lifetimes.c */
	uint32_t effect_depth;    /* of functions in functions there */
	uint32_t depth;           /* of types in types */
	uint32_t constant_depth;  /* of constants in constants */
	struct cone_type **owned; /* what owners are made of */
	uint32_t owned_count, owned_capacity;
	struct cone_owned_as *owned_as; /* of which traits there are owners */
	uint32_t owned_as_count, owned_as_capacity;
	bool is_thread_value; /* what is evaluated is the value of a @threadlocal global */
};

/* What an expression that is no value names. */
enum cone_entity_kind {
	CONE_ENTITY_NONE, /* a value */
	CONE_ENTITY_MODULE,
	CONE_ENTITY_TYPE,
	CONE_ENTITY_GENERIC, /* a generic struct or enum without its arguments */
	CONE_ENTITY_FUNCTION,
	CONE_ENTITY_GLOBAL, /* a global or a const */
	CONE_ENTITY_VALUE,  /* a value parameter */
	CONE_ENTITY_VARIANT,
	CONE_ENTITY_ERROR, /* reported */
};

struct cone_entity {
	enum cone_entity_kind kind;
	struct cone_module *module;
	struct cone_type
	    *type; /* TYPE; FUNCTION: the type whose static method it is; VALUE: cone_type_value; VARIANT */
	struct cone_declaration *declaration;
	struct cone_type **arguments; /* written: f[i32] */
	uint32_t argument_count;
	uint32_t variant;
	const char *name; /* FUNCTION of a type: several members may overload it */
};

/* ---- cone_check.c ---- */
struct diagnostic *cone_report(struct cone_file *file, struct span span, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* At what is blamed of a node. */
struct diagnostic *cone_blame(const struct cone_node *n, const char *code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cone_gpu_refuse(struct cone_frame *f, const struct cone_node *n, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cone_gpu_refuse_at(struct cone_checker *c, struct cone_file *file, struct span span, const char *code,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));
/* A call of what is not there: kept, or in an inline function refused where a kernel calls that. */
void cone_gpu_refuse_call(struct cone_frame *f, const struct cone_node *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* For messages; lives in the arena. */
const char *cone_type_text(struct cone_checker *c, const struct cone_type *t);
/* A node of the checker's at the place of another. */
struct cone_node *cone_make(struct cone_frame *f, enum cone_node_kind kind, const struct cone_node *like,
                            struct cone_type *type);
struct cone_node *cone_make_constant(struct cone_frame *f, const struct cone_node *like, struct cone_type *type,
                                     uint64_t bits);
struct cone_node *cone_make_binary(struct cone_frame *f, const struct cone_node *like, enum cone_operator op,
                                   struct cone_node *left, struct cone_node *right);
struct cone_node *cone_make_block(struct cone_frame *f, const struct cone_node *like, struct cone_type *type,
                                  struct cone_node *first, struct cone_node *second, struct cone_node *third);
/* 1140, or for a @threadlocal global 1181: the value is not known when compiling. ERROR. */
struct cone_node *cone_not_constant(struct cone_frame *f, struct cone_node *n);
/* Reported already: of the type ERROR. */
struct cone_node *cone_failed(struct cone_frame *f, struct cone_node *n);
struct cone_attribute *cone_attribute_of(const struct cone_declaration *d, const char *name);

/* ---- cone_check_names.c ---- */
void cone_declare_names(struct cone_checker *c);
struct cone_symbol *cone_symbol_of(struct cone_checker *c, struct cone_module *m, const char *name);
/* A name of another module by its path; reports 1019, 1042. */
struct cone_symbol *cone_symbol_through(struct cone_checker *c, struct cone_scope *scope, struct cone_module *m,
                                        const char *name, struct span span);
struct cone_entity cone_entity_of(struct cone_frame *f, struct cone_node *n);
struct cone_entity cone_entity_of_symbol(struct cone_checker *c, struct cone_scope *scope, struct cone_symbol *s);
/* A generic type or value by its name; NULL: none. */
struct cone_type *cone_generic_named(const struct cone_scope *scope, const char *name, bool *is_generic);
/* A local, or one captured; NULL: none. */
struct cone_node *cone_local_named(struct cone_frame *f, struct cone_node *n, const char *name);
void cone_add_local(struct cone_frame *f, struct cone_variable *v);

/* ---- cone_check_types.c ---- */
struct cone_type *cone_resolve(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s);
/* Without what is not known yet: NULL then, nothing is reported. */
struct cone_type *cone_resolve_quietly(struct cone_checker *c, struct cone_scope *scope, struct cone_type_syntax *s);
/* As many lifetimes as the declaration has (NULL: none), or none at all; false after reporting 1022 or 1023. */
bool cone_takes_lifetimes(struct cone_file *file, struct span span, const char *name, const struct cone_declaration *d,
                          const struct cone_lifetimes *written);
struct cone_type *cone_type_of_expression(struct cone_frame *f, struct cone_node *n);
struct cone_type *cone_instance_type(struct cone_checker *c, struct cone_declaration *d, struct cone_type **arguments,
                                     uint32_t count);
/* The fields are there after it. False: it holds itself. */
bool cone_complete(struct cone_checker *c, struct cone_type *t);
void cone_complete_all(struct cone_checker *c);
/* Any type within (fields, elements, not behind references) for which `test` holds. */
bool cone_type_holds(struct cone_checker *c, struct cone_type *t, bool (*test)(const struct cone_type *));
struct cone_type *cone_results_type(struct cone_checker *c, struct cone_scope *scope, struct cone_declaration *d);
/* What it takes and gives, as fn(...); ERROR after reporting. */
struct cone_type *cone_signature_type(struct cone_checker *c, struct cone_scope *scope, struct cone_declaration *d);

/* ---- cone_check_constants.c ---- */
/* A typed scalar expression of constants; reports what is none, 1229, 1230, 1231. */
bool cone_evaluate(struct cone_frame *f, struct cone_node *n, uint64_t *bits);
uint64_t cone_convert_bits(struct cone_type *from, struct cone_type *to, uint64_t bits, bool *is_out);
uint64_t cone_wrap_bits(const struct cone_type *t, uint64_t bits);
/* A typed value as a tree of CONSTANT, LIST, NEW; NULL after reporting. */
struct cone_node *cone_constant_tree(struct cone_frame *f, struct cone_node *n);
/* Of a const or global declaration, typed. NULL after reporting, or for one without value. */
struct cone_node *cone_value_of_declaration(struct cone_checker *c, struct cone_declaration *d);
struct cone_type *cone_type_of_global(struct cone_checker *c, struct cone_declaration *d);
/* An expression where only a constant integer may be: a size. */
bool cone_constant_integer(struct cone_checker *c, struct cone_scope *scope, struct cone_node *n, uint64_t *value,
                           struct cone_type *expected);

/* ---- cone_check_expressions.c ---- */
/* Types an expression. `expected`: NULL for none, cone_void where the value is dropped, else what context wants
 * (literals take it; nothing is converted: see cone_coerce). */
struct cone_node *cone_check_expression(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
/* The same, converted to the type; reports 1013. */
struct cone_node *cone_check_as(struct cone_frame *f, struct cone_node *n, struct cone_type *type);
struct cone_node *cone_coerce(struct cone_frame *f, struct cone_node *n, struct cone_type *type);
bool cone_converts(struct cone_checker *c, const struct cone_type *from, const struct cone_type *to);
struct cone_node *cone_convert(struct cone_frame *f, struct cone_node *n, struct cone_type *type);
/* A condition: a bool, or a number compared with zero. */
struct cone_node *cone_check_condition(struct cone_frame *f, struct cone_node *n);
/* Follows references down to a value. */
struct cone_node *cone_dereference(struct cone_frame *f, struct cone_node *n);
bool cone_is_place(const struct cone_node *n);
/* Reports `code` unless the place may be changed. */
bool cone_require_mutable(struct cone_frame *f, struct cone_node *place, const char *code);
struct cone_node *cone_borrow(struct cone_frame *f, struct cone_node *place, bool mutable);
bool cone_is_untyped(const struct cone_node *n);
/* What lies so many elements behind what a pointer leads to. */
struct cone_node *cone_step_pointer(struct cone_frame *f, struct cone_node *n, struct cone_node *pointer,
                                    struct cone_node *steps);
struct cone_node *cone_member(struct cone_frame *f, struct cone_node *n, struct cone_node *left, const char *name,
                              bool is_own);
struct cone_node *cone_global_value(struct cone_frame *f, struct cone_node *n, struct cone_declaration *d);

/* ---- cone_check_macros.c ---- */
/* The name of one of core's macros. */
bool cone_is_macro(const char *name);
/* NAME[...] of a macro, where the program has nothing else of the name. */
bool cone_is_macro_use(struct cone_frame *f, struct cone_node *n);
/* What it stands for, typed. */
struct cone_node *cone_check_macro(struct cone_frame *f, struct cone_node *n);

/* ---- cone_check_new.c ---- */
struct cone_node *cone_check_new(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
/* The parts of n as the values of a new struct. */
struct cone_node *cone_new_of_type(struct cone_frame *f, struct cone_node *n, struct cone_type *t);
struct cone_node *cone_check_new_array(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
struct cone_node *cone_check_list(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
/* Some[x], E.V[], E.V. */
struct cone_node *cone_make_variant(struct cone_frame *f, struct cone_node *n, struct cone_entity *e,
                                    struct cone_node **parts, uint32_t count, struct cone_type *expected);

/* ---- cone_check_operators.c ---- */
struct cone_node *cone_check_unary(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
struct cone_node *cone_check_binary(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
struct cone_node *cone_check_logic(struct cone_frame *f, struct cone_node *n);
struct cone_node *cone_check_as_type(struct cone_frame *f, struct cone_node *n);
struct cone_node *cone_apply(struct cone_frame *f, struct cone_node *n, enum cone_operator op, struct cone_node *left,
                             struct cone_node *right);
const char *cone_operator_text(enum cone_operator op);

/* ---- cone_check_calls.c, cone_check_methods.c, cone_check_instances.c ---- */
struct cone_node *cone_check_call(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
/* T.from(x), the parts of n being x. */
struct cone_node *cone_check_from(struct cone_frame *f, struct cone_node *n, struct cone_type *to);
/* A call of a method or operator of the receiver (typed); NULL when it has none of the name. Parts are not typed yet.
 */
struct cone_node *cone_call_method(struct cone_frame *f, struct cone_node *n, struct cone_node *receiver,
                                   const char *name, struct cone_node **parts, uint32_t count,
                                   struct cone_type *expected);
/* A call of a function, the receiver (typed) or NULL before its parts. `self_type`: of a method. */
struct cone_node *cone_call_function(struct cone_frame *f, struct cone_node *n, struct cone_declaration *d,
                                     struct cone_type *self_type, struct cone_entity *written,
                                     struct cone_node *receiver, struct cone_node **parts, uint32_t count,
                                     struct cone_type *expected);
/* A call through &<Trait, of type VIRTUAL: its CALL has no instance; `left` is the reference, `name` the method's. */
struct cone_node *cone_call_virtual(struct cone_frame *f, struct cone_node *n, struct cone_node *receiver,
                                    const char *name, struct cone_node **parts, uint32_t count);
struct cone_declaration *cone_method_of(struct cone_type *t, const char *name, uint32_t skip);
struct cone_instance *cone_instance_of(struct cone_frame *f, const struct cone_node *n, struct cone_declaration *d,
                                       struct cone_type *self_type, struct cone_type **arguments);
/* Of a method that is not generic; NULL: nothing has asked for it. */
const struct cone_instance *cone_instance_known(struct cone_checker *c, const struct cone_declaration *d,
                                                const struct cone_type *self_type);
/* A struct says that it is of the trait. */
bool cone_has_trait(struct cone_checker *c, struct cone_type *t, struct cone_declaration *trait);
/* Asks for the methods of a struct that a virtual reference to it may call. */
void cone_ask_for_methods(struct cone_frame *f, const struct cone_node *n, struct cone_type *t,
                          const struct cone_declaration *trait);
/* Arguments of generics, inferred; false after reporting. */
bool cone_infer(struct cone_frame *f, struct cone_node *n, struct cone_scope *scope, struct cone_node **parts,
                uint32_t count, struct cone_type *expected);
bool cone_meets_bounds(struct cone_frame *f, const struct cone_node *n, struct cone_scope *scope);
/* What a closure's type calls takes and gives what the FUNCTION type says. */
bool cone_has_signature(const struct cone_type *closure, const struct cone_type *signature);
struct cone_node *cone_call_value(struct cone_frame *f, struct cone_node *n, struct cone_node *callee,
                                  struct cone_type *expected);
/* 1160 to 1163, of a function with @intrinsic. */
void cone_check_intrinsic(struct cone_checker *c, struct cone_declaration *d);
int cone_intrinsic_named(const char *symbol);
enum cone_intrinsic_kind cone_intrinsic_kind_of(int intrinsic);

/* ---- cone_check_atomics.c ---- */
/* A method of core's Atomic as an intrinsic; NULL: it is called as others are. */
struct cone_node *cone_check_atomic_method(struct cone_frame *f, struct cone_node *n, struct cone_node *receiver,
                                           const char *name, struct cone_node **parts, uint32_t count);
/* 1177, 1178 and 1184 of a direct mem.atomic*. */
void cone_check_direct_atomic(struct cone_frame *f, struct cone_node *n);

/* ---- cone_check_fills.c ---- */
/* The signature that a closure is given where `expected` is wanted: of &fn(...), or of the one method that &<Trait or
 * So[Trait] asks for. NULL: none. */
struct cone_type *cone_wanted_signature(struct cone_checker *c, struct cone_type *expected);
/* ---- cone_check_owners.c ---- */
/* new of an OWNER; trynew of one. */
struct cone_node *cone_new_owner(struct cone_frame *f, struct cone_node *n, struct cone_type *t);
struct cone_node *cone_check_trynew(struct cone_frame *f, struct cone_node *n);
/* A struct with a method `final`, to be called at the end of its values. */
bool cone_has_final(const struct cone_type *t);
/* So[T] is to be So[Trait]. */
bool cone_owner_converts(struct cone_checker *c, const struct cone_type *from, const struct cone_type *to);
struct cone_node *cone_owner_as_trait(struct cone_frame *f, struct cone_node *n, struct cone_type *type);
/* A reference to what an owner has. */
struct cone_node *cone_borrow_owned(struct cone_frame *f, struct cone_node *n, bool mutable);
/* So[T]: it moves. */
bool cone_is_sole_owner(const struct cone_type *t);

/* The trait of VIRTUAL, or of an owner of it; NULL: none. */
struct cone_declaration *cone_trait_wanted(const struct cone_type *expected);
/* The one method that a trait asks for, as a signature; NULL: it asks for another number, or for one that no closure
 * is. */
struct cone_type *cone_trait_signature(struct cone_checker *c, struct cone_declaration *trait);
/* Whether the closure is what the trait asks for: its methods are the trait's then. */
bool cone_fill_trait(struct cone_checker *c, struct cone_type *closure, struct cone_declaration *trait);
/* The method is the closure itself. */
bool cone_is_filled(const struct cone_type *closure, const struct cone_declaration *method);
/* 1186: a closure is given for a trait that it cannot fill. */
void cone_blame_unfilled(const struct cone_node *n, const struct cone_declaration *trait);

/* ---- cone_check_closures.c ---- */
struct cone_node *cone_check_closure(struct cone_frame *f, struct cone_node *n, struct cone_type *signature);
struct cone_node *cone_function_value(struct cone_frame *f, struct cone_node *n, struct cone_entity *e,
                                      struct cone_type *signature);
struct cone_node *cone_captured(struct cone_frame *f, struct cone_node *n, const char *name);

/* ---- cone_check_statements.c, cone_check_control.c ---- */
struct cone_node *cone_check_block(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
struct cone_node *cone_check_statement(struct cone_frame *f, struct cone_node *n);
struct cone_node *cone_check_if(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
struct cone_node *cone_check_match(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
struct cone_node *cone_check_while(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
struct cone_node *cone_check_each(struct cone_frame *f, struct cone_node *n, struct cone_type *expected);
struct cone_node *cone_check_jump(struct cone_frame *f, struct cone_node *n);
struct cone_node *cone_check_is(struct cone_frame *f, struct cone_node *n);
void cone_check_body(struct cone_checker *c, struct cone_instance *instance);
/* A hidden local that holds a value; *use is its NAME. */
struct cone_node *cone_make_local(struct cone_frame *f, const char *name, struct cone_node *value,
                                  struct cone_node **use);

/* ---- cone_check_flow.c ---- */
/* Of a checked body: 1017, 1034 and 1140 that depend on the way taken. */
void cone_check_flow(struct cone_checker *c, struct cone_instance *instance);

/* ---- cone_check_lifetimes.c ---- */
/* Of a checked body: 1013 for references that outlive what they lead to. */
void cone_check_lifetimes(struct cone_checker *c, struct cone_instance *instance);

/* ---- cone_check_written_lifetimes.c ---- */
/* A set of where references lead has two bits a parameter (the receiver first): bit 2i is what parameter i leads to,
 * bit 2i + 1 what references behind that lead to. */
enum { CONE_LIFETIME_PARAMETERS = 31 };
/* Where all of `from` has a lifetime that the result is written with, or the result is written with none. */
bool cone_lifetimes_allow_result(const struct cone_instance *instance, uint64_t from);
/* The same of what references that `bit` leads to become. */
bool cone_lifetimes_allow_kept(const struct cone_instance *instance, uint32_t bit, uint64_t from);

/* ---- cone_check_entry.c ---- */
void cone_check_entries(struct cone_checker *c);
void cone_check_thread_global(struct cone_checker *c, struct cone_declaration *d, struct cone_type *type);
void cone_check_workgroup_global(struct cone_checker *c, struct cone_declaration *d);

#endif

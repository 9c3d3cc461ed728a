/* Types of Cone: interned, so that equal types are one pointer. All live in the program's arena. */
#ifndef SSPUR_FRONTEND_CONE_CONE_TYPES_H
#define SSPUR_FRONTEND_CONE_CONE_TYPES_H

#include "frontend/cone/cone_ast.h"
#include "utils/base/text.h"

/* Of one program. */
struct cone_types {
	struct arena *arena;
	struct table table;              /* by printed name and identity */
	struct cone_type *usize, *isize; /* of the program's address width */
};

extern struct cone_type cone_void, cone_never, cone_bool, cone_char, cone_error;
extern struct cone_type cone_i8, cone_i16, cone_i32, cone_i64;
extern struct cone_type cone_u8, cone_u16, cone_u32, cone_u64;
extern struct cone_type cone_f32, cone_f64;

/* With usize and isize of 32 or 64 bits. */
void cone_types_init(struct cone_types *t, struct arena *arena, uint32_t address_bits);
/* "u32", "usize", ...; NULL: no number type, bool or char of the name. */
struct cone_type *cone_type_of_name(const struct cone_types *t, const char *name);
struct cone_type *cone_type_array(struct cone_types *t, struct cone_type *element, uint64_t count);
struct cone_type *cone_type_reference(struct cone_types *t, struct cone_type *element, bool mutable);
struct cone_type *cone_type_slice(struct cone_types *t, struct cone_type *element, bool mutable);
struct cone_type *cone_type_pointer(struct cone_types *t, struct cone_type *element);
/* So[T], Rc[mut, T] and the like; `mutable`: what is owned may be changed through it. */
struct cone_type *cone_type_owner(struct cone_types *t, struct cone_type *element, uint64_t owner, bool mutable);
struct cone_type *cone_type_virtual(struct cone_types *t, struct cone_declaration *trait);
struct cone_type *cone_type_tuple(struct cone_types *t, struct cone_type **items, uint32_t count);
struct cone_type *cone_type_function(struct cone_types *t, struct cone_type **parameters, uint32_t count,
                                     struct cone_type *result);
/* An argument of a value parameter, [N usize]: `element` is its type, `count` the value. */
struct cone_type *cone_type_value(struct cone_types *t, struct cone_type *of, uint64_t value);
bool cone_type_is_value(const struct cone_type *t);
/* A struct or enum with its arguments. *is_new: its fields are to be filled by the caller. */
struct cone_type *cone_type_nominal(struct cone_types *t, enum cone_type_kind kind, struct cone_declaration *d,
                                    struct cone_type **arguments, uint32_t count, bool *is_new);
/* A closure's, always a new one. */
struct cone_type *cone_type_closure(struct cone_types *t);

bool cone_type_is_number(const struct cone_type *t);    /* integers and floats */
bool cone_type_is_reference(const struct cone_type *t); /* an address of any kind */
/* `&mut Array[Atomic[u32]]` */
void cone_type_print(const struct cone_type *t, struct text *out);
/* Core's. NULL element: it is no such type. */
bool cone_type_is_invocation(const struct cone_type *t);
struct cone_type *cone_type_atomic_of(const struct cone_type *t);

#endif

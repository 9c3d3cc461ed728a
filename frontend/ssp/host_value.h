/* Values of the host language: scalars inline, the rest counted objects. */
#ifndef SSPUR_FRONTEND_SSP_HOST_VALUE_H
#define SSPUR_FRONTEND_SSP_HOST_VALUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/ssp/ast.h"
#include "ir/ir.h"

struct queue_buffer;
struct host;

enum value_kind {
	VALUE_UNIT,
	VALUE_INT,
	VALUE_F64,
	VALUE_BOOL,
	VALUE_NONE,     /* an Opt without a value */
	VALUE_FUNCTION, /* a fn by its name */
	VALUE_LAMBDA,   /* a lambda; it cannot leave the frame it was made in (the checker: functions are no values) */
	/* From here on: counted objects. */
	VALUE_STRING,
	VALUE_LIST,
	VALUE_TUPLE,
	VALUE_SOME,  /* an Opt with its value */
	VALUE_OK,    /* a Res with its value */
	VALUE_ERROR, /* Res without: the reason, a string */
	VALUE_DEVBUF,
};

struct value {
	enum value_kind kind;
	uint32_t hops; /* LAMBDA: its frame is so many above the one that holds or evaluates this */
	union {
		int64_t integer;
		double real;
		bool truth;
		struct definition *function;
		const struct node *lambda;
		struct object *object;
		struct string *string;
		struct list *list;
		struct tuple *tuple;     /* TUPLE */
		struct wrapper *wrapper; /* SOME, OK, ERROR */
		struct devbuf *devbuf;
	};
};

/* First member of every counted object. Counts are atomic: tasks of `par` share objects. */
struct object {
	_Atomic uint32_t references;
};

struct string {
	struct object object;
	size_t length, capacity; /* bytes; always a NUL after them */
	char bytes[];
};

enum list_storage {
	STORAGE_INT,   /* 8 bytes an element */
	STORAGE_F64,   /* 8 bytes */
	STORAGE_BOOL,  /* 1 byte */
	STORAGE_VALUE, /* owned values */
	STORAGE_RANGE, /* Ints that are not stored: start + i * step */
};

struct list {
	struct object object;
	enum list_storage storage;
	int64_t count, capacity;
	union {
		void *items;
		int64_t *integers;
		double *reals;
		bool *truths;
		struct value *values;
		struct {
			int64_t start, step;
		};
	};
};

struct tuple {
	struct object object;
	uint32_t count;
	struct value items[];
};

struct wrapper {
	struct object object;
	struct value item;
};

/* A buffer of the device; copies of the handle alias. */
struct devbuf {
	struct object object;
	struct host *host;
	struct queue_buffer *buffer;
	enum ir_type_kind element;
	int64_t count;
};

/* Variables of one activation. Lambdas and tasks reach their surroundings through `parent`. */
struct frame {
	struct value *slots;
	struct frame *parent;
};

/* ---- Counting ---- */

static inline bool value_is_object(struct value v)
{
	return v.kind >= VALUE_STRING;
}

void object_free(enum value_kind kind, struct object *o);

static inline void value_retain(struct value v)
{
	if (value_is_object(v))
		atomic_fetch_add_explicit(&v.object->references, 1, memory_order_relaxed);
}

static inline void value_release(struct value v)
{
	if (value_is_object(v) && atomic_fetch_sub_explicit(&v.object->references, 1, memory_order_acq_rel) == 1)
		object_free(v.kind, v.object);
}

/* Nobody else can see the object, so it may be changed. */
static inline bool object_is_unique(const struct object *o)
{
	return atomic_load_explicit(&o->references, memory_order_acquire) == 1;
}

/* ---- Scalars ---- */

static inline struct value value_unit(void)
{
	return (struct value){.kind = VALUE_UNIT};
}

static inline struct value value_int(int64_t v)
{
	return (struct value){.kind = VALUE_INT, .integer = v};
}

static inline struct value value_f64(double v)
{
	return (struct value){.kind = VALUE_F64, .real = v};
}

static inline struct value value_bool(bool v)
{
	return (struct value){.kind = VALUE_BOOL, .truth = v};
}

static inline struct value value_none(void)
{
	return (struct value){.kind = VALUE_NONE};
}

/* ---- Strings ---- */

struct value string_new(const char *bytes, size_t length);
/* Takes the bytes out of t. */
struct value string_from_text(struct text *t);
/* Consumes `left`, whose bytes are moved if it is unique. */
struct value string_append(struct value left, const struct string *right);

/* ---- Lists ---- */

/* The storage of a List[element]. */
enum list_storage storage_of(struct type *element);
/* An empty list with room for `capacity`. */
struct value list_new(enum list_storage storage, int64_t capacity);
struct value list_range(int64_t start, int64_t step, int64_t count);
/* A new reference to element i, which is in bounds. */
struct value list_item(const struct list *l, int64_t i);
/* Consumes v. The list must be unique and no range. */
void list_push(struct list *l, struct value v);
/* Consumes v; in bounds; unique and no range. */
void list_set(struct list *l, int64_t i, struct value v);
/* Appends elements [first, last) of `from` (of the same element type, or a range) to a unique list. */
void list_append(struct list *l, const struct list *from, int64_t first, int64_t last);
/* Makes *v a unique list that is no range and has room for `extra` more. */
struct list *list_own(struct value *v, int64_t extra);

/* ---- Others ---- */

/* `count` unit items to be filled in. */
struct value tuple_new(uint32_t count);
/* Consumes `item`; kind SOME, OK or ERROR. */
struct value wrapper_new(enum value_kind kind, struct value item);

/* ---- Order and printing ---- */

/* Below, at, or above 0: the host's total order (spec 2.4), on containers element by element. */
int value_compare(struct value a, struct value b);
bool value_equal(struct value a, struct value b);
/* Spec 2.6; `inside` a container strings are quoted. */
void value_print(struct text *out, struct value v, bool inside);

#endif

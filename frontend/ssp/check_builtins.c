#include <assert.h>
#include <string.h>

#include "frontend/ssp/check.h"

/* What each builtin takes and gives. A signature is the parameters, a colon and the result, the receiver left out:
 *   i d b s u   Int F64 Bool Str Unit
 *   T U         type variables; T is the item of a List, Opt, Res or DevBuf receiver (of a DevBuf: on the host)
 *   [x] ?x !x   List[x], Opt[x], Res[x, Str]
 *   (xy)        a tuple
 *   {xy:z}      a function
 *   Dx          DevBuf of f F32, d F64, I I32, U U32, i Int
 * `class` is what T must be. */
struct signature {
	const char *text;
	enum type_class class;
};

static const struct signature signatures[BUILTIN_COUNT] = {
    [BUILTIN_list_len] = {":i", CLASS_ANY},
    [BUILTIN_list_is_empty] = {":b", CLASS_ANY},
    [BUILTIN_list_map] = {"{T:U}:[U]", CLASS_ANY},
    [BUILTIN_list_filter] = {"{T:b}:[T]", CLASS_ANY},
    [BUILTIN_list_flat_map] = {"{T:[U]}:[U]", CLASS_ANY},
    [BUILTIN_list_fold] = {"U{UT:U}:U", CLASS_ANY},
    [BUILTIN_list_any] = {"{T:b}:b", CLASS_ANY},
    [BUILTIN_list_all] = {"{T:b}:b", CLASS_ANY},
    [BUILTIN_list_sum] = {":T", CLASS_NUMBER},
    [BUILTIN_list_take] = {"i:[T]", CLASS_ANY},
    [BUILTIN_list_drop] = {"i:[T]", CLASS_ANY},
    [BUILTIN_list_push] = {"T:[T]", CLASS_ANY},
    [BUILTIN_list_concat] = {"[T]:[T]", CLASS_ANY},
    [BUILTIN_list_reverse] = {":[T]", CLASS_ANY},
    [BUILTIN_list_sort] = {":[T]", CLASS_ORDERED},
    [BUILTIN_list_contains] = {"T:b", CLASS_EQUAL},
    [BUILTIN_list_zip] = {"[U]:[(TU)]", CLASS_ANY},
    [BUILTIN_list_enumerate] = {":[(iT)]", CLASS_ANY},
    [BUILTIN_list_slice] = {"ii:[T]", CLASS_ANY},
    [BUILTIN_list_min] = {":?T", CLASS_ORDERED},
    [BUILTIN_list_max] = {":?T", CLASS_ORDERED},
    [BUILTIN_list_first] = {":?T", CLASS_ANY},
    [BUILTIN_list_last] = {":?T", CLASS_ANY},
    [BUILTIN_list_get] = {"i:?T", CLASS_ANY},
    [BUILTIN_list_join] = {"s:s", CLASS_TEXT},
    [BUILTIN_int_abs] = {":i", CLASS_ANY},
    [BUILTIN_int_to_f64] = {":d", CLASS_ANY},
    [BUILTIN_int_min] = {"i:i", CLASS_ANY},
    [BUILTIN_int_max] = {"i:i", CLASS_ANY},
    [BUILTIN_int_band] = {"i:i", CLASS_ANY},
    [BUILTIN_int_bor] = {"i:i", CLASS_ANY},
    [BUILTIN_int_bxor] = {"i:i", CLASS_ANY},
    [BUILTIN_int_shl] = {"i:i", CLASS_ANY},
    [BUILTIN_int_shr] = {"i:i", CLASS_ANY},
    [BUILTIN_f64_abs] = {":d", CLASS_ANY},
    [BUILTIN_f64_sqrt] = {":d", CLASS_ANY},
    [BUILTIN_f64_pow] = {"d:d", CLASS_ANY},
    [BUILTIN_f64_exp] = {":d", CLASS_ANY},
    [BUILTIN_f64_ln] = {":d", CLASS_ANY},
    [BUILTIN_f64_log2] = {":d", CLASS_ANY},
    [BUILTIN_f64_log10] = {":d", CLASS_ANY},
    [BUILTIN_f64_sin] = {":d", CLASS_ANY},
    [BUILTIN_f64_cos] = {":d", CLASS_ANY},
    [BUILTIN_f64_tan] = {":d", CLASS_ANY},
    [BUILTIN_f64_asin] = {":d", CLASS_ANY},
    [BUILTIN_f64_acos] = {":d", CLASS_ANY},
    [BUILTIN_f64_atan] = {":d", CLASS_ANY},
    [BUILTIN_f64_atan2] = {"d:d", CLASS_ANY},
    [BUILTIN_f64_hypot] = {"d:d", CLASS_ANY},
    [BUILTIN_f64_is_nan] = {":b", CLASS_ANY},
    [BUILTIN_f64_is_finite] = {":b", CLASS_ANY},
    [BUILTIN_f64_floor] = {":i", CLASS_ANY},
    [BUILTIN_f64_ceil] = {":i", CLASS_ANY},
    [BUILTIN_f64_round] = {":i", CLASS_ANY},
    [BUILTIN_f64_trunc] = {":i", CLASS_ANY},
    [BUILTIN_f64_min] = {"d:d", CLASS_ANY},
    [BUILTIN_f64_max] = {"d:d", CLASS_ANY},
    [BUILTIN_str_len] = {":i", CLASS_ANY},
    [BUILTIN_str_split] = {"s:[s]", CLASS_ANY},
    [BUILTIN_str_trim] = {":s", CLASS_ANY},
    [BUILTIN_str_to_int] = {":?i", CLASS_ANY},
    [BUILTIN_str_to_f64] = {":?d", CLASS_ANY},
    [BUILTIN_opt_or] = {"T:T", CLASS_ANY},
    [BUILTIN_opt_get] = {":T", CLASS_ANY},
    [BUILTIN_opt_is_some] = {":b", CLASS_ANY},
    [BUILTIN_opt_is_none] = {":b", CLASS_ANY},
    [BUILTIN_any_str] = {":s", CLASS_ANY},
    [BUILTIN_devbuf_to_list] = {":[T]", CLASS_ANY},
    [BUILTIN_devbuf_len] = {":i", CLASS_ANY},
    [BUILTIN_log] = {"s:u", CLASS_ANY},
    [BUILTIN_eprint] = {"s:u", CLASS_ANY},
    [BUILTIN_mono_ns] = {":i", CLASS_ANY},
    [BUILTIN_now_ms] = {":i", CLASS_ANY},
    [BUILTIN_sleep_ms] = {"i:u", CLASS_ANY},
    [BUILTIN_args] = {":[s]", CLASS_ANY},
    [BUILTIN_env_var] = {"s:?s", CLASS_ANY},
    [BUILTIN_read_file] = {"s:!s", CLASS_ANY},
    [BUILTIN_write_file] = {"ss:!u", CLASS_ANY},
    [BUILTIN_read_bytes] = {"s:![i]", CLASS_ANY},
    [BUILTIN_write_bytes] = {"s[i]:!u", CLASS_ANY},
    [BUILTIN_min] = {"TT:T", CLASS_NUMBER},
    [BUILTIN_max] = {"TT:T", CLASS_NUMBER},
    [BUILTIN_clamp] = {"TTT:T", CLASS_NUMBER},
    [BUILTIN_range] = {"iii:[i]", CLASS_ANY},
    [BUILTIN_pi] = {":d", CLASS_ANY},
    [BUILTIN_inf] = {":d", CLASS_ANY},
    [BUILTIN_nan] = {":d", CLASS_ANY},
    [BUILTIN_dev_f32] = {"[d]:Df", CLASS_ANY},
    [BUILTIN_dev_f64] = {"[d]:Dd", CLASS_ANY},
    [BUILTIN_dev_i32] = {"[i]:DI", CLASS_ANY},
    [BUILTIN_dev_u32] = {"[i]:DU", CLASS_ANY},
    [BUILTIN_dev_int] = {"[i]:Di", CLASS_ANY},
    [BUILTIN_gpu_sync] = {":u", CLASS_ANY},
    [BUILTIN_par] = {":u", CLASS_ANY}, /* check_par.c */
};

/* ---- Reading a signature ---- */

struct reader {
	struct checker *c;
	const char *text;
	struct span span;
	struct type *t, *u;
};

static struct type *device_buffer(struct reader *r)
{
	char letter = *r->text++;
	struct type *element = letter == 'f'   ? &type_f32
	                       : letter == 'd' ? &type_f64
	                       : letter == 'I' ? &type_i32
	                       : letter == 'U' ? &type_u32
	                                       : &type_int;
	return check_type(r->c, r->span, TYPE_DEVBUF, 1, element);
}

static struct type *read(struct reader *r);

/* Types up to the closing letter; a function's result follows a colon. */
static struct type *read_group(struct reader *r, enum type_kind kind, char close)
{
	struct type *items[4];
	uint32_t count = 0;
	while (*r->text != close) {
		assert(count < 4);
		r->text += *r->text == ':';
		items[count++] = read(r);
	}
	r->text++;
	return check_type_of_items(r->c, r->span, kind, count, items);
}

static struct type *read(struct reader *r)
{
	switch (*r->text++) {
	case 'i': return &type_int;
	case 'd': return &type_f64;
	case 'b': return &type_bool;
	case 's': return &type_str;
	case 'u': return &type_unit;
	case 'T': return r->t;
	case 'U': return r->u;
	case '[': return read_group(r, TYPE_LIST, ']');
	case '(': return read_group(r, TYPE_TUPLE, ')');
	case '{': return read_group(r, TYPE_FUNCTION, '}');
	case '?': return check_type(r->c, r->span, TYPE_OPT, 1, read(r));
	case '!': return check_type(r->c, r->span, TYPE_RES, 2, read(r), &type_str);
	case 'D': return device_buffer(r);
	default: break; /* a letter, not an enum */
	}
	assert(!"a letter of a builtin's signature");
	return &type_error;
}

/* ---- Methods of a type ---- */

static enum builtin_receiver receiver_of(const struct type *t)
{
	switch (t->kind) {
	case TYPE_INT: return RECEIVER_INT;
	case TYPE_F64: return RECEIVER_F64;
	case TYPE_STR: return RECEIVER_STR;
	case TYPE_LIST: return RECEIVER_LIST;
	case TYPE_OPT:
	case TYPE_RES: return RECEIVER_OPT;
	case TYPE_DEVBUF: return RECEIVER_DEVBUF;
	case TYPE_BOOL:
	case TYPE_UNIT:
	case TYPE_I32:
	case TYPE_U32:
	case TYPE_F32:
	case TYPE_TUPLE:
	case TYPE_FUNCTION:
	case TYPE_VARIABLE:
	case TYPE_ERROR: break;
	}
	return RECEIVER_ANY;
}

static bool is_method_of(int builtin, enum builtin_receiver receiver)
{
	return builtin_infos[builtin].receiver == receiver || builtin_infos[builtin].receiver == RECEIVER_ANY;
}

int check_find_method(const struct type *receiver, const char *name)
{
	enum builtin_receiver kind = receiver_of(receiver);
	for (int i = 0; i < BUILTIN_COUNT; i++) {
		if (is_method_of(i, kind) && strcmp(builtin_infos[i].name, name) == 0)
			return i;
	}
	return -1;
}

void check_suggest_methods(struct suggestion *s, const struct type *receiver)
{
	enum builtin_receiver kind = receiver_of(receiver);
	for (int i = 0; i < BUILTIN_COUNT; i++) {
		if (is_method_of(i, kind))
			check_suggest(s, builtin_infos[i].name);
	}
}

struct type *check_implied_receiver(struct checker *c, struct span span, const char *name)
{
	enum builtin_receiver only = RECEIVER_NONE;
	for (int i = 0; i < BUILTIN_COUNT; i++) {
		const struct builtin_info *info = &builtin_infos[i];
		if (info->receiver == RECEIVER_NONE || strcmp(info->name, name) != 0)
			continue;
		if (only != RECEIVER_NONE)
			return NULL;
		only = info->receiver;
	}
	switch (only) {
	case RECEIVER_LIST: return check_type(c, span, TYPE_LIST, 1, check_fresh(c));
	case RECEIVER_INT: return &type_int;
	case RECEIVER_F64: return &type_f64;
	case RECEIVER_STR: return &type_str;
	case RECEIVER_NONE:
	case RECEIVER_OPT: /* of an Opt or a Res */
	case RECEIVER_DEVBUF:
	case RECEIVER_ANY: break;
	}
	return NULL;
}

/* ---- Calls ---- */

/* What T is for the receiver. */
static struct type *receiver_item(struct checker *c, const struct type *receiver)
{
	if (receiver->kind == TYPE_DEVBUF) {
		enum type_kind element = type_resolve(receiver->items[0])->kind;
		return element == TYPE_F32 || element == TYPE_F64 ? &type_f64 : &type_int;
	}
	return receiver->count > 0 && receiver->kind != TYPE_TUPLE ? receiver->items[0] : check_fresh(c);
}

/* Effects of the builtins with a receiver (spec 2.5: all of the device's but `len`). */
static uint32_t builtin_effects(int builtin)
{
	return builtin == BUILTIN_devbuf_to_list ? (uint32_t)EFFECT_DEV : builtin_infos[builtin].effects;
}

struct type *check_builtin(struct checker *c, struct node *n, int builtin)
{
	const struct builtin_info *info = &builtin_infos[builtin];
	const struct signature *s = &signatures[builtin];
	assert(s->text);
	struct type *receiver = n->kind == NODE_METHOD ? type_resolve(n->left->type) : NULL;
	struct reader r = {c, s->text, n->span, receiver ? receiver_item(c, receiver) : check_fresh(c), check_fresh(c)};
	if (!check_arity(c, n->at, info->name, n->part_count, info->minimum, info->maximum)) {
		check_arguments_loosely(c, n);
		r.text = strrchr(s->text, ':') + 1;
		struct type *result = read(&r);
		check_poison(result);
		return result;
	}
	for (uint32_t i = 0; i < n->part_count; i++)
		check_argument(c, n->parts[i], read(&r));
	const char *subject = arena_format(&c->scratch, "`%s`", info->name);
	if (receiver && receiver->kind == TYPE_LIST)
		check_require_items(c, s->class, receiver, n->at, "E_TYPE_MISMATCH", subject);
	else
		check_require(c, s->class, r.t, n->at, "E_TYPE_MISMATCH", subject);
	check_perform(c, builtin_effects(builtin), n->at);
	assert(*r.text == ':');
	r.text++;
	return read(&r);
}

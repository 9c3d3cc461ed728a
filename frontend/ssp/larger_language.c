#include "frontend/ssp/larger_language.h"

#include <string.h>

/* Short names of the places, for the table alone. */
enum {
	D = LARGER_DEFINITION,
	P = LARGER_PREFIX,
	I = LARGER_INFIX,
	N = LARGER_NAME,
	T = LARGER_TYPE,
};

#define TUPLES "keep the parts in a tuple `(a, b)`, and read them as `t.0` and `t.1`"
#define TAGS "give each case a number, and choose with `if ... then ... else`"
#define CHOOSE "choose with `if ... then ... else if ... then ... else`"
#define OWN_FN "write an `fn` for each type"
#define FILES "one file holds a program; put what it needs there"
#define MARGIN "write an `fn` without parameters: `fn limit() -> Int = 3`"
#define RESULTS "give an Opt or a Res as the result, and ask it with `.is_some` and `.or(...)`"
#define STOP "a `pre` clause stops a program that goes wrong"
#define PAR "tasks run at the same time in `par(a, b)`"
#define LISTS "keep pairs in a `List[(K, V)]`"
#define OPTIONS "an Opt comes from `.get(i)`, `.first`, `.last`, `.min`, `.max`, `to_int` and `to_f64`"
#define OUTCOMES "a Res comes from `read_file`, `write_file`, `read_bytes` and `write_bytes`"
#define NUMBERS "the host's numbers are Int and F64, a kernel's also I32, U32 and F32"

static const struct larger_word words[] = {
    /* data */
    {"record", D | P, "records are", TUPLES},
    {"struct", D | P, "records are", TUPLES},
    {"data", D | P, "records are", TUPLES},
    {"class", D | P, "classes are", TUPLES},
    {"object", D | P, "classes are", TUPLES},
    {"sum", D | P, "sum types are", TAGS},
    {"enum", D | P, "sum types are", TAGS},
    {"union", D | P, "sum types are", TAGS},
    {"type", D | P, "type definitions are", "write the type itself where it is used"},
    {"alias", D | P, "type definitions are", "write the type itself where it is used"},
    {"newtype", D | P, "type definitions are", "write the type itself where it is used"},
    {"opaque", D | P, "type definitions are", "write the type itself where it is used"},
    {"trait", D | P, "traits are", OWN_FN},
    {"interface", D | P, "traits are", OWN_FN},
    {"protocol", D | P, "traits are", OWN_FN},
    {"impl", D | P, "`impl` is", OWN_FN},
    {"instance", D | P, "`instance` is", OWN_FN},
    {"derive", D | P, "`derive` is", OWN_FN},
    {"deriving", I, "`deriving` is", OWN_FN},
    {"where", D | P | I | N, "`where` is",
     "a condition on parameters is a `pre` clause, one on elements `.filter(x => ...)`"},
    {"Map", N | T, "`Map` is", LISTS},
    {"Set", N | T, "`Set` is", "keep the elements in a list, and ask it with `.contains(x)`"},
    {"I8", T, "the type I8 is", NUMBERS},
    {"U8", T, "the type U8 is", NUMBERS},
    {"I16", T, "the type I16 is", NUMBERS},
    {"U16", T, "the type U16 is", NUMBERS},
    {"U64", T, "the type U64 is", NUMBERS},
    {"F16", T, "the type F16 is", NUMBERS},
    {"BF16", T, "the type BF16 is", NUMBERS},
    /* files and what they show */
    {"use", D | P | N, "`use` is", FILES},
    {"import", D | P | N, "`import` is", FILES},
    {"include", D | P, "`include` is", FILES},
    {"from", D | P, "`from` is", FILES},
    {"export", D | P, "`export` is", FILES},
    {"module", D | P, "modules are", FILES},
    {"mod", D | P, "modules are", FILES},
    {"package", D | P, "modules are", FILES},
    {"namespace", D | P, "modules are", FILES},
    {"extern", D | P | N, "`extern` is", FILES},
    {"pub", D | P, "`pub` is", "all definitions of a program see each other: leave it out"},
    {"private", D | P, "`private` is", "all definitions of a program see each other: leave it out"},
    {"const", D, "constants outside functions are", MARGIN},
    {"let", D, "constants outside functions are", MARGIN},
    {"static", D | P, "constants outside functions are", MARGIN},
    {"macro", D | P, "macros are", NULL},
    {"bench", D, "`bench` is", "time it with `mono_ns()`"},
    {"property", D, "properties are", "write a `test` that goes over a list of cases"},
    /* choosing */
    {"match", D | P | I | N, "`match` is", CHOOSE},
    {"case", P | N, "`case` is", CHOOSE},
    {"switch", P | N, "`switch` is", CHOOSE},
    {"is", P | I | N, "patterns with `is` are", "compare with `==`, or ask an Opt with `.is_some`"},
    {"unless", P | I | N, "`unless` is", "write `if not ... then ...`"},
    {"let", P, "`let` inside an expression is", "write `x = ...` on a line of its own"},
    {"loop", P, "`loop` is", "write `while true`"},
    {"some", N, "making an Opt with `some` is", OPTIONS},
    {"none", N, "making an Opt with `none` is", OPTIONS},
    {"Some", N, "making an Opt with `Some` is", OPTIONS},
    {"None", N, "making an Opt with `None` is", OPTIONS},
    {"ok", N, "making a Res with `ok` is", OUTCOMES},
    {"err", N, "making a Res with `err` is", OUTCOMES},
    {"Ok", N, "making a Res with `Ok` is", OUTCOMES},
    {"Err", N, "making a Res with `Err` is", OUTCOMES},
    /* effects and faults */
    {"effect", D | P, "effect definitions are", "the effects are log, dev, io, time, env, fs, div, proc"},
    {"handler", D, "effect handlers are", RESULTS},
    {"handle", D | P | I | N, "effect handlers are", RESULTS},
    {"resume", P | N, "effect handlers are", RESULTS},
    {"perform", P | N, "effect handlers are", RESULTS},
    {"with", P | I | N, "`with` is", "give the value as an argument"},
    {"raise", P | I | N, "`raise` is", STOP},
    {"raises", I, "`raises` is", RESULTS},
    {"throw", P | N, "`throw` is", STOP},
    {"throws", I, "`throws` is", RESULTS},
    {"panic", P | N, "`panic` is", STOP},
    {"catch", P | I | N, "`catch` is", RESULTS},
    {"rescue", P | I | N, "`rescue` is", RESULTS},
    {"finally", P | I, "`finally` is", RESULTS},
    {"try", P | N, "`try` is", RESULTS},
    {"defer", P | N, "`defer` is", "write it at the end of the block"},
    {"yield", P | N, "`yield` is", "make the list: `out := out.push(x)`"},
    /* services and tasks */
    {"service", D | P, "services are", NULL},
    {"svc", D | P | N, "services are", NULL},
    {"store", D | P | N, "stores are", "keep the values in a list, or in a file with `write_file`"},
    {"rule", D | P, "rules are", "write an `fn` that gives a Bool"},
    {"policy", D, "policies are", NULL},
    {"actor", D | P, "actors are", PAR},
    {"resource", D | P, "resources are", NULL},
    {"capability", D, "capabilities are", NULL},
    {"async", D | P, "`async` is", PAR},
    {"await", P | N, "`await` is", PAR},
    {"spawn", P | N, "`spawn` is", PAR},
};

const struct larger_word *larger_find(const char *bytes, size_t n, enum larger_place place)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].places & place && strlen(words[i].word) == n && memcmp(words[i].word, bytes, n) == 0)
			return &words[i];
	return NULL;
}

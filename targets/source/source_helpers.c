/* The helpers' texts. In them $F begins a definition, $T is the type, $U the unsigned type of its width, $t the type's
 * name in the kernel IR, $W the width less 1, $L the least value, $S the address space and $s its name; $C(T, x) is x's
 * bits as T. */
#include "targets/source/source_helpers.h"

#include <assert.h>
#include <string.h>

#include "targets/source/source_writer.h"

/* ---- Texts ---- */

static const char kinds[] =
    "enum {\n\tSSPUR_INDEX = 1,\n\tSSPUR_RANGE = 2,\n\tSSPUR_PANIC = 3,\n\tSSPUR_ALLOCATION = 4,\n"
    "\tSSPUR_OVERFLOW = 5,\n\tSSPUR_DIVISION = 6,\n\tSSPUR_CONVERSION = 7,\n\tSSPUR_INEXACT = 8\n};\n";

static const char check[] =
    "/* The thread's first failure stays: its kind, its line from bit 4, a value from bit 32. */\n"
    "$Fulong sspur_check(ulong bad, bool sound, uint line, uint kind)\n{\n"
    "\treturn bad != 0 || sound ? bad : (ulong)(line << 4 | kind);\n}\n";

static const char check_value[] =
    "$Fulong sspur_check_value(ulong bad, bool sound, uint line, uint kind, uint value)\n{\n"
    "\treturn bad != 0 || sound ? bad : (ulong)value << 32 | (ulong)(line << 4 | kind);\n}\n";

static const char report_opencl[] =
    "/* The first thread that comes describes itself; the mask has a bit for each. */\n"
    "$Fvoid sspur_report(__global uint *status, __global uint *mask, ulong bad, uint x, uint y, uint z, ulong thread)\n"
    "{\n"
    "\tif ((bad & 15) == 0)\n\t\treturn;\n"
    "\tif (atomic_add(&status[0], 1u) == 0) {\n"
    "\t\tstatus[1] = (uint)bad & 15;\n\t\tstatus[2] = $f;\n\t\tstatus[3] = $l;\n"
    "\t\tstatus[4] = x;\n\t\tstatus[5] = y;\n\t\tstatus[6] = z;\n\t\tstatus[7] = (uint)(bad >> 32);\n\t}\n"
    "\tif (mask != 0)\n\t\tatomic_or(&mask[thread >> 5], 1u << (uint)(thread & 31));\n}\n";

#define METAL_SET(word, value)                                                                                         \
	"\t\tmetal::atomic_store_explicit(&status[" word "], " value ", metal::memory_order_relaxed);\n"

static const char report_metal[] =
    "/* The first thread that comes describes itself; the mask has a bit for each. */\n"
    "$Fvoid sspur_report(device metal::atomic_uint *status, device metal::atomic_uint *mask, uint has_mask,\n"
    "                  ulong bad, uint x, uint y, uint z, ulong thread)\n{\n"
    "\tif ((bad & 15) == 0)\n\t\treturn;\n"
    "\tif (metal::atomic_fetch_add_explicit(&status[0], 1u, metal::memory_order_relaxed) == 0) {\n" METAL_SET(
        "1", "(uint)bad & 15") METAL_SET("2", "$f") METAL_SET("3", "$l") METAL_SET("4", "x") METAL_SET("5", "y")
        METAL_SET("6", "z") METAL_SET(
            "7", "(uint)(bad >> 32)") "\t}\n"
                                      "\tif (has_mask)\n\t\tmetal::atomic_fetch_or_explicit(&mask[thread >> 5], 1u << "
                                      "(uint)(thread & 31),\n"
                                      "\t\t                                metal::memory_order_relaxed);\n}\n";

static const char multiply_high_metal[] = "$Fulong sspur_multiply_high(ulong x, ulong y)\n{\n"
                                          "\tconst ulong x0 = (uint)x, x1 = x >> 32, y0 = (uint)y, y1 = y >> 32;\n"
                                          "\tconst ulong middle = x1 * y0 + (x0 * y0 >> 32);\n"
                                          "\tconst ulong other = x0 * y1 + (ulong)(uint)middle;\n"
                                          "\treturn x1 * y1 + (middle >> 32) + (other >> 32);\n}\n";

static const char add_fits_narrow[] = "$Fbool sspur_add_fits_$t($T x, $T y)\n{\n"
                                      "\tconst long sum = (long)x + (long)y;\n\treturn sum == (long)($T)sum;\n}\n";
static const char sub_fits_narrow[] =
    "$Fbool sspur_sub_fits_$t($T x, $T y)\n{\n"
    "\tconst long difference = (long)x - (long)y;\n\treturn difference == (long)($T)difference;\n}\n";
static const char mul_fits_narrow_signed[] =
    "$Fbool sspur_mul_fits_$t($T x, $T y)\n{\n"
    "\tconst long product = (long)x * (long)y;\n\treturn product == (long)($T)product;\n}\n";
static const char mul_fits_narrow_unsigned[] =
    "$Fbool sspur_mul_fits_$t($T x, $T y)\n{\n"
    "\tconst ulong product = (ulong)x * (ulong)y;\n\treturn product == (ulong)($T)product;\n}\n";
static const char add_fits_i64[] = "$Fbool sspur_add_fits_i64(long x, long y)\n{\n"
                                   "\tconst long sum = (long)((ulong)x + (ulong)y);\n"
                                   "\treturn ((sum ^ x) & (sum ^ y)) >= 0;\n}\n";
static const char sub_fits_i64[] = "$Fbool sspur_sub_fits_i64(long x, long y)\n{\n"
                                   "\tconst long difference = (long)((ulong)x - (ulong)y);\n"
                                   "\treturn ((x ^ y) & (difference ^ x)) >= 0;\n}\n";
static const char mul_fits_i64_opencl[] = "$Fbool sspur_mul_fits_i64(long x, long y)\n{\n"
                                          "\tconst long product = (long)((ulong)x * (ulong)y);\n"
                                          "\treturn mul_hi(x, y) == product >> 63;\n}\n";
static const char mul_fits_i64_metal[] =
    "$Fbool sspur_mul_fits_i64(long x, long y)\n{\n"
    "\tconst long product = (long)((ulong)x * (ulong)y);\n"
    "\tconst ulong high = sspur_multiply_high((ulong)x, (ulong)y) - (x < 0 ? (ulong)y : 0) - (y < 0 ? (ulong)x : 0);\n"
    "\treturn (long)high == product >> 63;\n}\n";
static const char add_fits_u64[] = "$Fbool sspur_add_fits_u64(ulong x, ulong y)\n{\n\treturn x + y >= x;\n}\n";
static const char sub_fits_u64[] = "$Fbool sspur_sub_fits_u64(ulong x, ulong y)\n{\n\treturn x >= y;\n}\n";
static const char mul_fits_u64_opencl[] =
    "$Fbool sspur_mul_fits_u64(ulong x, ulong y)\n{\n\treturn mul_hi(x, y) == 0;\n}\n";
static const char mul_fits_u64_metal[] =
    "$Fbool sspur_mul_fits_u64(ulong x, ulong y)\n{\n\treturn sspur_multiply_high(x, y) == 0;\n}\n";

static const char divisor_signed[] = "$F$T sspur_divisor_$t($T x, $T y)\n{\n"
                                     "\treturn y == 0 || (x == $L && y == -1) ? ($T)1 : y;\n}\n";
static const char divisor_unsigned[] = "$F$T sspur_divisor_$t($T x, $T y)\n{\n\treturn y == 0 ? ($T)1 : y;\n}\n";

/* Counts are unsigned, and no device defines a shift by the width or more. */
static const char shl[] = "$F$T sspur_shl_$t($T x, $T count)\n{\n"
                          "\treturn ($U)count <= $W ? ($T)(($V)x << (uint)(count & $W)) : ($T)0;\n}\n";
static const char shr_signed[] = "$F$T sspur_shr_$t($T x, $T count)\n{\n"
                                 "\treturn ($T)(x >> (($U)count <= $W ? (uint)count : $Wu));\n}\n";
static const char shr_unsigned[] = "$F$T sspur_shr_$t($T x, $T count)\n{\n"
                                   "\treturn count <= $W ? ($T)(x >> (uint)(count & $W)) : ($T)0;\n}\n";

static const char exact_sum_opencl[] =
    "/* Sums of whole numbers from 0 to 2^24 are the same in any order. */\n"
    "$Fbool sspur_exact_sum(float added, float before, float after)\n{\n"
    "\treturn added >= 0 && fabs(added) < 16777216 && floor(added) == added && fabs(before) < 16777216 &&\n"
    "\t       floor(before) == before && fabs(after) < 16777216;\n}\n";
static const char exact_sum_metal[] =
    "/* Sums of whole numbers from 0 to 2^24 are the same in any order. */\n"
    "$Fbool sspur_exact_sum(float added, float before, float after)\n{\n"
    "\treturn added >= 0 && added < 16777216 && metal::precise::floor(added) == added && before > -16777216 &&\n"
    "\t       before < 16777216 && metal::precise::floor(before) == before && after > -16777216 && after < 16777216;\n"
    "}\n";

static const char atomic_add_opencl[] =
    "/* One rounding, subnormals kept; the value before. */\n"
    "$F$T sspur_atomic_add_$t_$s(volatile $S $U *at, $T x)\n{\n"
    "\tuint before = *at;\n"
    "\twhile (true) {\n"
    "\t\tconst uint seen = atomic_cmpxchg(at, before, as_uint(as_float(before) + x));\n"
    "\t\tif (seen == before)\n\t\t\treturn as_float(before);\n"
    "\t\tbefore = seen;\n\t}\n}\n";
static const char atomic_add_metal[] =
    "/* One rounding; the value before. */\n"
    "$Ffloat sspur_atomic_add_$t_$s($S metal::atomic_uint *at, float x)\n{\n"
    "\tuint before = metal::atomic_load_explicit(at, metal::memory_order_relaxed);\n"
    "\twhile (!metal::atomic_compare_exchange_weak_explicit(at, &before,\n"
    "\t                                                     metal::as_type<uint>(metal::as_type<float>(before) + x),\n"
    "\t                                                     metal::memory_order_relaxed, "
    "metal::memory_order_relaxed))\n"
    "\t\t;\n"
    "\treturn metal::as_type<float>(before);\n}\n";
static const char atomic_cas_metal[] =
    "/* The exchange that Metal has may fail for no reason. */\n"
    "$F$T sspur_atomic_cas_$t_$s($S metal::atomic_$T *at, $T expected, $T desired)\n{\n"
    "\t$T seen = expected;\n"
    "\twhile (seen == expected &&\n"
    "\t       !metal::atomic_compare_exchange_weak_explicit(at, &seen, desired, metal::memory_order_relaxed,\n"
    "\t                                                     metal::memory_order_relaxed))\n"
    "\t\t;\n"
    "\treturn seen;\n}\n";

static const char fence_device_opencl[] =
    "$Fvoid sspur_fence_device(void)\n{\n"
    "#ifdef __NV_CL_C_VERSION /* its mem_fence is the workgroup's */\n"
    "\tasm volatile(\"membar.gl;\" ::: \"memory\");\n"
    "#else\n\tmem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n#endif\n}\n";
static const char fence_workgroup_opencl[] =
    "$Fvoid sspur_fence_workgroup(void)\n{\n\tmem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);\n}\n";
#define METAL_FENCE(scope, thread_scope)                                                                               \
	"#if __METAL_VERSION__ < 320\n#error \"these kernels order memory by fences: they need Metal 3.2\"\n#endif\n"  \
	"$Fvoid sspur_fence_" scope "()\n{\n"                                                                          \
	"\tmetal::atomic_thread_fence(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup,\n"             \
	"\t                           metal::memory_order_seq_cst, metal::" thread_scope ");\n}\n"
static const char fence_device_metal[] = METAL_FENCE("device", "thread_scope_device");
static const char fence_workgroup_metal[] = METAL_FENCE("workgroup", "thread_scope_threadgroup");

/* ---- Which ---- */

static const char *by_width(const struct ir_type *t, const char *narrow, const char *i64, const char *u64)
{
	return ir_type_bits(t) < 64 ? narrow : ir_type_is_signed(t) ? i64 : u64;
}

static const char *text_of(const struct source_dialect *dialect, enum source_helper helper, const struct ir_type *t)
{
	bool metal = dialect == &source_metal, s = ir_type_is_signed(t);
	switch (helper) {
	case SOURCE_HELPER_KINDS: return kinds;
	case SOURCE_HELPER_CHECK: return check;
	case SOURCE_HELPER_CHECK_VALUE: return check_value;
	case SOURCE_HELPER_REPORT: return metal ? report_metal : report_opencl;
	case SOURCE_HELPER_MULTIPLY_HIGH: return multiply_high_metal;
	case SOURCE_HELPER_ADD_FITS: return by_width(t, add_fits_narrow, add_fits_i64, add_fits_u64);
	case SOURCE_HELPER_SUB_FITS: return by_width(t, sub_fits_narrow, sub_fits_i64, sub_fits_u64);
	case SOURCE_HELPER_MUL_FITS:
		return by_width(t, s ? mul_fits_narrow_signed : mul_fits_narrow_unsigned,
		                metal ? mul_fits_i64_metal : mul_fits_i64_opencl,
		                metal ? mul_fits_u64_metal : mul_fits_u64_opencl);
	case SOURCE_HELPER_DIVISOR: return s ? divisor_signed : divisor_unsigned;
	case SOURCE_HELPER_SHL: return shl;
	case SOURCE_HELPER_SHR: return s ? shr_signed : shr_unsigned;
	case SOURCE_HELPER_EXACT_SUM: return metal ? exact_sum_metal : exact_sum_opencl;
	case SOURCE_HELPER_ATOMIC_ADD: return metal ? atomic_add_metal : atomic_add_opencl;
	case SOURCE_HELPER_ATOMIC_CAS: return atomic_cas_metal;
	case SOURCE_HELPER_FENCE_DEVICE: return metal ? fence_device_metal : fence_device_opencl;
	case SOURCE_HELPER_FENCE_WORKGROUP: return metal ? fence_workgroup_metal : fence_workgroup_opencl;
	case SOURCE_HELPER_COUNT: break;
	}
	assert(!"a helper");
	return "";
}

static const char *const names[SOURCE_HELPER_COUNT] = {
    [SOURCE_HELPER_CHECK] = "sspur_check",
    [SOURCE_HELPER_CHECK_VALUE] = "sspur_check_value",
    [SOURCE_HELPER_REPORT] = "sspur_report",
    [SOURCE_HELPER_MULTIPLY_HIGH] = "sspur_multiply_high",
    [SOURCE_HELPER_ADD_FITS] = "sspur_add_fits_$t",
    [SOURCE_HELPER_SUB_FITS] = "sspur_sub_fits_$t",
    [SOURCE_HELPER_MUL_FITS] = "sspur_mul_fits_$t",
    [SOURCE_HELPER_DIVISOR] = "sspur_divisor_$t",
    [SOURCE_HELPER_SHL] = "sspur_shl_$t",
    [SOURCE_HELPER_SHR] = "sspur_shr_$t",
    [SOURCE_HELPER_EXACT_SUM] = "sspur_exact_sum",
    [SOURCE_HELPER_ATOMIC_ADD] = "sspur_atomic_add_$t_$s",
    [SOURCE_HELPER_ATOMIC_CAS] = "sspur_atomic_cas_$t_$s",
    [SOURCE_HELPER_FENCE_DEVICE] = "sspur_fence_device",
    [SOURCE_HELPER_FENCE_WORKGROUP] = "sspur_fence_workgroup",
};

/* ---- Printing ---- */

struct place_holders {
	const struct source_dialect *dialect;
	const struct ir_type *type;
	enum source_space space;
	bool files;
};

static void fill(const struct place_holders *h, const char *text, struct text *out);

/* `$C(TYPE, x)`; what follows it. */
static const char *fill_cast(const struct place_holders *h, const char *at, struct text *out)
{
	const char *comma = strchr(at, ','), *end = strchr(comma, ')');
	struct text part = {0}, type = {0};
	text_add_n(&part, at + 1, (size_t)(comma - at - 1));
	fill(h, text_string(&part), &type);
	source_cast_bits(h->dialect, text_string(&type), out);
	text_add_char(out, '(');
	text_add_n(out, comma + 2, (size_t)(end - comma - 2));
	text_add_char(out, ')');
	text_free(&part);
	text_free(&type);
	return end + 1;
}

static void fill_one(const struct place_holders *h, char what, struct text *out)
{
	static const char *const spaces[] = {"global", "local"};
	const struct ir_type *t = h->type;
	bool wide = ir_type_bits(t) == 64;
	switch (what) {
	case 'F': text_add(out, h->dialect->function); return;
	case 'T': text_add(out, source_type_name(t)); return;
	case 'U': text_add(out, source_unsigned_name(t)); return;
	case 'V': text_add(out, wide ? "ulong" : "uint"); return;
	case 't': text_add(out, ir_type_kind_name(t->kind)); return;
	case 'W': text_add_format(out, "%u", ir_type_bits(t) - 1); return;
	case 'L': source_literal(h->dialect, t, UINT64_C(-1) << (ir_type_bits(t) - 1), out); return;
	case 'I': text_add(out, wide ? "0x7ff0000000000000ul" : "0x7f800000u"); return;
	case 'H': text_add(out, wide ? "0x8000000000000000ul" : "0x80000000u"); return;
	case 'S': text_add(out, h->dialect->spaces[h->space]); return;
	case 'f': text_add(out, !h->files ? "1u" : "(uint)bad >> 22"); return;
	case 'l': text_add(out, !h->files ? "(uint)bad >> 4" : "(uint)bad >> 4 & 0x3ffffu"); return;
	case 's': text_add(out, spaces[h->space]); return;
	}
	assert(!"a place holder");
}

static void fill(const struct place_holders *h, const char *text, struct text *out)
{
	while (*text) {
		if (*text != '$') {
			text_add_char(out, *text++);
		} else if (text[1] == 'C') {
			text = fill_cast(h, text + 2, out);
		} else {
			fill_one(h, text[1], out);
			text += 2;
		}
	}
}

static void mark(struct source_helpers *h, enum source_helper helper, enum ir_type_kind type, enum source_space space)
{
	h->used[helper][type][space] = true;
}

void source_helper_use(struct source_helpers *h, const struct source_dialect *dialect, enum source_helper helper,
                       enum ir_type_kind type, enum source_space space, struct text *out)
{
	struct place_holders holders = {dialect, &ir_types[type], space, h->files};
	mark(h, helper, type, space);
	if (helper == SOURCE_HELPER_CHECK || helper == SOURCE_HELPER_CHECK_VALUE)
		mark(h, SOURCE_HELPER_KINDS, IR_TYPE_void, SOURCE_SPACE_GLOBAL);
	if (helper == SOURCE_HELPER_MUL_FITS && ir_type_bits(&ir_types[type]) == 64 && dialect == &source_metal)
		mark(h, SOURCE_HELPER_MULTIPLY_HIGH, IR_TYPE_void, SOURCE_SPACE_GLOBAL);
	fill(&holders, names[helper], out);
}

void source_helpers_print(const struct source_helpers *h, const struct source_dialect *dialect, struct text *out)
{
	for (int helper = 0; helper < SOURCE_HELPER_COUNT; helper++)
		for (int type = 0; type < IR_TYPE_array; type++)
			for (int space = 0; space < SOURCE_SPACE_COUNT; space++) {
				struct place_holders holders = {dialect, &ir_types[type], (enum source_space)space,
				                                h->files};
				if (!h->used[helper][type][space])
					continue;
				bool float64 = type == IR_TYPE_f64;
				text_add(out, float64 ? "\n" : "");
				text_add(out, float64 ? dialect->float64_if : "\n");
				fill(&holders, text_of(dialect, (enum source_helper)helper, &ir_types[type]), out);
				text_add(out, float64 ? "#endif\n" : "");
			}
}

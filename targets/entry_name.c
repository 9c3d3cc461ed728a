#include "targets/entry_name.h"

#include <string.h>

#include "targets/native_abi.h"
#include "utils/base/plain_locale.h"

/* PTX ISA 4.3: names of directives and instructions are reserved (ptxas 13 itself refuses `WARP_SZ` and `_` alone). */
static const char ptx_reserved[] =
    " abs activemask add addc align alloca and applypriority atom bar barrier bfe bfi bfind bmsk bra"
    " branchtargets brev brkpt brx call callprototype callseq clz clusterlaunchcontrol cnot const copysign"
    " cos cp createpolicy cvt cvta discard div dp2a dp4a elect entry ex2 exit extern fence file fma fns"
    " func getctarank global griddepcontrol isspacep istypep ld ldmatrix ldu lg2 loc local lop3 mad mad24"
    " madc mapa match max mbarrier membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or"
    " param pmevent popc prefetch prefetchu prmt rcp red redux reg rem ret rsqrt sad selp set setmaxnreg"
    " setp shared shf shfl shl shr sin slct sqrt sreg st stackrestore stacksave stmatrix sub subc suld suq"
    " sured surf sust szext tanh target tcgen05 tensormap testp tex tld4 trap txq version vabsdiff vadd"
    " visible vmad vmax vmin vote vset vshl vshr vsub weak wgmma wmma xor WARP_SZ _ ";

/* OpenCL 1.2: `main` is no kernel's name (6.9); the rest are functions of the C library, which drivers know by name. */
static const char spirv_reserved[] =
    " main memcpy memset memmove printf floor floorf ceil ceilf round roundf sqrt sqrtf fabs fabsf trunc"
    " truncf fmod fmodf abort malloc free exit ";

/* OpenCL C 1.2 to 3.0: keywords, types, functions and macros, and words of C++, which some compilers keep. */
static const char opencl_reserved[] =
    " HUGE_VAL HUGE_VALF INFINITY MAXFLOAT NAN NULL abort abs abs_diff acos acosh acospi add_sat alignas"
    " alignof all and any asin asinh asinpi asm assert atan atan2 atan2pi atanh atanpi atomic_double"
    " atomic_flag atomic_float atomic_int atomic_long atomic_uint atomic_ulong auto barrier bit_reverse"
    " bitand bitor bitselect bool break capture_event_profiling_info case catch cbrt ceil ceilf char"
    " cl_mem_fence_flags clamp class clk_event_t clk_profiling_info clz compl complex const constant"
    " constexpr continue copysign cos cosh cospi create_user_event cross ctz decltype default degrees"
    " delete distance do dot double else enqueue_kernel enqueue_marker enum erf erfc event_t exit exp"
    " exp10 exp2 explicit expm1 extern fabs fabsf false fast_distance fast_length fast_normalize fdim"
    " float floor floorf fma fmax fmin fmod fmodf for fract free frexp friend generic global goto hadd"
    " half hypot i386 if ilogb image1d_array_t image1d_buffer_t image1d_t image2d_array_depth_t"
    " image2d_array_msaa_depth_t image2d_array_msaa_t image2d_array_t image2d_depth_t image2d_msaa_depth_t"
    " image2d_msaa_t image2d_t image3d_t imaginary inline int intptr_t is_valid_event is_valid_reserve_id"
    " isequal isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal"
    " isnotequal isordered isunordered kernel kernel_enqueue_flags_t ldexp length lgamma lgamma_r linux"
    " local log log10 log1p log2 logb long mad mad24 mad_hi mad_sat main malloc max maxmag mem_fence"
    " mem_fence_flags memcpy memmove memory_order memory_order_acq_rel memory_order_acquire"
    " memory_order_relaxed memory_order_release memory_order_seq_cst memory_scope memory_scope_all_devices"
    " memory_scope_all_svm_devices memory_scope_device memory_scope_sub_group memory_scope_work_group"
    " memory_scope_work_item memset min minmag mix modf mul24 mul_hi mutable namespace nan ndrange_1D"
    " ndrange_2D ndrange_3D ndrange_t new nextafter normalize not nullptr operator or pipe popcount pow"
    " pown powr prefetch printf private protected ptrdiff_t public quad queue_t radians read_mem_fence"
    " read_only read_write register release_event remainder remquo reserve_id_t reserve_read_pipe"
    " reserve_write_pipe restrict retain_event return rhadd rint rootn rotate round roundf rsqrt sampler_t"
    " select set_user_event_status short shuffle shuffle2 sign signbit signed sin sincos sinh sinpi size_t"
    " sizeof smoothstep sqrt sqrtf static static_assert step struct sub_sat switch tan tanh tanpi template"
    " tgamma this thread_local throw to_global to_local to_private true trunc truncf try typedef typename"
    " typeof uchar uint uintptr_t ulong uniform union unix unsigned upsample ushort using vec_step virtual"
    " void volatile wait_group_events wchar_t while write_mem_fence write_only xor ";

/* Metal Shading Language: keywords of C++ and its own, types and macros; its functions stand in a namespace. */
static const char metal_reserved[] =
    " HUGE_VAL HUGE_VALF INFINITY MAXFLOAT NAN NULL abs access address air alignas alignof and and_eq"
    " array array_ref as_type asm assert atomic atomic_bool atomic_float atomic_int atomic_uint"
    " atomic_ulong auto bfloat bitand bitor bool break case catch ceil char char16_t char32_t class"
    " command_buffer compare_func compl component compute_command concept const const_cast constant"
    " constexpr continue control_point coord decltype default delete depth2d depthcube device do double"
    " dynamic_cast else enum explicit export extern fabs false fast filter final float floor for fragment"
    " friend goto half if imageblock import inline int int16_t int32_t int64_t int8_t intersection"
    " intersection_function kernel linux long main matrix max mem_flags memcpy memmove memory_order"
    " memory_order_acq_rel memory_order_acquire memory_order_relaxed memory_order_release"
    " memory_order_seq_cst memset mesh metal min module mutable namespace new noexcept not not_eq nullptr"
    " object object_data operator or or_eq override packed_vec patch_control_point precise printf private"
    " protected ptrdiff_t public ray_data register reinterpret_cast render_command requires restrict"
    " return round sampler short signed simd size_t sizeof sqrt static static_assert static_cast"
    " stitchable struct switch template texture1d texture2d texture3d texture_buffer texturecube this"
    " thread thread_local thread_scope threadgroup threadgroup_imageblock throw tile true try typedef"
    " typeid typename typeof uchar uint uint16_t uint32_t uint64_t uint8_t ulong union unix unsigned"
    " ushort using vec vertex virtual visible void volatile wchar_t while xor xor_eq ";

/* Cone's native objects: keywords of C and C++, and functions that an object calls. */
static const char twin_reserved[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const"
    " consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double"
    " dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable"
    " namespace new noexcept not not_eq nullptr operator or or_eq private protected public register"
    " reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch"
    " template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void"
    " volatile wchar_t while xor xor_eq size_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t"
    " main abort dprintf memcpy memset floor floorf ceil ceilf round roundf trunc truncf sqrt sqrtf fmod fmodf"
    " cone_Invocation cone_Check cone_barrier cone_failed cone_setBarrierHook cone_clearBarrierHook ";

/* Families of names that OpenCL C and Metal have or may get. */
static const char *const source_prefixes[] = {
    "__",
    "_Z",
    "sspur_",
    "as_",
    "convert_",
    "vload",
    "vstore",
    "atomic_",
    "atom_",
    "get_image_",
    "get_global_",
    "get_local_",
    "get_group_",
    "get_num_",
    "get_work_",
    "get_pipe_",
    "get_kernel_",
    "get_sub_group",
    "get_enqueued_",
    "get_max_sub_",
    "get_default_queue",
    "get_fence",
    "read_image",
    "write_image",
    "read_pipe",
    "write_pipe",
    "async_work_",
    "work_group_",
    "sub_group_",
    "native_",
    "half_",
    "cl_",
    "CL_",
    "CLK_",
    "intel_",
    "amd_",
    "arm_",
    "M_",
    "FLT_",
    "DBL_",
    "HALF_",
    "CHAR_",
    "SCHAR_",
    "UCHAR_",
    "SHRT_",
    "USHRT_",
    "INT_",
    "UINT_",
    "LONG_",
    "ULONG_",
    "FP_",
    "dot_4x8packed",
    "dot_acc_sat",
    "simdgroup_",
    "METAL_",
};

static bool begins_with(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* `float4`, `uint3`, `half2x4`. */
static bool is_vector_type(const char *name)
{
	static const char *const types[] = {"char",  "uchar", "short",  "ushort", "int",  "uint",  "long",
	                                    "ulong", "float", "double", "half",   "bool", "bfloat"};
	for (size_t n = 0; n < sizeof types / sizeof *types; n++)
		if (begins_with(name, types[n])) {
			const char *rest = name + strlen(types[n]);
			if (*rest && strspn(rest, "0123456789x") == strlen(rest))
				return true;
		}
	return false;
}

static bool source_reserved(const char *name)
{
	for (size_t n = 0; n < sizeof source_prefixes / sizeof *source_prefixes; n++)
		if (begins_with(name, source_prefixes[n]))
			return true;
	return (name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z') || is_vector_type(name);
}

/* A list has a space before and after each word. */
static bool in_list(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = list; n && (at = strstr(at, name)); at++)
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

bool entry_name_reserved(const char *target, const char *name)
{
	if (strcmp(target, "opencl") == 0)
		return in_list(opencl_reserved, name) || source_reserved(name);
	if (strcmp(target, "metal") == 0)
		return in_list(metal_reserved, name) || source_reserved(name);
	if (strcmp(target, "ptx") == 0)
		return in_list(ptx_reserved, name);
	if (strcmp(target, "twin") == 0)
		return in_list(twin_reserved, name) || (name[0] == '_' && (name[1] == '_' || plain_is_upper(name[1])));
	/* Mangled names and the translator's own are functions that it replaces. */
	if (strcmp(target, "spirv") == 0 || strcmp(target, "bitcode") == 0)
		return in_list(spirv_reserved, name) || strncmp(name, "_Z", 2) == 0 || strncmp(name, "__", 2) == 0;
	return false;
}

static bool is_native(const char *target)
{
	return strcmp(target, "native") == 0 || strcmp(target, "llvm") == 0;
}

/* By how it begins, so that nothing behind it makes it free. */
static bool reserved_family(const char *target, const char *name)
{
	bool source = strcmp(target, "opencl") == 0 || strcmp(target, "metal") == 0;
	return source ? source_reserved(name) && !is_vector_type(name)
	              : name[0] == '_' && entry_name_reserved(target, name);
}

/* The text form allows any name; identifiers of PTX and names that LLVM gives no meaning to are letters, digits and
 * `_`. */
static bool add_spelled(const char *name, struct text *out)
{
	bool same = true;
	for (; *name; name++) {
		char c = *name;
		bool plain = c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		text_add_char(out, plain ? c : '_');
		same = same && plain;
	}
	return same;
}

static bool begins_like_name(const char *name)
{
	return *name && !(*name >= '0' && *name <= '9');
}

/* What cannot be used because of how it begins, as it is or with the `_` behind it that would make it another name. */
static bool needs_prefix(const char *target, const char *name, const struct text *spelled, bool same)
{
	if (!begins_like_name(name) || reserved_family(target, text_string(spelled)))
		return true;
	struct text longer = {0};
	text_add_format(&longer, "%s_", text_string(spelled));
	bool reserved = !same && reserved_family(target, text_string(&longer));
	text_free(&longer);
	return reserved;
}

bool entry_name(const char *target, const struct ir_kernel *k, struct text *out)
{
	size_t start = out->length;
	struct text spelled = {0};
	bool same = add_spelled(k->name, &spelled) && !entry_name_reserved(target, k->name);
	bool prefixed = needs_prefix(target, k->name, &spelled, same);
	if (prefixed)
		text_add(out, k->name[0] == '_' || !begins_like_name(k->name) ? "kernel" : "kernel_");
	text_add(out, text_string(&spelled));
	text_free(&spelled);
	same = same && !prefixed;
	if (!same)
		do
			text_add_char(out, '_');
		while (ir_module_find(k->module, text_string(out) + start) ||
		       entry_name_reserved(target, text_string(out) + start));
	if (!is_native(target))
		return !same;
	text_add(out, NATIVE_SEQUENTIAL_SUFFIX);
	return true;
}

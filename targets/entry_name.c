#include "targets/entry_name.h"

#include <string.h>

#include "targets/native_abi.h"

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

/* A list has a space before and after each word. */
static bool in_list(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = list; n && (at = strstr(at, name)); at++)
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

static bool reserved(const char *target, const char *name)
{
	if (strcmp(target, "ptx") == 0)
		return in_list(ptx_reserved, name);
	/* Mangled names and the translator's own are functions that it replaces. */
	if (strcmp(target, "spirv") == 0)
		return in_list(spirv_reserved, name) || strncmp(name, "_Z", 2) == 0 || strncmp(name, "__", 2) == 0;
	return false;
}

static bool is_native(const char *target)
{
	return strcmp(target, "native") == 0 || strcmp(target, "llvm") == 0;
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

bool entry_name(const char *target, const struct ir_kernel *k, struct text *out)
{
	size_t start = out->length;
	/* What cannot be used because of how it begins. */
	bool digit = k->name[0] >= '0' && k->name[0] <= '9';
	bool prefixed = !k->name[0] || digit || (k->name[0] == '_' && reserved(target, k->name));
	if (prefixed)
		text_add(out, "kernel");
	bool same = add_spelled(k->name, out) && !prefixed;
	if (!same || reserved(target, k->name)) {
		same = false;
		do
			text_add_char(out, '_');
		while (ir_module_find(k->module, text_string(out) + start) ||
		       reserved(target, text_string(out) + start));
	}
	if (!is_native(target))
		return !same;
	text_add(out, NATIVE_SEQUENTIAL_SUFFIX);
	return true;
}

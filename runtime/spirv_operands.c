/* Operations are those of the SPIR-V specification, section 3.52: all that targets/vulkan writes, and what optimizers
 * make of it. */
#include "runtime/spirv_operands.h"

#include <spirv/unified1/spirv.h>
#include <stddef.h>
#include <string.h>

/* Memory operands that are a mask and literals alone (section 3.26); others have ids. */
enum { PLAIN_MEMORY = SpvMemoryAccessVolatileMask | SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask };

/* Of operations all of whose words are ids: ranges of section 3.52, which has them by kind. */
static bool is_of_ids(SpvOp op)
{
	static const struct {
		SpvOp first, last;
	} ranges[] = {
	    {SpvOpConvertFToU, SpvOpUConvert},
	    {SpvOpSConvert, SpvOpFConvert},
	    {SpvOpBitcast, SpvOpBitcast},
	    {SpvOpSNegate, SpvOpSMulExtended},
	    {SpvOpAny, SpvOpFUnordGreaterThanEqual},
	    {SpvOpShiftRightLogical, SpvOpBitCount},
	    {SpvOpControlBarrier, SpvOpMemoryBarrier},
	    {SpvOpAtomicLoad, SpvOpAtomicXor},
	    {SpvOpTypeStruct, SpvOpTypeStruct},
	    {SpvOpTypeFunction, SpvOpTypeFunction},
	    {SpvOpTypeArray, SpvOpTypeRuntimeArray},
	    {SpvOpTypeVoid, SpvOpTypeBool},
	    {SpvOpConstantTrue, SpvOpConstantFalse},
	    {SpvOpConstantComposite, SpvOpConstantComposite},
	    {SpvOpConstantNull, SpvOpConstantNull},
	    {SpvOpSpecConstantTrue, SpvOpSpecConstantFalse},
	    {SpvOpSpecConstantComposite, SpvOpSpecConstantComposite},
	    {SpvOpFunctionParameter, SpvOpFunctionCall},
	    {SpvOpAccessChain, SpvOpInBoundsAccessChain},
	    {SpvOpCompositeConstruct, SpvOpCompositeConstruct},
	    {SpvOpCopyObject, SpvOpCopyObject},
	    {SpvOpUndef, SpvOpUndef},
	    {SpvOpPhi, SpvOpPhi},
	    {SpvOpLabel, SpvOpBranch},
	    {SpvOpKill, SpvOpUnreachable},
	};
	for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
		if (op >= ranges[i].first && op <= ranges[i].last)
			return true;
	return false;
}

/* The words of an operation, a letter each, of which the last goes for all that follow: `i` an id, `l` a literal, `s` a
 * string, `m` memory operands, `p` literals of one word and ids by turns. NULL: not known. */
static const char *words_of(SpvOp op)
{
	switch ((int)op) {
	case SpvOpNop:
	case SpvOpCapability:
	case SpvOpExtension:
	case SpvOpMemoryModel:
	case SpvOpSourceExtension:
	case SpvOpSourceContinued:
	case SpvOpModuleProcessed:
	case SpvOpNoLine: return "l";
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
	case SpvOpExtInstImport:
	case SpvOpString:
	case SpvOpName:
	case SpvOpMemberName:
	case SpvOpDecorate:
	case SpvOpMemberDecorate:
	case SpvOpExecutionMode:
	case SpvOpSelectionMerge:
	case SpvOpLine: return "il";
	case SpvOpSource: return "llil";
	case SpvOpEntryPoint: return "lisi";
	case SpvOpTypeVector:
	case SpvOpConstant:
	case SpvOpSpecConstant:
	case SpvOpLoopMerge: return "iil";
	case SpvOpDecorateId:
	case SpvOpExecutionModeId:
	case SpvOpTypePointer: return "ili";
	case SpvOpVariable:
	case SpvOpFunction: return "iili";
	case SpvOpExtInst: return "iiili";
	case SpvOpCompositeExtract:
	case SpvOpArrayLength:
	case SpvOpBranchConditional: return "iiil";
	case SpvOpCompositeInsert:
	case SpvOpVectorShuffle: return "iiiil";
	case SpvOpLoad: return "iiim";
	case SpvOpStore: return "iim";
	case SpvOpSwitch: return "iip";
	default: return is_of_ids(op) ? "i" : NULL;
	}
}

/* Words from `at` on that a string fills. */
static uint32_t string_words(const uint32_t *i, uint32_t length, uint32_t at)
{
	uint32_t first = at;
	while (at < length && !memchr(i + at, 0, 4))
		at++;
	return at - first + (at < length);
}

static bool is_plain(const uint32_t *i, uint32_t length, const char *words)
{
	const char *memory = words ? strchr(words, 'm') : NULL;
	uint32_t at = memory ? (uint32_t)(memory - words) + 1 : length;
	return words && (at >= length || !(i[at] & ~(uint32_t)PLAIN_MEMORY));
}

bool spirv_ids(const uint32_t *i, uint32_t length, void (*see)(void *context, uint32_t at), void *context)
{
	const char *words = words_of((SpvOp)(*i & SpvOpCodeMask));
	bool known = is_plain(i, length, words), turn = false;
	if (!known)
		words = "i";
	for (uint32_t at = 1; at < length; at++) {
		if (*words == 's') {
			at += string_words(i, length, at) - 1;
		} else if (*words == 'i' || (*words == 'p' && turn)) {
			see(context, at);
		}
		turn = *words == 'p' && !turn;
		if (words[1])
			words++;
	}
	return known;
}

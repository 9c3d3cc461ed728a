#include "targets/nvptx/ptx_rotations.h"

#include <string.h>

/* A rotation, as LLVM writes it, with its own registers in braces; l and r are exchanged in one to the right:
 *     .reg .u32 %amt2;
 *     shl.b64 %lhs, X, COUNT;
 *     sub.u32 %amt2, 64, COUNT;
 *     shr.b64 %rhs, X, %amt2; */
static const char amount[] = ".reg .u32 %amt2;\n";

static const char *line_end(const char *line)
{
	const char *end = strchr(line, '\n');
	return end ? end + 1 : line + strlen(line);
}

/* The last operand of a line that ends in `;`; NULL: it has no operands. */
static const char *last_operand(const char *line, const char *end, size_t *length)
{
	const char *at = end;
	while (at > line && at[-1] != ' ')
		at--;
	while (end > at && (end[-1] == '\n' || end[-1] == ';'))
		end--;
	*length = (size_t)(end - at);
	return at > line && end > at ? at : NULL;
}

void ptx_mask_rotations(const char *ptx, struct text *out)
{
	for (const char *found; (found = strstr(ptx, amount));) {
		const char *shift = found + strlen(amount), *end = line_end(shift);
		text_add_n(out, ptx, (size_t)(shift - ptx));
		ptx = shift;
		size_t length;
		const char *count = last_operand(shift, end, &length);
		if (!strstr(shift, ".b64") || strstr(shift, ".b64") >= end || !count)
			continue; /* it is masked */
		text_add_format(out, "\tand.b32 \t%%amt2, %.*s, 63;\n%.*s%%amt2;\n\tsub.u32 \t%%amt2, 64, %%amt2;\n",
		                (int)length, count, (int)(count - shift), shift);
		ptx = line_end(end);
	}
	text_add(out, ptx);
}

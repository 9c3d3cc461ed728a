#include "targets/kir/kir_target.h"

#include "ir/ir_text.h"

bool kir_emit(const struct ir_module *module, const struct target_options *options, struct text *out,
              struct text *error)
{
	(void)options;
	(void)error;
	ir_print(out, module);
	return true;
}

#include "ir/ir_variant.h"

void ir_variant_name(const struct ir_kernel *k, enum kernel_variant variant, struct text *out)
{
	text_add(out, k->name);
	switch (variant) {
	case KERNEL_CHECKED: return;
	case KERNEL_PROVED: text_add(out, KERNEL_PROVED_SUFFIX); return;
	case KERNEL_NARROW: text_add(out, KERNEL_NARROW_SUFFIX); return;
	}
}

static bool is_no_float_sum(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->op != IR_OP_atomic_add || !ir_type_is_float(i->type);
}

static bool is_no_wide_bitcast(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->op != IR_OP_bitcast || ir_type_bits(i->type) < 64;
}

/* Return of a thread that its group's barriers do not wait for. */
static bool is_no_early_return(void *context, struct ir_instruction *i)
{
	(void)context;
	return i->op != IR_OP_return || !i->parent;
}

bool ir_variant_exists(const struct ir_kernel *k, enum kernel_variant variant)
{
	if (variant == KERNEL_CHECKED)
		return true;
	if (!ir_visit(&k->body, is_no_float_sum, NULL))
		return false;
	switch (k->policy) {
	case IR_POLICY_STOP: break;
	case IR_POLICY_RECORD:
		if (variant == KERNEL_NARROW)
			return false;
		break;
	case IR_POLICY_PROVED: return false;
	}
	if (ir_is_grouped(k) && !ir_visit(&k->body, is_no_early_return, NULL))
		return false;
	if (variant == KERNEL_NARROW && !ir_visit(&k->body, is_no_wide_bitcast, NULL))
		return false;
	struct text name = {0};
	ir_variant_name(k, variant, &name);
	bool taken = ir_module_find(k->module, text_string(&name)) != NULL;
	text_free(&name);
	return !taken;
}

#include "ir/ir_analysis.h"

static bool takes_buffers_alone(const struct ir_kernel *k)
{
	bool alone = k->policy == IR_POLICY_RECORD && k->index == IR_TYPE_u32 && !k->pre_count;
	for (unsigned axis = 0; axis < 3; axis++)
		alone &= !k->grid[axis].region.first;
	for (uint32_t n = 0; n < k->parameter_count; n++)
		alone &= k->parameters[n].kind != IR_PARAMETER_SCALAR;
	return alone;
}

bool ir_takes_buffers_alone(const struct ir_module *m)
{
	bool alone = m->kernel_count > 0;
	for (uint32_t n = 0; n < m->kernel_count; n++)
		alone &= takes_buffers_alone(m->kernels[n]);
	return alone;
}

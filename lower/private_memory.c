#include "lower/private_memory.h"

bool private_memory_fits(const struct ir_kernel *k, struct text *error)
{
	uint64_t size = 0;
	for (uint32_t n = 0; n < k->memory_count; n++)
		if (k->memories[n]->kind == IR_MEMORY_PRIVATE)
			size += k->memories[n]->type->size;
	if (size > PRIVATE_MEMORY_LIMIT)
		text_add_format(error, "kernel %s: its private memory has %llu bytes, more than %d", k->name,
		                (unsigned long long)size, PRIVATE_MEMORY_LIMIT);
	return size <= PRIVATE_MEMORY_LIMIT;
}

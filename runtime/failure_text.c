#include "runtime/failure_text.h"

const char *failure_file(const struct ir_kernel *k, uint32_t file, const char *path)
{
	const struct ir_module *m = k->module;
	for (uint32_t i = 0; i < m->file_count; i++)
		if (m->files[i].id == file)
			return m->files[i].name;
	return k->file ? k->file : path;
}

struct kernel_trap failure_of_record(const struct ir_kernel *k, const uint32_t words[8])
{
	bool high = k->axes == 1;
	return (struct kernel_trap){
	    .kind = words[1],
	    .line = words[3],
	    .file = k->module->file_count ? words[2] : 0,
	    .thread = {words[4] | (high ? (uint64_t)words[5] << 32 : 0), high ? 0 : words[5], words[6]},
	    .value = words[7],
	    .limit = words[1] == TRAP_INDEX ? -1 : 0,
	};
}

void failure_to_record(const struct ir_kernel *k, const struct kernel_trap *trap, uint64_t failed, uint32_t words[8])
{
	words[0] = failed < UINT32_MAX ? (uint32_t)failed : UINT32_MAX;
	words[1] = trap->kind;
	words[2] = trap->file ? trap->file : 1;
	words[3] = trap->line;
	words[4] = (uint32_t)trap->thread[0];
	words[5] = (uint32_t)(k->axes == 1 ? trap->thread[0] >> 32 : trap->thread[1]);
	words[6] = (uint32_t)trap->thread[2];
	words[7] = (uint32_t)trap->value;
}

static void say_what(struct text *out, const struct kernel_trap *trap)
{
	long long value = trap->value;
	switch ((enum trap_kind)trap->kind) {
	case TRAP_INDEX:
		text_add_format(out, trap->limit >= 0 ? "index %lld past the end of %lld" : "index %lld out of bounds",
		                value, (long long)trap->limit);
		return;
	case TRAP_PANIC: text_add(out, "panic, or an assert that does not hold"); return;
	case TRAP_NONE:
	case TRAP_RANGE:
	case TRAP_ALLOCATION:
	case TRAP_OVERFLOW:
	case TRAP_DIVISION:
	case TRAP_CONVERSION:
	case TRAP_INEXACT: trap_text(out, trap); return;
	}
	trap_text(out, trap); /* a device's record may hold any number */
}

void failure_text(struct text *out, const struct ir_kernel *k, const struct kernel_trap *trap, uint32_t failed,
                  const char *path)
{
	text_add_format(out, "%s:%u: ", failure_file(k, trap->file, path), trap->line);
	say_what(out, trap);
	text_add_format(out, ", invocation (%llu, %llu, %llu), %u failed", (unsigned long long)trap->thread[0],
	                (unsigned long long)trap->thread[1], (unsigned long long)trap->thread[2], failed);
}

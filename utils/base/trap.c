#include "utils/base/trap.h"

void trap_text(struct text *out, const struct kernel_trap *trap)
{
	switch ((enum trap_kind)trap->kind) {
	case TRAP_NONE: text_add(out, "no trap"); return;
	case TRAP_INDEX:
		text_add(out, "index ");
		text_add_int(out, trap->value);
		text_add(out, " out of bounds for list of length ");
		text_add_int(out, trap->limit);
		return;
	case TRAP_RANGE:
		text_add(out, "range end ");
		text_add_int(out, trap->value);
		text_add(out, " out of bounds");
		return;
	case TRAP_PANIC: text_add(out, "panic"); return;
	case TRAP_ALLOCATION: text_add(out, "out of memory"); return;
	case TRAP_OVERFLOW: text_add(out, "integer overflow"); return;
	case TRAP_DIVISION: text_add(out, "division by zero"); return;
	case TRAP_CONVERSION: text_add(out, "conversion out of range"); return;
	case TRAP_INEXACT: text_add(out, "cannot be exact on this device, run it again"); return;
	}
	/* A device's record may hold any number. */
	text_add_format(out, "trap of unknown kind %u", (unsigned)trap->kind);
}

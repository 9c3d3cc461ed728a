/* Traps of the host program (spec 3.5). */
#include <stdarg.h>

#include "frontend/ssp/host_internal.h"

bool trap_at(struct task *t, struct span at, const char *format, ...)
{
	const struct source *source = t->host->program->source;
	struct host_trap *trap = &t->trap;
	host_trap_free(trap);
	va_list args;
	va_start(args, format);
	text_add_format_v(&trap->text, format, args);
	va_end(args);
	trap->set = true;
	trap->file = source->recorded;
	trap->place = source_place(source, at.start);
	t->unwind = UNWIND_TRAP;
	return false;
}

bool trap_overflow(struct task *t, const struct node *n)
{
	return trap_raise(t, n, "integer overflow");
}

void host_trap_free(struct host_trap *trap)
{
	text_free(&trap->text);
	text_free(&trap->where);
	text_free(&trap->details);
	*trap = (struct host_trap){0};
}

void host_trap_move(struct host_trap *to, struct host_trap *from)
{
	host_trap_free(to);
	*to = *from;
	*from = (struct host_trap){0};
}

#include "runtime/barrier_wait.h"

static void add_id(struct text *out, const uint64_t id[3])
{
	text_add_format(out, "invocation (%llu, %llu, %llu)", (unsigned long long)id[0], (unsigned long long)id[1],
	                (unsigned long long)id[2]);
}

void barrier_wait_text(struct text *out, const char *file, const struct barrier_wait *wait)
{
	text_add_format(out, "%s:%u: ", file, wait->line);
	add_id(out, wait->waiting);
	text_add(out, " waits at a barrier that ");
	add_id(out, wait->left);
	text_add(out, " left without reaching");
}

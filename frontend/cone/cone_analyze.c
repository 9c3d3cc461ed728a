/* All passes on an open program. */
#include "frontend/cone/cone_emit.h"

const struct cone_machine cone_machine_twin = {.address_bits = 64, .one_memory = true, .chooses = true};

bool cone_analyze(struct cone_program *p, bool gpu)
{
	if (!cone_error_count(p))
		cone_check(p);
	if (gpu && p->checker)
		cone_check_gpu(p);
	bool sound = !cone_error_count(p);
	if (sound)
		cone_emit(p);
	if (sound && gpu)
		cone_emit_probe(p);
	return cone_error_count(p) == 0;
}

/* All passes on an open program. */
#include "frontend/cone/cone_ast.h"

bool cone_analyze(struct cone_program *p, bool gpu)
{
	if (!cone_error_count(p))
		cone_check(p);
	if (gpu && p->checker)
		cone_check_gpu(p);
	if (!cone_error_count(p))
		cone_emit(p);
	return cone_error_count(p) == 0;
}

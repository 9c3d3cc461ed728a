#include "runtime/cuda_driver.h"

#include "runtime/driver_library.h"
#include "utils/base/float_environment.h"

static const char library[] = "libcuda.so.1";

enum { OLDEST_DRIVER = 9000 }; /* CUDA 9.0, the first with PTX 6.0 */

static const struct driver_symbol symbols[] = {
#define F(name, symbol, arguments) {#symbol, offsetof(struct cuda_driver, name), false},
    CUDA_FUNCTIONS(F)
#undef F
        {0},
};

bool cuda_failed(const struct cuda_driver *cu, cuda_status status, const char *call, struct text *error)
{
	const char *name = NULL;
	if (!status)
		return false;
	if (!cu->cuGetErrorName(status, &name) && name)
		text_add_format(error, "%s: %s", call, name);
	else
		text_add_format(error, "%s: error %d", call, status);
	return true;
}

const struct cuda_driver *cuda_driver_open(struct text *error)
{
	FLOAT_ENVIRONMENT; /* which drivers that load here may change */
	static struct cuda_driver opened;
	static bool is_open;
	struct cuda_driver cu = {0};
	if (is_open)
		return driver_library_is_here(library, error) ? &opened : NULL;
	if (!driver_library_open(library, symbols, &cu, error) || cuda_failed(&cu, cu.cuInit(0), "cuInit", error) ||
	    cuda_failed(&cu, cu.cuDriverGetVersion(&cu.version), "cuDriverGetVersion", error))
		return NULL;
	if (cu.version < OLDEST_DRIVER) {
		text_add_format(error, "the driver is too old: it is for CUDA %d.%d, and 9.0 is needed",
		                cu.version / 1000, cu.version % 1000 / 10);
		return NULL;
	}
	opened = cu;
	is_open = true;
	return &opened;
}

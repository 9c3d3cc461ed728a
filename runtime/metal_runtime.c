#include "runtime/metal_runtime.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "runtime/driver_library.h"
#include "utils/base/float_environment.h"

enum { LONGEST_TEXT = 2000 }; /* a compiler may say more */

#define SYMBOL(name, optional)                                                                                         \
	{                                                                                                              \
#name, offsetof(struct metal_runtime, name), optional                                                  \
	}

static const struct driver_symbol objc_symbols[] = {
    SYMBOL(objc_getClass, false),
    SYMBOL(sel_registerName, false),
    SYMBOL(objc_autoreleasePoolPush, false),
    SYMBOL(objc_autoreleasePoolPop, false),
    SYMBOL(objc_msgSend, false),
    SYMBOL(objc_msgSend_stret, true),
    {0},
};
static const struct driver_symbol metal_symbols[] = {SYMBOL(MTLCopyAllDevices, false), {0}};
static const struct driver_symbol dispatch_symbols[] = {SYMBOL(dispatch_data_create, false), {0}};

static bool open_library(const char *file, const struct driver_symbol *symbols, struct metal_runtime *m,
                         struct text *error)
{
	if (dlopen(file, RTLD_NOW | RTLD_LOCAL))
		return driver_library_open(file, symbols, m, error);
	text_add_format(error, "no Metal: %s", dlerror());
	return false;
}

/* NULL: the system's. */
static const char *other_library(void)
{
	const char *other = getenv("SSPUR_METAL_RUNTIME");
	return other && *other ? other : NULL;
}

static const char *objc_library(void)
{
	const char *other = other_library();
	return other ? other : "/usr/lib/libobjc.A.dylib";
}

/* Metal brings Foundation, which has NSString. */
static bool open_libraries(struct metal_runtime *m, struct text *error)
{
	const char *other = other_library();
	return open_library(objc_library(), objc_symbols, m, error) &&
	       open_library(other ? other : "/System/Library/Frameworks/Metal.framework/Metal", metal_symbols, m,
	                    error) &&
	       open_library(other ? other : "/usr/lib/libSystem.B.dylib", dispatch_symbols, m, error);
}

const struct metal_runtime *metal_runtime_open(struct text *error)
{
	FLOAT_ENVIRONMENT; /* which drivers that load here may change */
	static struct metal_runtime opened;
	static bool is_open;
	struct metal_runtime m = {0};
	if (!is_open && open_libraries(&m, error)) {
#define M(result, name, selector, arguments)                                                                           \
	*(void **)&m.send.name = *(void **)&m.objc_msgSend;                                                            \
	m.selectors.name = m.sel_registerName(selector);
		METAL_MESSAGES(M)
#undef M
		opened = m;
		is_open = true;
	}
	return is_open && driver_library_is_here(objc_library(), error) ? &opened : NULL;
}

void *metal_pool(const struct metal_runtime *m)
{
	return m->objc_autoreleasePoolPush();
}

void metal_pool_end(const struct metal_runtime *m, void *pool)
{
	m->objc_autoreleasePoolPop(pool);
}

void metal_release(const struct metal_runtime *m, struct metal_object *object)
{
	if (object)
		METAL_SEND(m, object, release);
}

struct metal_size metal_group_limits(const struct metal_runtime *m, struct metal_object *device)
{
	struct metal_size (*send)(METAL_SELF);
	*(void **)&send = m->objc_msgSend_stret ? *(void **)&m->objc_msgSend_stret : *(void **)&m->objc_msgSend;
	return send(device, m->sel_registerName("maxThreadsPerThreadgroup"));
}

void metal_text(const struct metal_runtime *m, struct metal_object *string, struct text *out)
{
	const char *characters = string ? METAL_SEND(m, string, characters) : NULL;
	for (int i = 0; characters && characters[i] && i < LONGEST_TEXT; i++)
		text_add_char(out, characters[i] == '\n' ? ' ' : characters[i]);
}

void metal_error(const struct metal_runtime *m, const char *call, struct metal_object *error, struct text *out)
{
	struct text what = {0};
	if (error)
		metal_text(m, METAL_SEND(m, error, description), &what);
	text_add_format(out, "%s: %s", call, what.length ? text_string(&what) : "it failed");
	text_free(&what);
}

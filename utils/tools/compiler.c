/* Opening the compiler module, and artifacts through the object cache. */
#define _GNU_SOURCE
#include "utils/tools/compiler.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/artifact_reflection.h"
#include "utils/base/file.h"
#include "utils/base/float_environment.h"
#include "utils/tools/object_cache.h"
#include "utils/tools/spirv_optimizer.h"

#define MODULE_NAME "libsspur_compiler.so"

static struct compiler opened;
static char *open_error; /* why opening failed, kept for the next caller */
static bool is_open;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

char *compiler_path(void)
{
	static const char *const places[] = {MODULE_NAME, "../lib/sspur/" MODULE_NAME};
	char *folder = path_of_executable_folder();
	char *found = NULL;
	for (size_t i = 0; folder && !found && i < sizeof places / sizeof *places; i++) {
		char *path = path_join(folder, places[i]);
		if (file_exists(path))
			found = path;
		else
			free(path);
	}
	free(folder);
	return found;
}

static bool open_module(struct text *error)
{
	char *path = compiler_path();
	if (!path) {
		text_add(error, "the compiler module " MODULE_NAME " is not beside the sspur executable");
		return false;
	}
	FLOAT_ENVIRONMENT; /* which a library may change as it loads */
	/* Its symbols stay its own: another LLVM may be in the process through a GPU driver. */
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!module)
		text_add_format(error, "the compiler module does not load: %s", dlerror());
	free(path);
	if (!module)
		return false;
	*(void **)&opened.emit = dlsym(module, "sspur_compiler_emit");
	*(void **)&opened.describe = dlsym(module, "sspur_compiler_describe");
	*(void **)&opened.version = dlsym(module, "sspur_compiler_version");
	*(void **)&opened.spirv_to_bitcode = dlsym(module, "sspur_compiler_spirv_to_bitcode");
	if (opened.emit && opened.describe && opened.version && opened.spirv_to_bitcode)
		return true;
	text_add(error, "the compiler module " MODULE_NAME " is of another version than sspur");
	return false;
}

const struct compiler *compiler_open(struct text *error)
{
	pthread_mutex_lock(&open_lock);
	if (!is_open && !open_error) {
		struct text why = {0};
		is_open = open_module(&why);
		if (!is_open)
			open_error = text_take(&why);
		text_free(&why);
	}
	pthread_mutex_unlock(&open_lock);
	if (!is_open)
		text_add(error, open_error);
	return is_open ? &opened : NULL;
}

static bool is_off(const char *variable)
{
	const char *given = getenv(variable);
	return given && strcmp(given, "0") == 0;
}

/* SSPUR_OPTIMIZE=0: LLVM's passes are left out, to compare with. */
static bool is_unoptimized(void)
{
	return is_off("SSPUR_OPTIMIZE");
}

/* SSPUR_PROOFS=0: the queue proves no launch (runtime/queue_proof.c), so what it would run is not compiled. */
static bool is_checked_only(void)
{
	return is_off("SSPUR_PROOFS");
}

static bool compile(const struct ir_module *module, enum artifact_kind kind, uint32_t hazards, struct text *bytes,
                    struct text *error)
{
	const struct compiler *compiler = compiler_open(error);
	struct target_options options = {.optimize = is_unoptimized() ? 0 : 2,
	                                 .status = true,
	                                 .hazards = hazards,
	                                 .checked_only = is_checked_only(),
	                                 .ordered_only = kind == ARTIFACT_NATIVE_ORDERED};
	if (!compiler)
		return false;
	return compiler->emit(artifact_kind_target(kind), module, &options, bytes, error) &&
	       (kind != ARTIFACT_VULKAN || !spirv_optimizer_asked() || spirv_optimizer_run(bytes, error));
}

static bool get_compiled(void *context, const struct ir_module *module, enum artifact_kind kind, uint32_t hazards,
                         struct text *bytes, struct text *error)
{
	(void)context;
	return compile(module, kind, hazards, bytes, error);
}

/* Which code of a module it is, for the cache. */
static void add_form(enum artifact_kind kind, uint32_t hazards, struct text *out)
{
	text_add(out, artifact_kind_target(kind));
	if (hazards)
		text_add_format(out, " %u", (unsigned)hazards);
	if (is_unoptimized())
		text_add(out, " unoptimized");
	if (kind == ARTIFACT_NATIVE_ORDERED)
		text_add(out, " ordered");
	else if (is_checked_only())
		text_add(out, " checked");
	if (spirv_optimizer_asked())
		text_add(out, " spirv-opt");
}

static bool get_cached(void *context, const struct ir_module *module, enum artifact_kind kind, uint32_t hazards,
                       struct text *bytes, struct text *error)
{
	(void)context;
	struct text form = {0}, key = {0};
	add_form(kind, hazards, &form);
	bool have_key = object_cache_key(module, text_string(&form), &key);
	text_free(&form);
	bool good = have_key && object_cache_read(&key, bytes);
	if (!good) {
		good = compile(module, kind, hazards, bytes, error);
		if (good && have_key)
			object_cache_write(&key, bytes);
	}
	text_free(&key);
	return good;
}

struct artifact_provider artifact_provider_make(bool use_cache)
{
	return (struct artifact_provider){.get = use_cache ? get_cached : get_compiled};
}

/* As targets make them: from a copy of the module that has gone through the passes of the thread mode. */
#include "targets/artifact_variants.h"

#include <stdlib.h>
#include <string.h>

#include "ir/hazard.h"
#include "lower/pipeline.h"
#include "targets/entry_name.h"
#include "targets/source/source_dialect.h"

enum { MAX_FILES = 16 };

struct artifact_variants {
	const struct artifact_file *files;
	struct ir_module *modules[MAX_FILES]; /* by file; NULL: not for a device */
};

/* Hazards of the devices that the artifact is for; false: it is for none. */
static bool hazards_of(const char *target, uint32_t *hazards)
{
	const struct {
		const char *name;
		uint32_t hazards;
	} rows[] = {
	    {"ptx", 0},
	    {"spirv", 0},
	    {"bitcode", 0},
	    {"vulkan", IR_HAZARDS_OF_VULKAN},
	    {source_opencl.target, source_opencl.hazards},
	    {source_metal.target, source_metal.hazards},
	};
	for (size_t n = 0; n < sizeof rows / sizeof *rows; n++)
		if (strcmp(rows[n].name, target) == 0) {
			*hazards = rows[n].hazards;
			return true;
		}
	return false;
}

struct artifact_variants *artifact_variants_find(const struct ir_module *m, const struct artifact_file *files)
{
	struct artifact_variants *v = memory_zeroed(1, sizeof *v);
	struct text error = {0};
	uint32_t hazards;
	v->files = files;
	for (unsigned n = 0; files[n].target && n < MAX_FILES; n++)
		if (hazards_of(files[n].target, &hazards))
			v->modules[n] = pipeline_thread(m, hazards, true, &error);
	text_free(&error);
	return v;
}

void artifact_variants_free(struct artifact_variants *v)
{
	for (unsigned n = 0; n < MAX_FILES; n++)
		ir_module_free(v->modules[n]);
	free(v);
}

bool artifact_variant_name(const struct artifact_variants *v, unsigned file, const struct ir_kernel *k,
                           enum kernel_variant variant, struct text *out)
{
	if (file >= MAX_FILES || !v->modules[file] || !ir_variant_exists(k, variant))
		return false;
	struct text name = {0};
	ir_variant_name(k, variant, &name);
	const struct ir_kernel *found = ir_module_find(v->modules[file], text_string(&name));
	text_free(&name);
	if (found)
		entry_name(v->files[file].target, found, out);
	return found != NULL;
}

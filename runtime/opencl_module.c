#include "runtime/opencl_module.h"

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"
#include "runtime/launch_values.h"
#include "utils/base/arena.h"

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);
	for (; *words; words += strcspn(words, " "), words += strspn(words, " "))
		if (strcspn(words, " ") == length && strncmp(words, word, length) == 0)
			return true;
	return false;
}

bool opencl_target_make(struct opencl_target *t, const struct opencl_driver *cl, struct text *error)
{
	char *il = opencl_device_text(cl, t->device, OPENCL_DEVICE_IL_VERSION);
	char *extensions = opencl_device_text(cl, t->device, OPENCL_DEVICE_EXTENSIONS);
	uint64_t precision = opencl_device_number(cl, t->device, OPENCL_SINGLE_FP_CONFIG);
	t->takes_spirv = cl->clCreateProgramWithIL && strstr(il, "SPIR-V_1.");
	t->takes_bitcode = has_word(extensions, "cl_khr_spir");
	t->exact_f32 = precision & OPENCL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
	free(il);
	free(extensions);
	if (!t->takes_spirv && !t->takes_bitcode)
		text_add(error, "it takes neither SPIR-V (CL_DEVICE_IL_VERSION) nor its LLVM bitcode (cl_khr_spir)");
	return t->takes_spirv || t->takes_bitcode;
}

static bool create_program(struct opencl_module *m, const struct opencl_driver *cl, const struct opencl_target *t,
                           const struct text *bytes, struct text *error)
{
	const unsigned char *binary = (const unsigned char *)bytes->data;
	opencl_status status;
	const char *call = t->takes_spirv ? "clCreateProgramWithIL" : "clCreateProgramWithBinary";
	struct opencl_program *program =
	    t->takes_spirv
	        ? cl->clCreateProgramWithIL(t->context, bytes->data, bytes->length, &status)
	        : cl->clCreateProgramWithBinary(t->context, 1, &t->device, &bytes->length, &binary, NULL, &status);
	if (opencl_failed(status, call, error))
		return false;
	m->program = program;
	return true;
}

/* What the driver's compiler said, on one line. */
static void add_log(const struct opencl_module *m, const struct opencl_driver *cl, const struct opencl_target *t,
                    struct text *error)
{
	char log[2000] = "";
	cl->clGetProgramBuildInfo(m->program, t->device, OPENCL_BUILD_LOG, sizeof log - 1, log, NULL);
	if (*log)
		text_add(error, ": ");
	for (const char *c = log; *c; c++)
		text_add_char(error, *c == '\n' ? ' ' : *c);
}

static bool build_program(struct opencl_module *m, const struct opencl_driver *cl, const struct opencl_target *t,
                          struct text *error)
{
	struct text options = {0};
	if (!t->takes_spirv)
		text_add(&options, "-x spir -spir-std=1.2 ");
	if (t->exact_f32)
		text_add(&options, "-cl-fp32-correctly-rounded-divide-sqrt");
	opencl_status status = cl->clBuildProgram(m->program, 1, &t->device, text_string(&options), NULL, NULL);
	text_free(&options);
	if (!opencl_failed(status, "clBuildProgram", error))
		return true;
	add_log(m, cl, t, error);
	return false;
}

/* PoCL makes files of this name, with something added, and ends the process when it cannot. */
enum { LONGEST_NAME = 128 };

/* The code may lack variants, not kernels. */
static bool create_kernels(struct opencl_module *m, const struct opencl_driver *cl, struct text *error)
{
	struct text name = {0};
	bool good = true;
	for (uint32_t i = 0; good && i < m->source->kernel_count * KERNEL_VARIANTS; i++) {
		enum kernel_variant variant = i % KERNEL_VARIANTS;
		text_clear(&name);
		if (!launch_entry_name("spirv", m->source->kernels[i / KERNEL_VARIANTS], variant, &name) ||
		    name.length > LONGEST_NAME)
			continue;
		opencl_status status = 0;
		struct opencl_kernel *kernel = cl->clCreateKernel(m->program, text_string(&name), &status);
		if (!status)
			m->kernels[i] = kernel;
		good = variant != KERNEL_CHECKED || !opencl_failed(status, "clCreateKernel", error);
	}
	text_free(&name);
	return good;
}

bool opencl_module_load(struct opencl_module *m, const struct opencl_driver *cl, const struct opencl_target *t,
                        const struct ir_module *source, const struct artifact_provider *provider, struct text *error)
{
	struct text bytes = {0};
	*m = (struct opencl_module){
	    .source = source, .kernels = memory_zeroed(source->kernel_count + 1, KERNEL_VARIANTS * sizeof *m->kernels)};
	bool good = provider->get(provider->context, source, t->takes_spirv ? ARTIFACT_SPIRV : ARTIFACT_SPIR_BITCODE, 0,
	                          &bytes, error) &&
	            create_program(m, cl, t, &bytes, error) && build_program(m, cl, t, error) &&
	            create_kernels(m, cl, error);
	text_free(&bytes);
	if (!good)
		opencl_module_free(m, cl);
	return good;
}

void opencl_module_free(struct opencl_module *m, const struct opencl_driver *cl)
{
	for (uint32_t i = 0; i < m->source->kernel_count * KERNEL_VARIANTS; i++)
		if (m->kernels[i])
			cl->clReleaseKernel(m->kernels[i]);
	if (m->program)
		cl->clReleaseProgram(m->program);
	free(m->kernels);
}

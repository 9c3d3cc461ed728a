#include "runtime/opencl_module.h"

#include <stdlib.h>
#include <string.h>

#include "ir/hazard.h"
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

static const struct {
	const char *name, *words;
	enum artifact_kind artifact;
	const char *target; /* whose entry points' names it has */
} forms[OPENCL_FORM_COUNT] = {
    {"il", "SPIR-V", ARTIFACT_SPIRV, "spirv"},
    {"bitcode", "SPIR bitcode", ARTIFACT_SPIR_BITCODE, "spirv"},
    {"source", "OpenCL C", ARTIFACT_OPENCL_C, "opencl"},
};

/* SSPUR_OPENCL_INEXACT is for utils/dev/check_oclgrind, which looks at what kernels access: oclgrind promises neither,
 * but corrections are of no use there. */
static uint32_t hazards_of(const struct opencl_target *t, uint64_t single, uint64_t twice)
{
	uint32_t hazards = 0;
	if (getenv("SSPUR_OPENCL_INEXACT"))
		return 0;
	if (!(single & OPENCL_FP_DENORM))
		hazards |= IR_HAZARD_FLUSH_F32;
	if (!t->exact_f32)
		hazards |= IR_HAZARD_DIVIDE_F32 | IR_HAZARD_ROOT_F32;
	if (twice && !(twice & OPENCL_FP_DENORM))
		hazards |= IR_HAZARD_FLUSH_F64;
	/* Double precision is correctly rounded wherever it is there (OpenCL 3.0 C, 7.4). */
	return hazards && !twice ? hazards | IR_HAZARD_NO_F64 : hazards;
}

/* Leaves the one form that SSPUR_OPENCL names. */
static bool choose_form(struct opencl_target *t, struct text *error)
{
	const char *asked = getenv("SSPUR_OPENCL");
	bool found = false;
	if (!asked || !*asked)
		return true;
	for (int i = 0; i < OPENCL_FORM_COUNT; i++) {
		t->takes[i] = t->takes[i] && strcmp(forms[i].name, asked) == 0;
		found = found || t->takes[i];
	}
	if (!found)
		text_add_format(error, "it does not take the form that SSPUR_OPENCL asks for: %s", asked);
	return found;
}

bool opencl_target_make(struct opencl_target *t, const struct opencl_driver *cl, struct text *error)
{
	char *il = opencl_device_text(cl, t->device, OPENCL_DEVICE_IL_VERSION);
	char *extensions = opencl_device_text(cl, t->device, OPENCL_DEVICE_EXTENSIONS);
	uint64_t single = opencl_device_number(cl, t->device, OPENCL_SINGLE_FP_CONFIG);
	uint64_t twice = opencl_device_number(cl, t->device, OPENCL_DOUBLE_FP_CONFIG);
	t->takes[OPENCL_FORM_IL] = cl->clCreateProgramWithIL && strstr(il, "SPIR-V_1.");
	t->takes[OPENCL_FORM_BITCODE] = has_word(extensions, "cl_khr_spir");
	t->takes[OPENCL_FORM_SOURCE] = true;
	t->exact_f32 = single & OPENCL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
	t->float64 = twice != 0;
	t->hazards = hazards_of(t, single, twice);
	free(il);
	free(extensions);
	return choose_form(t, error);
}

static enum opencl_form next_form(const struct opencl_target *t, int form)
{
	while (form < OPENCL_FORM_COUNT && !t->takes[form])
		form++;
	return (enum opencl_form)form;
}

void opencl_target_forms(const struct opencl_target *t, struct text *out)
{
	bool any = false;
	for (int form = next_form(t, 0); form < OPENCL_FORM_COUNT; form = next_form(t, form + 1)) {
		text_add(out, any ? " or " : "");
		text_add(out, forms[form].words);
		any = true;
	}
}

/* The first form that there is of the module. */
static bool get_code(struct opencl_module *m, const struct opencl_target *t, const struct artifact_provider *provider,
                     struct text *bytes, struct text *error)
{
	struct text why = {0};
	bool got = false;
	for (int form = next_form(t, 0); !got && form < OPENCL_FORM_COUNT; form = next_form(t, form + 1)) {
		text_clear(bytes);
		text_clear(&why);
		m->form = (enum opencl_form)form;
		got = provider->get(provider->context, m->source, forms[form].artifact, t->hazards, bytes, &why);
	}
	if (!got)
		text_add(error, text_string(&why));
	text_free(&why);
	return got;
}

static bool create_program(struct opencl_module *m, const struct opencl_driver *cl, const struct opencl_target *t,
                           const struct text *bytes, struct text *error)
{
	const unsigned char *binary = (const unsigned char *)bytes->data;
	const char *source = text_string(bytes), *call = "";
	opencl_status status = 0;
	switch (m->form) {
	case OPENCL_FORM_IL:
		call = "clCreateProgramWithIL";
		m->program = cl->clCreateProgramWithIL(t->context, bytes->data, bytes->length, &status);
		break;
	case OPENCL_FORM_BITCODE:
		call = "clCreateProgramWithBinary";
		m->program =
		    cl->clCreateProgramWithBinary(t->context, 1, &t->device, &bytes->length, &binary, NULL, &status);
		break;
	case OPENCL_FORM_SOURCE:
		call = "clCreateProgramWithSource";
		m->program = cl->clCreateProgramWithSource(t->context, 1, &source, &bytes->length, &status);
		break;
	case OPENCL_FORM_COUNT: break;
	}
	if (!opencl_failed(status, call, error))
		return true;
	m->program = NULL;
	return false;
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

/* SSPUR_OPTIMIZE=0: without the driver's passes either. */
static bool is_unoptimized(void)
{
	const char *given = getenv("SSPUR_OPTIMIZE");
	return given && strcmp(given, "0") == 0;
}

static bool build_program(struct opencl_module *m, const struct opencl_driver *cl, const struct opencl_target *t,
                          struct text *error)
{
	struct text options = {0};
	if (m->form == OPENCL_FORM_BITCODE)
		text_add(&options, "-x spir -spir-std=1.2 ");
	if (m->form == OPENCL_FORM_SOURCE) /* PoCL tells of warnings on standard error */
		text_add(&options, "-w ");
	if (t->exact_f32)
		text_add(&options, "-cl-fp32-correctly-rounded-divide-sqrt ");
	if (is_unoptimized())
		text_add(&options, "-cl-opt-disable");
	opencl_status status = cl->clBuildProgram(m->program, 1, &t->device, text_string(&options), NULL, NULL);
	text_free(&options);
	if (!opencl_failed(status, "clBuildProgram", error))
		return true;
	add_log(m, cl, t, error);
	return false;
}

/* PoCL makes files of this name, with something added, and ends the process when it cannot. */
enum { LONGEST_NAME = 128 };

/* The code may lack variants, kernels with F64 where the device has none, and such as its target does not take. */
static bool create_kernels(struct opencl_module *m, const struct opencl_driver *cl, const struct opencl_target *t,
                           struct text *error)
{
	struct text name = {0};
	bool good = true, any = false, lacks = false;
	for (uint32_t i = 0; good && i < m->source->kernel_count * KERNEL_VARIANTS; i++) {
		enum kernel_variant variant = i % KERNEL_VARIANTS;
		text_clear(&name);
		if (!launch_entry_name(forms[m->form].target, m->source->kernels[i / KERNEL_VARIANTS], variant,
		                       &name) ||
		    name.length > LONGEST_NAME)
			continue;
		opencl_status status = 0;
		struct opencl_kernel *kernel = cl->clCreateKernel(m->program, text_string(&name), &status);
		if (!status)
			m->kernels[i] = kernel;
		any |= !status;
		bool is_missing = status == OPENCL_INVALID_KERNEL_NAME;
		lacks |= is_missing && variant == KERNEL_CHECKED && t->float64;
		good = is_missing || variant != KERNEL_CHECKED || !opencl_failed(status, "clCreateKernel", error);
	}
	if (good && lacks && !any) /* it is of another module */
		good = !opencl_failed(OPENCL_INVALID_KERNEL_NAME, "clCreateKernel", error);
	text_free(&name);
	return good;
}

bool opencl_module_load(struct opencl_module *m, const struct opencl_driver *cl, const struct opencl_target *t,
                        const struct ir_module *source, const struct artifact_provider *provider, struct text *error)
{
	struct text bytes = {0};
	*m = (struct opencl_module){
	    .source = source, .kernels = memory_zeroed(source->kernel_count + 1, KERNEL_VARIANTS * sizeof *m->kernels)};
	bool good = get_code(m, t, provider, &bytes, error) && create_program(m, cl, t, &bytes, error) &&
	            build_program(m, cl, t, error) && create_kernels(m, cl, t, error);
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

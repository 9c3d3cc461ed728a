/* The table of targets, and the reading of --target and --triple. */
#include "utils/tools/build_targets.h"

#include <string.h>

#include "utils/base/spelling.h"
#include "utils/base/text.h"
#include "utils/tools/input.h"

/* In the order of `sspur build --help`. */
static const struct build_target target_rows[] = {
    {"native", ".o", false},   {"ptx", ".ptx", false},     {"spirv", ".spv", false},   {"bitcode", ".bc", false},
    {"vulkan", ".spv", false}, {"opencl", ".cl", false},   {"metal", ".metal", false}, {"llvm", ".ll", true},
    {"kir", ".kir", true},     {"bundle", ".sspk", false},
};

enum { TARGET_COUNT = sizeof target_rows / sizeof *target_rows };

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* By its name, by the ending of its file, or as other tools name it; NULL: there is none. */
static const struct build_target *target_named(const char *name, size_t length)
{
	static const char *const others[][2] = {{"msl", "metal"}, {"ir", "kir"}};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (is_word(name, length, others[i][0]))
			return target_named(others[i][1], strlen(others[i][1]));
	for (size_t i = 0; i < TARGET_COUNT; i++)
		if (is_word(name, length, target_rows[i].name))
			return &target_rows[i];
	for (size_t i = 0; i < TARGET_COUNT; i++)
		if (is_word(name, length, target_rows[i].extension + 1))
			return &target_rows[i];
	return NULL;
}

static enum status unknown_target(const char *name, size_t length)
{
	static const char *const parts[][2] = {
	    {"air", "`metal` writes NAME.air and NAME.metallib where there is a Metal compiler"},
	    {"metallib", "`metal` writes NAME.air and NAME.metallib where there is a Metal compiler"},
	    {"c", "`opencl` is OpenCL C, `native` code of the processor"},
	    {"cuda", "`ptx` is what CUDA loads"},
	};
	const char *names[TARGET_COUNT];
	struct text hint = {0};
	for (size_t i = 0; i < TARGET_COUNT; i++)
		names[i] = target_rows[i].name;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (is_word(name, length, parts[i][0]))
			text_add_format(&hint, "%s; ", parts[i][1]);
	if (!hint.length)
		spelling_suggest(&hint, name, length, names, TARGET_COUNT);
	text_add(&hint, "targets are");
	for (size_t i = 0; i < TARGET_COUNT; i++)
		text_add_format(&hint, " %s", names[i]);
	enum status status = command_error_hint(text_string(&hint), "unknown target `%.*s`", (int)length, name);
	text_free(&hint);
	return status;
}

enum status build_targets_read(struct build_targets *targets, const char *list)
{
	while (list) {
		const char *comma = strchr(list, ',');
		size_t length = comma ? (size_t)(comma - list) : strlen(list);
		const struct build_target *row = target_named(list, length);
		bool repeated = false;
		if (!row)
			return unknown_target(list, length);
		for (size_t n = 0; n < targets->count; n++)
			repeated |= targets->rows[n] == row;
		if (!repeated)
			targets->rows[targets->count++] = row;
		list = comma ? comma + 1 : NULL;
	}
	return STATUS_OK;
}

/* Other compilers' names for forms of SPIR-V. */
enum status build_targets_read_triple(struct build_targets *targets, const char *triple)
{
	static const struct {
		const char *triple, *target, *spirv;
	} known[] = {
	    {"spirv1.3-unknown-vulkan1.1", "vulkan", "spirv1.3"}, {"spirv1.4-unknown-vulkan1.2", "vulkan", "spirv1.4"},
	    {"spirv1.5-unknown-vulkan1.2", "vulkan", "spirv1.5"}, {"spirv1.6-unknown-vulkan1.3", "vulkan", "spirv1.6"},
	    {"spirv64-unknown-unknown", "spirv", NULL},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(triple, known[i].triple) == 0) {
			targets->spirv = known[i].spirv;
			return build_targets_read(targets, known[i].target);
		}
	struct text hint = {0};
	text_add(&hint, "triples are"); /* too like one another to guess */
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		text_add_format(&hint, " %s", known[i].triple);
	text_add(&hint, "; other targets are named by --target");
	enum status status = command_error_hint(text_string(&hint), "unknown triple `%s`", triple);
	text_free(&hint);
	return status;
}

bool build_targets_have(const struct build_targets *targets, const char *name)
{
	for (size_t i = 0; i < targets->count; i++)
		if (strcmp(targets->rows[i]->name, name) == 0)
			return true;
	return false;
}

const char *build_targets_extension(const struct build_targets *targets, size_t i)
{
	bool is_second = strcmp(targets->rows[i]->name, "vulkan") == 0 && build_targets_have(targets, "spirv");
	return is_second ? ".vulkan.spv" : targets->rows[i]->extension;
}

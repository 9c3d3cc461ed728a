#include "utils/tools/spirv_optimizer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utils/base/file.h"
#include "utils/tools/child_process.h"

bool spirv_optimizer_asked(void)
{
	const char *given = getenv("SSPUR_SPIRV_OPT");
	return given && strcmp(given, "1") == 0;
}

static bool optimize(const char *from, const char *to, struct text *error)
{
	struct child_process c = {.log = "/dev/null"};
	struct text why = {0};
	child_process_add(&c, "spirv-opt");
	child_process_add(&c, "-O");
	child_process_add(&c, from);
	child_process_add(&c, "-o");
	child_process_add(&c, to);
	int status = child_process_run(&c, &why, NULL);
	if (status > 0)
		text_add_format(&why, "it ended with status %d", status);
	if (status)
		text_add_format(error, "spirv-opt failed: %s", text_string(&why));
	text_free(&why);
	return status == 0;
}

enum { SPIRV_HEADER = 5, SPIRV_VARIABLE = 59, SPIRV_STORAGE_BUFFER = 12 };

static unsigned buffers_of(const struct text *module)
{
	const uint32_t *words = (const uint32_t *)(const void *)module->data;
	size_t count = module->length / sizeof *words;
	unsigned buffers = 0;
	for (size_t at = SPIRV_HEADER; at + 3 < count && words[at] >> 16; at += words[at] >> 16)
		buffers += (words[at] & 0xffff) == SPIRV_VARIABLE && words[at + 3] == SPIRV_STORAGE_BUFFER;
	return buffers;
}

/* NVIDIA's driver (580) divides by zero, and ends the process, over some modules that are found to do nothing but tell
 * of failures, if that. */
static bool is_gutted(const struct text *made, const struct text *module)
{
	unsigned buffers = buffers_of(made);
	return buffers < 2 && buffers < buffers_of(module);
}

bool spirv_optimizer_run(struct text *module, struct text *error)
{
	char *folder = child_process_folder(error);
	if (!folder)
		return false;
	char *from = path_join(folder, "from.spv"), *to = path_join(folder, "to.spv");
	struct text made = {0};
	bool good = file_write(from, text_string(module), module->length, error) && optimize(from, to, error) &&
	            file_read(to, &made, error);
	if (good && !is_gutted(&made, module)) {
		text_clear(module);
		text_add_n(module, made.data, made.length);
	}
	text_free(&made);
	unlink(from);
	unlink(to);
	rmdir(folder);
	free(from);
	free(to);
	free(folder);
	return good;
}

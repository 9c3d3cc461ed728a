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

bool spirv_optimizer_run(struct text *module, struct text *error)
{
	char *folder = child_process_folder(error);
	if (!folder)
		return false;
	char *from = path_join(folder, "from.spv"), *to = path_join(folder, "to.spv");
	struct text made = {0};
	bool good = file_write(from, text_string(module), module->length, error) && optimize(from, to, error) &&
	            file_read(to, &made, error);
	if (good) {
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

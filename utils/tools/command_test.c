/* `sspur test`: of files, and of packages. */
#include "utils/base/file.h"
#include "utils/tools/command.h"
#include "utils/tools/input.h"
#include "utils/tools/package.h"

/* Those of running something: nothing of a package runs. */
static bool asks_to_run(const struct options *o)
{
	return o->device || o->no_cache || o->check_races || o->allow_races || o->profile;
}

enum status command_test(const struct options *o)
{
	int packages = 0;
	for (int i = 0; i < o->file_count; i++)
		packages += package_is_named(o->files[i]);
	if (!packages) {
		if (o->output || o->targets || o->triple || o->package_count || o->path_maps.count)
			return command_error_hint("`sspur build` makes files",
			                          "test: -o, --target, --triple and --package are for packages");
		return command_test_files(o);
	}
	bool is_alone =
	    o->file_count == 1 || (o->file_count == 2 && package_is_named(o->files[0]) && !file_exists(o->files[1]));
	if (!is_alone)
		return command_error_hint("`sspur test DIR`, or `sspur test DIR NAME`",
		                          "test: a package is tested alone");
	if (asks_to_run(o))
		return command_error("test: %s is a package: nothing of it is run", o->files[0]);
	return package_test(o);
}

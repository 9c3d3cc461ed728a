/* Modules cut down to one entry point.
 * usage: test-spirv MODULE ENTRY OUT: writes the module of that entry point alone
 *        test-spirv MODULE PREFIX COUNT: cuts out PREFIX0, PREFIX1, ... one after another, and measures */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/spirv_entry.h"
#include "utils/base/file.h"

static double seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static struct spirv_index *index_of(const struct text *code, const char *entry)
{
	struct spirv_index *index = spirv_is_whole(code) ? spirv_index_new(code) : NULL;
	if (index && spirv_has_entry(index, entry) && !spirv_has_entry(index, "no such entry point"))
		return index;
	printf("it has no %s\n", entry);
	exit(1);
}

static int cut_one(const struct text *code, const char *entry, const char *path)
{
	struct text out = {0}, error = {0};
	struct spirv_index *index = index_of(code, entry);
	spirv_entry_alone(index, entry, &out);
	bool good = spirv_is_whole(&out) && file_write(path, out.data, out.length, &error);
	spirv_index_free(index);
	text_free(&out);
	text_free(&error);
	return good ? 0 : 1;
}

/* The time is compared with that of going through the module once: of processor time, so that load does not matter. */
static int cut_all(const struct text *code, const char *prefix, int count)
{
	struct text out = {0}, name = {0};
	double start = seconds();
	text_add_format(&name, "%s0", prefix);
	struct spirv_index *index = index_of(code, text_string(&name));
	double once = seconds() - start + 0.001;
	start = seconds();
	for (int n = 0; n < count; n++) {
		text_clear(&name);
		text_add_format(&name, "%s%d", prefix, n);
		spirv_entry_alone(index, text_string(&name), &out);
	}
	double all = seconds() - start;
	printf("%d cuts: %s in size, %s in time\n", count, out.length < 3 * code->length ? "linear" : "not linear",
	       all < 100 * once ? "linear" : "not linear");
	spirv_index_free(index);
	text_free(&out);
	text_free(&name);
	return 0;
}

int main(int count, char **arguments)
{
	struct text code = {0}, error = {0};
	if (count != 4 || !file_read(arguments[1], &code, &error)) {
		fprintf(stderr, "usage: test-spirv MODULE ENTRY OUT | MODULE PREFIX COUNT\n");
		return 2;
	}
	int kernels = atoi(arguments[3]);
	int status = kernels ? cut_all(&code, arguments[2], kernels) : cut_one(&code, arguments[2], arguments[3]);
	text_free(&code);
	text_free(&error);
	return status;
}

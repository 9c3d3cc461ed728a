#include "utils/tools/device_auto.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/device.h"
#include "runtime/device_probe.h"
#include "utils/base/file.h"
#include "utils/tools/object_cache.h"

enum { SECONDS_KEPT = 24 * 60 * 60, NVIDIA_FILES = 16 };

/* ---- What the choice depends on ---- */

static void add_file(struct text *facts, const char *path)
{
	struct stat s;
	if (stat(path, &s) == 0)
		text_add_format(facts, "%s %lld %lld.%09ld\n", path, (long long)s.st_size, (long long)s.st_mtim.tv_sec,
		                s.st_mtim.tv_nsec);
}

/* A device file: there, and open to this user. Its time is that of its last use. */
static void add_device_file(struct text *facts, const char *path)
{
	if (access(path, R_OK | W_OK) == 0)
		text_add_format(facts, "%s\n", path);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* In the order of their names, so that the same folder gives the same facts. */
static void add_folder(struct text *facts, const char *folder, void (*add)(struct text *facts, const char *path))
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, compare_names);
	for (int i = 0; i < count; i++) {
		char *path = path_join(folder, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			add(facts, path);
		free(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Without one of these files there is no GPU. */
static void add_device_files(struct text *facts)
{
	static const char *const files[] = {"/dev/nvidiactl", "/dev/dxg", "/dev/kfd", "/dev/mali0", "/dev/kgsl-3d0"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		add_device_file(facts, files[i]);
	for (int i = 0; i < NVIDIA_FILES; i++) {
		char path[32];
		snprintf(path, sizeof path, "/dev/nvidia%d", i);
		add_device_file(facts, path);
	}
	add_folder(facts, "/dev/dri", add_device_file);
	add_file(facts, "/System/Library/Frameworks/Metal.framework"); /* every Mac's */
	if (getenv("SSPUR_METAL_RUNTIME"))
		add_file(facts, getenv("SSPUR_METAL_RUNTIME"));
}

/* ld.so.cache changes with every library that is installed. */
static void add_driver_files(struct text *facts)
{
	static const char *const variables[] = {"LD_LIBRARY_PATH",        "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER",
	                                        "NVIDIA_VISIBLE_DEVICES", "OCL_ICD_VENDORS",      "OCL_ICD_FILENAMES",
	                                        "OPENCL_VENDOR_PATH",     "VK_DRIVER_FILES",      "VK_ICD_FILENAMES",
	                                        "VK_ADD_DRIVER_FILES",    "SSPUR_METAL_RUNTIME"};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i]);
		if (value)
			text_add_format(facts, "%s=%s\n", variables[i], value);
	}
	add_file(facts, "/etc/ld.so.cache");
	add_folder(facts, "/etc/OpenCL/vendors", add_file);
	add_folder(facts, "/etc/vulkan/icd.d", add_file);
	add_folder(facts, "/usr/share/vulkan/icd.d", add_file);
}

/* ---- What is remembered: `TIME NAME` under the facts ---- */

static bool recall(const struct text *facts, struct text *name)
{
	struct text bytes = {0};
	long long now = time(NULL), then;
	char found[32];
	bool good = object_cache_read(facts, &bytes) && sscanf(text_string(&bytes), "%lld %31s", &then, found) == 2 &&
	            then <= now && now - then < SECONDS_KEPT && device_find(found);
	if (good)
		text_add(name, found);
	text_free(&bytes);
	return good;
}

static void remember(const struct text *facts, const char *name)
{
	struct text bytes = {0};
	text_add_format(&bytes, "%lld %s", (long long)time(NULL), name);
	object_cache_write(facts, &bytes);
	text_free(&bytes);
}

void device_auto(bool again, struct text *name)
{
	struct text facts = {0};
	text_add_format(&facts, "sspur %s\ndevice auto\n", SSPUR_VERSION);
	size_t start = facts.length;
	add_device_files(&facts);
	if (facts.length == start) {
		text_add(name, device_of_processor());
	} else {
		add_driver_files(&facts);
		if (again || !recall(&facts, name)) {
			device_probe(name);
			remember(&facts, text_string(name));
		}
	}
	text_free(&facts);
}

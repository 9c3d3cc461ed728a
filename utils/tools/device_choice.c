/* Names to devices. */
#include "utils/tools/device_choice.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/device_probe.h"
#include "utils/base/spelling.h"
#include "utils/tools/device_auto.h"

static bool open_device(struct device *d, struct text *error)
{
	return !d->functions->open || d->functions->open(d, error);
}

/* A GPU that was remembered may be gone, and the processor is always there. */
static struct device *choose_auto(struct text *error)
{
	struct text name = {0};
	struct device *d = NULL;
	for (int again = 0; !d && again < 2; again++) {
		text_clear(&name);
		text_clear(error);
		device_auto(again, &name);
		d = device_find(text_string(&name));
		if (!open_device(d, error))
			d = NULL;
	}
	text_free(&name);
	return d;
}

bool device_is_name(const char *word)
{
	bool found = strcmp(word, "auto") == 0;
	for (size_t i = 0; !found && device_names[i]; i++)
		found = strcmp(word, device_names[i]) == 0;
	return found;
}

/* One line, and a hint where a device has nearly that name. */
static void say_unknown(const char *name, const char *from, struct text *error)
{
	const char *names[16] = {"auto"};
	size_t count = 1;
	struct text hint = {0};
	text_add_format(error, "%s: there is no device `%s` in this build; there are: auto", from, name);
	for (size_t i = 0; device_names[i]; i++) {
		text_add_format(error, " %s", device_names[i]);
		names[count++] = device_names[i];
	}
	if (spelling_suggest(&hint, name, strcspn(name, ":"), names, count))
		text_add_format(error, "\nhint: %.*s", (int)hint.length - 1, text_string(&hint));
	text_free(&hint);
}

static struct device *choose_named(const char *name, const char *from, bool has_kernels, struct text *error)
{
	struct device *d = device_find(name);
	if (!d) {
		say_unknown(name, from, error);
		return NULL;
	}
	if (!has_kernels)
		return device_find("interp");
	struct text why = {0};
	bool open = open_device(d, &why);
	if (!open)
		text_add_format(error, "%s: the device %s is not usable: %s", from, name, text_string(&why));
	text_free(&why);
	return open ? d : NULL;
}

bool device_is_twin(const char *name)
{
	if (!name)
		name = getenv("SSPUR_DEVICE");
	struct device *d = name && *name && strcmp(name, "auto") != 0 ? device_find(name) : NULL;
	const char *last = name ? strrchr(name, ':') : NULL; /* of fault:SEED:twin */
	return d && (strcmp(d->name, "twin") == 0 || (last && strcmp(last, ":twin") == 0));
}

struct device *device_choose(const char *name, bool has_kernels, struct text *error)
{
	const char *from = name ? "--device" : "SSPUR_DEVICE", *gpu = getenv("SSPUR_GPU");
	if (!name)
		name = getenv("SSPUR_DEVICE");
	if (name && *name && strcmp(name, "auto") != 0)
		return choose_named(name, from, has_kernels, error);
	if ((!name || !*name) && gpu && strcmp(gpu, "0") == 0)
		return choose_named(device_of_processor(), "SSPUR_GPU", has_kernels, error);
	return has_kernels ? choose_auto(error) : device_find("interp");
}

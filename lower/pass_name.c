/* Passes as sspur-opt names them. */
#include <string.h>

#include "lower/pass.h"
#include "utils/base/spelling.h"

static const struct {
	uint32_t hazard;
	const char *description;
} hazards[] = {
    {IR_HAZARD_FLUSH_F32, "F32 subnormals may become zero"},
    {IR_HAZARD_FLUSH_F64, "F64 subnormals may become zero"},
    {IR_HAZARD_DIVIDE_F32, "F32 quotients may not be correctly rounded"},
    {IR_HAZARD_DIVIDE_F64, "F64 quotients may not be correctly rounded"},
    {IR_HAZARD_ROOT_F32, "F32 square roots may not be correctly rounded"},
    {IR_HAZARD_ROOT_F64, "F64 square roots may not be correctly rounded"},
    {IR_HAZARD_NO_F64, "there is no F64 to correct with"},
    {IR_HAZARD_ROUNDS, "loops may end early"},
};
static const char *const hazard_names[] = {"flush-f32", "flush-f64", "divide-f32", "divide-f64",
                                           "root-f32",  "root-f64",  "no-f64",     "rounds"};
enum { HAZARD_COUNT = sizeof hazards / sizeof *hazards };
_Static_assert(HAZARD_COUNT == sizeof hazard_names / sizeof *hazard_names, "a name a hazard");

static bool same(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && memcmp(name, text, length) == 0;
}

void pass_print(const struct pass_call *call, struct text *out)
{
	const char *before = "=";
	text_add(out, passes[call->pass].name);
	for (int i = 0; i < HAZARD_COUNT && passes[call->pass].run_on_device; i++) {
		if (!(call->hazards & hazards[i].hazard))
			continue;
		text_add(out, before);
		text_add(out, hazard_names[i]);
		before = "+";
	}
}

void pass_print_hazards(struct text *out)
{
	for (int i = 0; i < HAZARD_COUNT; i++)
		text_add_format(out, "  %-15s %s\n", hazard_names[i], hazards[i].description);
}

/* `divide-f32+root-f32` */
static bool read_hazards(const char *list, size_t length, uint32_t *set, struct text *error, struct text *hint)
{
	const char *end = list + length;
	for (const char *at = list; at <= end;) {
		const char *plus = memchr(at, '+', (size_t)(end - at));
		size_t size = (size_t)((plus ? plus : end) - at);
		int i = 0;
		while (i < HAZARD_COUNT && !same(hazard_names[i], at, size))
			i++;
		if (i == HAZARD_COUNT) {
			text_add_format(error, "unknown hazard `%.*s`", (int)size, at);
			spelling_suggest(hint, at, size, hazard_names, HAZARD_COUNT);
			return false;
		}
		*set |= hazards[i].hazard;
		at += size + 1;
	}
	return true;
}

bool pass_read(const char *name, size_t length, struct pass_call *call, struct text *error, struct text *hint)
{
	const char *equals = memchr(name, '=', length), *names[PASS_COUNT];
	size_t size = equals ? (size_t)(equals - name) : length;
	for (int i = 0; i < PASS_COUNT; i++) {
		names[i] = passes[i].name;
		if (!same(passes[i].name, name, size))
			continue;
		*call = (struct pass_call){(enum pass_kind)i, equals ? 0 : passes[i].hazards};
		if (!equals)
			return true;
		if (passes[i].run_on_device)
			return read_hazards(equals + 1, length - size - 1, &call->hazards, error, hint);
		text_add_format(error, "the pass `%s` depends on no hazards", passes[i].name);
		return false;
	}
	text_add_format(error, "unknown pass `%.*s`", (int)size, name);
	spelling_suggest(hint, name, size, names, PASS_COUNT);
	return false;
}

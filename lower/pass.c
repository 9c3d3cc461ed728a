#include "lower/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ir/ir_dead.h"
#include "ir/ir_fold.h"
#include "ir/ir_text.h"
#include "ir/ir_verify.h"
#include "lower/lower_commit.h"
#include "lower/lower_exact.h"
#include "lower/lower_hazards.h"
#include "lower/lower_math.h"
#include "lower/lower_negations.h"
#include "lower/lower_variants.h"
#include "lower/lower_zeros.h"

/* ---- The passes ---- */

static bool each_kernel(struct ir_module *m, bool (*run)(struct ir_kernel *))
{
	bool changed = false;
	for (uint32_t n = 0; n < m->kernel_count; n++)
		changed |= run(m->kernels[n]);
	return changed;
}

static bool run_fold(struct ir_module *m)
{
	return each_kernel(m, ir_fold);
}

static bool run_dead(struct ir_module *m)
{
	return each_kernel(m, ir_remove_dead);
}

enum {
	FLUSH_ALL = IR_HAZARD_FLUSH_F32 | IR_HAZARD_FLUSH_F64,
	EXACT_F32 = IR_HAZARD_DIVIDE_F32 | IR_HAZARD_ROOT_F32,
	EXACT_ALL = EXACT_F32 | IR_HAZARD_DIVIDE_F64 | IR_HAZARD_ROOT_F64,
};

static bool run_hazards_all(struct ir_module *m)
{
	return lower_hazards(m, FLUSH_ALL);
}

static bool run_hazards_f32(struct ir_module *m)
{
	return lower_hazards(m, IR_HAZARD_FLUSH_F32);
}

static bool run_exact_all(struct ir_module *m)
{
	return lower_exact(m, EXACT_ALL);
}

static bool run_exact_flush(struct ir_module *m)
{
	return lower_exact(m, EXACT_ALL | FLUSH_ALL);
}

static bool run_exact_f32(struct ir_module *m)
{
	return lower_exact(m, EXACT_F32);
}

static bool run_exact_integer(struct ir_module *m)
{
	return lower_exact(m, EXACT_ALL | IR_HAZARD_NO_F64);
}

const struct pass passes[] = {
    {"fold", run_fold, "computes constants and exact identities"},
    {"dead", run_dead, "removes what nobody uses"},
    {"variants", lower_variants, "adds the functions of each kernel for launches in which nothing can go wrong"},
    {"variants-recorded", lower_variants_recorded, "the same for kernels that record their failures"},
    {"math", lower_math, "writes functions and divisions that never trap as other operations"},
    {"commit", lower_commit, "puts the stores of commit-safe kernels last"},
    {"hazards-all", run_hazards_all, "flags subnormals, where F32 and F64 may be flushed"},
    {"hazards-f32", run_hazards_f32, "flags subnormals, where F32 may be flushed"},
    {"exact-all", run_exact_all, "rounds quotients and roots, where none is right"},
    {"exact-flush", run_exact_flush, "rounds quotients and roots, where none is right and subnormals are flagged"},
    {"exact-f32", run_exact_f32, "rounds F32 quotients and roots, where those of F64 are right"},
    {"zeros", lower_zeros, "keeps compilers from knowing that what is compared is zero"},
    {"negations", lower_negations, "keeps compilers from losing the signs of integers"},
    {"exact-integer", run_exact_integer, "rounds quotients and roots by integers alone"},
    {NULL, NULL, NULL},
};

const struct pass *pass_find(const char *name)
{
	for (const struct pass *p = passes; p->name; p++)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

/* ---- SSPUR_DEBUG ---- */

enum { DEBUG_HELP = 1, DEBUG_PRINT = 2, DEBUG_VERIFY = 4, DEBUG_ROUNDTRIP = 8, DEBUG_TIME = 16 };

static const struct {
	const char *word;
	unsigned flag;
	const char *description;
} debug_words[] = {
    {"help", DEBUG_HELP, "this list"},
    {"print", DEBUG_PRINT, "print the module after every pass"},
    {"verify", DEBUG_VERIFY, "verify the module after every pass"},
    {"roundtrip", DEBUG_ROUNDTRIP, "print and parse the module after every pass, and compare"},
    {"time", DEBUG_TIME, "print the time of every pass"},
    {"vulkan", 0, "the device vulkan under Vulkan's validation layer (runtime/vulkan_validation.h)"},
    {"subnormals", 0, "the device interp says which kernels met subnormals, which a device may flush (docs/trust.md)"},
};

enum { DEBUG_WORDS = sizeof debug_words / sizeof *debug_words };

static unsigned flag_of(const char *word, size_t n)
{
	for (int i = 0; i < DEBUG_WORDS; i++)
		if (strlen(debug_words[i].word) == n && strncmp(debug_words[i].word, word, n) == 0)
			return debug_words[i].flag;
	return DEBUG_HELP; /* a word that is none gets the list of those that are */
}

static void print_help(void)
{
	static bool printed;
	if (printed)
		return;
	printed = true;
	fprintf(stderr, "SSPUR_DEBUG is a list, separated by commas, of:\n");
	for (int i = 0; i < DEBUG_WORDS; i++)
		fprintf(stderr, "  %-10s %s\n", debug_words[i].word, debug_words[i].description);
}

static unsigned debug_flags(void)
{
	unsigned flags = 0;
	const char *list = getenv("SSPUR_DEBUG");
	while (list && *list) {
		size_t n = strcspn(list, ",");
		flags |= n ? flag_of(list, n) : 0;
		list += n + (list[n] == ',');
	}
	if (flags & DEBUG_HELP)
		print_help();
#ifndef NDEBUG
	flags |= DEBUG_VERIFY;
#endif
	return flags;
}

/* ---- Failure: our own bug ---- */

/* Writes the module as it was before the pass to a file that stays. */
static _Noreturn void fail(const char *name, const struct text *before, const char *problem, const struct text *details)
{
	fprintf(stderr, "sspur: after pass %s: %s\n%s", name, problem, text_string(details));
	char path[] = "/tmp/sspur-XXXXXX.kir";
	int file = mkstemps(path, 4);
	if (file >= 0 && write(file, text_string(before), before->length) == (ssize_t)before->length)
		fprintf(stderr, "to repeat: SSPUR_DEBUG=verify,roundtrip sspur-opt --passes %s %s\n", name, path);
	abort();
}

static void check_roundtrip(const char *name, const struct text *before, const struct text *after)
{
	struct source source;
	source_init(&source, name, text_string(after), after->length);
	struct diagnostics diagnostics = {.source = &source};
	struct ir_module *again = ir_parse(&source, &diagnostics);
	struct text second = {0};
	if (!again) {
		diagnostics_print(&diagnostics, &second);
		fail(name, before, "the module's text does not parse", &second);
	}
	ir_print(&second, again);
	if (second.length != after->length || memcmp(text_string(&second), text_string(after), after->length) != 0)
		fail(name, before, "the module's text reads back as another", &second);
	text_free(&second);
	ir_module_free(again);
	diagnostics_free(&diagnostics);
	source_free(&source);
}

/* ---- Running ---- */

static double seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One of the two functions. */
struct pass_call {
	bool (*plain)(struct ir_module *m);
	bool (*with_hazards)(struct ir_module *m, uint32_t hazards);
	uint32_t hazards;
};

static bool run_call(const char *name, const struct pass_call *call, struct ir_module *m)
{
	unsigned flags = debug_flags();
	struct text before = {0}, after = {0}, faults = {0};
	if (flags & (DEBUG_VERIFY | DEBUG_ROUNDTRIP))
		ir_print(&before, m);
	double start = seconds();
	bool changed = call->plain ? call->plain(m) : call->with_hazards(m, call->hazards);
	if (flags & DEBUG_TIME)
		fprintf(stderr, "pass %s: %.3f ms%s\n", name, (seconds() - start) * 1e3, changed ? ", changed" : "");
	if (flags & DEBUG_VERIFY && !ir_verify(m, &faults))
		fail(name, &before, "the module does not verify", &faults);
	for (uint32_t n = 0; n < m->kernel_count; n++)
		ir_kernel_number(m->kernels[n]);
	if (flags & (DEBUG_PRINT | DEBUG_ROUNDTRIP))
		ir_print(&after, m);
	if (flags & DEBUG_PRINT)
		fprintf(stderr, "; after pass %s\n%s", name, text_string(&after));
	if (flags & DEBUG_ROUNDTRIP)
		check_roundtrip(name, &before, &after);
	text_free(&before);
	text_free(&after);
	text_free(&faults);
	return changed;
}

bool pass_run(const char *name, bool (*pass)(struct ir_module *), struct ir_module *m)
{
	return run_call(name, &(struct pass_call){.plain = pass}, m);
}

bool pass_run_hazards(const char *name, bool (*pass)(struct ir_module *, uint32_t hazards), uint32_t hazards,
                      struct ir_module *m)
{
	return run_call(name, &(struct pass_call){.with_hazards = pass, .hazards = hazards}, m);
}
